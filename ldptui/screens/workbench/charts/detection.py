"""The charts of a filter's score: its distribution in both groups of users, and its ROC curve."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Final, Literal

from textual.app import ComposeResult
from textual.geometry import Size

from ....terminal.keyboard import VIEW, key_of
from ....widgets.choice_bar import Choices
from ....widgets.cursor import Pointed, nearest
from ....widgets.plot import ChartView
from .shown import Shown

if TYPE_CHECKING:
    from ldptui.core.view import Detection

    from ....charts.figures import Table
    from ....charts.series import Plot

View = Literal["scores", "roc"]

VIEWS: Final[dict[View, str]] = {"scores": "scores", "roc": "ROC"}
TALL: Final = 25
"""From this height both stand one over the other."""
WAITING: Final = "waiting for the verdict on each report of one trial …"


class DetectionCharts(Pointed):
    """One view at a time, and the other one below it where there is room."""

    DEFAULT_CSS = """
    DetectionCharts > #detection-below { margin-top: 1; }
    """

    picks: ClassVar[bool] = False
    least: ClassVar[int] = 2

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._shown = Shown()
        self._above = ChartView(id="detection")
        self._below = ChartView(id="detection-below")
        self._view: View = "scores"
        self._drawn: tuple[object, ...] = ()  # what the charts were made of

    def compose(self) -> ComposeResult:
        yield self._above
        yield self._below
        yield self._readout

    def charts(self) -> list[ChartView]:
        """The charts that are shown."""
        return [chart for chart in (self._above, self._below) if chart.display]

    # Keys.

    @property
    def _other(self) -> View:
        return "roc" if self._view == "scores" else "scores"

    def next_view(self) -> None:
        self._view = self._other

    def switches(self) -> Choices:
        return (("view", f"{key_of(self.app, *VIEW)} {VIEWS[self._view]}"),)

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
        if (chart is self._above) == (self._view == "scores"):
            return nearest(x, seen.scores)
        rates = {score: flagged_from(seen, score) for score in seen.scores}
        return min(rates, key=lambda each: math.dist(rates[each], (x, y)), default=None)

    # The picture.

    def show(self, shown: Shown, room: Size) -> None:
        """Draw the score in a box of this size; (0, 0): there is none yet, nothing is drawn."""
        self._shown, seen = shown, shown.detection
        self._below.display = seen is not None and room.height >= TALL
        if not room.width:
            return
        if seen is None:
            self._drawn = ()
            self._above.empty = WAITING if shown.frequencies is not None else shown.empty
            self._above.chart = self._below.chart = None
            self._readout.show("")
            return
        state = (seen, shown.note, self._view, self._below.display, self._at, self._picked, room)
        if state == self._drawn:
            return
        self._drawn = state
        at = self._at if self._read(room) else None
        self._above.chart = _plot(seen, self._view, shown.note, at)
        if self._below.display:
            self._below.chart = _plot(seen, self._other, shown.note, at)

    # The numbers.

    def numbers(self, shown: Shown) -> tuple[object, ...]:
        """The values that the charts and their table are drawn from."""
        return (shown.detection,)

    def table(self, shown: Shown) -> Table | None:
        from ....charts.figures.detection import detection_table

        return None if shown.detection is None else detection_table(shown.detection)


def _plot(seen: Detection, view: View, note: str, at: float | None) -> Plot:
    """A view with its cursor at a score: in the ROC curve at the rate of its false alarms."""
    from ....charts.figures import detection as figures

    if view == "scores":
        return replace(figures.scores_plot(seen, note=note), cursor=at)
    rate = None if at is None else figures.flagged_from(seen, at)[0]
    return replace(figures.roc_plot(seen, note=note), cursor=rate)
