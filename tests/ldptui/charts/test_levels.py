"""Heavy hitters: the survivors of each level, and the table of the items."""

import math
from typing import Any

import pytest

from ldptui.charts.figures.items import count_bars, items_table, kept_grid, lost_level
from ldptui.charts.figures.levels import survivors_plot, survivors_table


def details(groups: int = 10, bits: int = 10) -> dict[str, Any]:
    def mean(value: float) -> dict[str, float]:
        return {"mean": value, "standard_error": 0.1}

    lengths = [2 + -(-number * (bits - 2) // groups) for number in range(1, groups + 1)]
    arm = {"targets": mean(1.5), "hitters": mean(3)}
    levels = [
        {
            "level": number,
            "bits": bits,
            "candidates": 40,
            "target_prefixes": 2,
            "clean": arm,
            "attacked": arm,
        }
        for number, bits in enumerate(lengths, 1)
    ]
    half = [1.0] * (groups // 2) + [0.2] * (groups - groups // 2)
    gone = {"survived": [*half[:-1], 0.0], "estimate": None}
    kept = {"survived": [1.0] * groups, "estimate": 0.125}
    watched = [
        {"item": "a target", "code": "1" * bits, "target": True, "rank": None, "true": 0,
         "clean": gone, "attacked": kept},
        {"item": "3", "code": "0" * bits, "target": False, "rank": 1, "true": 5000,
         "clean": kept, "attacked": gone},
    ]  # fmt: skip
    return {"trials": 20, "users": 9000, "malicious": 1000, "levels": levels, "watched": watched}


def test_the_table_has_a_row_for_each_level_group_and_arm() -> None:
    """Means with their errors; the cursor reads the rows of its level."""
    table = survivors_table(details())
    assert len(table.rows) == 40
    third = [row for row in table.rows if row[1] == 3]
    assert [row[0] for row in third] == [
        "true hitters before", "true hitters after", "targets before", "targets after",
    ]  # fmt: skip
    assert third[2][2:] == (5, 40, 1.5, 0.1)
    assert (lost_level([1.0, 0.5, 0.4]), lost_level([1.0, 0.6])) == (3, None)


def test_the_chart_of_the_levels_has_what_the_table_has() -> None:
    """Means with their intervals by Student's t of 20 trials, 2.093 standard errors."""
    plot = survivors_plot(details())
    points = {series.label: series for series in plot.series if series.style == "points"}
    assert list(points["true hitters after"].y) == [3] * 10
    assert list(points["targets before"].y) == [1.5] * 10
    assert points["targets after"].error == pytest.approx([0.2093] * 10, rel=1e-3)


def test_the_map_of_the_items_shows_where_each_is_lost() -> None:
    """A row for each item with its code; the hitter is lost at level 6."""
    grid = kept_grid(details())
    assert grid.rows == ("a target 1111111111", "3 0000000000")
    assert grid.values == ((100,) * 10, (100,) * 5 + (20,) * 4 + (0,))
    assert [row[-2] for row in items_table(details()).rows] == [None, 6]


def test_the_bars_of_counts_say_what_is_never_named() -> None:
    """The hitter is not named under attack, the target without one."""
    chart = count_bars(details())
    target, hitter = chart.bars
    assert (target.before, target.value, target.true, target.target) == (0, 1250, 0, True)
    assert (hitter.before, math.isnan(hitter.value), hitter.true) == (1125, True, 5000)
    assert chart.note.endswith("1 of 2 are never named after the attack")
