"""What the engine tells the workbench: pictures that stay, runs that fail, a worker that dies."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from support.fake_engine import base_snapshot
from support.waiting import seen, until
from support.workbench_app import finished, own_home, status, workbench  # noqa: F401
from textual.geometry import Region
from textual.widget import Widget
from textual.widgets import OptionList

from ldptui.messages import KeyEdited, WorkerChanged
from ldptui.screens.workbench import draft_screen
from ldptui.screens.workbench.charts import ChartsPane
from ldptui.screens.workbench.runs_pane import RunsPane
from ldptui.session.snapshot import Snapshot


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
        rows = screen.query_one(RunsPane).query_one(OptionList)
        assert "the column is missing" not in str(rows.get_option_at_index(0).prompt)
        for why, more in (
            ("no luck " * 16, ""),
            ("ValueError: no luck", "line 2\nValueError: no luck"),
        ):
            await pilot.press("2", "up", "right")
            await until(pilot, lambda: engine.active is not None)
            finished(engine, status="failed", error=why.strip(), details=more, frequencies=None)
            await until(pilot, lambda: "preview failed: " in status(screen))
            assert (why if more else "Runs (5) says why") in status(screen)
            await until(pilot, lambda: "no luck" in seen(screen.app))
            assert ("ValueError: no luck" in seen(screen.app)) == bool(more)


async def test_a_dead_worker_is_reported() -> None:
    async with workbench() as (screen, engine, pilot):
        engine.die()
        await until(pilot, lambda: "SIGKILL" in status(screen))


async def test_over_a_network_redraws_are_rarer(monkeypatch: pytest.MonkeyPatch) -> None:
    async with workbench() as (_, engine, _pilot):
        assert engine.requests[0].interval == 0.25
    monkeypatch.setenv("SSH_CONNECTION", "192.0.2.1 1 192.0.2.2 22")
    async with workbench() as (_, engine, _pilot):
        assert engine.requests[0].interval == 1.0


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
