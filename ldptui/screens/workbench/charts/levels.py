"""The tab of heavy hitters: the tree of prefixes, and where items are lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from textual.app import ComposeResult
from textual.events import Click

from ....charts.rows import Look, Row, centred
from ....widgets.cursor import Pointed
from ..rows_view import RowsView

if TYPE_CHECKING:
    from ....charts.figures import Table
    from ....session.draft import Draft

TALL: Final = 36
"""Rows from which the standard errors have rows too, which the items need below."""


class LevelsView(Pointed):
    """The levels of the first cell of a run, as they are measured so far; a cursor reads one."""

    draft: Draft | None = None
    picks = False
    least = 4

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._sheet = RowsView(self._rows)
        self._followed: Mapping[str, Any] | None = None
        self._empty = ""
        self._drawn: tuple[object, ...] = ()  # what the rows were made of

    def compose(self) -> ComposeResult:
        yield self._sheet
        yield self._readout

    def show(self, followed: Mapping[str, Any] | None, empty: str) -> None:
        """Show these levels; `empty` says why there are none yet."""
        self._followed, self._empty = followed, empty
        if (state := (followed, empty, self._at)) != self._drawn and self.is_mounted:
            self._drawn = state
            self._read(self.size)
            self._sheet.rebuild()

    def on_mount(self) -> None:
        self._sheet.rebuild()

    def as_text(self) -> str:
        """The rows as plain text."""
        return self._sheet.as_text()

    @property
    def needs(self) -> tuple[int, int]:
        """The cells that the rows take, with the bar that scrolls them; no more is of use."""
        from ....charts.figures.levels import width_of

        needs = width_of(self._followed) + 2 if self._followed is not None else self.size.width
        return needs, needs

    # The cursor.

    def stops(self) -> Sequence[int]:
        """The levels by their numbers."""
        return [level["level"] for level in self._followed["levels"]] if self._followed else ()

    def table_at(self, at: int) -> Table | None:
        """The survivors of a level, a row for each group of prefixes and arm."""
        from ....charts.figures.levels import level_table

        return level_table(self._followed, at) if self._followed and at in self.stops() else None

    def on_click(self, event: Click) -> None:
        """Read the level whose column was clicked at."""
        from ....charts.figures.levels import level_at

        sheet = self._sheet.scrollable_content_region
        if self._followed is None or not sheet.contains_point(event.screen_offset):
            return
        level = level_at(self._followed, sheet.width, event.screen_x - sheet.x, self._at)
        if level is not None:
            self._at = level
            self.show(self._followed, self._empty)

    def _rows(self, look: Look) -> list[Row]:
        if self._followed is None:
            return centred(self._empty, look)
        from ....charts.figures.levels import levels_rows

        tall = look.height >= TALL
        return levels_rows(self._followed, look, self._at, errors=tall)
