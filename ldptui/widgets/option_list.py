"""A list with a row for each option, on the ground of what holds it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.visual import VisualType
from textual.widget import Widget
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from .words import put


class LineList(OptionList):
    """Textual's option list without a frame, with vi's keys in addition."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "cursor_down", "Down", show=False, id="list.down"),
        Binding("k", "cursor_up", "Up", show=False, id="list.up"),
    ]

    def __init__(self, *options: Option) -> None:
        super().__init__(*options, compact=True, markup=False)

    def write_rows(self, rows: Sequence[VisualType]) -> None:
        """Replace the rows; equally many rows keep the cursor and the layout."""
        if len(rows) != self.option_count:
            self.clear_options()
            self.add_options(map(Option, rows))
            return
        for at, row in enumerate(rows):
            if self.get_option_at_index(at).prompt != row:
                self.replace_option_prompt_at_index(at, row)


def no_match(words: str) -> str:
    """The sentence shown in a list if nothing matches the filter."""
    return f"Nothing matches “{words.strip()}”; esc takes it back."


class FilterInput(Horizontal):
    """The text input of a list's filter, with the number of matching rows behind it.

    Keys belong to the widget around it. Enter goes back to the list and keeps the words. hint : the
    placeholder. listed : the kind of list, as a word. stays : True if the row is shown without
    words as well.
    """

    @dataclass(eq=False)
    class Changed(Message):
        """Posted when the words of the filter change; "" for none."""

        words: str

    def __init__(self, hint: str, listed: type[Widget], *, stays: bool = False) -> None:
        super().__init__(classes="-stays" if stays else "")
        self._hint, self._listed, self._stays = hint, listed, stays

    def compose(self) -> ComposeResult:
        yield Static("/", classes="filter--slash")
        field = Input(placeholder=self._hint, compact=True)
        field.cursor_blink = False
        yield field
        yield Static(classes="filter--count", markup=False)

    @property
    def words(self) -> str:
        return self.query_one(Input).value

    @property
    def is_used(self) -> bool:
        """True if the filter has words or the focus."""
        return self.is_mounted and (bool(self.words) or self.has_focus_within)

    def count(self, left: int, total: int, otherwise: str = "") -> None:
        """Show the number of matching rows; without words, the text `otherwise`."""
        text = f"{left} of {total}" if self.words else otherwise
        put(self.query_one(".filter--count", Static), text)

    def open(self) -> None:
        """Show the filter and focus it at once, since letters may follow the key immediately."""
        self.display = True
        self.screen.set_focus(self.query_one(Input))

    def leave(self) -> None:
        """Hide a filter without words and focus the list."""
        self.query_one(Input).value = ""
        self._close()

    def _close(self) -> None:
        self.query_ancestor(FilteredList).query_one(self._listed).focus()
        self.display = self._stays or bool(self.words)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(self.Changed(event.value))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._close()


class FilteredList(Vertical):
    """The base of lists with a `FilterInput`: the keys that open, apply and clear the filter."""

    def action_filter(self) -> None:
        self.query_one(FilterInput).open()

    def action_drop_filter(self) -> None:
        self.query_one(FilterInput).leave()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        return action != "drop_filter" or self.query_one(FilterInput).is_used
