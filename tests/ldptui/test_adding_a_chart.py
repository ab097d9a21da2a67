"""A chart costs its frame and a row of ldptui.charts.kinds: everything else reads the table."""

from __future__ import annotations

import sys
from collections.abc import Mapping

import pytest
from support.chart_cases import scenario, snapshot
from support.charts_pane import QUICK_DRAFT, WIDE, chart, showing
from support.waiting import seen

from ldptui.api.charted import chart_of
from ldptui.charts import figures
from ldptui.charts.chart_data import ChartData
from ldptui.charts.figures import ChartTable, Frame, TableColumn
from ldptui.charts.figures.frame import plain_frame
from ldptui.charts.kinds import KINDS, ChartKind, on_paper
from ldptui.charts.series import Axis, Plot, Series
from ldptui.core.scenario import Scenario
from ldptui.session.snapshot import ChartSelection

NAME = "shares"


def frame(data: ChartData, _: Mapping[str, str]) -> Frame | str:
    """The trials of each cell over its share of fakes."""
    rows = tuple(
        (f"cell {cell.index}", float(cell.parameters["attack.share"]), cell.trials)
        for cell in data.table
        if cell is not data.base
    )
    if not rows:
        return ""
    columns = (TableColumn("cell"), TableColumn("share"), TableColumn("trials"))
    xs, ys = [row[1] for row in rows], [row[2] for row in rows]
    points = Series("cells", xs, ys, "true", "points")
    plot = Plot("Trials over the share", Axis("share"), Axis("trials"), (points,))
    return plain_frame(ChartTable("Trials of each cell", columns, rows), plot)


THERE = ChartSelection({"attack.share": 0.2})


def selections(_: Scenario, __: Mapping[str, str]) -> tuple[ChartSelection, ...]:
    return (THERE,)


ROW = ChartKind(
    NAME,
    "Shares",
    lambda about: about.lists,
    NAME,
    paper=99,
    cells=selections,
    waiting="waiting for the shares",
)


@pytest.fixture(autouse=True)
def added(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(KINDS, NAME, ROW)
    monkeypatch.setitem(sys.modules, f"{figures.__name__}.{NAME}", sys.modules[__name__])


async def test_a_new_chart_has_a_tab_a_cursor_and_a_table() -> None:
    run = snapshot(scenario(), "gain")
    async with showing(WIDE, run=run) as (pane, pilot):
        assert pane.tabs()[-1] == (NAME, "Shares")
        pane.tab = NAME
        await pilot.pause()
        assert "Trials over the share" in pane.as_text()
        shares = [row[1] for row in pane._boxes[NAME].frame.table.rows]  # type: ignore[union-attr]
        await pilot.press("full_stop", "full_stop")
        assert chart(pane, NAME).cursor == sorted(shares)[1]
        assert f"share = {sorted(shares)[1]:g}" in seen(pane.app)
        await pilot.press("t")
        assert pane.tab == "table"
        assert "Trials of each cell" in seen(pane.app)


async def test_a_new_chart_says_why_there_is_none_and_is_simulated_where_it_is_shown() -> None:
    async with showing(WIDE, run=snapshot(scenario())) as (pane, pilot):
        before, changes = pane.selections(QUICK_DRAFT), pane.app.changes  # type: ignore[attr-defined]
        pane.tab = NAME
        await pilot.pause()
        assert pane.as_text().strip() == "waiting for the shares"
        assert pane.app.changes > changes  # type: ignore[attr-defined]
        assert THERE not in before
        assert THERE in pane.selections(QUICK_DRAFT)


def test_a_new_chart_is_drawn_for_paper() -> None:
    made = scenario()
    assert [kind.name for kind in on_paper()][-1] == NAME
    drawn = chart_of(NAME, made, snapshot(made, "gain"))
    assert isinstance(drawn, Plot)
    assert drawn.title == "Trials over the share"
