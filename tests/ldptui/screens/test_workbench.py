"""The workbench screen with a fake engine: edits, runs, panes and what is kept."""

from __future__ import annotations

import re
import threading
import time
from pathlib import Path

import pytest
from msgspec.structs import replace
from support.chart_cases import base_address
from support.fake_engine import FakeEngine, base_snapshot
from support.waiting import seen, until
from support.workbench_app import finished, measured, own_home, status, workbench  # noqa: F401
from textual.binding import Binding
from textual.events import Key
from textual.geometry import Region
from textual.pilot import Pilot
from textual.widget import Widget
from textual.widgets import OptionList, Static

from ldptui import scenarios
from ldptui.app import Workbench
from ldptui.messages import KeyEdited, SelectionsChanged, WorkerChanged
from ldptui.screens.workbench import desk, file_actions
from ldptui.screens.workbench.charts import ChartsPane
from ldptui.screens.workbench.charts.sheets import Sheets
from ldptui.screens.workbench.runs_pane import RunsPane
from ldptui.screens.workbench.title import NAMES, TitleBar
from ldptui.session.autosave import save_draft
from ldptui.session.cells import address_of
from ldptui.session.draft import Origin, open_draft
from ldptui.session.snapshot import Selection, Snapshot
from ldptui.terminal import places
from ldptui.terminal.settings import Settings
from ldptui.widgets.field import Field, ValueInput
from ldptui.widgets.key_hints import KeyHints
from ldptui.widgets.status import StatusLine


async def test_first_start_simulates_the_quickstart() -> None:
    async with workbench() as (screen, engine, pilot):
        request = engine.requests[0]

        assert request.selections[0] == Selection()
        assert not request.full
        assert screen.draft is not None
        assert screen.draft.scenario is not None

        snapshot = finished(engine)
        await until(pilot, lambda: screen.query_one(ChartsPane).snapshot == snapshot)
        assert "preview done" in status(screen)


async def test_a_missing_file_of_attacks_is_named_and_loses_nothing(tmp_path: Path) -> None:
    settings = Settings(offered_files=(tmp_path / "gone.py",))
    app = Workbench(settings, engine=FakeEngine)
    async with app.run_test(size=(160, 40)) as pilot:
        screen = app.workbench
        await until(pilot, lambda: screen.draft is not None and "gone.py" in status(screen))
        assert f"attack_files: {tmp_path / 'gone.py'}: no such file" in status(screen)
        engine = screen._engine
        assert isinstance(engine, FakeEngine)
        await until(pilot, lambda: bool(engine.requests))


async def test_an_edit_is_simulated_and_its_run_replaces_the_preview() -> None:
    async with workbench() as (screen, engine, pilot):
        finished(engine)
        count = len(engine.requests)
        screen.post_message(KeyEdited("protocol.epsilon", 2.0))
        await until(pilot, lambda: len(engine.requests) > count)

        assert engine.requests[-1].document["protocol"]["epsilon"] == 2.0
        assert [run.snapshot.full for run in screen.shelf.runs] == [False]


async def test_a_bad_value_is_never_simulated_and_never_lost() -> None:
    async with workbench() as (screen, engine, pilot):
        finished(engine)
        await pilot.pause()
        count = len(engine.requests)
        screen.post_message(KeyEdited("attack.share", 1.5))
        await until(pilot, lambda: "✗" in status(screen))

        assert "share of fake users β (attack.share): Attack (3) says why" in status(screen)
        assert screen.draft is not None
        assert "1.5" in screen.draft.text
        assert screen.draft.scenario is not None
        assert screen.draft.scenario.document["attack"]["share"] == 0.05
        screen.post_message(KeyEdited("attack.share", 0.15))
        await until(pilot, lambda: len(engine.requests) > count)
        assert len(engine.requests) == count + 1
        assert engine.requests[-1].document["attack"]["share"] == 0.15


@pytest.mark.every(2)
@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
@pytest.mark.long
async def test_a_click_on_the_problem_goes_to_its_field(size: tuple[int, int]) -> None:
    async with workbench(size) as (screen, engine, pilot):
        finished(engine)
        screen.post_message(KeyEdited("population.exponent", -1))
        await until(pilot, lambda: "Zipf exponent s (population.exponent)" in status(screen))
        await pilot.click(StatusLine, offset=(6, 0))
        await until(pilot, lambda: isinstance(screen.focused, ValueInput))
        assert screen.focused is not None
        assert screen.focused.parent is next(
            field for field in screen.query(Field) if field.key == "population.exponent"
        )
        assert screen.pane == 2
        # The sentence is in one place: below the field, and at the foot where that is not seen.
        await until(pilot, lambda: "Parameters (2) says why" in status(screen))
        assert " ".join(seen(pilot.app).split()).count("got -1") == 1
        await pilot.press("f4")  # the attack, which folds the parameters
        await until(pilot, lambda: "got -1" in status(screen))
        assert " ".join(seen(pilot.app).split()).count("got -1") == 1


async def test_a_run_asked_for_while_the_scenario_is_read_starts_once_it_is_there(
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
            await pilot.press("ctrl+r")
            assert engine.requests == []
            there.set()
            await until(pilot, lambda: bool(engine.requests))
            assert [request.full for request in engine.requests] == [True]
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
        assert [run.snapshot.full for run in screen.shelf.runs] == [True, False]


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

        assert [run.key for run in screen.shelf.runs] == [new.key]


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
            await until(pilot, lambda: screen.shelf.active is None)
        first, second = (run for run in screen.shelf.runs if run.snapshot.full)
        charts, runs = screen.query_one(ChartsPane), screen.query_one(RunsPane)
        await pilot.press("5", "j", "enter")
        await until(pilot, lambda: charts.snapshot == first.snapshot)
        await pilot.press("k", "space")
        await until(
            pilot, lambda: [overlay.snapshot for overlay in charts.overlays] == [second.snapshot]
        )

        assert (runs.shelf.shown, runs.shelf.overlays) == (first.key, (second.key,))

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


@pytest.mark.long
async def test_the_question_before_quitting_follows_the_run() -> None:
    async with workbench() as (screen, engine, pilot):
        await pilot.press("ctrl+r")
        await until(pilot, lambda: engine.requests[-1].full)
        run = Snapshot(engine.requests[-1].key, "running", full=True, done=30, total=100)
        engine.progress(run)
        await until(pilot, lambda: screen.run_to_leave == run)
        await pilot.press("ctrl+q")
        await until(pilot, lambda: "A run is at 30 %. Quit and lose it?" in words(pilot))

        engine.progress(replace(run, done=60, kept=7))
        await until(pilot, lambda: "A run is at 60 %. Quit? The next start" in words(pilot))
        finished(engine)
        await until(pilot, lambda: "The run is done. Quit?" in words(pilot))

        await pilot.press("n")
        await until(pilot, lambda: screen.app.screen is screen)
        assert not engine.stopped


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


@pytest.mark.every(4)
@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60), (60, 18)])
async def test_every_pane_is_reachable_at_every_size(size: tuple[int, int]) -> None:
    async with workbench(size) as (screen, _, pilot):
        for number in NAMES:
            await pilot.press(f"f{number + 1}")
            pane = screen.query_one(f"#pane-{number}")

            assert pane.region.width >= 40
            assert pane.region.height >= 5
            assert screen.focused is not None
            assert pane in screen.focused.ancestors_with_self


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
    monkeypatch.setattr("ldptui.screens.workbench.desk.AUTOSAVE_S", 0.01)
    async with workbench() as (screen, _, pilot):
        screen.post_message(KeyEdited("protocol.epsilon", 3.0))
        kept = places.state_dir() / "draft.json"
        await until(pilot, lambda: kept.exists() and "epsilon = 3.0" in kept.read_text())


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
        draft, said = file_actions.first_draft(None, None)
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
async def test_typing_right_after_tab_goes_to_the_next_field() -> None:
    async with workbench() as (screen, engine, pilot):
        finished(engine)
        controls = {field.key: field.control for field in screen.query(Field)}
        first, second = controls["population.items"], controls["population.users"]
        assert isinstance(first, ValueInput)
        assert isinstance(second, ValueInput)
        first.focus()
        await pilot.pause()
        # As a script or a paste sends them: none of them waits for the one before.
        for key in (Key("enter", "\r"), Key("7", "7"), Key("tab", "\t"), Key("8", "8")):
            screen.app.post_message(key)
        await until(pilot, lambda: not first.has_focus)
        # Enter and tab select what is there: what is typed replaces it.
        assert (first.value, second.value) == ("7", "8")


@pytest.mark.long
async def test_keys_in_a_burst_mean_what_they_did_where_they_were_pressed() -> None:
    async with workbench((80, 24)) as (screen, engine, pilot):
        finished(engine)
        controls = {field.key: field.control for field in screen.query(Field)}
        users = controls["population.users"]
        assert isinstance(users, ValueInput)
        for key in ("f3", "tab", "tab", "enter", "5", "0"):
            screen.app.post_message(Key(key, key if key.isdigit() else None))
        await until(pilot, lambda: users.value == "50")
        await pilot.pause()
        assert screen.focused is users
        # Tab goes on editing, and esc ends it, before the next key is heard.
        for key in ("6", "tab", "2", "escape", "4"):
            screen.app.post_message(Key(key, key if key.isdigit() else None))
        await until(pilot, lambda: screen.pane == 4)
        await until(pilot, lambda: users.value == "506")
        assert controls["population.exponent"].value == "2"


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
    monkeypatch.setattr(desk, "PATIENCE_S", 60.0)
    async with workbench() as (screen, engine, pilot):
        charts = screen.query_one(ChartsPane)
        engine.progress(replace(base_snapshot(engine.requests[-1].key), status="running"))
        await pilot.pause()
        assert charts.snapshot is None
        snapshot = finished(engine)
        await until(pilot, lambda: charts.snapshot is not None)
        assert charts.snapshot == snapshot


@pytest.mark.long
async def test_help_is_of_the_field_with_the_focus_and_no_longer() -> None:
    async with workbench() as (screen, engine, pilot):
        finished(engine)
        epsilon = next(field for field in screen.query(Field) if field.key == "protocol.epsilon")
        epsilon.control.focus()
        await pilot.pause()
        await pilot.press("f1")
        assert "protocol.epsilon" in words(pilot)
        await pilot.press("escape", "f5", "f1")
        assert "protocol.epsilon" not in words(pilot)
        assert "digest" in words(pilot)


def words(pilot: Pilot[None]) -> str:
    """The words of the dialog on the screen."""
    return "\n".join(str(static.content) for static in pilot.app.screen.query(Static))


@pytest.mark.long
async def test_at_80_columns_the_keys_of_the_pane_come_first_and_a_cut_title_says_so() -> None:
    async with workbench((80, 24)) as (screen, engine, pilot):
        finished(engine)
        await pilot.press("4")
        hints = screen.query_one(KeyHints).render().plain
        assert hints.startswith("v View  t Table  ")
        assert hints.endswith(" │ ^r Run  ^o Open  ? Help  ^p Palette  ^q Quit")
        assert len(re.split(r" {2}| │ ", hints)) == 8
        title = screen.query_one(TitleBar).render().plain
        assert title.endswith("…")


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
async def test_the_narrower_the_fewer_keys_and_those_for_help_stay() -> None:
    async with workbench((120, 24)) as (screen, engine, pilot):
        finished(engine)
        await pilot.press("4")
        hints = screen.query_one(KeyHints)
        for width in (90, 80, 75, 60):
            await pilot.resize_terminal(width, 24)
            await until(pilot, lambda width=width: len(hints.render().plain) <= width - 2)  # type: ignore[misc]
            words = set(hints.render().plain.split())
            assert {"View", "Run", "Help", "Palette", "Quit"} <= words


async def test_a_run_that_tells_nothing_counts_its_seconds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with workbench() as (screen, _engine, _pilot):
        clock = time.monotonic() + 7
        monkeypatch.setattr("ldptui.widgets.status.time.monotonic", lambda: clock)
        line = screen.query_one(StatusLine)
        line.snapshot = Snapshot(99, "running")
        clock += 5
        assert "simulating … 5.0 s" in line.render().plain
        line.snapshot = Snapshot(99, "running", done=1, total=20)
        assert "simulating" not in line.render().plain


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


@pytest.mark.long
async def test_a_large_population_is_drawn_beside_the_screen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its curves too, and the old ones stay meanwhile."""
    async with workbench((200, 60)) as (screen, engine, pilot):
        finished(engine)
        charts = screen.query_one(ChartsPane)
        charts.tab = "gain"
        charts._boxes.gain._put_on_axis("population.users")
        charts.watch_draft()
        before = charts._boxes.gain._curves
        monkeypatch.setattr("ldptui.session.draft.populations.LARGE_ITEMS", 100)
        gate, on = threading.Event(), threading.get_ident()
        read = Origin.read
        made_on: list[int] = []

        def gated(origin: Origin) -> object:
            made_on.append(threading.get_ident())
            gate.wait(20)
            return read(origin)

        monkeypatch.setattr(Origin, "read", gated)
        screen.post_message(KeyEdited("population.items", 101))
        await until(pilot, lambda: "drawing the users of 101 items" in status(screen))
        assert screen.draft is not None
        assert screen.draft.cell is not None
        assert screen.draft.cell.population.domain_size != 101
        assert charts._boxes.gain._curves is before
        gate.set()
        await until(pilot, lambda: screen.draft.unread is None)
        assert screen.draft.cell.population.domain_size == 101
        assert "drawing" not in status(screen)
        await until(pilot, lambda: charts._boxes.gain._curves is not before)
        assert charts._boxes.gain._awaited is None
        assert len(made_on) > 2
        assert on not in made_on
        made_on.clear()
        screen.post_message(KeyEdited("protocol.epsilon", 1.25))
        await until(pilot, lambda: screen.draft.cell.parameters["protocol.epsilon"] == 1.25)
        assert screen.draft.unread is None
        assert made_on == []  # neither the population nor those of the curve


@pytest.mark.long
async def test_a_burst_of_keys_is_obeyed_in_its_order(monkeypatch: pytest.MonkeyPatch) -> None:
    async with workbench() as (screen, engine, pilot):
        finished(engine)
        field = next(field for field in screen.query(Field) if field.key == "population.items")
        assert isinstance(field.control, ValueInput)
        # From another pane into this one, over the old value, and on: without waiting for anything.
        field.control.focus()
        await pilot.pause()
        screen.action_pane(1)
        keys = [Key(key, None) for key in ("f3", "enter", "end", *["backspace"] * 3)]
        for key in (*keys, *(Key(digit, digit) for digit in "5000"), Key("left", None)):
            screen.app.post_message(key)
        await until(pilot, lambda: engine.requests[-1].document["population"]["items"] == 5000)
        assert field.control.value == "5000"
        await until(pilot, lambda: field.control.cursor_position == 3)
        # Onto a tab whose view is not there yet, and to another pane while it is mounted.
        screen.action_pane(4)
        made = Sheets.open

        async def open_slowly(sheets: Sheets, tab: str) -> None:
            await made(sheets, tab)
            screen.action_pane(1)

        monkeypatch.setattr(Sheets, "open", open_slowly)
        screen.charts.tab = "equations"
        await pilot.pause()
        assert screen.pane == 1
        assert screen.query_one("#pane-1").has_focus_within
