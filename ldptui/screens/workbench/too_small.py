"""The sentence in place of the workbench where the terminal is too small for it."""

from __future__ import annotations

from typing import Any, Final

from textual.geometry import Size
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static

SMALLEST: Final = Size(60, 18)


class TooSmall(Static):
    """Says how large a terminal has to be."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._unseen: Widget | None = None  # had the focus before

    def cover(self, screen: Screen[Any], size: Size) -> None:
        """Stand in place of a screen of this size, which has no focus then, or give it back."""
        small = not self.fits(size)
        if small and screen.focused is not None:
            self._unseen = screen.focused
            screen.set_focus(None)
        screen.set_class(small, "-small")
        if not small and self._unseen is not None:
            unseen, self._unseen = self._unseen, None
            self.call_after_refresh(screen.set_focus, unseen)

    def fits(self, size: Size) -> bool:
        """True if the workbench has room; else bring the sentence up to date."""
        if size.width >= SMALLEST.width and size.height >= SMALLEST.height:
            return True
        self.update(
            f"ldptui needs {SMALLEST.width} × {SMALLEST.height} characters,\n"
            f"this terminal has {size.width} × {size.height}."
        )
        return False
