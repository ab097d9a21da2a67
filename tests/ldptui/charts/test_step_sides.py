"""Jumps of closed forms: where OLH's hash range, the integer nearest to e^ε + 1, changes."""

from __future__ import annotations

import math

import pytest

from ldptui.charts.curves.step_sides import SIGHT, find_step_sides
from ldptui.core.protocols import KINDS

PLACES = (0.5, 0.8, 1.0, 1.2, 1.4)


def test_both_sides_of_a_jump_are_places_of_the_curve() -> None:
    found = find_step_sides(lambda x: KINDS["olh"](kind="olh", epsilon=x).bind(64), PLACES)
    sides = sorted({*found} - {*PLACES})
    assert {*PLACES} <= {*found}
    for low, high, step in ((*sides[:2], math.log(2.5)), (*sides[2:], math.log(3.5))):
        assert low <= step <= high <= low + 0.9 / SIGHT


@pytest.mark.parametrize(("kind", "places"), [("oue", PLACES), ("olh", (3.0, 4.0)), ("olh", ())])
def test_nothing_is_added_without_a_step_of_its_own(kind: str, places: tuple[float, ...]) -> None:
    """Many steps between two places are drawn as the slope that they are."""
    assert find_step_sides(lambda x: KINDS[kind](kind=kind, epsilon=x).bind(64), places) == places


def test_a_place_without_a_protocol_has_no_step() -> None:
    def refuse(x: float) -> object:
        raise ValueError(x)

    assert find_step_sides(refuse, PLACES) == PLACES
