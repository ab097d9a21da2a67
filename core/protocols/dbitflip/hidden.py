"""The gain that fakes can hide among the reports of dBitFlip: a closed form, which we derive.

A report has bits of a subset A of D items. With δ the shift of the frequencies, s = e^(ε/2), and
bits of A that are 1 just where an item loses, honest fakes of δ/β would send it with a probability
in proportion to

    β - Σ_{v in A} φ(δ_v),    φ(δ) = (1 - 1/s) max(0, δ) + (s - 1) max(0, -δ),

and no report is less likely. So fakes can hide as long as the D largest φ add up to at most β.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from typing import Final

import numpy as np

from ...law.hiding import Crowd

STEPS: Final = 32
"""Newton's steps at most; three are usual."""

ROUNDING: Final = 1e-13


def hidden_loss(crowd: Crowd, epsilon: float, sampled: int) -> float:
    """The most that items can lose unseen to targets; `core.law.hiding.Loses`.

    Targets are best lifted alike, and other items lose up to a level, or all that they have: so the
    largest φ are as small as can be.
    """
    held, items, targets, share = crowd.held, crowd.items, crowd.targets, crowd.share
    s = math.exp(epsilon / 2)
    aim, falling = (1 - 1 / s) / targets, -held
    number = np.append(0, np.cumsum(items))
    mass = np.append(0.0, np.cumsum(items * held))

    def lost(level: float, most: int) -> tuple[float, int]:
        """The losses of the items that lose most, if all lose up to a level; its slope there."""
        capped = int(np.searchsorted(falling, -level, side="right"))
        above = min(most, int(number[capped]))
        below = float(np.interp(most, number, mass) - mass[capped]) if most > above else 0.0
        return above * level + below, above

    def over(level: float) -> tuple[float, float]:
        """By how much the D largest φ exceed β if items lose up to this level; its slope there."""
        total, slope = lost(level, int(number[-1]))
        lifted = aim * (share + total)
        before = 0
        if (s - 1) * level > lifted:
            before = int(number[np.searchsorted(falling, -lifted / (s - 1))])
        inside = min(targets, max(sampled - before, 0))
        largest, steep = lost(level, sampled - inside)
        excess = inside * lifted + (s - 1) * largest - share
        return excess, inside * aim * slope + (s - 1) * steep

    # Between two levels at which items run out the excess is convex, and a line nearly everywhere.
    within = bisect_left(held, True, key=lambda level: over(level)[0] <= 0)
    level = float(held[max(within - 1, 0)])
    for _ in range(STEPS):
        excess, slope = over(level)
        if excess <= ROUNDING * share:
            break
        level -= excess / slope
    return lost(level, int(number[-1]))[0]
