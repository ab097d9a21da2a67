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
    """The stop that a move leads to, `by` stops on or to the stop `by`; None for nowhere."""
    if how == "pool" or not stops:
        return None
    if how == "to":
        return stops[by]
    if at not in stops:
        return stops[0 if by > 0 else -1]
    return stops[max(0, min(len(stops) - 1, stops.index(at) + by))]


def nearest(place: float, stops: Sequence[float], *, log: bool = False) -> float | None:
    """The stop nearest to a place on an axis, a logarithmic one if `log`; None where none is."""

    def distance(stop: float) -> float:
        return abs(math.log(stop / place)) if log else abs(stop - place)

    there = [stop for stop in stops if stop > 0] if log else stops
    return min(there, key=distance, default=None)


class Readout(Static):
    """The lines of what a chart reads at its cursor; nothing while it has none."""

    def __init__(self) -> None:
        super().__init__(markup=False)
        self.display = False

    def show(self, words: str, rows: int = RULED) -> None:
        """Show these words in a box of this number of rows."""
        self.set_class(rows < RULED, "-low")
        put_or_hide(self, words)

    @property
    def rows(self) -> int:
        """The rows that it takes below a chart, its rule included."""
        words = str(self.content)
        return len(words.splitlines()) + (not self.has_class("-low")) if words else 0


class CursorCharts(PaneRows):
    """Charts with a cursor: it goes from stop to stop, and what is there is read below them.

    A chart tells its stops, the rows of numbers at one of them, and the stop of a click.
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
        """The places that the cursor goes to, in order."""
        raise NotImplementedError

    def table_at(self, at: Any) -> ChartTable | None:
        """The numbers at a stop, a row for each series."""
        raise NotImplementedError

    def stop_at(self, place: Place, chart: ChartView) -> Any:
        """The stop of a click on one of the charts; None for a place without."""
        raise NotImplementedError

    @property
    def points(self) -> bool:
        """True if there is something for a cursor to go through."""
        return bool(self.stops())

    @property
    def at(self) -> Any:
        """The stop at the cursor; None without one."""
        return self._at

    @property
    def walks(self) -> bool:
        """True while there is a cursor, whose rows can be walked through."""
        return self._at is not None and self.picks

    def walk(self, by: int) -> None:
        """Pick another row of those at the cursor."""
        table = self.table_at(self._at) if self._at is not None else None
        count = len(table.rows) if table is not None else 0
        self._picked = (self._picked + by) % count if count else 0

    def step(self, how: Move, by: int) -> None:
        """Move the cursor from stop to stop."""
        self._at = move_cursor(self._at, self.stops(), how, by)

    def go(self, stop: Any) -> None:
        """Put the cursor on a stop; None: away."""
        self._at = stop

    def on_chart_view_point_click(self, message: ChartView.PointClick) -> None:
        """The stop of a click; the message goes on to the pane, which draws."""
        stop = self.stop_at(message.place, message.view)
        if stop is not None:
            self._at = stop

    def _read(self, room: Size) -> str:
        """Show the numbers at the cursor in a box of this size; the words, "" without one."""
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
