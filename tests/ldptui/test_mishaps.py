"""An exception costs its own work: the app says it, keeps the draft, and goes on."""

from __future__ import annotations

import asyncio
import json
import random
import signal
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from support.terminal import KEYS, Terminal, ldptui
from support.workbench_app import own_home, workbench
from textual.command import CommandList
from textual.events import Click
from textual.pilot import Pilot

from ldptui.app import Workbench
from ldptui.palette import Palette
from ldptui.screens.dialogs.text import TextScreen
from ldptui.screens.library import LibraryScreen
from ldptui.screens.workbench.screen import WorkbenchScreen
from ldptui.terminal import places
from ldptui.terminal.driver import ChangedCellsDriver
from ldptui.terminal.mishaps import MOST
from ldptui.widgets.status import StatusLine

__all__ = ["own_home"]


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Random keys export files, too: they go where pytest clears them away."""
    monkeypatch.chdir(tmp_path)


def forgiven(screen: WorkbenchScreen) -> Exception:
    """What was raised; the pilot would raise it again at the end of the test."""
    app = screen.app
    error, app._exception = app._exception, None
    app._exception_event.clear()
    assert error is not None
    return error


def notices(screen: WorkbenchScreen) -> list[str]:
    return [notice.message for notice in screen.app._notifications]


def fails(*_: object) -> None:
    raise LookupError("on purpose")


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
            broken.setattr("ldptui.session.draft.edited", fails)
            await pilot.press("1", "up")
            assert str(forgiven(screen)) == "on purpose"
        await pilot.press("up")
        assert screen.draft is not None
        assert screen.draft.document["protocol"]["kind"] == "grr"


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


# Random keys.

SPECIAL = [*KEYS, "pageup", "pagedown", "delete", "insert", "shift+up", "shift+end"]
TYPED = "abcdefghijklmnopqrstuvwxyz0123456789"
SIZES = [(80, 24), (120, 40), (20, 5), (60, 18), (1, 1), (200, 60)]
LEAVING = {"ctrl+q", "ctrl+c", "ctrl+z"}


async def mash(pilot: Pilot[None], rng: random.Random, steps: int) -> None:
    """Press random keys, resize, and click at random."""
    for _ in range(steps):
        match rng.randrange(10):
            case 0:
                await pilot.resize_terminal(*rng.choice(SIZES))
            case 1:
                width, height = pilot.app.size
                place = rng.randrange(width), rng.randrange(height)
                await pilot.click(offset=place, times=rng.choice([1, 1, 2, 3]))
            case 2 | 3 | 4:
                await pilot.press(rng.choice(TYPED))
            case _:
                await pilot.press(rng.choice([key for key in SPECIAL if key not in LEAVING]))


@pytest.mark.parametrize("number", range(2))
async def test_random_keys_do_not_bring_it_down(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # what is saved is saved there
    async with workbench(size=SIZES[number]) as (screen, _, pilot):
        await mash(pilot, random.Random(number), 60)
        assert screen.app.is_running
        assert not notices(screen)
        assert screen.query_one(StatusLine).is_attached


BYTES = [*KEYS.values(), "\x1b[5~", "\x1b[6~", "\x1b[3~", "\x1b[2~"]


@pytest.mark.long
@pytest.mark.parametrize("number", range(24))
def test_random_bytes_do_not_bring_it_down(number: int, tmp_path: Path) -> None:
    """The real program under 500 random keys, pastes, resizes and mouse events."""
    rng = random.Random(number)
    sent = [key for key in BYTES if key not in (KEYS["ctrl+q"], KEYS["ctrl+z"])]
    with Terminal(ldptui(), *rng.choice(SIZES[:2]), home=tmp_path) as app:
        app.until("preview done")
        for _ in range(500):
            match rng.randrange(10):
                case 0:
                    app.resize(*rng.choice([*SIZES, (400, 120)]))
                case 1:
                    column = rng.randint(1, app.screen.columns)
                    row = rng.randint(1, app.screen.lines)
                    button = rng.choice([0, 0, 2, 64, 65])
                    app.send(f"\x1b[<{button};{column};{row}M\x1b[<{button};{column};{row}m")
                case 2:
                    text = "".join(rng.choices('abc 123\n"=[]é漢', k=rng.randint(1, 60)))
                    app.send(f"\x1b[200~{text}\x1b[201~")
                case 3 | 4:
                    app.send(rng.choice(TYPED))
                case _:
                    app.send(rng.choice(sent))
            assert app.read(0.01), app.wait()
        app.resize(120, 40)
        app.quiet(1.0)
        app.send("ctrl+q", "ctrl+q")  # a dialog may ask after the first
        assert app.wait() == 0
        assert not list(tmp_path.rglob("ldptui-crash*"))


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
