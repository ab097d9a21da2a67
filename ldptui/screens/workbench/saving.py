"""The draft kept for the next start, a moment after the last edit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ...session.autosave import save_draft
from .desk import Desk

if TYPE_CHECKING:
    from textual.timer import Timer

AUTOSAVE_S: Final = 2.0


class Saving:
    """Saves the desk's draft; what goes wrong is said, never raised."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._timer: Timer | None = None

    def soon(self) -> None:
        """Save it in a moment, unless there is another edit before."""
        if self._timer is not None:
            self._timer.stop()
        self._timer = self._desk.set_timer(AUTOSAVE_S, self.now)

    def now(self) -> None:
        """Save it."""
        fault = save_draft(self._desk.draft) if self._desk.draft is not None else ""
        if fault:  # else what is said now stays
            self._desk.note(fault)
