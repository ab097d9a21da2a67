"""What fakes do to an estimate that is linear in what reports say: one formula.

The server estimates θ~ = Σ W (s̄ − q)/(p − q), s̄ what all reports say of each support on average:
whether they support an item, a node of a tree, a key with a sign; or, with p = 1 and q = 0, what
each report says of a number. A share β of fakes moves it by β (E − θ), E what one of them makes of
θ~. We derive it.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ..base.sampling import Floats

CANCELLED: Final = 1e-12
"""A difference that is smaller than this share of what it is made of is rounding."""


def round_to_zero(difference: float, size: float) -> float:
    """A difference of terms of this size together: 0 where it is rounding, and never -0."""
    return difference + 0.0 if abs(difference) > CANCELLED * size else 0.0


def linear_gain(
    said: float, total: float, truth: float, share: float, p: float = 1.0, q: float = 0.0
) -> float:
    """β (E − θ): by how much a share of fakes moves the estimate, on average.

    said : Σ W s, what one fake says. total : Σ W. truth : θ, the estimate without the fakes.
    """
    gap = p - q
    moved = share * ((said - q * total) / gap - truth)
    return round_to_zero(moved, share * ((abs(said) + q * abs(total)) / gap + abs(truth)))


def most_said(
    weights: Floats, low: float = 0.0, high: float = 1.0, votes: int | None = None
) -> float:
    """The most that one report says of a weighted sum, Σ W s.

    weights : float64[k], W. low, high : the least and the largest that a report says of a support.
    votes : of how many supports it says `high` at most; None: of any number.
    """
    for_it = np.sort(np.maximum(weights, 0))[::-1][:votes]
    return float(low * weights.sum() + (high - low) * for_it.sum())
