"""An exception costs its own work: the app says it, keeps the draft, and goes on."""

from __future__ import annotations

import asyncio
import json
import signal
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from rich.style import Style
from support.fake_engine import FakeEngine
from support.workbench_app import own_home, workbench
from textual.events import Click
from textual.widgets import Input
from textual.widgets import OptionList as TextualOptionList

from ldptui.app import Workbench
from ldptui.screens.dialogs.asking import TextScreen
from ldptui.screens.library import LibraryScreen
from ldptui.screens.workbench.completion_list import CompletionList
from ldptui.screens.workbench.defences import DefencesPane
from ldptui.screens.workbench.screen import WorkbenchScreen
from ldptui.screens.workbench.script import ProblemList
from ldptui.terminal import places
from ldptui.terminal.driver import ChangedCellsDriver
from ldptui.terminal.mishaps import MOST
from ldptui.terminal.settings import Settings
from ldptui.widgets.option_list import OptionList
from ldptui.widgets.palette import CommandList, Palette
from ldptui.widgets.path_field import PathField

__all__ = ["own_home"]


def forgiven(screen: WorkbenchScreen) -> Exception:
    """The exception that was raised; the pilot would raise it again at the end of the test."""
    app = screen.app
    error, app._exception = app._exception, None
    app._exception_event.clear()
    assert error is not None
    return error


def notices(screen: WorkbenchScreen) -> list[str]:
    return [notice.message for notice in screen.app._notifications]


def fails(*_: object) -> None:
    raise LookupError("on purpose")


@pytest.mark.long
async def test_an_action_that_fails_costs_that_action(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WorkbenchScreen, "action_copy", fails)
    async with workbench() as (screen, _, pilot):
        screen.action_pane(4)
        await pilot.press("y")
        assert str(forgiven(screen)) == "on purpose"
        [said] = notices(screen)
        assert said.startswith("that went wrong inside ldptui (LookupError: on purpose)")
        [report] = cast("Workbench", screen.app).mishaps.reports
        assert str(report) in said
        assert "LookupError" in report.read_text()
        kept = json.loads((places.state_dir() / "draft.json").read_text())
        assert screen.draft is not None
        assert kept["text"] == screen.draft.text
        await pilot.press("1", "up")  # it goes on
        assert screen.draft.document["protocol"]["kind"] == "sue"


async def test_a_handler_that_fails_leaves_its_widget_alive(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with workbench() as (screen, _, pilot):
        with monkeypatch.context() as broken:
            broken.setattr("ldptui.screens.workbench.screen.edited", fails)
            await pilot.press("1", "up")
            assert str(forgiven(screen)) == "on purpose"
        await pilot.press("up")
        assert screen.draft is not None
        assert screen.draft.document["protocol"]["kind"] == "grr"


@pytest.mark.every(3)
@pytest.mark.parametrize("where", ["timer", "worker", "callback"])
async def test_what_fails_beside_the_messages_is_outlived(where: str) -> None:
    async def work() -> None:
        fails()

    async with workbench() as (screen, _, pilot):
        {
            "timer": lambda: screen.set_timer(0.001, fails),
            "worker": lambda: screen.run_worker(work()),
            "callback": lambda: screen.call_after_refresh(fails),
        }[where]()
        await asyncio.wait_for(screen.app._exception_event.wait(), 30)
        assert "on purpose" in str(forgiven(screen))
        await pilot.press("1", "up")
        assert screen.draft is not None
        assert screen.draft.document["protocol"]["kind"] == "sue"


def test_one_failure_after_the_other_ends_the_app(tmp_path: Path) -> None:
    async def run() -> BaseException | None:
        async with workbench() as (screen, _, _pilot):
            app = cast("Workbench", screen.app)
            for _ in range(MOST + 1):
                app._handle_exception(LookupError("again"))
            return app.crash
        raise AssertionError

    with pytest.raises(LookupError, match="again"):
        asyncio.run(run())


@pytest.mark.parametrize("leaving", [True, False])
def test_a_pane_that_is_made_while_the_app_ends_is_no_news(
    monkeypatch: pytest.MonkeyPatch, leaving: bool
) -> None:
    """Textual gives a widget no children once the app ends, and mounts it all the same."""

    def mounted(pane: DefencesPane) -> None:
        if leaving:
            pane.app.exit()
        raise LookupError("on purpose")

    monkeypatch.setattr(DefencesPane, "on_mount", mounted)
    app = Workbench(Settings(), None, FakeEngine)
    app.run(headless=True, size=(80, 24))
    assert (app.crash is not None) is not leaving


@pytest.mark.long
async def test_the_palette_is_paged_while_it_is_empty() -> None:
    async with workbench() as (screen, _, pilot):
        await pilot.press("ctrl+p")
        palette = screen.app.screen
        assert isinstance(palette, Palette)
        listed = palette.query_one(CommandList)
        listed.styles.display = "none"
        await pilot.resize_terminal(1, 1)
        for action in ("page_down", "page_up", "first", "last", "cursor_up"):
            palette._action_command_list(action)
        await pilot.press("pagedown", "pageup", "x", "y", "z", "pagedown", "escape", "escape")


@pytest.mark.long
async def test_a_dialog_is_closed_by_the_first_of_two_clicks() -> None:
    async with workbench() as (screen, _, pilot):
        await pilot.press("ctrl+p")
        palette = screen.app.screen
        click = Click(palette, 0, 0, 0, 0, 1, False, False, False, 0, 0)
        palette.post_message(click)
        palette.post_message(Click.from_event(palette, click))
        await pilot.pause()
        assert screen.app.screen is screen
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
        library._fill("rappor")
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


@pytest.mark.long
async def test_a_dialog_closes_whose_result_is_there_already() -> None:
    async with workbench() as (screen, _, pilot):
        dialog = TextScreen("Title", "text")

        async def ask() -> None:
            await screen.app.push_screen_wait(dialog)

        screen.app.run_worker(ask())
        await pilot.pause()
        assert dialog.is_current
        future = dialog._result_callbacks[-1].future
        assert future is not None
        future.set_result(None)
        dialog.dismiss(None)
        dialog.dismiss(None)
        await pilot.pause()
        assert screen.is_current


@pytest.mark.long
async def test_a_dialog_below_another_screen_closes_nothing() -> None:
    async with workbench() as (screen, _, pilot):
        dialog = TextScreen("Title", "text")
        await screen.app.push_screen(dialog)
        await pilot.press("ctrl+p")
        palette = screen.app.screen
        dialog.dismiss()
        await pilot.pause()
        assert screen.app.screen is palette
        await pilot.press("escape", "escape")
        assert screen.app.screen is screen


@pytest.mark.long
async def test_the_palette_does_a_command_once() -> None:
    async with workbench() as (screen, _, pilot):
        done: list[int] = []
        await pilot.press("ctrl+p")
        palette = screen.app.screen
        assert isinstance(palette, Palette)
        palette._selected_command = SimpleNamespace(command=partial(done.append, 1))  # type: ignore[assignment]
        palette._list_visible = False
        field = palette.query_one(Input)
        for _ in range(2):
            palette.post_message(Input.Submitted(field, ""))
        await pilot.pause()
        assert done == [1]
        assert screen.app.screen is screen


@pytest.mark.long
async def test_a_click_on_the_palette_that_the_screen_has_lost_is_nothing() -> None:
    async with workbench() as (screen, _, pilot):
        await pilot.press("ctrl+p")
        palette = screen.app.screen
        palette.post_message(Click(palette, 0, 0, 0, 0, 1, False, False, False, 500, 500))
        await pilot.pause()
        assert screen.app.screen is palette


async def test_the_palette_closes_before_it_is_there() -> None:
    async with workbench() as (screen, _, pilot):
        app = cast("Workbench", screen.app)
        app.action_command_palette()
        app.screen.dismiss()
        await pilot.pause()
        assert app.screen is screen


@pytest.mark.long
async def test_the_palette_opens_while_the_last_one_closes() -> None:
    async with workbench() as (screen, _, pilot):
        app = cast("Workbench", screen.app)
        app.action_command_palette()
        first = app.screen
        first.dismiss()
        app.action_command_palette()
        second = app.screen
        assert isinstance(second, Palette)
        assert second is not first
        await pilot.pause()
        cast("Palette", first)._gather_commands("")
        await pilot.press("escape", "escape")
        assert app.screen is screen


@pytest.mark.long
@pytest.mark.every(4)
@pytest.mark.parametrize("kind", [OptionList, CommandList, ProblemList, CompletionList])
async def test_a_click_on_an_option_that_is_gone_is_nothing(kind: type[TextualOptionList]) -> None:
    async with workbench() as (screen, _, pilot):
        listed = kind()
        await screen.mount(listed)
        drawn = Style(meta={"option": 0})
        listed.post_message(Click(listed, 0, 0, 0, 0, 1, False, False, False, 0, 0, drawn))
        await pilot.pause()
        assert screen.app.is_running


async def test_a_choice_from_a_list_that_has_changed_is_that_of_the_cursor(tmp_path: Path) -> None:
    async with workbench() as (screen, _, pilot):
        (tmp_path / "first.toml").touch()
        (tmp_path / "second.toml").touch()
        field = PathField(tmp_path, "", ".toml")
        await screen.mount(field)
        listed = field.query_one(OptionList)
        chosen = OptionList.OptionSelected(listed, listed.options[1], 1)
        field.text = f"{tmp_path}/fi"
        await pilot.pause()
        assert listed.option_count == 1
        listed.post_message(chosen)
        await pilot.pause()
        assert field.text == f"{tmp_path}/fi"


async def test_a_signal_after_the_last_screen_ends_the_app(monkeypatch: pytest.MonkeyPatch) -> None:
    async with workbench() as (screen, _, _pilot):
        app = cast("Workbench", screen.app)
        with monkeypatch.context() as ended:
            ended.setattr(Workbench, "screen_stack", [])
            ended.setattr("ldptui.app.os._exit", fails)
            app._on_signal(signal.SIGTERM)


async def test_a_worker_that_fails_is_reported_with_its_place() -> None:
    async def work() -> None:
        fails()

    async with workbench() as (screen, _, _pilot):
        screen.run_worker(work())
        await asyncio.wait_for(screen.app._exception_event.wait(), 30)
        forgiven(screen)
        [report] = cast("Workbench", screen.app).mishaps.reports
        assert "in fails" in report.read_text()
