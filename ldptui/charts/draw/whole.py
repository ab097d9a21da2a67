"""Limits of an axis on which its ticks stand on whole rows, all of them the same way apart."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from .axes import Scale, Tick, decades, linear_steps

DECADES: Final = (1, 2, 3, 5, 10, 20, 50, 100)
"""Decades from one tick of a log axis to the next."""
WASTE: Final = 1.15
"""Of axes whose lengths differ by less than this factor the one with most ticks is taken."""


def on_whole_rows(scale: Scale, most: int) -> tuple[Scale, list[Tick]] | None:
    """The axis a little wider, and its ticks: a whole number of rows apart, each on the same dot.

    most : ticks at most. None for a symlog axis, whose ticks are not evenly apart, for less than
    two decades of a log axis, and where there is no room for two ticks.
    """
    span = scale.high - scale.low
    if scale.linear or scale.cells < 4 or not 0 < span < math.inf:
        return None
    if scale.log and span < 2:
        return None
    fits = [
        (step, fitted)
        for step in _steps(scale, span, max(2, most))
        for rows in range(scale.cells, 0, -1)
        if (fitted := _fitted(scale, step, rows)) is not None
    ]
    if not fits:
        return None
    least = min(fit.high - fit.low for _, fit in fits)
    near = [(step, fit) for step, fit in fits if fit.high - fit.low <= WASTE * least]
    step, best = min(near, key=lambda fit: (fit[0], fit[1].high - fit[1].low))
    return best, _ticks(best, step)


def _ticks(scale: Scale, step: float) -> list[Tick]:
    """The multiples of the step on the axis."""
    if not scale.log:
        return linear_steps(step, scale.low, scale.high)
    first, last = math.ceil(scale.low / step - 1e-9), math.floor(scale.high / step + 1e-9)
    powers = (at * round(step) for at in range(first, last + 1))
    return decades(powers, scale.low, scale.high)


def _steps(scale: Scale, span: float, most: int) -> Iterator[float]:
    """The steps that give from two ticks to the most."""
    if scale.log:
        yield from (step for step in DECADES if span / most <= step <= span)
        return
    power = math.floor(math.log10(span / most))
    for step in (m * 10.0**k for k in (power, power + 1, power + 2) for m in (1, 2, 5)):
        if span / most <= step <= span / 2:
            yield step


def _fitted(scale: Scale, step: float, rows: int) -> Scale | None:
    """The axis with this number of rows from tick to tick; None where its limits do not fit."""
    dot = step / (rows * scale.dots)
    if dot * scale.last < scale.high - scale.low:
        return None
    first = math.ceil(scale.low / step - 1e-9) * step
    below = math.ceil((first - scale.low) / dot - 1e-9)
    below += ((scale.dots - 1) // 2 - below) % scale.dots  # the tick's own dot in its row
    low = first - below * dot
    high = low + scale.last * dot
    return replace(scale, low=low, high=high) if high >= scale.high - 1e-9 * step else None
