"""Every report with its probability under every input, where there are few enough of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from .sampling import Floats

CELLS: Final = 1 << 22
"""Probabilities of a law at most: 32 MB of doubles, well under a second."""


@dataclass(frozen=True, eq=False)
class ReportLaw:
    """Pr[y | v]: float64[inputs, reports], with a name for each input and each report."""

    probabilities: Floats
    input_name: Callable[[int], str]
    report_name: Callable[[int], str]


def independent_bits(rates: Floats) -> Floats:
    """float64[inputs, 2^k]: the law of k independent bits, the first in the highest place."""
    law = np.ones((len(rates), 1))
    for rate in rates.T:
        law = (law[:, :, None] * np.stack([1 - rate, rate], axis=1)[:, None, :]).reshape(
            len(rates), -1
        )
    return law


def item_name(item: int) -> str:
    return f"item {item}"


def bits_name(number: int, width: int) -> str:
    """The bits of a number, the first in the highest place."""
    return f"{number:0{width}b}"
