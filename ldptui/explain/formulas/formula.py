"""One formula at work, and the papers that formulas are from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ...text.format import short

W17: Final = "Wang et al. 2017"
CJG: Final = "Cao, Jia, Gong 2021"
RAP: Final = "Erlingsson et al. 2014"

DIGITS: Final = 5
FINE: Final = 8
"""Digits of numbers whose difference is small, so that what is shown can be recomputed."""


@dataclass(frozen=True)
class Live:
    """One formula at work: `formula` = `substituted` = `result`.

    substituted : the right side with its numbers, at most 100 cells. result : the number as text.
    value : the number itself. number : of the equation in the project's list, or None. part : the
    heading it belongs to.
    """

    title: str
    formula: str
    substituted: str
    result: str
    value: float
    source: str
    number: int | None
    part: str = ""


def numeric(
    part: str,
    title: str,
    formula: str,
    substituted: str,
    value: float,
    source: str,
    number: int | None = None,
) -> Live:
    """A formula whose result is its value."""
    result = short(value, DIGITS)
    return Live(title, formula, substituted, result, value, source, number, part)
