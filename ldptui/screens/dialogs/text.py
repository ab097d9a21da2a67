"""A text to read and to copy."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import Static

from ...terminal.clipboard import copy
from ...widgets.dialog import Dialog, ModalScreen


class TextScreen(ModalScreen[None]):
    """Shows a text; y copies it, esc or q closes."""

    # Not by hand when it is mounted: the app may be ending by then.
    AUTO_FOCUS = "VerticalScroll"

    DEFAULT_CSS = """
    TextScreen {
        VerticalScroll { height: auto; max-height: 100%; scrollbar-size-vertical: 1; }
        .said { color: $text-accent; height: auto; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "leave", "Close", id="text.close"),
        Binding("y", "copy", "Copy", id="text.copy"),
        Binding("j", "scroll(1)", "Down", show=False, id="text.down"),
        Binding("k", "scroll(-1)", "Up", show=False, id="text.up"),
    ]

    def __init__(self, title: str, text: str) -> None:
        super().__init__()
        self._title, self._text = title, text

    def compose(self) -> ComposeResult:
        with Dialog(self._title, "y copies · ↑ ↓ scroll · esc closes"):
            with VerticalScroll():
                yield Static(self._text, markup=False)
            yield Static(classes="said", markup=False)

    def action_copy(self) -> None:
        self.query_one(".said", Static).update(copy(self.app, self._text))

    def action_scroll(self, by: int) -> None:
        self.query_one(VerticalScroll).scroll_relative(y=by, animate=False)
