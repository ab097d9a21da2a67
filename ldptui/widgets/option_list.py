"""A list with one line for each option, on the ground of what holds it."""

from __future__ import annotations

from textual.widgets import OptionList
from textual.widgets.option_list import Option


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
