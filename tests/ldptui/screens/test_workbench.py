"""The workbench screen with a fake engine: edits, runs, panes and what is kept."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from support.chart_cases import base_address
from support.fake_engine import FakeEngine, base_snapshot
from support.waiting import seen, until
from support.workbench_app import finished, measured, own_home, status, workbench  # noqa: F401
from textual.widgets import Static

from ldptui import scenarios
from ldptui.app import Workbench
from ldptui.messages import KeyEdited, SelectionsChanged, StatusNote
from ldptui.screens.workbench import file_actions
from ldptui.screens.workbench.charts import ChartsPane
from ldptui.screens.workbench.runs_pane import RunsPane
from ldptui.session.autosave import save_draft
from ldptui.session.cell_table import address_of
from ldptui.session.draft import Origin, edit_key, open_draft, value_of
from ldptui.session.snapshot import ChartSelection, Snapshot
from ldptui.terminal import places
from ldptui.terminal.settings import Settings
from ldptui.widgets.key_hints import KeyHints


async def test_first_start_simulates_the_quickstart() -> None:
    async with workbench() as (screen, engine, pilot):
        request = engine.requests[0]

        assert request.selections[0] == ChartSelection()
        assert not request.full
        assert screen.draft is not None
        assert screen.draft.scenario is not None

        snapshot = finished(engine)
        await until(pilot, lambda: screen.query_one(ChartsPane).snapshot == snapshot)
        assert "preview done" in status(screen)


async def test_an_edit_is_simulated_and_its_run_replaces_the_preview() -> None:
    async with workbench() as (screen, engine, pilot):
        finished(engine)
        count = len(engine.requests)
        screen.post_message(KeyEdited("protocol.epsilon", 2.0))
        await until(pilot, lambda: len(engine.requests) > count)

        assert engine.requests[-1].document["protocol"]["epsilon"] == 2.0
        assert [run.snapshot.full for run in screen.run_list.runs] == [False]


async def test_a_bad_value_is_never_simulated_and_never_lost() -> None:
    async with workbench() as (screen, engine, pilot):
        finished(engine)
        await pilot.pause()
        count = len(engine.requests)
        screen.post_message(StatusNote("x: no such key here", refuses_key=True))
        screen.post_message(KeyEdited("attack.share", 1.5))
        await until(pilot, lambda: "✗" in status(screen))

        assert "share of fake users β (attack.share) is wrong: fix it in Attack (3)" in status(
            screen
        )
        assert screen.draft is not None
        assert "1.5" in screen.draft.text
        assert screen.draft.scenario is not None
        assert screen.draft.scenario.document["attack"]["share"] == 0.05
        screen.post_message(KeyEdited("attack.share", 0.15))
        await until(pilot, lambda: len(engine.requests) > count)
        assert len(engine.requests) == count + 1
        assert engine.requests[-1].document["attack"]["share"] == 0.15
        screen.post_message(KeyEdited("protocol.epsilon", 99.0))
        folded = screen.query_one("#pane-2")
        await until(pilot, lambda: "✗ 2 Parameters" in str(folded.border_title))
        assert not screen.query_one("#pane-3").border_subtitle  # the script need not be read


async def test_news_and_keys_may_come_while_the_app_ends() -> None:
    """Its widgets are gone before its messages are."""
    async with workbench() as (screen, engine, pilot):
        hints, columns = screen.query_one(KeyHints), screen.query_one("#charts")
        await hints.remove()
        hints.choose()
        columns._nodes._clear()
        snapshot = finished(engine)
        await until(pilot, lambda: screen.query_one(ChartsPane).snapshot == snapshot)


async def test_a_step_stops_where_a_rule_of_its_key_does() -> None:
    """The largest ε of one report of RAPPOR follows from its other keys."""
    async with workbench() as (screen, _, pilot):
        for key, value in (("protocol.kind", "rappor"), ("protocol.epsilon", 2.1)):
            screen.post_message(KeyEdited(key, value))
        await until(pilot, lambda: value_of(screen.draft, "protocol.epsilon") == 2.1)
        screen.panes.field("protocol.epsilon")[1].control.focus()
        await pilot.press("right")
        await until(pilot, lambda: "must be at most 2.19722" in status(screen))
        assert "one report ε₁ (protocol.epsilon) must" in status(screen)
        assert not screen.draft.problems
        await pilot.press("left")
        await until(pilot, lambda: value_of(screen.draft, "protocol.epsilon") == 2.0)


async def test_what_is_typed_while_the_scenario_is_read_is_done_once_it_is_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    there, first_draft = threading.Event(), file_actions.first_draft
    monkeypatch.setattr(
        file_actions, "first_draft", lambda *asked: there.wait(60) and first_draft(*asked)
    )
    app = Workbench(Settings(), None, FakeEngine)
    try:
        async with app.run_test(size=(120, 40)) as pilot:
            engine = app.workbench._engine
            assert isinstance(engine, FakeEngine)
            await until(pilot, lambda: engine.started)
            await pilot.press("ctrl+r", "2", "j", "enter", *"49")
            assert engine.requests == []
            there.set()
            await until(pilot, lambda: bool(engine.requests))
            assert [request.full for request in engine.requests] == [True]
            await until(pilot, lambda: value_of(app.workbench.draft, "population.items") == 49)
    finally:
        there.set()


@pytest.mark.long
async def test_a_full_run_has_all_trials_and_is_not_lost_to_an_edit() -> None:
    async with workbench() as (screen, engine, pilot):
        finished(engine)
        await pilot.press("ctrl+r")
        await until(pilot, lambda: engine.requests[-1].full)
        full = engine.requests[-1]
        screen.post_message(KeyEdited("protocol.epsilon", 2.0))
        await until(
            pilot,
            lambda: screen.draft is not None and "epsilon = 2.0" in screen.draft.text,
        )
        await pilot.pause(0.0)
        screen.simulating.preview()

        assert engine.active == full

        finished(engine)
        await until(pilot, lambda: not engine.requests[-1].full)
        assert engine.requests[-1].document["protocol"]["epsilon"] == 2.0
        assert [run.snapshot.full for run in screen.run_list.runs] == [True, False]


async def test_escape_cancels_and_what_is_finished_stays() -> None:
    async with workbench() as (screen, engine, pilot):
        finished(engine)
        await pilot.press("ctrl+r")
        await until(pilot, lambda: engine.requests[-1].full)
        running = replace(
            base_snapshot(engine.requests[-1].key), status="running", full=True, total=400
        )
        engine.progress(running)
        await until(pilot, lambda: "● run" in status(screen))
        await pilot.press("escape")
        await until(pilot, lambda: "partial" in status(screen))

        assert engine.cancelled == [running.key]
        shown = screen.query_one(ChartsPane).snapshot
        assert shown is not None
        assert shown.cells == running.cells


async def test_ctrl_c_copies_what_is_selected_and_cancels_where_nothing_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with workbench() as (screen, engine, pilot):
        copied: list[str] = []
        monkeypatch.setattr(screen.app, "copy_to_clipboard", copied.append)
        monkeypatch.setattr(screen, "get_selected_text", lambda: "share of fakes")
        screen.set_focus(None)
        await pilot.press("ctrl+c")
        assert (copied, engine.cancelled) == (["share of fakes"], [])
        monkeypatch.setattr(screen, "get_selected_text", lambda: None)
        await pilot.press("ctrl+c")
        assert engine.cancelled == [1]


@pytest.mark.long
async def test_runs_are_chosen_and_laid_over_each_other() -> None:
    async with workbench() as (screen, engine, pilot):
        finished(engine)
        for seed in range(2):
            screen.post_message(KeyEdited("seed", seed))  # one scenario runs once
            await pilot.pause()
            await pilot.press("ctrl+r")
            await until(pilot, lambda: engine.active is not None and engine.active.full)
            # The whole chart: no preview has anything to add.
            cells = measured(engine.requests[-1].document)
            finished(engine, cells=cells, base=address_of(cells[0].parameters))
            await until(pilot, lambda: screen.run_list.active is None)
        first, second = (run for run in screen.run_list.runs if run.snapshot.full)
        charts, runs = screen.query_one(ChartsPane), screen.query_one(RunsPane)
        await pilot.press("5", "j", "enter")
        await until(pilot, lambda: charts.snapshot == first.snapshot)
        await pilot.press("k", "space")
        await until(
            pilot, lambda: [overlay.snapshot for overlay in charts.overlays] == [second.snapshot]
        )

        assert (runs.run_list.shown, runs.run_list.overlays) == (first.key, (second.key,))

        await pilot.press("space")
        await until(pilot, lambda: not charts.overlays)


async def test_quitting_asks_only_while_a_run_is_active() -> None:
    async with workbench() as (screen, engine, pilot):
        assert screen.run_to_leave is None
        await pilot.press("ctrl+r")
        await until(pilot, lambda: engine.requests[-1].full)
        engine.progress(Snapshot(engine.requests[-1].key, "running", full=True, done=30, total=100))
        await until(pilot, lambda: (run := screen.run_to_leave) is not None and run.done == 30)
        await pilot.press("ctrl+q")
        await until(pilot, lambda: screen.app.screen is not screen)
        await pilot.press("escape")
        await until(pilot, lambda: screen.app.screen is screen)
        assert engine.active is not None


def kept_drafts() -> Iterator[Path]:
    return places.state_dir().glob("draft.*.json")


async def test_the_draft_comes_back() -> None:
    async with workbench() as (screen, _, pilot):
        screen.post_message(KeyEdited("protocol.epsilon", 3.0))
        await until(
            pilot, lambda: screen.draft is not None and "epsilon = 3.0" in screen.draft.text
        )
        screen.save_draft()
    async with workbench() as (screen, _, _pilot):
        assert screen.draft is not None
        assert "epsilon = 3.0" in screen.draft.text


@pytest.mark.long
async def test_an_edit_is_kept_without_being_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ldptui.screens.workbench.draft_screen.AUTOSAVE_S", 0.01)
    async with workbench() as (screen, _, pilot):
        screen.post_message(KeyEdited("protocol.epsilon", 3.0))
        await until(
            pilot, lambda: any("epsilon = 3.0" in kept.read_text() for kept in kept_drafts())
        )


async def test_a_draft_that_is_not_valid_comes_back_and_undo_leads_out() -> None:
    before = open_draft(scenarios.path("quickstart"))
    assert save_draft(edit_key(before, "attack.share", 1.5), before) == ""
    async with Workbench(Settings(), None, FakeEngine).run_test(size=(120, 40)) as pilot:
        words = "with what is wrong in it: ^z takes that back; ^o starts afresh"
        await until(pilot, lambda: words in seen(pilot.app))
        assert "must be in [0, 1), got 1.5" in seen(pilot.app)
        assert "alt+s script" not in seen(pilot.app)  # which need not be read
        await pilot.press("ctrl+z")
        draft = pilot.app.screen_stack[0].draft  # type: ignore[attr-defined]
        assert (draft.text, draft.problems) == (before.text, ())


def test_a_draft_of_another_folder_says_where_it_comes_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundled = scenarios.path("quickstart")
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
    own = tmp_path / "here" / "my.toml"
    own.write_text(bundled.read_text("utf-8"), encoding="utf-8")
    for folder, path, words in (
        ("there", own, f", from {own}, restored"),
        ("here", own, ""),
        ("there", bundled, ""),
    ):
        monkeypatch.chdir(tmp_path / folder)
        save_draft(open_draft(path))
        draft, said, _ = file_actions.first_draft(None, None)
        assert (draft.text, draft.path) == (open_draft(path).text, open_draft(path).path)
        assert words in said
        assert bool(said) == bool(words)


async def test_nothing_is_asked_twice() -> None:
    async with workbench() as (screen, engine, pilot):
        finished(engine)
        await pilot.pause()
        count = len(engine.requests)
        screen.post_message(SelectionsChanged())
        await pilot.pause()
        screen.simulating.preview()

        assert len(engine.requests) == count


async def test_a_run_asked_for_names_its_scenario_and_the_store(tmp_path: Path) -> None:
    async with workbench(store=tmp_path / "runs") as (screen, engine, pilot):
        assert not engine.requests[0].full
        await pilot.press("ctrl+r")
        request = engine.requests[-1]
        assert request.full
        assert screen.draft is not None
        assert screen.draft.scenario is not None
        assert request.document == screen.draft.scenario.document
        assert request.store == str(tmp_path / "runs")

        cells = measured(request.document)
        base = base_address(screen.draft.scenario)
        snapshot = finished(engine, cells=cells, base=base, reused=20, note="the disk is full")
        await until(pilot, lambda: snapshot == screen.query_one(ChartsPane).snapshot)
        assert "all from the store" in status(screen)
        assert "the disk is full" in status(screen)


@pytest.mark.long
async def test_while_a_run_goes_on_the_line_of_keys_says_that_escape_stops_it() -> None:
    async with workbench((120, 60)) as (screen, engine, pilot):
        finished(engine)
        hints = screen.query_one(KeyHints)
        await pilot.press("4")
        assert "Stop" not in hints.render().plain
        await pilot.press("ctrl+r")
        await until(pilot, lambda: hints.render().plain.startswith("esc Stop"))
        run = finished(engine, numpy="2.4.6")
        await until(pilot, lambda: "Stop" not in hints.render().plain)
        # The digest is told once, beside the run.
        assert run.digest not in status(screen)
        told = str(screen.query_one("#details", Static).content)
        assert f"{run.digest}, random numbers of NumPy {run.numpy}" in told


async def test_a_large_file_is_read_beside_the_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ldptui.session.draft.populations.LARGE_BYTES", 3)
    towns = tmp_path / "towns.csv"
    towns.write_text("town\n" + "Rome\nParis\nOslo\nBern\n" * 9)
    async with workbench() as (screen, engine, pilot):
        finished(engine)
        table = {"kind": "csv", "path": str(towns), "column": "town"}
        gate = threading.Event()
        read = Origin.read
        monkeypatch.setattr(Origin, "read", lambda origin: (gate.wait(20), read(origin)))
        screen.post_message(KeyEdited("attack.targets", {"pick": "random", "count": 2}))
        screen.post_message(KeyEdited("population", table))
        await until(pilot, lambda: "reading" in status(screen))
        assert screen.draft is not None
        assert screen.draft.unread is not None
        gate.set()
        await until(pilot, lambda: screen.draft.unread is None)
        assert screen.draft.problems == ()
        assert screen.draft.cell is not None
        assert screen.draft.cell.users == 36
        assert "reading" not in status(screen)
