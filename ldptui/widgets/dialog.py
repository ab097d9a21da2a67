"""The base of every dialog: a screen over another one, and its frame."""

from __future__ import annotations

from textual import screen
from textual.await_complete import AwaitComplete
from textual.containers import Vertical
from textual.screen import ScreenResultType
from textual.widget import Widget

from .words import parts_within


class ModalScreen(screen.ModalScreen[ScreenResultType]):
    """A screen over another one, in its middle, closed once; left without a result."""

    DEFAULT_CSS = "ModalScreen { align: center middle; }"

    def action_leave(self) -> None:
        self.dismiss(None)

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        """Close it, unless it is closed already, as by the second of two clicks."""
        return super().dismiss(result) if self.is_active else AwaitComplete()


class Dialog(Vertical):
    """A framed box: its title above, the keys that close it below."""

    DEFAULT_CSS = """
    Dialog {
        width: 90%;
        max-width: 96;
        height: auto;
        max-height: 92%;
        padding: 0 1;
        border: round $accent;
        border-title-color: $text-accent;
        border-title-style: bold;
        border-subtitle-color: $text-muted;
        background: $surface;
        &:ansi { background: ansi_default; }
    }
    """

    def __init__(
        self,
        title: str,
        hint: str,
        *children: Widget,
        id: str | None = None,  # noqa: A002 - Textual's name for it
        classes: str = "",
    ) -> None:
        super().__init__(*children, id=id, classes=classes)
        self.border_title = title
        self.border_subtitle = self._hint = hint

    def on_resize(self) -> None:
        self.border_subtitle = parts_within(self._hint, self.size.width - 2)
