"""The frame of every dialog."""

from __future__ import annotations

from textual.containers import Vertical
from textual.widget import Widget


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

    def __init__(self, title: str, hint: str, *children: Widget, classes: str = "") -> None:
        super().__init__(*children, classes=classes)
        self.border_title = title
        self.border_subtitle = hint
