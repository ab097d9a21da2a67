"""The steps of a protocol's integer parameters over ε, and the first ε that reaches a condition.

A protocol with an integer that depends on ε (the buckets of OLH, the size of a subset) improves
with ε until the integer changes, and may be worse right after: a condition that holds at one ε may
fail at a larger one. A search for the least ε therefore goes through the pieces between the steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any, Final

PIECES: Final = 8
"""Pieces in a row without an answer after which no earlier one is tried."""
WIDTH: Final = 1e-9
"""What the end of a piece may be off."""


def whole_numbers(protocol: Any) -> tuple[int, ...]:
    """The integer parameters of a protocol, which are constant between two steps of ε."""
    if isinstance(protocol, tuple):
        return ()
    held = [getattr(protocol, each.name) for each in fields(protocol)]
    chosen = [getattr(protocol, name, 0) for name in ("messages", "agreeing")]
    return tuple(value for value in (*held, *chosen) if isinstance(value, int))


def first_reached(
    is_reached: Callable[[float], bool], step: Callable[[float], object], grid: Sequence[float]
) -> tuple[float, float] | None:
    """Two neighbouring floats: a condition is false at the first and true at the second, the first
    such place.

    is_reached : the condition, false and then true within each piece. step : returns a value that
    is constant in a piece and different in every piece. grid : ascending places at which the search
    starts. None if the condition holds nowhere on the grid; the first place twice if it holds
    there.
    """
    at = next((at for at, place in enumerate(grid) if is_reached(place)), None)
    if not at:
        return None if at is None else (grid[0], grid[0])
    edge = find_edge(is_reached, grid[at - 1], grid[at])
    end, missed = edge[0], 0
    here = step(end)

    def is_here(place: float) -> bool:
        return step(place) == here

    while True:
        here = step(end)
        if is_reached(end):
            edge = find_edge(lambda place: is_here(place) and is_reached(place), grid[0], end)
            end, missed = edge[0], 0
        elif missed == PIECES or is_here(grid[0]):
            return edge
        else:  # to the last place of the piece before
            end, _ = find_edge(is_here, grid[0], end, WIDTH)
            missed += 1


def find_edge(
    is_true: Callable[[float], bool], low: float, high: float, width: float = 0.0
) -> tuple[float, float]:
    """Two floats between which a condition changes from false to true, at most `width` apart.

    low, high : a place where the condition is false, and one where it is true. With width 0 the
    results are neighbouring floats.
    """
    while (middle := (low + high) / 2) not in (low, high) and high - low > width:
        low, high = (low, middle) if is_true(middle) else (middle, high)
    return low, high
