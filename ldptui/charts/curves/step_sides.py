"""Both sides of the steps of a closed form, whose jumps are so drawn as jumps."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from itertools import pairwise
from typing import Any, Final

from ldptui.core.base.errors import LdpError
from ldptui.core.law.parameter_steps import find_edge, whole_numbers

SIGHT: Final = 600
"""Places of a picture from side to side: both sides of a step are one of them."""


def find_step_sides(bound: Callable[[float], Any], places: Collection[float]) -> tuple[float, ...]:
    """The places on an axis, with both sides of each isolated step of a whole parameter (a hash
    range, a subset size).

    bound : returns the protocol at a place; its whole-number parameters make the steps.
    """

    def choose_numbers(place: float) -> object:
        try:
            return whole_numbers(bound(place))
        except (LdpError, ValueError, OverflowError, ZeroDivisionError, TypeError):
            return ()

    sides = {*places}
    if len(places) < 2 or choose_numbers(min(places)) == choose_numbers(max(places)):
        return tuple(sorted(sides))  # no number comes twice
    near = (max(places) - min(places)) / SIGHT
    numbers = [(place, choose_numbers(place)) for place in sorted(places)]
    for (low, here), (high, there) in pairwise(numbers):
        if here != there:
            edge = find_edge(partial(_differ, choose_numbers, here), low, high, near)
            sides.update(edge if choose_numbers(edge[1]) == there else ())
    return tuple(sorted(sides))


def _differ(choose_numbers: Callable[[float], object], here: object, place: float) -> bool:
    """Return whether the whole-number parameters at a place differ from `here`."""
    return choose_numbers(place) != here
