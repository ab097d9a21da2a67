"""The cursor of the lab's charts: the keys and clicks of the workbench, and what is read."""

from __future__ import annotations

import math
from typing import Any

import pytest
from support.lab_screen import answers_of, edit, field, go, lab
from support.waiting import seen, until
from textual.geometry import Offset
from textual.widgets import Input

from ldptui.charts.series import Axis, Bar, Bars, Plot, Series
from ldptui.questions.sheet import (
    AnswerSheet,
    curves,
    decode_answer,
    encode_answer,
    list_rows,
    shares,
)
from ldptui.screens.lab.lab_answer import LabChart, sentences
from ldptui.screens.lab.lab_screen import LabScreen
from ldptui.widgets.cursor import Readout
from ldptui.widgets.plot import ChartView

PLOT = Plot(
    "Right",
    Axis("ε", log=True),
    Axis("probability"),
    (
        Series("exact", (0.1, 1.0, 10.0), (0.2, 0.5, 0.9), "theory"),
        Series("GRR", (0.1, 10.0), (0.25, float("nan")), "series-0", "points", (0.031, 0.02)),
    ),
    levels=((0.95, "sure"),),
)


def read(screen: LabScreen) -> list[list[str]]:
    """The words of each line below the charts; of no cursor, none."""
    shown = [each for each in screen.query(Readout) if each.display and each.size.height]
    return [line.split() for each in shown for line in str(each.content).split("\n")]


def cursor(screen: LabScreen) -> Any:
    chart: Any = screen.query_one("#lab-chart", ChartView).chart
    return chart.cursor


def test_a_row_of_curves_has_every_curve_the_interval_and_the_levels() -> None:
    numbers = curves(PLOT, "right", "ε").numbers
    assert [column.name for column in numbers.columns] == ["", "ε", "exact", "GRR", "sure"]
    assert numbers.rows == (("right", 0.1, 0.2, "0.250 ± 0.031", 0.95),)  # where it was measured
    alone = Plot(PLOT.title, PLOT.x, PLOT.y, PLOT.series[:1])
    assert [row[1:] for row in curves(alone, "right", "ε").numbers.rows] == [
        (0.1, 0.2), (1, 0.5), (10, 0.9)
    ]  # fmt: skip


def test_a_bar_reads_its_value() -> None:
    bars = Bars("", (Bar("2–4", 0.25), Bar("5", 0.75)), item="class of", value="share")
    assert shares(bars).numbers.rows == (("", "2–4", 0.25), ("", "5", 0.75))


def test_numbers_reach_the_screen_as_they_are() -> None:
    figure = curves(PLOT, "right", "ε")
    answer = AnswerSheet(list_rows("", ("a",), [("x",)]), figures=(figure,))
    [found] = decode_answer(encode_answer(answer)).figures
    assert found.numbers == figure.numbers


async def test_keys_go_through_a_chart_and_read_it() -> None:
    async with lab() as (screen, _, pilot):
        assert not read(screen)
        assert screen.check_action("cursor", ("pool",)) is False
        screen.query_one("#lab-chart").focus()
        await pilot.press("full_stop", "n")
        head, values = read(screen)
        assert head == [
            "privacy",
            "budget",
            "ε",
            "=",
            "0.1122",
            "laplace",
            "geometric",
            "stability",
        ]
        assert float(values[1]) == pytest.approx(2 * math.log(20) / 0.1122, rel=1e-3)
        assert cursor(screen) == pytest.approx(0.1122, rel=1e-3)
        await pilot.press("end")
        assert cursor(screen) == answers_of(screen)["accuracy"].figures[0].numbers.rows[-1][1]
        await pilot.press("home", "comma")
        assert cursor(screen) == pytest.approx(0.1)
        await pilot.press("backspace")
        assert cursor(screen) is None
        assert not read(screen)


@pytest.mark.long
async def test_a_click_reads_the_nearest_place_and_the_cursor_stays() -> None:
    async with lab((120, 40)) as (screen, _, pilot):
        await go(screen, pilot, "price")
        chart = screen.query_one("#lab-chart")
        await pilot.click(chart, offset=(chart.size.width * 3 // 4, 8))
        assert read(screen)[0][:2] == ["number", "of"]
        last = cursor(screen)
        # Another n has other places: the cursor goes to the nearest.
        await edit(screen, pilot, "users", 12_345)
        places = [row[1] for row in answers_of(screen)["price"].figures[0].numbers.rows]
        assert cursor(screen) in places
        assert 0.5 < cursor(screen) / last < 2
        # A chart of bars: the bar that is clicked at.
        await go(screen, pilot, "disclose")
        bars = screen.query_one("#lab-chart", ChartView)
        y = next(
            y for y, row in enumerate(bars.as_text().split("\n")) if row.split()[:1] == ["5–9"]
        )
        await pilot.click(bars, offset=Offset(4, y))
        assert cursor(screen) == "5–9"
        assert ["who", "=", "5–9", "people"] in read(screen)


async def test_what_is_typed_moves_no_cursor() -> None:
    async with lab() as (screen, _, pilot):
        box = field(screen, "epsilon").control
        assert isinstance(box, Input)
        box.focus()
        await pilot.press("enter", "1", "full_stop", "5")
        await until(pilot, lambda: screen.values["epsilon"] == 1.5)
        assert cursor(screen) is None
        # Where no text is typed they move it, as the keys of the whole screen do.
        await pilot.press("escape", "escape", "full_stop")
        assert cursor(screen) == pytest.approx(0.15)


def test_no_line_of_the_words_ends_in_a_number() -> None:
    sentence = "With 1 000 000 users and ε = 12 345 it takes 100 000 more, 12.5 % of all."
    for width in range(12, 40):
        lines = sentences((sentence, sentence), (), width).plain.split("\n")
        for whole in ("1 000 000", "ε = 12 345", "100 000", "12.5 %"):
            assert sum(whole in line for line in lines) == 2, (width, lines)


def test_the_first_frame_waits_for_no_answer() -> None:
    chart = LabChart()
    assert chart.stops() == ()
    assert chart.table_at(1) is None


async def test_a_chart_and_its_values_have_room_in_the_smallest_terminal() -> None:
    async with lab((60, 18)) as (screen, _, pilot):
        await go(screen, pilot, "plan")
        await pilot.press("full_stop")
        view = screen.query_one("#lab-chart", ChartView)
        assert "too small" not in view.as_text()
        assert read(screen)[0][:2] == ["genuine", "users"]
        assert answers_of(screen)["plan"].words[0].split()[0] in seen(screen.app)
