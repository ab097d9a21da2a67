"""Heavy hitters: the survivors of each level, and the table of the items."""

from typing import Any

import pytest

from ldptui.charts.figures.items import counts_plot, items_table, lost_level
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


def test_the_table_has_room_beside_the_forms_of_120_columns() -> None:
    table = items_table(details())
    heads = [column.name for column in table.columns]
    widths = [
        max(len(head), 5 if head in ("true", "after", "before") else 4) for head in heads[:-1]
    ]
    assert sum(widths) - 3 + 10 + 2 * len(widths) <= 74


def test_the_chart_of_the_levels_has_what_the_table_has() -> None:
    """Means with their intervals by Student's t of 20 trials, 2.093 standard errors."""
    plot = survivors_plot(details())
    points = {series.label: series for series in plot.series if series.style == "points"}
    assert list(points["true hitters after"].y) == [3] * 10
    assert list(points["targets before"].y) == [1.5] * 10
    assert points["targets after"].error == pytest.approx([0.2093] * 10, rel=1e-3)


def test_the_chart_of_counts_says_what_has_no_place_on_it() -> None:
    """The target has 0 users, the hitter is not named under attack: one point is left of four."""
    plot = counts_plot(details())
    (before,) = [series for series in plot.series if series.style == "points"]
    assert (before.label, list(before.x), list(before.y)) == ("true hitters before", [5000], [1125])
    assert plot.note.endswith("2 of 2 are not named or at 0")
    assert plot.x.log
    assert (plot.x.low, plot.x.high) == (plot.y.low, plot.y.high) == (750, 7500)
