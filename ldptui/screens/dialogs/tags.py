"""The dialog for the tags of a run."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Input, Static

from ...widgets.dialog import Dialog, ModalScreen


class TagsScreen(ModalScreen[tuple[str, ...] | None]):
    """One line of tags with commas between them; enter gives the run these and no others."""

    DEFAULT_CSS = """
    TagsScreen {
        & > Dialog { max-width: 72; }
        Input { height: 1; border: none; padding: 0; }
        Input:focus { border: none; }
        Static { color: $foreground-muted; height: auto; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Close", id="tags.close"),
    ]

    def __init__(self, run: str, tags: tuple[str, ...]) -> None:
        super().__init__()
        self._run, self._tags = run, tags

    def compose(self) -> ComposeResult:
        with Dialog(f"Tags of {self._run}", "enter keeps them · esc closes"):
            field = Input(", ".join(self._tags), placeholder="paper, final")
            field.cursor_blink = False
            yield field
            yield Static("Words, with commas between the tags. / #tag finds the runs again.")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        tags = dict.fromkeys(part.strip() for part in event.value.split(",") if part.strip())
        self.dismiss(tuple(tag for tag in tags if tag.isprintable()))
