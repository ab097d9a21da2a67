"""The cursor of a chart: where it goes, how it is drawn, and what is read at it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from ldptui.charts.draw import draw
from ldptui.charts.figures.table import ChartTable, TableColumn, reading, rows_at, stops
from ldptui.charts.rows import DARK, Charset, Look
from ldptui.charts.series import Axis, Panels, Plot, Series
from ldptui.widgets.cursor import move_cursor
from ldptui.widgets.number_table import _matches

TABLE = ChartTable(
    "Gain over β",
    (TableColumn("series"), TableColumn("β"), TableColumn("closed form", 2),
     TableColumn("measured", 2)),
    (("GRR", 0.1, 1.0, 1.25), ("GRR", 0.2, 2.0, 2.25), ("OUE", 0.1, 3.0, 3.25),
     ("bound", 0.1, 9.0, None), ("bound", 0.15, 9.5, None)),
)  # fmt: skip
PLOT = Plot("", Axis("x"), Axis("y"), (Series("a", [0, 5, 10], [0, 1, 0], "series-0"),))


def test_a_cursor_stops_where_something_was_measured() -> None:
    assert stops(TABLE) == (0.1, 0.2)
    assert stops(replace(TABLE, rows=TABLE.rows[3:])) == (0.1, 0.15)
    assert stops(replace(TABLE, rows=())) == ()


def test_a_move_stays_within_the_stops() -> None:
    places = (0.1, 0.2, 0.5)
    assert [move_cursor(None, places, "step", by) for by in (1, -1)] == [0.1, 0.5]
    assert [move_cursor(0.2, places, "step", by) for by in (1, -1, 7, -7)] == [0.5, 0.1, 0.5, 0.1]
    assert [move_cursor(0.2, places, "to", by) for by in (0, -1)] == [0.1, 0.5]
    assert move_cursor(0.3, places, "step", 1) == 0.1  # a stop of another run: begin anew
    assert move_cursor(0.2, places, "pool", 0) is None
    assert move_cursor(0.2, (), "to", -1) is None


def test_rows_are_read_in_columns_with_the_picked_one_marked() -> None:
    rows = rows_at(TABLE, (1, 0.1))
    assert reading(TABLE, rows, 1, 1, (80, 9)).split("\n") == [
        "  β = 0.1  closed form  measured",
        "  GRR             1.00      1.25",
        "▸ OUE             3.00      3.25",
        "  bound           9.00         –",
    ]
    spelled = reading(TABLE, rows, 1, 1, (80, 9), "ascii").split("\n")
    assert spelled[0].startswith("  beta = 0.1  closed form")
    assert spelled[2].startswith("▸ OUE")  # the screen has a letter for that sign
    # Of more than there is room for, those around the picked one; a column of nothing is left out.
    assert reading(TABLE, rows, 1, 2, (80, 1)).split("\n") == [
        "  β = 0.1  3 of 3  closed form  measured",
        "▸ bound                   9.00         –",
    ]
    assert "measured" not in reading(TABLE, rows[2:], 1, 0, (80, 1))
    narrow = reading(TABLE, rows, 1, 1, (30, 9)).split("\n")
    assert narrow[:2] == ["  β = 0.1  closed form  …", "  GRR             1.00"]  # no number is cut


def test_a_count_in_groups_is_found_as_it_is_shown_and_as_it_is_typed() -> None:
    columns = TableColumn("item"), TableColumn("true", grouped=True)
    assert columns[1].text(16923) == "16 923"
    for words in (["16923"], ["16", "923"], ["16 923"]):
        assert _matches(("a", 16923), columns, words)
    assert not _matches(("a", 16924), columns, ["16923"])


@pytest.mark.parametrize(("charset", "line"), [("braille", "┊"), ("ascii", ":")])
def test_a_cursor_is_a_line_in_every_panel(charset: Charset, line: str) -> None:
    pointed = replace(PLOT, cursor=5.0)
    for chart, many in ((pointed, 1), (Panels("two", (pointed, pointed)), 2)):
        lines = [strip.text for strip in draw(chart, Look(60, 20, DARK, charset))]
        pointer = "^" if charset == "ascii" else "▲"
        top, rule = (next(text for text in lines if mark in text) for mark in (line, pointer))
        assert top.count(line) == many
        assert [i for i, char in enumerate(top) if char == line] == [
            i for i, char in enumerate(rule) if char == pointer
        ]
    outside = [
        strip.text for strip in draw(replace(PLOT, cursor=99.0), Look(60, 20, DARK, charset))
    ]
    assert outside == [strip.text for strip in draw(PLOT, Look(60, 20, DARK, charset))]
