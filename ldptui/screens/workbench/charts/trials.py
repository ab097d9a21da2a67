"""The chart of single trials: what one server would see, not the mean of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Final

from textual.app import ComposeResult
from textual.geometry import Size

from ....widgets.choice_bar import Choices
from ....widgets.cursor import Pointed
from ....widgets.plot import ChartView
from .shown import Shown, of_round

if TYPE_CHECKING:
    from ....charts.figures import Table

WAITING: Final = "waiting for the estimates of single trials …"
AROUND: Final = 7
"""Rows of the pane that hold no item: title, legend, three of the axis, two of the note."""
ROWS: Final = 2
"""Rows that an item takes."""


class TrialCharts(Pointed):
    """All trials at once; a cursor goes through them, and reads one."""

    column: ClassVar[int] = 0

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._shown = Shown()
        self._chart = ChartView(id="trials")
        self._rows = 1  # items that have room
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

    def stops(self) -> range:
        """The trials, from 0."""
        seen = self._shown.by_trial
        return range(seen.trials if seen is not None else 0)

    def table_at(self, at: int) -> Table | None:
        """The estimates of a trial, a row for each item."""
        from ....charts.figures.readings import rows_at

        table = self.table(self._shown)
        return None if table is None else replace(table, rows=tuple(rows_at(table, (0, at + 1))))

    def stop_at(self, place: object, chart: ChartView) -> int | None:  # noqa: ARG002
        """The trial whose estimate is next to a click, which picks its item."""
        from ....charts.figures.trials import estimate_at

        seen = self._shown.by_trial
        if seen is None or not isinstance(place, tuple):
            return None
        estimate = estimate_at(seen, self._rows, *place)
        if estimate is None:
            return None
        trial, self._picked = estimate
        return trial

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
        state = (seen, shown.note, shown.cell_words, self._at, self._picked, room)
        if state == self._drawn:
            return
        self._drawn = state
        from ....charts.figures.trials import trials_plot

        words = self._read(room)
        self._rows = max(2, (room.height - self._readout.rows - AROUND) // ROWS)
        at = self._at if words else None
        plot = trials_plot(seen, self._rows, at, note=shown.note)
        self._chart.chart = of_round(plot, shown.cell_words)

    # The numbers.

    def numbers(self, shown: Shown) -> tuple[object, ...]:
        """The values that the chart and its table are drawn from."""
        return (shown.by_trial,)

    def table(self, shown: Shown) -> Table | None:
        from ....charts.figures.trials import trials_table

        seen = shown.by_trial
        return None if seen is None else of_round(trials_table(seen), shown.cell_words)
