"""The sentence in place of the workbench where the terminal is too small for it."""

from __future__ import annotations

from typing import Final

from textual.geometry import Size
from textual.widgets import Static

SMALLEST: Final = Size(60, 18)


class TooSmall(Static):
    """Says how large a terminal has to be."""

    def fits(self, size: Size) -> bool:
        """True if the workbench has room; else bring the sentence up to date."""
        if size.width >= SMALLEST.width and size.height >= SMALLEST.height:
            return True
        self.update(
            f"ldptui needs {SMALLEST.width} × {SMALLEST.height} characters,\n"
            f"this terminal has {size.width} × {size.height}."
        )
        return False
