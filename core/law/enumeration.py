"""Enumeration: every report with its probability under every input, if there are few enough."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from ..base.sampling import Floats

CELLS: Final = 1 << 22
"""Probabilities of a law at most: 32 MB of doubles, well under a second."""


@dataclass(frozen=True, eq=False)
class ReportLaw:
    """The probability of every report under every input, float64[inputs, reports], with names for
    both.
    """

    probabilities: Floats
    input_name: Callable[[int], str]
    report_name: Callable[[int], str]


def every_report(mechanism: object) -> ReportLaw | None:
    """The probability of every report under every input; None if the mechanism has too many reports
    or cannot enumerate them.
    """
    listed: ReportLaw | None = getattr(mechanism, "enumerate_reports", lambda: None)()
    return listed


def independent_bits(rates: Floats, absent: Floats | None = None) -> Floats:
    """float64[inputs, 2^k]: the joint distribution of k independent bits, the first in the highest
    place.

    rates : float64[inputs, k]. absent : 1 - rates, given if the subtraction would lose digits.
    """
    law = np.ones((len(rates), 1))
    for rate, zero in zip(rates.T, (1 - rates if absent is None else absent).T, strict=True):
        law = (law[:, :, None] * np.stack([zero, rate], axis=1)[:, None, :]).reshape(len(rates), -1)
    return law


def item_name(item: int) -> str:
    """The name of an item in an enumeration: "item 3"."""
    return f"item {item}"


def bits_name(number: int, width: int) -> str:
    """The bits of a number as text, the first in the highest place."""
    return f"{number:0{width}b}"
