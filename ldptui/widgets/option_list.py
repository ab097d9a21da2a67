"""A list with a row for each option, on the ground of what holds it."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widgets import OptionList
from textual.widgets.option_list import Option


class LineList(OptionList):
    """Textual's list without a frame, with the keys of vi beside its own."""

    DEFAULT_CSS = """
    LineList {
        border: none;
        padding: 0;
        background: transparent;
        text-wrap: nowrap;
        text-overflow: ellipsis;
        scrollbar-size-vertical: 1;
        &:focus { border: none; }
        &:focus > .option-list--option-highlighted {
            color: $foreground;
            background: $block-cursor-blurred-background;
            text-style: bold;
        }
        &:ansi > .option-list--option-highlighted { text-style: bold underline; }
        &:nocolor > .option-list--option-highlighted { text-style: bold underline; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "cursor_down", "Down", show=False, id="list.down"),
        Binding("k", "cursor_up", "Up", show=False, id="list.up"),
        Binding("g", "first", "First", show=False, id="list.first"),
        Binding("G", "last", "Last", show=False, id="list.last"),
    ]

    def __init__(self, *options: Option) -> None:
        super().__init__(*options, compact=True, markup=False)
