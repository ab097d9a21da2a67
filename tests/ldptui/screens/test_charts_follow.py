"""What pane 4 asks to be simulated, and what follows the draft and the run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.chart_cases import QUICK, asked, scenario, snapshot
from support.charts_pane import (
    QUICK_DRAFT,
    WIDE,
    chart,
    edited,
    showing,
)

from ldptui.charts.series import Bars
from ldptui.core.experiment import compile
from ldptui.screens.workbench.charts import ChartsPane
from ldptui.session import draft as drafts
from ldptui.session.snapshot import Snapshot, with_rest


async def test_the_cells_follow_what_is_shown() -> None:
    async with showing(run=snapshot(scenario())) as (pane, pilot):
        app: Any = pane.app

        def swept() -> list[list[str]]:
            return [[*each.sweep] for each in pane.selections(QUICK_DRAFT)]

        assert (swept(), app.changes) == ([[]], 0)
        await pilot.press("right")
        assert (swept(), app.changes) == ([[], ["attack.share"]], 1)
        await pilot.press("t")
        assert (pane.tab, swept(), app.changes) == ("table", [[], ["attack.share"]], 1)
        await pilot.press("t", "right")
        # Every cell has the error without an attack: it is measured for none.
        assert (pane.tab, swept(), app.changes) == ("error", [[]], 2)


async def test_the_cells_can_be_run() -> None:
    async with showing(WIDE) as (pane, _):
        base, gain = (asked(QUICK_DRAFT.scenario, each) for each in pane.selections(QUICK_DRAFT))
        (cell,) = compile(base).cells
        assert cell.parameters == QUICK_DRAFT.cell.parameters  # type: ignore[union-attr]
        assert len(compile(gain).cells) == 11


def undotted(pane: ChartsPane) -> list[Any]:
    """The curves of the gain chart and their points, without the lines that bound them."""
    series_of = chart(pane, "gain").series
    return [series for series in series_of if series.style not in ("dotted", "floor")]


async def test_v_hides_the_lines_that_bound_a_gain() -> None:
    async with showing() as (pane, pilot):
        pane.tab = "gain"
        await pilot.pause()
        edges = [s.label for s in chart(pane, "gain").series if s.style == "dotted"]
        assert edges == ["no server can notice less than this"]
        await pilot.press("v")
        floors = [s.label for s in chart(pane, "gain").series if s.style == "floor"]
        assert floors == edges
        await pilot.press("v")
        dotted = [s.label for s in chart(pane, "gain").series if s.style == "dotted"]
        assert dotted == [
            "limit: proved coins, or no report",
            "limit: nobody notices",
            "limit: honest coins",
        ]
        assert chart(pane, "gain").levels
        await pilot.press("v")
        assert list(chart(pane, "gain").series) == undotted(pane)
        assert not chart(pane, "gain").levels
        await pilot.press("v")
        assert len(chart(pane, "gain").series) == len(undotted(pane)) + 1


async def test_another_axis_asks_for_other_cells() -> None:
    async with showing(run=snapshot(scenario(), "gain")) as (pane, pilot):
        await pilot.press("right", "x")
        assert "protocol.epsilon" in pane.selections(QUICK_DRAFT)[1].sweep
        app: Any = pane.app
        assert app.changes == 2
        assert chart(pane, "gain").x.label == "privacy budget ε"
        # Of what was simulated over β, one cell has the draft's β: it is a point of this curve too.
        line, points = undotted(pane)
        assert (line.label, list(points.x)) == ("MGA on OUE, closed form", [1.0])


async def test_the_swept_key_is_the_axis() -> None:
    text = QUICK + "\n[sweep]\n'protocol.epsilon' = [0.5, 1.0, 2.0]\n"
    draft = drafts.draft_of(text, Path())
    async with showing(draft=draft) as (pane, pilot):
        pane.tab = "gain"
        await pilot.pause()
        assert chart(pane, "gain").x.label == "privacy budget ε"
        assert pane.selections(draft)[1].sweep == {"protocol.epsilon": [0.5, 1.0, 2.0]}
        await pilot.press("x")
        assert chart(pane, "gain").x.label == "number of items d"


async def test_a_chosen_axis_stays_while_the_scenario_changes() -> None:
    async with showing() as (pane, pilot):
        await pilot.press("right", "x", "x")
        assert chart(pane, "gain").x.label == "number of items d"
        pane.draft = edited("protocol.epsilon", 2.0)
        await pilot.pause()
        assert chart(pane, "gain").x.label == "number of items d"


async def test_closed_forms_follow_the_draft_before_any_run() -> None:
    async with showing() as (pane, pilot):
        pane.tab = "gain"
        await pilot.pause()
        first = chart(pane, "gain").series[0].y[-1]
        pane.draft = edited("protocol.epsilon", 3.0)
        (line,) = undotted(pane)  # at once
        assert line.y[-1] < first


async def test_a_draft_that_is_not_valid_marks_the_numbers_that_stay() -> None:
    async with showing(run=snapshot(scenario(), "gain")) as (pane, pilot):
        pane.tab = "gain"
        await pilot.pause()
        before = chart(pane, "gain")
        pane.draft = edited("protocol.epsilon", -1.0)
        assert pane.draft is not None
        assert pane.draft.problems
        await pilot.pause()
        now = chart(pane, "gain")
        assert [list(s.y) for s in now.series] == [list(s.y) for s in before.series]
        assert now.note == f"{before.note}; not the present settings"


async def test_old_points_are_muted_until_new_ones_come() -> None:
    async with showing(run=snapshot(scenario(), "gain")) as (pane, pilot):
        pane.tab = "gain"
        await pilot.pause()
        assert [s.label for s in undotted(pane)][1:] == ["simulated"]
        changed = edited("protocol.epsilon", 2.0)
        pane.draft = changed
        assert [(s.label, s.tone) for s in undotted(pane)][1:] == [("other settings", "muted")]
        pane.snapshot = snapshot(changed.scenario, "gain", key=2)  # type: ignore[arg-type]
        assert [s.label for s in undotted(pane)][1:] == ["simulated"]


async def test_cells_are_drawn_while_their_closed_forms_are_worked_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ldptui.charts.curves.closed.AT_ONCE", 0.0)
    monkeypatch.setattr("support.charts_pane.Shell.on_long_work", lambda *_: None)
    draft = edited("protocol.epsilon", 1.625)
    async with showing(draft=draft, run=snapshot(draft.scenario, "gain")) as (pane, pilot):  # type: ignore[arg-type]
        pane.tab = "gain"
        await pilot.pause()
        points = next(each for each in chart(pane, "gain").series if each.style == "points")
        assert len(points.x) > 1
        assert chart(pane, "gain").note.endswith("working out the closed forms …")


async def test_old_frequencies_say_so() -> None:
    async with showing(run=snapshot(scenario())) as (pane, _):
        assert "not the present settings" not in chart(pane, "bars").note
        changed = edited("protocol.epsilon", 2.0)
        before = pane.snapshot
        pane.draft = changed
        # Not with every key: most previews are over before it could be read.
        assert chart(pane, "bars").note == "mean of 20 trials ± standard error"
        pane.snapshot = with_rest(Snapshot(2, "running"), before)
        assert chart(pane, "bars").note.endswith("; not the present settings")
        pane.snapshot = snapshot(changed.scenario, key=2)  # type: ignore[arg-type]
        assert chart(pane, "bars").note == "mean of 20 trials ± standard error"


async def test_estimates_arrive_and_axes_stand_still() -> None:
    async with showing(run=snapshot(scenario(), status="running")) as (pane, pilot):
        bars: Bars = chart(pane, "bars")
        pane.snapshot = snapshot(scenario(), shift=0.001, status="running", key=1)
        await pilot.pause()
        moved: Bars = chart(pane, "bars")
        assert [bar.label for bar in moved.bars] == [bar.label for bar in bars.bars]
        assert moved.bars[0].value == pytest.approx(bars.bars[0].value + 0.001)
