"""Random numbers for reports of real users: ChaCha20, its key from the operating system."""

from __future__ import annotations

import secrets

import numpy as np

from .errors import RunError, ScenarioError, got


def generator(rng: object) -> np.random.Generator:
    """The generator that is given, or a secure one for None; raises ScenarioError for others."""
    if rng is None:
        return secure()
    if not isinstance(rng, np.random.Generator):
        raise ScenarioError(f"must be a numpy.random.Generator or left out, {got(rng)}", key="rng")
    return rng


def secure() -> np.random.Generator:
    """A generator that nobody can predict or run backwards from what it has drawn.

    The stream is that of ChaCha20 (RFC 8439), by randomgen, under 256 fresh bits of the operating
    system. NumPy's own generators are for simulation: the state of PCG64 follows from some hundred
    bytes of its output (Bouillaguet, Martinez, Sauvage, ToSC 2020). Raises RunError.
    """
    try:
        from randomgen.chacha import ChaCha
    except ImportError:
        rule = "reports of real users need randomgen, which is not here (pip install randomgen)"
        raise RunError(rule) from None

    return np.random.Generator(ChaCha(key=secrets.randbits(256)))
