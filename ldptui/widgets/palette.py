"""The command palette, without the faults of Textual's own."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import Final

from textual import work
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.command import CommandInput, CommandPalette, SearchIcon
from textual.command import CommandList as TextualCommandList
from textual.containers import Horizontal, Vertical
from textual.css.query import NoMatches
from textual.errors import NoWidget
from textual.events import Click, InputEvent, Mount
from textual.message import Message
from textual.widgets import Input, LoadingIndicator
from textual.widgets import OptionList as TextualOptionList

from .dialog import Dialog, close_once
from .option_list import hear_click

FROM_USER: Final = (InputEvent, Input.Changed, Input.Submitted, TextualOptionList.OptionSelected)


class CommandList(TextualCommandList, can_focus=False):
    """The palette's list, which stands clicks on what is gone."""

    async def _on_click(self, event: Click) -> None:
        hear_click(self, event)


class Palette(CommandPalette):
    """Textual's palette, which stands being paged while it is empty and used while it closes.

    It looks as our dialogs do, without Textual's magnifying glass: an emoji is as wide as the
    terminal's font pleases.
    """

    CSS = """
    Palette > #--container {
        height: auto;
        max-height: 80%;
        visibility: visible;
        background: $surface;
        &:ansi { background: ansi_default; }
    }
    Palette #--input, Palette #--input.--list-visible { height: 1; border: none; }
    Palette SearchIcon { display: none; }
    Palette CommandInput, Palette CommandInput:focus { height: 1; padding: 0; border: none; }
    Palette #--results { overlay: none; height: auto; }
    Palette CommandList, Palette CommandList:focus {
        height: auto;
        max-height: 100%;
        /* Textual 8.2 cannot fold words to no column, which padding and scrollbar would leave. */
        min-width: 3;
        margin-top: 1;
        padding: 0;
        border: none;
        background: transparent;
        scrollbar-size-vertical: 1;
        & > .option-list--option { padding: 0 1 0 0; }
    }
    Palette LoadingIndicator { border: none; }
    """

    def compose(self) -> ComposeResult:
        """The parts of Textual's own, but for a list that stands clicks."""
        with Dialog("Palette", "enter does it · esc closes", id="--container"):
            with Horizontal(id="--input"):
                yield SearchIcon()
                field = CommandInput(placeholder=self._placeholder, select_on_focus=False)
                field.cursor_blink = False  # it would send bytes for as long as nobody types
                yield field
            with Vertical(id="--results"):
                yield CommandList()
                yield LoadingIndicator()

    def dismiss(self, result: None = None) -> AwaitComplete:
        return close_once(self, partial(super().dismiss, result))

    def _action_command_list(self, action: str) -> None:
        """Textual 8.2 looks for the line of an option before the list has lines: KeyError."""
        with suppress(KeyError):
            super()._action_command_list(action)

    async def _dispatch_message(self, message: Message) -> None:
        """Hear nothing of the user after the end.

        A second click closes the screen below, a second enter does the command again, and the
        third of a triple click selects text of a screen without styles: textual#6308.
        """
        if self.is_active or not isinstance(message, FROM_USER):
            await super()._dispatch_message(message)

    def _on_mount(self, event: Mount) -> None:
        """Textual 8.2 looks for the screen below, and there is none where it closed already."""
        if not self.is_active:
            event.prevent_default()

    def _on_click(self, event: Click) -> None:  # type: ignore[override]
        """Textual 8.2 looks for what was clicked, where the screen has shrunk since: NoWidget."""
        try:
            self.get_widget_at(event.screen_x, event.screen_y)
        except NoWidget:
            event.prevent_default()

    @work(exclusive=True, group=CommandPalette._GATHER_COMMANDS_GROUP)
    async def _gather_commands(self, search_value: str) -> None:
        """Textual 8.2 begins a search whose list is gone where the palette closes meanwhile."""
        with suppress(NoMatches):
            await CommandPalette._gather_commands.__wrapped__(self, search_value)  # type: ignore[attr-defined]
