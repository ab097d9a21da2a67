"""The charts of one trial each: what one server would see, and the score of a filter."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Final

from ....widgets.cursor import nearest
from ....widgets.plot import ChartView
from .box import ChartBox
from .shown import Shown, of_round

if TYPE_CHECKING:
    from ....charts.figures import Table
    from ....charts.series import Chart, Plot


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


UNJUDGED: Final = "waiting for the verdict on each report of one trial …"


class DetectionCharts(ChartBox):
    """One view at a time, and the other one below it where there is room."""

    picks: ClassVar[bool] = False
    least: ClassVar[int] = 2
    tall: ClassVar[int] = 25
    views: Mapping[str, str] = {"scores": "scores", "roc": "ROC"}

    def __init__(self) -> None:
        super().__init__("detection-box", "detection", "detection-below")

    # The cursor.

    def stops(self) -> tuple[float, ...]:
        """The scores, rising."""
        seen = self._shown.detection
        return seen.scores if seen is not None else ()

    def table_at(self, at: float) -> Table | None:
        """Both groups of users at a score."""
        from ....charts.figures.detection import score_table

        seen = self._shown.detection
        return score_table(seen, at) if seen is not None and at in seen.scores else None

    def stop_at(self, place: object, chart: ChartView) -> float | None:
        """The score nearest to a click; in the ROC curve that with the nearest rates."""
        from ....charts.figures.detection import flagged_from

        seen = self._shown.detection
        if seen is None or not isinstance(place, tuple):
            return None
        x, y = place
        if (chart is self._pictures[0]) == (self.view == "scores"):
            return nearest(x, seen.scores)
        rates = {score: flagged_from(seen, score) for score in seen.scores}
        return min(rates, key=lambda each: math.dist(rates[each], (x, y)), default=None)

    # The picture.

    def why_none(self) -> str:
        shown = self._shown
        if shown.detection is not None:
            return ""
        return UNJUDGED if shown.frequencies is not None else shown.empty

    def picture(self, view: str, at: Any) -> Plot:
        """A view with its cursor at a score: in the ROC curve at the rate of its false alarms."""
        from ....charts.figures import detection as figures

        seen, note = self._shown.detection, self._shown.note
        assert seen is not None
        if view == "scores":
            return replace(figures.scores_plot(seen, note=note), cursor=at)
        rate = None if at is None else figures.flagged_from(seen, at)[0]
        return replace(figures.roc_plot(seen, note=note), cursor=rate)

    # The numbers.

    def numbers(self, shown: Shown) -> tuple[object, ...]:
        return (shown.detection,)

    def table(self, shown: Shown) -> Table | None:
        from ....charts.figures.detection import detection_table

        return None if shown.detection is None else detection_table(shown.detection)
