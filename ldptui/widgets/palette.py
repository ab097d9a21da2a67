"""The command palette as Textual has it, but for a click where there is nothing any more."""

from __future__ import annotations

from textual.command import CommandPalette
from textual.errors import NoWidget
from textual.events import Click


class Palette(CommandPalette):
    """Textual's palette; one click in a storm of them may come after the screen has shrunk."""

    def _on_click(self, event: Click) -> None:  # type: ignore[override]
        """Textual 8.2 looks for what was clicked, and raises where there is nothing: NoWidget."""
        try:
            self.get_widget_at(event.screen_x, event.screen_y)
        except NoWidget:
            event.prevent_default()
