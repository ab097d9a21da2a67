"""A list of options that can be paged before it has been laid out, and clicked after a change."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from textual.events import Click
from textual.widgets import OptionList as TextualOptionList
from textual.widgets.option_list import Option


class OptionList(TextualOptionList):
    """Textual's list, which forgets that it may have no lines yet, or fewer than were drawn.

    Where it is hidden, or has no width yet, Textual 8.2 looks for the line of its first option:
    KeyError. A click names the option that was drawn there, which may be gone since: IndexError,
    as textual#3270 was for the mouse above it.
    """

    def _move_page(self, direction: Any) -> None:
        with suppress(KeyError):
            super()._move_page(direction)

    async def _on_click(self, event: Click) -> None:
        hear_click(self, event)


class LineList(OptionList):
    """A list with one line for each option, on the ground of what holds it."""

    DEFAULT_CSS = """
    LineList {
        background: transparent;
        text-wrap: nowrap;
        text-overflow: ellipsis;
        scrollbar-size-vertical: 1;
        &:focus > .option-list--option-highlighted {
            color: $foreground;
            background: $block-cursor-blurred-background;
            text-style: bold;
        }
        &:ansi > .option-list--option-highlighted { text-style: bold underline; }
        &:nocolor > .option-list--option-highlighted { text-style: bold underline; }
    }
    """

    def __init__(self, *options: Option) -> None:
        super().__init__(*options, compact=True, markup=False)


def hear_click(options: TextualOptionList, event: Click) -> None:
    """Keep a click on an option that is gone from a list."""
    drawn = event.style.meta.get("option")
    if drawn is not None and drawn >= options.option_count:
        event.prevent_default()
