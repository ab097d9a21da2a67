"""The steps that whole parameters of a protocol make over ε, and the first ε that is enough.

A protocol that chooses a whole number by its ε (the buckets of OLH, the size of a subset) is better
with each larger ε until that number changes, where it may be worse at once: what is found at an ε
may not be found at a larger one. A search for an ε goes through the pieces between the steps.
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
    """The neighbouring doubles between which a condition is first reached.

    is_reached : False and then True within each piece. step : the same value within a piece, and
    never one again. grid : places that rise, where the search begins.

    None where no place of the grid is reached; the first place twice where that one is.
    """
    at = next((at for at, place in enumerate(grid) if is_reached(place)), None)
    if not at:
        return None if at is None else (grid[0], grid[0])
    found = find_edge(is_reached, grid[at - 1], grid[at])
    end, missed = found[0], 0
    here = step(end)

    def is_here(place: float) -> bool:
        return step(place) == here

    while True:
        here = step(end)
        if is_reached(end):
            found = find_edge(lambda place: is_here(place) and is_reached(place), grid[0], end)
            end, missed = found[0], 0
        elif missed == PIECES or is_here(grid[0]):
            return found
        else:  # to the last place of the piece before
            end, _ = find_edge(is_here, grid[0], end, WIDTH)
            missed += 1


def find_edge(
    is_true: Callable[[float], bool], low: float, high: float, width: float = 0.0
) -> tuple[float, float]:
    """Two points at most `width` apart, between which a condition becomes true."""
    while (middle := (low + high) / 2) not in (low, high) and high - low > width:
        low, high = (low, middle) if is_true(middle) else (middle, high)
    return low, high
