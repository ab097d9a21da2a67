"""The history in the workbench: a real store, a fake engine."""

from __future__ import annotations

import asyncio
import shutil
import signal
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from support.fake_engine import FakeEngine
from support.stores import change_run
from support.waiting import seen, until
from support.workbench_app import finished, own_home, status, workbench
from textual.app import App
from textual.widgets import OptionList, Static

from ldptui import __version__, scenarios
from ldptui.app import Workbench
from ldptui.core import compile, load
from ldptui.core.export import to_csv
from ldptui.core.running.runner import units
from ldptui.core.scenario import parse, to_toml
from ldptui.core.store import begin, open_store
from ldptui.core.store.recording import write_recording
from ldptui.engine.store_actions import open_run
from ldptui.messages import KeyEdited, LongWork
from ldptui.screens.dialogs.paths import ExportChoice, ExportScreen, fault_to_open
from ldptui.screens.dialogs.prompts import TextScreen
from ldptui.screens.workbench import file_actions
from ldptui.screens.workbench.charts import ChartsPane
from ldptui.screens.workbench.replay_bar import ReplayBar
from ldptui.screens.workbench.runs_pane import RunsPane
from ldptui.session.exporting import What, embed_scenario, read_figure
from ldptui.session.runs import describe_scenario
from ldptui.terminal.settings import Settings
from ldptui.widgets.option_list import FilterInput
from ldptui.widgets.path_field import PathField

__all__ = ["own_home"]


@pytest.fixture
def store(kept_runs: Path, tmp_path: Path) -> Path:
    """Run 1 with another ε, then run 2: the quickstart. A copy for one test."""
    return Path(shutil.copy(kept_runs, tmp_path))


@pytest.fixture(scope="module")
def kept_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("kept") / "runs.sqlite3"
    quickstart = load(scenarios.path("quickstart"))
    with open_store(path) as kept:
        for scenario in (quickstart.with_value("protocol.epsilon", 2.0), quickstart):
            work = compile(scenario)
            recording = begin(kept, work, __version__)
            for cell, number, trials in units(work):
                recording.keep(cell, number, cell.block(number, trials))
            recording.finish(kept.results(recording.run))
    return path


async def test_the_last_run_is_shown_at_once_and_runs_are_laid_over_it(store: Path) -> None:
    async with workbench(store=store) as (screen, _, pilot):
        charts, pane = screen.query_one(ChartsPane), screen.query_one(RunsPane)
        await until(pilot, lambda: screen.run_list.shown == -2)
        assert charts.snapshot is not None
        assert charts.snapshot.kept == 2
        assert len(charts.snapshot.cells) == 21

        await pilot.press("5", "space")
        await until(pilot, lambda: "this is the run shown: on another" in status(screen))
        await pilot.press("end")
        assert pane.current is not None
        assert pane.current.number == 1
        for width, has_time in ((72, True), (36, False)):  # what differs stays, the time goes
            pane.styles.width = width
            await pilot.pause()
            first = str(pane.query_one(OptionList).get_option_at_index(1).prompt)
            assert first.endswith("ε 2 → 1")
            assert (" trials " in first) == has_time
        pane.styles.width = "1fr"
        await pilot.press("space")
        await until(pilot, lambda: bool(charts.overlays))
        assert [overlay.label for overlay in charts.overlays] == ["ε 2"]
        box = charts._boxes["gain"]
        charts.tab = "gain"
        await until(pilot, lambda: box.frame is not None and "group" in box.options)
        await pilot.press("g")
        assert box.options["group"].words == "by ε"
        assert box.options["group"].next_words == "each run"
        charts.tab = "frequencies"
        await pilot.press("d")
        await until(pilot, lambda: isinstance(screen.app.screen, TextScreen))
        assert "ε 2 → 1" in str(screen.app.screen.parts[0])  # type: ignore[attr-defined]
        await pilot.press("escape", "slash")
        await pilot.pause()
        field = pane.query_one(FilterInput)
        count, place = field.query_one(".filter--count", Static), field.region
        assert place.height == 1
        await pilot.press(*"#paper")
        await until(pilot, lambda: str(count.render()) == f"0 of {len(pane.run_list.runs)}")
        await pilot.pause()
        assert field.region == place
        assert "“#paper”; esc takes it" in str(pane.query_one("#empty", Static).render())
        await pilot.press("escape")
        assert field.words == ""
        assert isinstance(screen.focused, OptionList)


@pytest.mark.long
async def test_what_a_kept_run_has_measured_is_not_run_again(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with workbench(store=store) as (screen, engine, pilot):
        await until(pilot, lambda: screen.run_list.shown == -2)
        screen.post_message(KeyEdited("protocol.epsilon", 2.0))
        await until(pilot, lambda: screen.run_list.shown > 0)
        finished(engine)
        asked = len(engine.requests)
        await pilot.press("ctrl+r")
        await until(pilot, lambda: "run 1 has every trial of this scenario" in status(screen))
        assert (screen.run_list.shown, len(engine.requests)) == (-1, asked)
        assert len(screen.charts.snapshot.cells) == 22  # and the preview's
        # Numbers of another version are no reason to compute none.
        monkeypatch.setattr("ldptui.session.runs.__version__", "another")
        await pilot.press("ctrl+r")
        await until(pilot, lambda: len(engine.requests) > asked)


@pytest.mark.every(2)
@pytest.mark.parametrize("users", ["-3", "5000"])
@pytest.mark.long
async def test_the_last_run_of_another_scenario_is_not_shown_at_the_start(
    store: Path, tmp_path: Path, users: str
) -> None:
    """Not even while the scenario that was opened is not valid, or has no numbers yet."""
    path = tmp_path / "another.toml"
    text = scenarios.path("quickstart").read_text(encoding="utf-8")
    path.write_text(text.replace("users = 100_000", f"users = {users}"), encoding="utf-8")
    app = Workbench(Settings(), path, FakeEngine, store=store)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = app.workbench
        await until(pilot, lambda: len(screen.run_list.kept) == 2)
        await app.workers.wait_for_complete()
        assert screen.charts.snapshot is None or not screen.charts.snapshot.cells
        assert "run 2" not in seen(app)


def proposed(app: App[Any]) -> str:
    """The name of the file that the export proposes."""
    return Path(app.screen.query_one(PathField).text).name


@pytest.mark.long
async def test_the_trials_of_a_kept_run_are_exported_as_the_command_does(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "trials.csv"

    widths = []

    def write_figure(chart: Any, path: Path, *, columns: int, caption: str, embedded: str) -> None:
        widths.append(columns)
        path.write_text(f"{chart.title}\n{caption}\n{embedded}", encoding="utf-8")

    monkeypatch.setattr("ldptui.charts.draw.paper.write_figure", write_figure)
    async with workbench(store=store) as (screen, _, pilot):
        await until(pilot, lambda: screen.run_list.shown == -2)
        await pilot.press("ctrl+e")
        await until(pilot, lambda: isinstance(screen.app.screen, ExportScreen))
        assert proposed(screen.app) == "quickstart-an-attack-moves-an-estimate-frequencies.pdf"
        screen.app.screen.dismiss(ExportChoice("csv", out))
        await until(pilot, lambda: "trials.csv" in status(screen))
        asked: list[tuple[What, str]] = [
            ("figure-column", "narrow.svg"), ("figure", "chart.svg"),
        ]  # fmt: skip
        for what, name in asked:
            await pilot.press("ctrl+e")
            await until(pilot, lambda: isinstance(screen.app.screen, ExportScreen))
            screen.app.screen.dismiss(ExportChoice(what, tmp_path / name))
            await until(pilot, lambda name=name: f"wrote {tmp_path / name}" in status(screen))
            assert (tmp_path / name).exists()
        assert widths == [1, 2]
    with open_store(store) as kept:
        assert out.read_text(encoding="utf-8") == to_csv(kept.results(2))
        whole = read_figure(tmp_path / "chart.svg")
        assert whole is not None
        assert whole.digest == kept.run(2).digest
        drawn = f"{whole.digest}, random numbers of NumPy {whole.numpy}"
        assert drawn in (tmp_path / "chart.svg").read_text(encoding="utf-8").split("\n")[1]
        assert parse(to_toml(whole.document)).document == kept.experiment(2).scenario.document


async def test_deleting_has_an_undo_and_stars_stay(store: Path) -> None:
    async with workbench(store=store) as (screen, _, pilot):
        await until(pilot, lambda: screen.run_list.shown == -2)
        await pilot.press("5", "end", "asterisk")
        await until(pilot, lambda: any(r.kept and r.kept.star for r in screen.run_list.kept))
        await pilot.press("delete")
        await until(pilot, lambda: [run.number for run in screen.run_list.kept] == [2])
        await until(pilot, lambda: "u puts it back" in status(screen))
        await pilot.press("u")
        await until(pilot, lambda: [run.number for run in screen.run_list.kept] == [1, 2])
        with open_store(store) as kept:
            assert kept.run(1).star


@pytest.mark.long
async def test_a_run_whose_process_is_gone_goes_on(store: Path) -> None:
    with open_store(store) as kept:
        change_run(kept, 2, status="running", owner="")
    async with workbench(store=store) as (screen, engine, pilot):
        await until(pilot, lambda: "run 2 was cut off: r in Runs (5)" in status(screen))
        await pilot.press("5", "r")
        await until(pilot, lambda: engine.requests[-1].full)
        request = engine.requests[-1]
        assert (request.resumed, request.store) == (2, str(store))


@pytest.mark.long
async def test_a_recording_is_replayed_and_nothing_is_simulated(store: Path) -> None:
    replay = open_run(store, 1, -1)
    async with workbench(store=store, run_replay=replay) as (screen, engine, pilot):
        bar, charts = screen.query_one(ReplayBar), screen.query_one(ChartsPane)
        await until(pilot, lambda: bar.has_focus)
        assert screen.draft is not None
        assert "epsilon = 2.0" in screen.draft.text
        await pilot.press("end")
        await until(pilot, lambda: charts.snapshot is not None and charts.snapshot.done == 420)
        await pilot.press("comma")
        await until(pilot, lambda: charts.snapshot is not None and charts.snapshot.done < 420)
        assert engine.requests == []
        await pilot.press("f5", "escape")  # wherever the focus is
        await until(pilot, lambda: bool(engine.requests))
        assert not bar.display


# Files of other people.


async def test_a_recording_and_a_figure_open_their_run(store: Path, tmp_path: Path) -> None:
    recording, other = tmp_path / "colleague.ldptui", tmp_path / "other.sqlite3"
    with open_store(store) as kept:
        write_recording(kept, 1, recording)
        run = kept.run(2)
    drawn = embed_scenario(run.document, run.digest, "2.4.6")
    for name, text in (("ours.svg", drawn), ("theirs.svg", "<svg/>")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    for path, problem in ((recording, ""), (tmp_path / "ours.svg", ""),
                          (tmp_path / "theirs.svg", "carries no scenario of ldptui")):  # fmt: skip
        assert fault_to_open(path).endswith(problem)
    async with workbench(store=other) as (screen, _, pilot):
        await until(pilot, lambda: screen.draft is not None)
        screen.run_worker(screen._kept.open_file(recording))
        await until(pilot, lambda: screen.run_list.shown == -1)
        assert screen.draft is not None
        assert screen.draft.document == load(scenarios.path("quickstart")).with_value(
            "protocol.epsilon", 2.0
        ).document  # fmt: skip
        assert "colleague.ldptui: run 1 is imported" in status(screen)
        # What the message says that V verifies is under the cursor, and no newer row.
        await pilot.press("5")
        current = screen.query_one(RunsPane).current
        assert current is not None
        assert current.key == -1
        screen.run_worker(screen._kept.open_file(tmp_path / "ours.svg"))
        await until(pilot, lambda: "no run here has" in status(screen))
        assert screen.draft.document == run.document
        screen.run_worker(screen._kept.open_file(recording))
        await until(pilot, lambda: "was here already" in status(screen))


@pytest.mark.long
async def test_a_run_is_verified_by_a_process_of_its_own_that_can_be_stopped(store: Path) -> None:
    async with workbench(store=store) as (screen, _, pilot):
        await until(pilot, lambda: screen.run_list.shown == -2)
        await pilot.press("5", "end", "V")
        await until(pilot, lambda: screen._kept._verifying is not None)
        await pilot.press("escape")
        await until(pilot, lambda: "run 1: verifying was stopped" in status(screen))
        await pilot.press("V")
        await until(pilot, lambda: "run 1: identical: 420 trials" in status(screen), 120)


@pytest.mark.parametrize(("status_of_run", "edits"), [("done", ()), ("partial", ()), ("done", "2")])
async def test_a_figure_asked_for_before_its_run_is_drawn_after_it(
    status_of_run: str, edits: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    files = list[Path]()
    monkeypatch.setattr(
        "ldptui.charts.draw.paper.write_figure", lambda _, path, **__: files.append(path)
    )
    async with workbench() as (screen, engine, pilot):
        finished(engine)
        await pilot.press("ctrl+e")
        await until(pilot, lambda: isinstance(screen.app.screen, ExportScreen))
        screen.app.screen.query_one(PathField).text = str(tmp_path / "a.pdf")
        assert "enter runs them, then draws it" in seen(screen.app)
        await pilot.press("enter")
        await until(pilot, lambda: engine.requests[-1].full)
        assert files == []
        if edits:
            await pilot.press("2", "down", "right")
        finished(engine, status=status_of_run)
        await until(pilot, lambda: bool(files) or "no figure was drawn" in status(screen))
        assert [file.name for file in files] == ["a.pdf"] * (status_of_run == "done" and not edits)


@pytest.mark.parametrize("edited", [False, True])
def test_a_figure_of_an_edited_draft_is_called_by_its_settings(
    edited: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The title is that of the scenario that was opened, and no more that of its run."""
    captions = list[str]()
    monkeypatch.setattr(
        "ldptui.charts.draw.paper.write_figure",
        lambda *_, caption, **__: captions.append(caption),
    )
    scenario = load(scenarios.path("quickstart"))
    snapshot = SimpleNamespace(full=True, done=420, digest="xxh3:0", numpy=np.__version__, cells=())
    run = SimpleNamespace(document=scenario.document, title="A claim", snapshot=snapshot,
                          status="done", name="run 1")  # fmt: skip
    posted = list[LongWork]()
    screen = SimpleNamespace(
        charts=SimpleNamespace(current_chart=lambda: SimpleNamespace(chart=object())),
        draft=SimpleNamespace(scenario=scenario, is_modified=edited),
        post_message=posted.append,
        note=lambda *_, **__: None,
    )
    file_actions._draw_figure(cast("Any", screen), cast("Any", run), Path("a.svg"), 1)
    posted[0].work()
    name = describe_scenario(scenario.document) if edited else "A claim"
    drawn = f"random numbers of NumPy {np.__version__}"
    assert captions == [f"{name} · seed 0 · 420 trials · xxh3:0, {drawn}"]


async def test_a_run_of_another_process_grows_in_the_picture(tmp_path: Path) -> None:
    """`ldptui run` computes and keeps it; the workbench reads the blocks as they come."""
    store, text = tmp_path / "runs.sqlite3", tmp_path / "endless.toml"
    text.write_text(
        to_toml({**load(scenarios.path("quickstart")).document, "trials": 10**6, "sweep": {}})
    )
    async with workbench(store=store) as (screen, _, pilot):
        command = (sys.executable, "-m", "ldptui", "run", str(text), "--store", str(store))
        child = await asyncio.create_subprocess_exec(*command, "--quiet", stdout=-3, stderr=-3)
        try:
            await until(pilot, lambda: screen.run_list.kept)
            (run,) = screen.run_list.kept
            screen.choose(run.key)
            seen_trials = {0}

            def trials() -> int:
                picture = screen.charts.snapshot
                return picture.frequencies.trials if picture and picture.frequencies else 0

            for _ in range(2):
                await until(pilot, lambda: trials() not in seen_trials)
                seen_trials.add(trials())
            assert len(screen._kept._replays) == 1  # what was read is not read again
            child.send_signal(signal.SIGINT)
            await until(pilot, lambda: screen.run_list.run(run.key).status == "partial")
            assert not screen._kept._replays
        finally:
            if child.returncode is None:
                child.kill()
            await child.wait()
