"""The cursor of a chart: a place that keys and clicks move, and the lines of what is read there.

The charts of the workbench and of the lab have the same one, with the same keys.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.widgets import Static

from .blank import PaneRows
from .plot import ChartView, charset_of
from .words import put_or_hide

if TYPE_CHECKING:
    from ..charts.figures import ChartTable
    from ..charts.series import Place

STEP: Final[list[BindingType]] = [
    Binding("full_stop,n", "cursor('step', 1)", "Cursor", id="charts.step", key_display=", ."),
    Binding("comma", "cursor('step', -1)", "Cursor back", show=False, id="charts.step-back"),
    Binding("backspace,delete", "cursor('pool')", "No cursor", id="charts.pool"),
    Binding("home", "cursor('to', 0)", "Cursor to the first", show=False, id="charts.first-round"),
    Binding("end", "cursor('to', -1)", "Cursor to the last", show=False, id="charts.last-round"),
]
"""The keys that move a cursor: a pane or a screen with charts has `action_cursor`."""

Move = Literal["step", "to", "pool"]
"""The moves of a cursor: by some stops, to a stop, away."""
READ: Final = 8
"""At most one row is read for this many rows of a chart's box, twice as many in a tall one."""
TALL: Final = 36
"""Rows of a box that is tall."""
RULED: Final = 15
"""Rows of the box from which a rule parts the chart from what is read below it."""

Stop = TypeVar("Stop")


def move_cursor(at: Stop | None, stops: Sequence[Stop], how: Move, by: int) -> Stop | None:
    """The stop that a cursor move leads to; None if there is no stop.

    how : "by" moves by `by` stops, "to" goes to the stop with the index `by`, "pool" hides the
        cursor.
    """
    if how == "pool" or not stops:
        return None
    if how == "to":
        return stops[by]
    if at not in stops:
        return stops[0 if by > 0 else -1]
    return stops[max(0, min(len(stops) - 1, stops.index(at) + by))]


def nearest(place: float, stops: Sequence[float], *, log: bool = False) -> float | None:
    """The stop nearest to a place on a linear or logarithmic axis; None if there are no stops."""

    def distance(stop: float) -> float:
        return abs(math.log(stop / place)) if log else abs(stop - place)

    there = [stop for stop in stops if stop > 0] if log else stops
    return min(there, key=distance, default=None)


class Readout(Static):
    """The lines below a chart with the values at its cursor; empty without a cursor."""

    def __init__(self) -> None:
        super().__init__(markup=False)
        self.display = False

    def show(self, words: str, rows: int = RULED) -> None:
        """Show these words in a box of `rows` rows."""
        self.set_class(rows < RULED, "-low")
        put_or_hide(self, words)

    @property
    def rows(self) -> int:
        """The number of rows that the readout takes below a chart, its rule included."""
        words = str(self.content)
        return len(words.splitlines()) + (not self.has_class("-low")) if words else 0


class CursorCharts(PaneRows):
    """Charts with a cursor that moves from stop to stop, and the values at the stop below them.

    Subclasses return the stops, the rows of numbers at a stop, and the stop of a click.
    """

    picks: bool = True
    """True where one of the rows at a stop is picked."""
    column: int = 1
    """The column of the numbers that the rows at a stop share."""
    least: int = 1
    """Rows that are read however small the box."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._readout = Readout()
        self._at: Any = None  # the stop at the cursor
        self._picked = 0  # the row of those there

    def stops(self) -> Sequence[Any]:
        """The stops of the cursor (x-values, rounds or items), in order."""
        raise NotImplementedError

    def table_at(self, at: Any) -> ChartTable | None:
        """The numbers at a stop, a row for each series."""
        raise NotImplementedError

    def stop_at(self, place: Place, chart: ChartView) -> Any:
        """The stop that a click on one of the charts means; None if there is none near."""
        raise NotImplementedError

    @property
    def points(self) -> bool:
        """True if the charts have stops for a cursor."""
        return bool(self.stops())

    @property
    def at(self) -> Any:
        """The stop at the cursor; None if there is no cursor."""
        return self._at

    @property
    def walks(self) -> bool:
        """True while the cursor is at a stop with several rows."""
        return self._at is not None and self.picks

    def walk(self, by: int) -> None:
        """Mark another row of the values at the cursor."""
        table = self.table_at(self._at) if self._at is not None else None
        count = len(table.rows) if table is not None else 0
        self._picked = (self._picked + by) % count if count else 0

    def step(self, how: Move, by: int) -> None:
        """Move the cursor from stop to stop."""
        self._at = move_cursor(self._at, self.stops(), how, by)

    def go(self, stop: Any) -> None:
        """Move the cursor to a stop; None hides it."""
        self._at = stop

    def on_chart_view_point_click(self, message: ChartView.PointClick) -> None:
        """Move the cursor to the clicked stop; the message goes on to the pane, which draws."""
        stop = self.stop_at(message.place, message.view)
        if stop is not None:
            self._at = stop

    def _read(self, room: Size) -> str:
        """Show the numbers at the cursor in a box of this size; returns their text, "" without a
        cursor.
        """
        words = self._words(room)
        self._readout.show(words, room.height)
        return words

    def _words(self, room: Size) -> str:
        """The rows at the cursor in lines, the picked one marked; as many as have room."""
        table = self.table_at(self.at) if self.at is not None else None
        if table is None or not table.rows:
            return ""
        from ..charts.figures.table import reading

        self._picked = min(self._picked, len(table.rows) - 1) if self.picks else -1
        most = room.height * (2 if room.height >= TALL else 1) // READ
        size = room.width, max(self.least, most)
        return reading(table, table.rows, self.column, self._picked, size, charset_of(self.app))
