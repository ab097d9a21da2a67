"""The chart of single trials: what one server would see, not the mean of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from ....widgets.plot import ChartView
from .box import ChartBox
from .shown import Shown, of_round

if TYPE_CHECKING:
    from ....charts.figures import Table
    from ....charts.series import Chart

WAITING: Final = "waiting for the estimates of single trials …"
AROUND: Final = 7
"""Rows of the pane that hold no item: title, legend, three of the axis, two of the note."""
ROWS: Final = 2
"""Rows that an item takes."""


class TrialCharts(ChartBox):
    """All trials at once; a cursor goes through them, and reads one."""

    column: ClassVar[int] = 0

    def __init__(self) -> None:
        super().__init__("trials-box", "trials")
        self._rows = 1  # items that have room

    # The cursor.

    def stop_at(self, place: object, chart: ChartView) -> int | None:  # noqa: ARG002
        """The trial, from 1, whose estimate is next to a click, which picks its item."""
        from ....charts.figures.trials import estimate_at

        seen = self._shown.by_trial
        if seen is None or not isinstance(place, tuple):
            return None
        estimate = estimate_at(seen, self._rows, *place)
        if estimate is None:
            return None
        trial, self._picked = estimate
        return trial + 1

    # The picture.

    def why_none(self) -> str:
        shown = self._shown
        if shown.by_trial is not None:
            return ""
        return WAITING if shown.frequencies is not None else shown.empty

    def state(self) -> tuple[object, ...]:
        return (self._shown.cell_words,)

    def drawn(self) -> list[Chart]:
        from ....charts.figures.trials import trials_plot

        shown, at = self._shown, self._pointed()
        assert shown.by_trial is not None
        self._rows = max(2, (self._room.height - self._readout.rows - AROUND) // ROWS)
        trial = at - 1 if isinstance(at, int) else None
        plot = trials_plot(shown.by_trial, self._rows, trial, note=shown.note)
        return [of_round(plot, shown.cell_words)]

    # The numbers.

    def numbers(self, shown: Shown) -> tuple[object, ...]:
        return (shown.by_trial,)

    def table(self, shown: Shown) -> Table | None:
        from ....charts.figures.trials import trials_table

        seen = shown.by_trial
        return None if seen is None else of_round(trials_table(seen), shown.cell_words)
