"""The run that is on the screen: until an edit, and never under another scenario's title."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace
from support.chart_cases import asked as asked_for
from support.chart_cases import base_address
from support.fake_engine import FakeEngine, base_snapshot
from support.waiting import seen, until
from support.workbench_app import finished, measured, own_home, status, workbench  # noqa: F401
from textual.pilot import Pilot

from ldptui import scenarios
from ldptui.charts import curves
from ldptui.core.scenario import load
from ldptui.core.view import CellView
from ldptui.messages import KeyEdited
from ldptui.screens.workbench.screen import WorkbenchScreen
from ldptui.session.draft import edit_key, first_free, new_sweep, open_draft, sweepable
from ldptui.session.snapshot import Snapshot
from ldptui.widgets.field import ValueInput

QUICKSTART = load(scenarios.path("quickstart"))


def whole_run(key: int, **changes: object) -> Snapshot:
    """The run of the quickstart that was asked for: its base, and all 21 points of its sweep."""
    run = replace(
        base_snapshot(key), cells=measured(QUICKSTART.document), base=base_address(QUICKSTART),
        full=True, done=420, total=420,
    )  # fmt: skip
    return replace(run, **changes)  # type: ignore[arg-type]


async def ran(screen: WorkbenchScreen, engine: FakeEngine, pilot: Pilot[None]) -> Snapshot:
    await pilot.press("ctrl+r")
    await until(pilot, lambda: engine.active is not None and engine.active.full)
    assert engine.active is not None
    run = whole_run(engine.active.key)
    engine.finish(run)
    await until(pilot, lambda: screen.charts.snapshot == run)
    return run


def points(screen: WorkbenchScreen) -> list[CellView]:
    assert screen.charts.snapshot is not None
    return list(screen.charts.snapshot.cells)


@pytest.mark.long
async def test_a_run_stays_until_an_edit_and_a_preview_adds_what_it_lacks() -> None:
    async with workbench((120, 40)) as (screen, engine, pilot):
        finished(engine)
        run = await ran(screen, engine, pilot)
        asked = len(engine.requests)
        screen.charts.tab = "gain"
        await pilot.pause()
        screen.simulating.preview()
        assert len(engine.requests) == asked, "the run has every point of this tab"
        assert (screen.charts.snapshot, len(points(screen))) == (run, 21)

        # Another axis is simulated besides, and the run's own points stay.
        screen.charts.action_axis()
        await until(pilot, lambda: len(engine.requests) == asked + 1)
        assert screen.run_list.shown == run.key
        request = engine.requests[-1]
        (extra,) = request.selections
        cells = measured(asked_for(QUICKSTART, extra).document)
        preview = Snapshot(request.key, "done", done=20, total=20, cells=cells)
        engine.finish(preview)
        await until(pilot, lambda: len(points(screen)) > 21)
        assert points(screen)[:21] == list(run.cells)
        assert "run done: 420 trials" in status(screen)
        assert "4 Charts · run · 21 × 20 trials · β 0…0.2" in seen(pilot.app)
        assert "The gain is 0.2000 ± 0.0021 (95 %) in each of 21 settings" in seen(pilot.app)

        # ctrl+r has nothing left to do; an edit replaces the run, its end brings the run back.
        asked = len(engine.requests)
        await pilot.press("ctrl+r")
        assert len(engine.requests) == asked
        assert "has every trial of this scenario" in status(screen)
        screen.post_message(KeyEdited("protocol.epsilon", 2.0))
        await until(pilot, lambda: screen.run_list.shown != run.key)
        await pilot.press("ctrl+z")
        await until(pilot, lambda: screen.run_list.shown == run.key)
        await pilot.press("ctrl+y")
        await until(pilot, lambda: screen.run_list.shown != run.key)
        assert screen.draft is not None
        assert "epsilon = 2.0" in screen.draft.text


async def test_no_chart_of_one_scenario_stands_under_the_title_of_another(tmp_path: Path) -> None:
    broken = tmp_path / "broken.toml"
    broken.write_text('format = 1\ntitle = "broken"\n[population]\nkind = "zipf"\nitems = -3\n')
    async with workbench((120, 40)) as (screen, engine, pilot):
        finished(engine)
        await until(pilot, lambda: "128" in seen(pilot.app))
        screen.open_draft(open_draft(broken))
        await until(pilot, lambda: "broken" in seen(pilot.app).splitlines()[0])
        assert "not valid yet" in seen(pilot.app)
        assert screen.charts.snapshot is None
        screen.charts.tab = "gain"
        await pilot.pause()
        assert "not valid yet" in seen(pilot.app)
        assert "MGA" not in screen.charts.as_text()

        # A scenario opens on the tab that it is about, with its closed forms alone.
        screen.open_draft(open_draft(scenarios.path("cao-gain-beta")))
        await until(pilot, lambda: screen.charts.tab == "gain")
        assert screen.charts.snapshot is None or not points(screen)
        screen.open_draft(open_draft(scenarios.path("quickstart")))
        await until(pilot, lambda: screen.draft is not None and screen.draft.scenario is not None)
        assert screen.charts.snapshot is None or not points(screen)
        await pilot.press("ctrl+z")
        await until(pilot, lambda: "Cao et al." in seen(pilot.app).splitlines()[0])


async def test_what_changes_while_the_charts_are_hidden_is_drawn_when_they_are_back() -> None:
    async with workbench((80, 24)) as (screen, engine, pilot):
        finished(engine)
        screen.charts.tab = "gain"
        await until(pilot, lambda: "MGA on OUE" in seen(pilot.app))
        await pilot.press("f2")
        count = len(engine.requests)
        screen.post_message(KeyEdited("protocol.kind", "grr"))
        await until(pilot, lambda: len(engine.requests) > count)
        finished(engine)
        await until(pilot, lambda: engine.active is None)
        await pilot.press("f5")
        await until(pilot, lambda: "MGA on GRR" in seen(pilot.app))
        assert "MGA on OUE" not in seen(pilot.app)


@pytest.mark.long
async def test_a_refused_value_holds_the_run_back_and_gets_the_focus() -> None:
    async with workbench((120, 40)) as (screen, engine, pilot):
        finished(engine)
        screen.post_message(KeyEdited("attack.share", 1.5))
        await until(pilot, lambda: "✗" in status(screen))
        asked = len(engine.requests)
        await pilot.press("ctrl+r")
        assert len(engine.requests) == asked
        assert "nothing ran: share of fake users β" in status(screen)
        assert isinstance(screen.focused, ValueInput)
        assert screen.focused.value == "1.5"


def test_every_point_of_a_preview_is_one_of_the_run() -> None:
    """The preview thins a sweep out; what it keeps, a run has measured."""
    axis = curves.closed_forms(QUICKSTART).axis("gain")
    gain = curves.chart_selection("gain", QUICKSTART, axis)
    assert gain is not None
    thin = curves.thin_out(gain).sweep["attack.share"]
    assert (len(thin), set(thin) <= set(QUICKSTART.sweep["attack.share"])) == (11, True)


async def test_what_an_edit_makes_untrue_is_said() -> None:
    """A draft that is not valid, a sweep that goes with its key, a claim about other settings."""
    async with workbench((120, 40)) as (screen, engine, pilot):
        finished(engine)
        await pilot.pause()
        assert "Claim: fake users" in seen(pilot.app)

        screen.post_message(KeyEdited("goal", {"metric": "targets_in_top_k", "at_least": 1}))
        await pilot.pause()
        assert "the sweep of share of fake users β went with that; ^z brings it back" in status(
            screen
        )
        assert screen.charts.tab == "answer"  # a page without a claim
        screen.charts.tab = "gain"
        await pilot.pause()
        assert "Claim of Quickstart, before your edits: fake users" in seen(pilot.app)
        await pilot.press("escape", "ctrl+z")
        assert "before your edits" not in seen(pilot.app)

        await until(pilot, lambda: engine.active is not None)
        finished(engine)
        await pilot.pause()
        screen.post_message(KeyEdited("attack.kind", "plugin"))  # whose name is missing
        await until(pilot, lambda: "STALE" in seen(pilot.app))
        assert "last valid OUE ε=1, MGA" in seen(pilot.app)
        screen.post_message(KeyEdited("attack.kind", "ria"))
        await pilot.pause()
        assert "last valid" not in seen(pilot.app)


def test_a_form_proposes_a_sweep_that_is_valid() -> None:
    """In the quickstart, whose targets are listed, neither their number nor how they are picked."""
    draft = open_draft(scenarios.path("quickstart"))
    assert first_free(draft) == "protocol.kind"
    draft = edit_key(draft, "sweep.protocol.kind", ["grr", "oue"])
    assert not {"attack.targets.count", "attack.targets.pick"} & {*sweepable(draft)}
    key = first_free(draft)
    assert key is not None
    assert not edit_key(draft, f"sweep.{key}", new_sweep(draft, key)).problems
    picked = edit_key(draft, "attack.targets", {"pick": "random", "count": 3})
    assert "attack.targets.count" in sweepable(picked)
