"""The chart of single trials: what one server would see, not the mean of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from textual.app import ComposeResult
from textual.geometry import Size

from ....widgets.choice_bar import Choices
from ....widgets.plot import ChartView
from ..blank import Rows
from .cursor import READ, Move, Readout, moved
from .shown import LOADING, Shown

if TYPE_CHECKING:
    from ....charts.figures import Table

WAITING: Final = "waiting for the estimates of single trials …"
AROUND: Final = 7
"""Rows of the chart that hold no item: title, legend, axis, note."""
ROWS: Final = 2
"""Rows that an item takes."""


class TrialCharts(Rows):
    """All trials at once; a cursor goes through them, and reads one."""

    takes = False

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._chart, self._readout = ChartView(id="trials", empty=LOADING), Readout()
        self._at: int | None = None  # the trial at the cursor, from 0
        self._item = 0  # the one that is picked there
        self._shown = Shown()
        self._drawn: tuple[object, ...] = ()  # what the chart was made of

    def compose(self) -> ComposeResult:
        yield self._chart
        yield self._readout

    def charts(self) -> list[ChartView]:
        return [self._chart]

    def next_view(self) -> None:
        """There is one view."""

    def switches(self) -> Choices:
        return ()

    # The cursor.

    @property
    def points(self) -> bool:
        return self._shown.by_trial is not None

    @property
    def walks(self) -> bool:
        """True while there is a cursor, whose items can be walked through."""
        return self._at is not None

    def walk(self, by: int) -> None:
        seen = self._shown.by_trial
        self._item = (self._item + by) % len(seen.items) if seen is not None else 0

    def step(self, how: Move, by: int) -> None:
        """Move to another trial."""
        seen = self._shown.by_trial
        self._at = moved(self._at, range(seen.trials if seen is not None else 0), how, by)

    def at_cursor(self) -> list[tuple[str, Any]]:
        """No keys: all trials are of one cell."""
        return []

    # The picture.

    def show(self, shown: Shown, room: Size) -> None:
        """Draw the trials in a box of this size; (0, 0): there is none yet, nothing is drawn."""
        self._shown = shown
        if not room.width:
            return
        seen = shown.by_trial
        if seen is None:
            self._drawn = ()
            self._chart.empty = WAITING if shown.frequencies is not None else shown.empty
            self._readout.show("")
            if self._chart.chart is not None:
                self._chart.chart = None
            return
        state = (seen, shown.note, self._at, self._item, room)
        if state == self._drawn:
            return
        self._drawn = state
        from ....charts.figures.trials import trials_plot

        words = self._read(room)
        self._readout.show(words)
        below = len(words.splitlines()) + 1 if words else 0
        most = max(2, (room.height - below - AROUND) // ROWS)
        at = self._at if words else None
        self._chart.chart = trials_plot(seen, most, at, note=shown.note)

    def _read(self, room: Size) -> str:
        """The estimates of the trial at the cursor; "" without one."""
        from ....charts.figures.readings import reading, rows_at

        table = self.table(self._shown) if self._at is not None else None
        rows = rows_at(table, (0, (self._at or 0) + 1)) if table is not None else []
        if table is None or not rows:
            return ""
        self._item = min(self._item, len(rows) - 1)
        size = room.width, max(1, room.height // READ)
        return reading(table, rows, 0, self._item, size, self._chart.charset)

    # The numbers.

    def numbers(self, shown: Shown) -> tuple[object, ...]:
        """The values that the chart and its table are drawn from."""
        return (shown.by_trial,)

    def table(self, shown: Shown) -> Table | None:
        from ....charts.figures.trials import trials_table

        return None if shown.by_trial is None else trials_table(shown.by_trial)
