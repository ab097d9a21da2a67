"""The tree of heavy hitters as rows of text, and the table of its items."""

from typing import Any

import pytest

from ldptui.charts.draw import draw
from ldptui.charts.figures import counts_plot, survivors_plot
from ldptui.charts.figures.levels import (
    items_table,
    level_at,
    level_table,
    levels_rows,
    lost_level,
    width_of,
)
from ldptui.charts.rows import DARK, Look, length


def details(groups: int = 10, bits: int = 10) -> dict[str, Any]:
    def mean(value: float) -> dict[str, float]:
        return {"mean": value, "standard_error": 0.1, "theory": value + 0.5}

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


@pytest.mark.parametrize(("groups", "bits"), [(10, 10), (40, 64), (1, 8)])
@pytest.mark.parametrize("width", [40, 78, 200])
def test_no_row_is_wider_than_the_pane(width: int, groups: int, bits: int) -> None:
    rows = levels_rows(details(groups, bits), Look(width, 0, DARK))
    assert all(length(row) <= max(width, 44) for row in rows)
    text = "\n".join("".join(part for part, _ in row) for row in rows)
    assert "a target" in text
    assert "approximation" in text


def test_a_row_says_where_an_item_is_lost() -> None:
    rows = levels_rows(details(), Look(120, 0, DARK))
    lines = ["".join(part for part, _ in row) for row in rows]
    assert sum(line.split() == ["±", *["0.1"] * 10] for line in lines) == 4
    lost = next(line for line in lines if line.startswith("3 "))
    assert "█████▂▂▂▂·" in lost
    assert "level 6" in lost
    kept = next(line for line in lines if "a target" in line)
    assert "██████████" in kept
    assert "12.5" in kept
    assert lost_level([1.0, 0.5, 0.4]) == 3
    assert lost_level([1.0, 0.6]) is None


def test_ascii_rows_have_ascii_alone() -> None:
    rows = levels_rows(details(), Look(100, 0, DARK, "ascii"))
    item = next(row for row in rows if row and row[0][0].startswith("3 "))
    assert "".join(part for part, _ in item).isascii()


@pytest.mark.parametrize("width", [50, 74])
def test_no_word_of_the_legend_is_cut(width: int) -> None:
    rows = levels_rows(details(), Look(width, 0, DARK))
    text = " ".join("".join(part for part, _ in row) for row in rows)
    assert "▸ target; # rank among the true hitters; est: mean where it is in the answer" in text


def test_the_table_has_room_beside_the_forms_of_120_columns() -> None:
    table = items_table(details())
    heads = [column.name for column in table.columns]
    widths = [
        max(len(head), 5 if head in ("true", "after", "before") else 4) for head in heads[:-1]
    ]
    assert sum(widths) - 3 + 10 + 2 * len(widths) <= 74


def test_the_table_has_a_row_for_each_item() -> None:
    table = items_table(details())
    assert [row[0] for row in table.rows] == ["a target", "3"]
    assert table.rows[0][3:8] == (0, 1250, 100, None, 0)
    assert table.rows[1][3:8] == (5000, None, 0, 1125, 100)
    assert table.rows[1][8:] == (6, "0" * 10)


@pytest.mark.parametrize("width", [60, 120])
def test_a_level_is_read_where_its_column_stands(width: int) -> None:
    """A cell of a column is its level; its table has the numbers with errors and z."""
    shown = details()
    head = "".join(text for text, _ in levels_rows(shown, Look(width, 0, DARK), 3)[1])
    for x, char in enumerate(head):
        if char.isdigit():
            start = head.rfind(" ", 0, x) + 1
            assert level_at(shown, width, x) == int(head[start:].split()[0].strip("▸"))
    assert head.count("▸") == 1
    assert level_at(shown, width, 3) is None
    table = level_table(shown, 3)
    assert [row[0] for row in table.rows] == [
        "targets before", "targets after", "true hitters before", "true hitters after",
    ]  # fmt: skip
    assert table.rows[0][1:] == (3, 2.0, 1.5, 0.1, pytest.approx(-5.0))


@pytest.mark.parametrize("width", [44, 60, 74])
def test_the_level_looked_at_has_its_column_where_not_all_have_one(width: int) -> None:
    """Of 40 levels every fifth has one at 74 cells; the pointer of the others was nowhere."""
    shown = details(40, 64)
    for at in range(1, 41):
        rows = levels_rows(shown, Look(width, 0, DARK), at)
        heads = "".join(text for text, _ in rows[1]).split()[1:]
        assert f"▸{at}" in heads
        numbers = [int(head.strip("▸")) for head in heads]
        assert numbers == sorted(numbers)
        column = next(x for x in range(width) if level_at(shown, width, x, at) == at)
        assert column < width


@pytest.mark.parametrize(("groups", "bits"), [(10, 10), (40, 64), (1, 8)])
def test_the_width_is_the_one_from_which_no_row_grows(groups: int, bits: int) -> None:
    shown = details(groups, bits)
    widest = [max(map(length, levels_rows(shown, Look(width, 0, DARK))[:-2]))
              for width in (width_of(shown), width_of(shown) + 100)]  # fmt: skip
    assert widest[0] == widest[1] <= width_of(shown)


def test_the_chart_of_the_levels_has_what_the_table_has() -> None:
    """Means with their intervals by Student's t of 20 trials, 2.093 standard errors."""
    plot = survivors_plot(details(), 3)
    points = {series.label: series for series in plot.series if series.style == "points"}
    assert list(points["true hitters after"].y) == [3] * 10
    assert list(points["targets before"].y) == [1.5] * 10
    assert points["targets after"].error == pytest.approx([0.2093] * 10, rel=1e-3)
    lines = [series for series in plot.series if series.style == "line" and len(series.x)]
    assert [line.y[0] for line in lines] == [3.5, 3.5, 2.0, 2.0]
    assert plot.cursor == 3
    text = "\n".join(strip.text for strip in draw(plot, Look(54, 20, DARK)))
    assert "line = approximation" in text


def test_the_chart_of_counts_says_what_has_no_place_on_it() -> None:
    """The target has 0 users, the hitter is not named under attack: one point is left of four."""
    plot = counts_plot(details())
    (before,) = [series for series in plot.series if series.style == "points"]
    assert (before.label, list(before.x), list(before.y)) == ("true hitters before", [5000], [1125])
    assert plot.note.endswith("2 of 2 are not named or at 0")
    assert plot.x.log
    assert (plot.x.low, plot.x.high) == (plot.y.low, plot.y.high) == (750, 7500)
