"""A list with a row for each option, on the ground of what holds it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.visual import VisualType
from textual.widgets import OptionList
from textual.widgets.option_list import Option


class LineList(OptionList):
    """Textual's list without a frame, with the keys of vi beside its own."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "cursor_down", "Down", show=False, id="list.down"),
        Binding("k", "cursor_up", "Up", show=False, id="list.up"),
        Binding("g", "first", "First", show=False, id="list.first"),
        Binding("G", "last", "Last", show=False, id="list.last"),
    ]

    def __init__(self, *options: Option) -> None:
        super().__init__(*options, compact=True, markup=False)

    def write_rows(self, rows: Sequence[VisualType]) -> None:
        """Show these rows; as many as before keep their places, and lay out nothing anew."""
        if len(rows) != self.option_count:
            self.clear_options()
            self.add_options(map(Option, rows))
            return
        for at, row in enumerate(rows):
            if self.get_option_at_index(at).prompt != row:
                self.replace_option_prompt_at_index(at, row)
