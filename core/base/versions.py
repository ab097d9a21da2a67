"""The versions that the numbers of a run depend on."""

from __future__ import annotations

import platform
import re
from collections.abc import Mapping
from typing import Final

import numpy as np

SIMULATOR: Final = 2
"""Raised with every change of the simulator that changes a number: older cells are then unknown."""


def versions(ldptui: str = "") -> dict[str, str | int]:
    """The versions that the numbers of a run depend on, and that of ldptui, by name."""
    return {
        "ldptui": ldptui,
        "numpy": np.__version__,
        "python": platform.python_version(),
        "machine": platform.machine(),
        "simulator": SIMULATOR,
    }


def differing(known: Mapping[str, str | int]) -> str:
    """The library versions that differ from those of a saved run, in words; "" if all are
    the same.
    """
    here = versions()
    names = {"numpy": "NumPy", "machine": "a processor of the family", "simulator": "simulator"}
    return ", ".join(
        f"computed with {words} {known[name]}, here it is {here[name]}"
        for name, words in names.items()
        if known[name] != here[name]
    )


def redrawn_words(known: Mapping[str, str | int]) -> tuple[str, ...]:
    """A warning sentence if this NumPy draws random numbers differently from that of a saved run,
    else ().
    """
    if not _binomials_differ(known):
        return ()
    here = versions()["numpy"]
    drawn = f"drawn by NumPy {known['numpy']}, here it is {here}"
    return (f"{drawn}: from 2.5 on NumPy draws large binomials otherwise",)


def find_changed_sampler(known: Mapping[str, str | int]) -> str:
    """The software that draws other numbers here than in a saved run, from the same distributions:
    "simulator" or "NumPy"; "" if none.
    """
    if known["simulator"] != SIMULATOR:
        return "simulator"
    return "NumPy" if _binomials_differ(known) else ""


def _binomials_differ(known: Mapping[str, str | int]) -> bool:
    """True if NumPy draws large binomials differently here than in a saved run (numpy#31238)."""
    return _has_binomial_fix(known["numpy"]) != _has_binomial_fix(versions()["numpy"])


def _has_binomial_fix(numpy: str | int) -> bool:
    """Return whether a version of NumPy is 2.5 or later."""
    numbers = [int(part) for part in re.findall(r"\d+", str(numpy))]
    return numbers[:2] >= [2, 5]
