"""A list of options that can be paged before it has been laid out."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from textual.widgets import OptionList as TextualOptionList


class OptionList(TextualOptionList):
    """Textual's list, but that paging one without lines does nothing.

    Where it is hidden, or has no width yet, Textual 8.2 looks for the line of its first option and
    raises KeyError.
    """

    def _move_page(self, direction: Any) -> None:
        with suppress(KeyError):
            super()._move_page(direction)
