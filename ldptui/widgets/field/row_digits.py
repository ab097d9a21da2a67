"""Digits on a row that is not edited, where they are keys of the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ...messages import StatusNote
from .controls import ValueInput

if TYPE_CHECKING:
    from textual.events import Key
    from textual.timer import Timer

MOMENT_S: Final = 1.0
"""Seconds within which the next digit of a number is typed."""
PAUSE_S: Final = 0.4
"""Seconds after which a digit has no other one behind it."""


class RowDigits:
    """The digits of a number that somebody types on a row before enter.

    They switch panes, as the foot says. What leads further, to the lab or to another of its tabs,
    is done by a single digit only, after a pause.
    """

    def __init__(self) -> None:
        self._digits = self._label = ""
        self._last = -MOMENT_S  # the time of the digit before
        self._single: Timer | None = None

    def stops(self, screen: Any, key: Key) -> bool:
        """True for a digit that is not to do what it does as a key; the status line says why."""
        if self._single is not None:
            self._single.stop()
        digit, row = key.character or "", screen.focused
        if key.time - self._last >= MOMENT_S:
            self._digits = ""
        if not digit.isdecimal() or not (self._digits or isinstance(row, ValueInput)):
            return False
        if not self._digits:
            self._label = str(getattr(row.parent, "label", "")) or "the row"
        self._digits, self._last = self._digits + digit, key.time
        words = f"{self._digits}: digits are keys here, press ⏎ on {self._label} to type into it"
        screen.post_message(StatusNote(words))
        if digit in screen.PANE_DIGITS:
            return False
        if len(self._digits) == 1:
            self._single = screen.set_timer(PAUSE_S, lambda: self._do(screen, digit))
        return True

    def _do(self, screen: Any, digit: str) -> None:
        """Do what a single digit does as a key."""
        self._last = -MOMENT_S
        if screen.is_current:
            screen.call_next(screen.run_action, screen.active_bindings[digit].binding.action)
