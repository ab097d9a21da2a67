"""An exception that nobody catches ends the app: a crash file tells of it, the draft is kept."""

from __future__ import annotations

import asyncio
import json
import signal
from types import SimpleNamespace
from typing import Any, cast

import pytest
from support.workbench_app import own_home, workbench

from ldptui.app import Workbench
from ldptui.screens.dialogs.prompts import TextScreen
from ldptui.screens.library_screen import LibraryScreen
from ldptui.screens.workbench.screen import WorkbenchScreen
from ldptui.terminal import places
from ldptui.terminal.driver import ChangedCellsDriver

__all__ = ["own_home"]


def fails(*_: object) -> None:
    raise LookupError("on purpose")


@pytest.mark.parametrize("where", ["handler", "timer", "callback"])
def test_an_exception_ends_the_app_with_a_file_and_keeps_the_draft(
    where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(WorkbenchScreen, "action_copy", fails)
    apps: list[Workbench] = []

    async def run() -> None:
        async with workbench() as (screen, _, pilot):
            apps.append(cast("Workbench", screen.app))
            await pilot.press("1", "up")
            match where:
                case "handler":
                    screen.action_pane(4)
                    await pilot.press("y")
                case "timer":
                    screen.set_timer(0.001, fails)
                case "callback":
                    screen.call_after_refresh(fails)
            await asyncio.wait_for(screen.app._exception_event.wait(), 30)

    with pytest.raises(LookupError, match="on purpose"):
        asyncio.run(run())
    [app] = apps
    assert isinstance(app.crash, LookupError)
    assert app.crash_file is not None
    assert "in fails" in app.crash_file.read_text()
    [file] = places.state_dir().glob("draft.*.json")
    kept = json.loads(file.read_text())
    assert 'kind = "sue"' in kept["text"]


@pytest.mark.long
async def test_a_dialog_is_closed_once() -> None:
    async with workbench() as (screen, _, pilot):
        dialog = TextScreen("title", "words")
        await screen.app.push_screen(dialog)
        dialog.dismiss()
        dialog.dismiss()
        await pilot.pause()
        assert screen.app.screen is screen


@pytest.mark.long
async def test_keys_may_come_before_the_library_is_there() -> None:
    async with workbench() as (screen, _, pilot):
        library = LibraryScreen()
        screen.app.push_screen(library)
        library.action_move(1)
        library.action_preview(1)
        library.fill("rappor")
        await pilot.pause()
        await pilot.press("pagedown", "down", "escape")
        assert screen.app.screen is screen


def test_a_continue_signal_after_the_end_is_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    loop = asyncio.new_event_loop()
    loop.close()
    thread = SimpleNamespace(is_alive=lambda: True)
    driver = cast("Any", SimpleNamespace(_loop=loop, fileno=0, _key_thread=thread))
    monkeypatch.setattr("os.isatty", lambda _: True)
    ChangedCellsDriver._sigcont_application(driver, signal.SIGCONT, None)


async def test_a_signal_after_the_last_screen_ends_the_app(monkeypatch: pytest.MonkeyPatch) -> None:
    async with workbench() as (screen, _, _pilot):
        app = cast("Workbench", screen.app)
        with monkeypatch.context() as ended:
            ended.setattr(Workbench, "screen_stack", [])
            ended.setattr("ldptui.app.os._exit", fails)
            app._on_signal(signal.SIGTERM)
