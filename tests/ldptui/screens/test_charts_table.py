"""Pane 4 as a table: its order, its filter, its columns, and what is copied."""

from __future__ import annotations

from typing import Any

import pytest
from support.chart_cases import scenario, snapshot
from support.charts_pane import (
    edited,
    showing,
)
from support.waiting import seen
from textual.widgets import Static

from ldptui.charts.curves import error_protocols
from ldptui.screens.workbench.charts import ChartsPane
from ldptui.widgets.number_table import NumberTable
from ldptui.widgets.option_list import FilterInput


def field_row(pane: ChartsPane) -> str:
    """The words of the filter's row, its gaps closed."""
    field = pane.query_one(FilterInput)
    slash, count = (str(static.render()) for static in field.query(Static))
    return f"{slash} {field.words} {count}"


async def test_table_is_sorted_filtered_and_copied() -> None:
    async with showing(run=snapshot(scenario())) as (pane, pilot):
        await pilot.press("t")
        table = pane.query_one(NumberTable)
        assert pane.screen.focused is table
        assert len(table.rows) == 64
        await pilot.press("b", "b", "b")  # item, target, true
        assert [row[2] for row in table.rows] == sorted(
            (row[2] for row in table.rows), reverse=True
        )
        await pilot.press("slash", *"target")
        assert field_row(pane) == "/ target 5 of 64"
        assert len(table.rows) == 5
        text = pane.as_text()
        assert text.count("\n") == 6
        assert text.startswith("item\t\ttrue\tbefore\tafter\t±\t")
        await pilot.press("enter")
        assert pane.screen.focused is table
        assert pane.query_one(FilterInput).display
        await pilot.press("escape")
        assert len(table.rows) == 64
        assert pane.screen.focused is table
        assert not pane.query_one(FilterInput).display


async def test_the_filter_takes_letters_that_are_keys_elsewhere_and_says_what_it_leaves() -> None:
    async with showing(run=snapshot(scenario())) as (pane, pilot):
        await pilot.press("t", "slash", *"vatsr")
        assert pane.tab == "table"
        assert field_row(pane) == "/ vatsr 0 of 64"
        second = pane.query_one(NumberTable).render_line(1)
        assert second.text.rstrip() == "Nothing matches “vatsr”; esc takes it back."


async def test_header_click_sorts() -> None:
    async with showing(run=snapshot(scenario())) as (pane, pilot):
        await pilot.press("t")
        table = pane.query_one(NumberTable)
        header = next(row for row in seen(pane.app).split("\n") if "after" in row)
        await pilot.click(table, offset=(header.index("after") - 1, 0))
        after = [row[4] for row in table.rows]
        assert after == sorted(after, reverse=True)  # type: ignore[type-var]
        await pilot.click(table, offset=(header.index("after") - 1, 0))
        assert [row[4] for row in table.rows] == after[::-1]


async def test_table_keeps_its_order_while_a_run_goes_on() -> None:
    async with showing(run=snapshot(scenario(), status="running")) as (pane, pilot):
        await pilot.press("t", "b")
        await pilot.press("down", "down")
        table = pane.query_one(NumberTable)
        items = [row[0] for row in table.rows]
        pane.snapshot = snapshot(scenario(), shift=0.01)
        await pilot.pause()
        assert [row[0] for row in table.rows] == items
        assert table.cursor == 2
        assert table.rows[0][3] != snapshot(scenario()).frequencies.clean.mean[0]  # type: ignore[union-attr]


async def test_table_scrolls_to_the_cursor() -> None:
    async with showing((76, 16), run=snapshot(scenario())) as (pane, pilot):
        await pilot.press("t", "G")
        table = pane.query_one(NumberTable)
        assert table.cursor == 63
        assert str(table.rows[63][0]) in seen(pane.app)
        assert table.render_line(0).text.startswith("item")  # the heading stays
        await pilot.press("g")
        assert table.scroll_y == 0


async def test_a_table_that_is_wider_scrolls_by_columns() -> None:
    async with showing((44, 16), run=snapshot(scenario(), "gain")) as (pane, pilot):
        await pilot.press("right", "t")
        table = pane.query_one(NumberTable)
        assert table.table is not None
        columns = [column.name for column in table.table.columns]
        assert "trials" not in table.render_line(0).text
        for _ in columns:
            await pilot.press("L")
        assert table.render_line(0).text.rstrip().endswith(columns[-1])
        last = table.table.columns[-1].text(table.rows[0][-1])
        assert table.render_line(1).text.split()[-1] == last


async def test_table_of_another_chart() -> None:
    async with showing(run=snapshot(scenario(), "gain", "error")) as (pane, pilot):
        await pilot.press("right", "t")
        table = pane.query_one(NumberTable)
        assert table.table is not None
        assert table.table.title.startswith("Gain over β; 95 %: ± × 2.09")
        assert len(table.rows) == 11  # the four lines that it is held against are columns
        await pilot.press("v")
        assert table.table.title.startswith("Mean squared error over ε")
        kinds = [kind.upper() for kind in error_protocols(scenario())]
        of_kinds = [row for row in table.table.rows if row[0] in kinds]
        assert len(of_kinds) == 11 * len(kinds) + 1  # and the base
        await pilot.press("t")
        assert pane.tab == "error"


@pytest.mark.every(3)
@pytest.mark.parametrize("tab", ["table", "report", "equations"])
async def test_news_while_a_tab_is_being_made(tab: Any) -> None:
    async with showing(run=snapshot(scenario())) as (pane, pilot):
        pane.tab = tab
        pane.snapshot = snapshot(scenario(), shift=0.01, key=2)
        pane.draft = edited("protocol.epsilon", 2.0)
        await pilot.pause()
        assert pane.tab == tab
        assert pane.query_one(f"#{tab}").display
        assert pane.as_text().strip()


async def test_the_table_is_made_anew_only_for_new_numbers() -> None:
    async with showing(run=snapshot(scenario())) as (pane, pilot):
        await pilot.press("t")
        table = pane.query_one(NumberTable)
        before = table.table
        pane.draft = edited("protocol.epsilon", 2.0)
        assert table.table is before
        pane.snapshot = snapshot(scenario(), shift=0.01, key=2)
        assert table.table is not before


async def test_text_and_picture_of_the_current_chart() -> None:
    async with showing(run=snapshot(scenario(), "gain")) as (pane, pilot):
        assert pane.as_text().startswith("Targets, top items")
        assert "Targets" in pane.as_svg()
        await pilot.press("right")
        assert pane.as_text().startswith("Gain of the attack")
        pane.tab = "table"
        await pilot.pause()
        assert pane.current_chart() is None
        assert pane.as_svg() == ""
