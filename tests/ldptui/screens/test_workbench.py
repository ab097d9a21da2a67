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
from textual.binding import Binding
from textual.geometry import Region
from textual.pilot import Pilot
from textual.widget import Widget
from textual.widgets import OptionList, Static

from ldptui import scenarios
from ldptui.app import Workbench
from ldptui.messages import KeyEdited, SelectionsChanged, WorkerChanged
from ldptui.screens.workbench import draft_screen, file_actions
from ldptui.screens.workbench.charts import ChartsPane
from ldptui.screens.workbench.runs_pane import RunsPane
from ldptui.screens.workbench.title import NAMES
from ldptui.session.autosave import save_draft
from ldptui.session.cell_table import address_of
from ldptui.session.draft import Origin, edit_key, open_draft, value_of
from ldptui.session.run_list import RunList
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


async def test_late_news_of_an_old_run_does_not_take_the_screen() -> None:
    async with workbench() as (screen, engine, pilot):
        old = finished(engine)
        screen.post_message(KeyEdited("protocol.epsilon", 2.0))
        await until(pilot, lambda: len(engine.requests) > 1)
        new = finished(engine)
        engine.progress(replace(old, done=1))
        await until(pilot, lambda: screen.query_one(ChartsPane).snapshot == new)

        assert [run.key for run in screen.run_list.runs] == [new.key]


@pytest.mark.long
async def test_a_failed_run_says_why() -> None:
    """At the foot and in the chart's place; among the runs where there is no room for it there."""
    async with workbench() as (screen, engine, pilot):
        finished(engine, status="failed", error="the column is missing", frequencies=None)
        await until(pilot, lambda: "failed: the column is missing" in status(screen))
        assert "failed: the column is missing" in screen.charts.as_text()  # in the chart's place
        rows = screen.query_one(RunsPane).query_one(OptionList)
        assert "the column is missing" not in str(rows.get_option_at_index(0).prompt)
        for why, more in (
            ("no luck " * 16, ""),
            ("ValueError: no luck", "line 2\nValueError: no luck"),
        ):
            await pilot.press("2", "up", "right")
            await until(pilot, lambda: engine.active is not None)
            finished(engine, status="failed", error=why.strip(), details=more, frequencies=None)
            await until(pilot, lambda: "preview failed: Runs (5) says why" in status(screen))
            await until(pilot, lambda: "no luck" in seen(screen.app))
            assert ("ValueError: no luck" in seen(screen.app)) == bool(more)


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


async def test_a_dead_worker_is_reported() -> None:
    async with workbench() as (screen, engine, pilot):
        engine.die()
        await until(pilot, lambda: "SIGKILL" in status(screen))


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


@pytest.mark.every(4)
@pytest.mark.parametrize("key", ["3", "alt+3", "f4", "pound_sign"])
async def test_panes_have_keys(key: str) -> None:
    async with workbench((80, 24)) as (screen, _, pilot):
        assert screen.pane == 4
        await pilot.press(key)
        await until(pilot, lambda: screen.pane == 3)

        shown = [number for number in NAMES if screen.query_one(f"#pane-{number}").region]
        assert shown == [3]


async def test_pane_keys_work_from_a_text_field_and_digits_are_typed_there() -> None:
    async with workbench() as (screen, _, pilot):
        await pilot.press("2", "tab", "enter", "end", "4")

        assert screen.pane == 2
        assert screen.draft is not None
        assert "1284" in screen.draft.text
        await pilot.press("alt+4")
        await until(pilot, lambda: screen.pane == 4)


@pytest.mark.every(3)
@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_every_pane_is_reachable_at_every_size(size: tuple[int, int]) -> None:
    async with workbench(size) as (screen, _, pilot):
        for number in NAMES:
            await pilot.press(f"f{number + 1}")
            pane = screen.query_one(f"#pane-{number}")

            assert pane.region.width >= 40
            assert pane.region.height >= 5
            assert pane in getattr(screen.focused, "ancestors_with_self", ())


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_the_list_of_runs_keeps_the_focus_while_it_is_empty(size: tuple[int, int]) -> None:
    async with workbench(size) as (screen, _, pilot):
        await pilot.press("f6")
        runs, run_list = screen.query_one(RunsPane), screen.run_list
        assert runs in getattr(screen.focused, "ancestors_with_self", ())
        runs.run_list = RunList()
        await pilot.pause()
        assert "no run yet" in seen(screen.app).lower()
        runs.run_list = run_list
        await pilot.pause()
        assert runs in getattr(screen.focused, "ancestors_with_self", ())


@pytest.mark.long
async def test_a_terminal_that_is_too_small_says_what_it_needs() -> None:
    async with workbench((80, 24)) as (screen, engine, pilot):
        await pilot.resize_terminal(50, 12)
        message = screen.query_one("#too-small")
        await until(pilot, lambda: bool(message.region))

        assert message.region.width == 50
        assert "60 × 18" in str(message.render())
        # Nothing is done to what cannot be seen; quitting is no such thing.
        count, pane = len(engine.requests), screen.pane
        await pilot.press("ctrl+r", "2", "5", "ctrl+o", "ctrl+p", "ctrl+l")
        assert (len(engine.requests), screen.pane, screen.app.screen) == (count, pane, screen)
        await pilot.resize_terminal(120, 40)
        await until(pilot, lambda: not message.region)


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
    assert save_draft(edit_key(before, "population.users", 10**14), before) == ""
    async with Workbench(Settings(), None, FakeEngine).run_test(size=(120, 40)) as pilot:
        words = "with what is wrong in it: ^z takes that back; ^o starts afresh"
        await until(pilot, lambda: words in seen(pilot.app))
        assert "100 000 000 000 000" in seen(pilot.app)
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


async def test_over_a_network_redraws_are_rarer(monkeypatch: pytest.MonkeyPatch) -> None:
    async with workbench() as (_, engine, _pilot):
        assert engine.requests[0].interval == 0.25
    monkeypatch.setenv("SSH_CONNECTION", "192.0.2.1 1 192.0.2.2 22")
    async with workbench() as (_, engine, _pilot):
        assert engine.requests[0].interval == 1.0


async def test_nothing_is_asked_twice() -> None:
    async with workbench() as (screen, engine, pilot):
        finished(engine)
        await pilot.pause()
        count = len(engine.requests)
        screen.post_message(SelectionsChanged())
        await pilot.pause()
        screen.simulating.preview()

        assert len(engine.requests) == count


async def test_every_binding_has_an_id() -> None:
    async with workbench() as (screen, _, _pilot):
        nodes = [screen.app, screen, *screen.query("*")]
        own = [node for node in nodes if type(node).__module__.startswith("ldptui")]
        missing = [
            (type(node).__name__, binding)
            for node in own
            for binding in type(node).__dict__.get("BINDINGS", ())
            if not getattr(binding, "id", None)
        ]
        assert missing == []


@pytest.mark.every(6)
@pytest.mark.parametrize("pane", NAMES)
async def test_help_calls_two_things_by_two_names(pane: int) -> None:
    async with workbench() as (screen, engine, pilot):
        finished(engine)
        await pilot.press(str(pane))
        called: dict[tuple[object, str], set[str]] = {}
        for active in screen.active_bindings.values():
            if active.binding.id is not None:
                name = (active.node, active.binding.description)
                called.setdefault(name, set()).add(active.binding.action)
        assert [item for item in called.items() if len(item[1]) > 1] == []


async def test_keys_are_spelled_out_in_ascii() -> None:
    async with workbench() as (screen, _, _pilot):
        app = screen.app
        assert isinstance(app, Workbench)
        left, quit_ = Binding("left", "", ""), Binding("ctrl+q", "", "")
        assert [app.get_key_display(key) for key in (left, quit_)] == ["←", "^q"]
        app.charset = "ascii"
        assert [app.get_key_display(key) for key in (left, quit_)] == ["left", "^q"]


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
async def test_a_picture_stays_until_there_is_a_new_one() -> None:
    async with workbench() as (screen, engine, pilot):
        charts = screen.query_one(ChartsPane)
        snapshot = finished(engine)
        await until(pilot, lambda: charts.snapshot == snapshot)
        screen.post_message(KeyEdited("protocol.epsilon", 2.0))
        await until(pilot, lambda: len(engine.requests) == 2)
        engine.progress(Snapshot(engine.requests[1].key, "running", total=20))
        await until(pilot, lambda: charts.snapshot != snapshot)
        assert charts.snapshot is not None
        assert charts.snapshot.status == "running"
        assert charts.snapshot.frequencies == snapshot.frequencies
        engine.finish(Snapshot(engine.requests[1].key, "failed", error="no"))
        await until(pilot, lambda: charts.snapshot.status == "failed")
        assert charts.snapshot.frequencies is None


async def test_a_preview_that_is_over_at_once_is_drawn_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(draft_screen, "PATIENCE_S", 60.0)
    async with workbench() as (screen, engine, pilot):
        charts = screen.query_one(ChartsPane)
        engine.progress(replace(base_snapshot(engine.requests[-1].key), status="running"))
        await pilot.pause()
        assert charts.snapshot is None
        snapshot = finished(engine)
        await until(pilot, lambda: charts.snapshot is not None)
        assert charts.snapshot == snapshot


def words(pilot: Pilot[None]) -> str:
    """The words of the dialog on the screen."""
    return "\n".join(str(static.content) for static in pilot.app.screen.query(Static))


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
        assert f"{run.digest}, drawn by NumPy {run.numpy}" in told


@pytest.mark.long
async def test_news_of_a_run_lay_nothing_out_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """That would draw the whole screen, with every progress."""
    async with workbench((120, 60)) as (screen, engine, pilot):
        finished(engine)
        await pilot.press("ctrl+r")
        await until(pilot, lambda: engine.active is not None and engine.active.full)
        assert engine.active is not None
        base = replace(base_snapshot(engine.active.key), status="running", full=True)
        engine.progress(replace(base, done=5, total=90, seconds=1.0))
        await until(pilot, lambda: "5 of 90" in status(screen))
        laid_out = []
        refresh = Widget.refresh

        def noted(self: Widget, *regions: Region, **how: bool) -> Widget:
            laid_out.extend([self] if how.get("layout") else [])
            return refresh(self, *regions, **how)

        monkeypatch.setattr(Widget, "refresh", noted)
        engine.progress(replace(base, done=40, total=90, seconds=2.0))
        await until(pilot, lambda: "40 of 90" in status(screen))
        assert not laid_out


@pytest.mark.long
async def test_the_versions_of_a_new_worker_are_no_news() -> None:
    async with workbench() as (screen, engine, pilot):
        finished(engine)
        screen.post_message(WorkerChanged(True, "python 3.11, numpy 2.4"))
        await pilot.pause()
        assert "numpy" not in status(screen)
        screen.post_message(WorkerChanged(False, "the background worker was killed"))
        await until(pilot, lambda: "killed" in status(screen))


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
