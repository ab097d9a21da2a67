"""The app: bindings, themes, and which screen is shown. No scenario, no result lives here."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, cast

from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.command import CommandPalette
from textual.driver import Driver
from textual.errors import NoWidget
from textual.events import Click, Key
from textual.screen import Screen
from textual.theme import Theme
from textual.widgets import Input

from .charts.rows import ROLES
from .engine.engine import COMMAND, Engine
from .messages import HelpAsked, KeysProposed, StatusNote
from .screens.workbench.screen import WorkbenchScreen
from .screens.workbench.simulating import MakeEngine
from .session import attack_options
from .terminal.keyboard import KeyQueue
from .terminal.printable import PrintableFilter
from .terminal.settings import Settings
from .text.svg import with_local_fonts
from .widgets.field import ValueInput
from .widgets.form import FormPane
from .widgets.path_field import takes_suggestion

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from textual.command import Provider
    from textual.filter import LineFilter
    from textual.message import Message

    from .engine.replay import RunReplay


def _theme(name: str, column: int, primary: str, foreground: str, *grounds: str) -> Theme:
    """One of our themes. column : of the roles' colours. grounds : background, surface, panel."""
    colours = {each: ROLES[each][column] for each in ("swept", "focus", "doubtful", "refused")}
    background, surface, panel = grounds
    return Theme(
        name=name, primary=primary, secondary=colours["swept"], accent=colours["focus"],
        foreground=foreground, background=background, surface=surface, panel=panel,
        success=foreground, warning=colours["doubtful"], error=colours["refused"],
        dark=not column, variables={"foreground-muted": f"{foreground}bd"},
    )  # fmt: skip


DARK = _theme("ldptui-dark", 0, "#5fb3d9", "#d5dae2", "#10141a", "#161b23", "#1d242e")
LIGHT = _theme("ldptui-light", 1, "#1f6f9f", "#20262e", "#fafaf7", "#f2f2ee", "#e6e7e3")
"""Quiet words are the foreground at 74 %: 4.5 times the luminance of every ground, or a part.

Success is told by its sign, in the colour of all text: every green means something in the charts.
"""


PRINTABLE: Final = PrintableFilter()

NAMES: Final = str.maketrans({
    "←": "left", "→": "right", "↑": "up", "↓": "down", "⏎": "enter", "⇧": "shift+",
    "…": "-", "⌫": "backspace", "⌦": "delete", "␣": "space", "⇥": "tab", "⎋": "esc",
})  # fmt: skip
"""Keys whose signs ASCII has not, by their names."""


def _driver() -> type[Driver] | None:
    """The class of the driver that writes changed cells only; None if Textual is to choose a
    driver.
    """
    if sys.platform == "win32" or os.environ.get("TEXTUAL_DRIVER"):  # as in a browser
        return None
    from .terminal.driver import ChangedCellsDriver

    return ChangedCellsDriver


def _arguments(settings: Settings) -> list[str]:
    """The arguments of the background worker."""
    allowed = attack_options.as_arguments(
        attack_options.AllowedCode(
            tuple(settings.allow_attacks),
            tuple(settings.attack_files),
            tuple(settings.offered_files),
        )
    )
    return [*allowed, *([f"--cluster={settings.cluster}"] if settings.cluster else [])]


def commands_provider() -> type[Provider]:
    from .screens.palette import Commands

    return Commands


class WorkbenchPalette(CommandPalette):
    """Textual's command palette with help, safe against a click that arrives after the screen has
    shrunk.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1", "help", "Help", show=False, id="palette.help"),
    ]

    def action_help(self) -> None:
        from .screens.palette import ABOUT

        self.post_message(HelpAsked("", ABOUT))

    def on_click(self, event: Click) -> None:
        """Handle a click, ignoring the NoWidget error that Textual 8.2 raises outside all
        widgets.
        """
        try:
            self.get_widget_at(event.screen_x, event.screen_y)
        except NoWidget:
            event.prevent_default()


class Workbench(App[None]):
    """The Textual app of ldptui: its key bindings, themes and screens."""

    TITLE = "ldptui"
    CSS_PATH = "screens/ldptui.tcss"
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {commands_provider}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "leave", "Quit", id="app.quit", priority=True),
        Binding("ctrl+p", "command_palette", "Palette", id="app.palette", priority=True),
    ]

    def __init__(
        self,
        settings: Settings,
        path: Path | None = None,
        engine: MakeEngine | None = None,
        *,
        store: Path | None = None,
        run_replay: RunReplay | None = None,
        collection: dict[str, Any] | None = None,
        lab_engine: Engine | None = None,
    ) -> None:
        # Textual chooses its colour filter here: later it would paint black on black.
        super().__init__(
            driver_class=_driver(), ansi_color=True if os.environ.get("NO_COLOR") else None
        )
        self.settings = settings
        self.register_theme(DARK)
        self.register_theme(LIGHT)
        # Before anything is styled: a change later would style everything twice.
        plain = "ansi-dark" if os.environ.get("NO_COLOR") else DARK.name
        self.theme = settings.theme or plain
        self.charset = settings.charset
        self.crash: BaseException | None = None
        self.crash_file: Path | None = None
        self._path = path
        self._engine = engine or partial(Engine, command=[*COMMAND, *_arguments(settings)])
        self._store = store
        self._run_replay = run_replay
        self._collection, self._lab_engine = collection, lab_engine
        self.key_queue = KeyQueue(self, super().post_message, collection is not None)

    def post_message(self, message: Message) -> bool:
        """True if the app queued a message; a key waits until the key before it is fully
        handled.
        """
        if isinstance(message, Key) and self.screen_stack:
            self.workbench.status.drop_kept_note()
        return self.key_queue.takes(message) or super().post_message(message)

    def get_line_filters(self) -> Sequence[LineFilter]:
        return [PRINTABLE, *super().get_line_filters()]

    def get_default_screen(self) -> Screen[None]:
        note = "; ".join(attack_options.faults(self.settings.offered_files))
        return WorkbenchScreen(
            self._path, self._engine, self._store, self._run_replay, note, self._collection,
            self._lab_engine,
        )  # fmt: skip

    def refresh_css(self, animate: bool = True) -> None:
        """Apply the colours of a theme, also before the first screen exists."""
        if self.screen_stack:
            super().refresh_css(animate)
        else:
            self.stylesheet.set_variables(self.get_css_variables())

    def on_mount(self) -> None:
        if self.settings.keys:
            self.set_keymap(self.settings.keys)

    def on_load(self) -> None:
        """Install signal handlers before the terminal is changed."""
        if sys.platform != "win32":
            loop = asyncio.get_running_loop()
            for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
                loop.add_signal_handler(number, self._on_signal, number)

    @property
    def workbench(self) -> WorkbenchScreen:
        screen = self.screen_stack[0]
        assert isinstance(screen, WorkbenchScreen)
        return screen

    def _on_signal(self, number: signal.Signals) -> None:
        """Save, stop the worker, restore the terminal; a dead terminal cannot hold this up."""
        if not self._mounted_event.is_set():  # there is nothing yet to save or to stop
            threading.Timer(1.0, os._exit, [128 + number]).start()
            if self._driver is not None:
                self._driver.stop_application_mode()
                self._driver.close()  # waits until it is written
            os._exit(128 + number)
        if self.screen_stack:  # without one it ends already
            self.workbench.save_draft()
            self.run_worker(self._stop(128 + number), exit_on_error=False)
        asyncio.get_running_loop().call_later(1.0, os._exit, 128 + number)

    async def _stop(self, return_code: int = 0) -> None:
        await self.workbench.shut_down()
        self.exit(return_code=return_code)

    def on_key(self, event: Key) -> None:
        """Show a note where a digit on a row opens the lab, and for a key without an action."""
        row, character = self.focused, event.character or ""
        if self.screen.is_modal:
            return
        active = self.screen.active_bindings.get(event.key)
        if active is not None and active.binding.id == "lab.open" and isinstance(row, ValueInput):
            label = getattr(row.parent, "label", "").strip() or "the row"
            note = f"{character} was a key: press ⏎ on {label} to type into it"
        elif active is None and character.isdecimal():
            places = "panes" if self.screen is self.workbench else "questions"
            note = f"{character}: digits choose {places} here; ⏎ on a row types a number"
        elif active is None:
            name = self.get_key_display(Binding(event.key, ""))
            note = f"{name}: no such key here, f1 lists them"
        else:
            return
        # Behind what the key does: it may lead to another screen.
        self.call_later(lambda: self.screen.post_message(StatusNote(note, refuses_key=True)))

    def on_keys_proposed(self, message: KeysProposed) -> None:
        self.workbench.take_keys(message)

    def on_help_asked(self, message: HelpAsked) -> None:
        """Show over a dialog its help, or that of the key that it is about."""
        from .screens.help_screen import HelpScreen

        bindings = tuple(self.screen.active_bindings.values())
        self.push_screen(HelpScreen(message.key, bindings, words=message.words))

    async def action_leave(self) -> None:
        """Quit the app; with an active run, ask first, and quit at the second ctrl+q."""
        from .screens.dialogs.prompts import ConfirmScreen

        running = self.workbench.run_to_leave
        if running is None or isinstance(self.screen, ConfirmScreen):
            self.workbench.save_draft()
            await self._stop()
        else:
            fate = "Quit and lose it?" if running.kept is None else "Quit? r in Runs resumes it."
            self.push_screen(ConfirmScreen(f"A run is under way. {fate}"), self.leave_if_confirmed)

    def leave_if_confirmed(self, leave: bool | None) -> None:
        if leave:
            self.workbench.save_draft()
            self.run_worker(self._stop())

    def get_key_display(self, binding: Binding) -> str:
        """The name of a key in hints, in ASCII if the terminal needs that."""
        shown = super().get_key_display(binding)
        return shown.translate(NAMES) if self.charset == "ascii" else shown

    def export_screenshot(self, *, title: str | None = None, simplify: bool = False) -> str:
        """The screen as SVG, without web fonts."""
        return with_local_fonts(super().export_screenshot(title=title, simplify=simplify))

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Every action of the screen with its key, then the themes."""
        from .screens.palette import commands

        yield from commands(self, screen)

    def action_focus_next(self) -> None:
        """Focus the next field, and edit it if the current field is being edited."""
        self._go(super().action_focus_next, first=True)

    def action_focus_previous(self) -> None:
        self._go(super().action_focus_previous, first=False)

    def _go(self, move: Callable[[], None], *, first: bool) -> None:
        """Move the focus; onto a pane of fields only to open it, as it has no keys of its own."""
        before = self.focused
        is_edited = isinstance(before, ValueInput) and before.is_edited
        if isinstance(before, ValueInput) and is_edited and takes_suggestion(before):
            return
        move()
        while isinstance(pane := self.focused, FormPane) and pane.first_stop() is not pane:
            if pane.has_class("-folded"):
                self.screen.set_focus(pane.first_stop() if first else pane.last_stop())
                break
            move()
        if is_edited and isinstance(self.focused, ValueInput):
            self.focused.action_edit()

    def action_command_palette(self) -> None:
        """Open the palette in place of the dialogs that are open."""
        from .screens.palette import PLACEHOLDER

        if CommandPalette.is_open(cast("App[object]", self)):
            return
        for screen in [*reversed(self.screen_stack)]:
            if screen.is_modal:
                screen.dismiss(None)
        if not self.screen.has_class("-small"):  # what it would act on cannot be seen
            self.push_screen(WorkbenchPalette(placeholder=PLACEHOLDER))

    def on_command_palette_opened(self) -> None:
        """Stop the palette's cursor from blinking, which would send bytes all the time."""
        self.screen.query_one(Input).cursor_blink = False

    def _fatal_error(self) -> None:
        """Write a crash file instead of Textual's traceback, which prints local variables."""
        from .terminal.crash import write_report

        self.crash = sys.exc_info()[1]
        self.crash_file = write_report(self.crash, sys.argv[1:])
        if self.screen_stack:
            self.workbench.save_draft()
        self.panic()
