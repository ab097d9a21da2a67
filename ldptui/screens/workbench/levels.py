"""The tab of heavy hitters: the tree of prefixes, and where items are lost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from textual.app import ComposeResult
from textual.containers import Vertical

from ...charts.rows import Charset, Palette, Row, centred
from .rows_view import RowsView

if TYPE_CHECKING:
    from ...session.draft import Draft


class LevelsView(Vertical):
    """The levels of the first cell of a run, as they are measured so far."""

    draft: Draft | None = None

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._followed: Mapping[str, Any] | None = None
        self._empty = ""

    def compose(self) -> ComposeResult:
        yield RowsView(self._rows)

    def show(self, followed: Mapping[str, Any] | None, empty: str) -> None:
        """Show these levels; `empty` says why there are none yet."""
        if (followed, empty) != (self._followed, self._empty):
            self._followed, self._empty = followed, empty
            if self.is_mounted:
                self.query_one(RowsView).rebuild()

    def on_mount(self) -> None:
        self.query_one(RowsView).rebuild()

    def as_text(self) -> str:
        """The rows as plain text."""
        return self.query_one(RowsView).as_text()

    def _rows(self, width: int, height: int, palette: Palette, charset: Charset) -> list[Row]:
        if self._followed is None:
            return centred(self._empty, width, height, palette.muted)
        from ...charts.figures.levels import levels_rows

        return levels_rows(self._followed, width, palette, charset)
