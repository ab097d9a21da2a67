"""The whole app with an engine that does what a test says."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from textual.pilot import Pilot

from ldptui.app import Workbench
from ldptui.core.scenario import Scenario
from ldptui.core.view import CellView
from ldptui.engine.replay import RunReplay
from ldptui.screens.workbench.screen import WorkbenchScreen
from ldptui.session.snapshot import Snapshot
from ldptui.terminal.settings import Settings
from ldptui.widgets.status import StatusLine
from support.fake_engine import FakeEngine, base_snapshot
from support.waiting import until


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CONFIG", "DATA", "STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    monkeypatch.delenv("SSH_CONNECTION", raising=False)
    # A note is there until it is looked at, however slow the machine.
    monkeypatch.setattr("ldptui.widgets.status.NOTE_S", 1e6)
    monkeypatch.setattr("ldptui.screens.workbench.file_actions.FIRST", "")


@asynccontextmanager
async def workbench(
    size: tuple[int, int] = (120, 40),
    path: Path | None = None,
    store: Path | None = None,
    run_replay: RunReplay | None = None,
) -> AsyncIterator[tuple[WorkbenchScreen, FakeEngine, Pilot[None]]]:
    """The app with its first draft loaded and a preview asked for, or its last run shown."""
    app = Workbench(Settings(), path, FakeEngine, store=store, run_replay=run_replay)
    async with app.run_test(size=size) as pilot:
        screen = app.workbench
        engine = screen._engine
        assert isinstance(engine, FakeEngine)
        is_given = run_replay is not None
        await until(pilot, lambda: bool(engine.requests or screen.run_list.shown or is_given))
        yield screen, engine, pilot


def status(screen: WorkbenchScreen) -> str:
    return screen.query_one(StatusLine).render().plain


def finished(engine: FakeEngine, **changes: object) -> Snapshot:
    """End what the engine works on, with one cell of settings that nobody asked for."""
    assert engine.active is not None
    request = engine.active
    snapshot = replace(
        base_snapshot(request.key),
        full=request.full,
        **changes,  # type: ignore[arg-type]
    )
    engine.finish(snapshot)
    return snapshot


def measured(document: Mapping[str, Any]) -> tuple[CellView, ...]:
    """The cells of a scenario with a gain each, whatever it is."""
    cell = base_snapshot(1).base_cell
    return tuple(
        replace(cell, index=index, parameters=point.parameters)
        for index, point in enumerate(Scenario(dict(document)).points())
    )
