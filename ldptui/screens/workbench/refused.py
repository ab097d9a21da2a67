"""The words at the foot of the screen about a draft that cannot be simulated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...catalogue import named
from ...terminal.keyboard import key_of
from .title import NAMES

if TYPE_CHECKING:
    from ...session.draft import Problem
    from .desk import Desk
    from .panes import Panes


class Refused:
    """The problems of the draft: the sentence about the first, and the way to its field."""

    def __init__(self, desk: Desk, panes: Panes) -> None:
        self._desk, self._panes = desk, panes

    def words(self) -> str:
        """The first problem and the number of others; where a pane says it, which one; "" for none.

        A sentence stands in one place: below its field or the script, where those can be seen.
        """
        if not (problems := self._problems):
            return ""
        first, more = problems[0], f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        number = self._panes.telling(first)
        if number is None:
            return f"{named(first.key)} {first.message}".strip() + more
        line = f"line {first.line} of the script" if first.line else "the script"
        key = key_of(self._desk.app, f"pane.{number}", str(number))
        return f"{named(first.key) or line}: {NAMES[number]} ({key}) says why{more}"

    def mend(self) -> None:
        """Go to the field of the first problem."""
        place = self._panes.field(self._problems[0].key) if self._problems else None
        if place is not None:
            number, field = place
            self._desk.action_pane(number, field.control)

    @property
    def _problems(self) -> tuple[Problem, ...]:
        return self._desk.draft.problems if self._desk.draft is not None else ()
