"""Defences: what the server does about fake users.

A correction changes the estimated frequencies and knows nothing else of the users. A new one is a
frozen dataclass with `kind` and `correct` in a file of its own, and a row of DEFENCES.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol

from ..sampling import Floats
from .norm_sub import NormSub


class Correction(Protocol):
    """A step from estimated frequencies to better ones."""

    @property
    def kind(self) -> str: ...

    def correct(self, frequencies: Floats) -> Floats:
        """The corrected frequencies, float64[trials, d]."""
        ...


@dataclass(frozen=True)
class NoCorrection:
    """The estimates as they are, to compare with."""

    kind: Literal["none"] = "none"

    def correct(self, frequencies: Floats) -> Floats:
        return frequencies


DEFENCES: Final[dict[str, type[Any]]] = {"none": NoCorrection, "norm-sub": NormSub}
"""Every kind, in the order in which it is shown."""


def corrected(frequencies: Floats, corrections: Sequence[Correction]) -> Floats:
    """The frequencies after each correction in turn."""
    for correction in corrections:
        frequencies = correction.correct(frequencies)
    return frequencies
