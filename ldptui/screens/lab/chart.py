"""A chart of the lab with its cursor, and below it what is read there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Final

from textual.app import ComposeResult

from ...charts.series import Bars, Plot
from ...widgets.cursor import Pointed, nearest
from ...widgets.plot import ChartView

if TYPE_CHECKING:
    from ...charts.figures import Table
    from ...lab.figure import Figure

WAITING: Final = "the answer is being computed"
NO_CHART: Final = "no chart for this one: see the table"


class LabChart(Pointed):
    """A figure of an answer; its numbers say where the cursor can stand, and what is read there."""

    picks: ClassVar[bool] = False
    least: ClassVar[int] = 3

    def __init__(self, name: str) -> None:
        super().__init__()
        self.view = ChartView(id=f"lab-chart-{name}", empty=WAITING)
        self._figure: Figure | None = None

    def compose(self) -> ComposeResult:
        yield self.view
        yield self._readout

    def show(self, figure: Figure | None, *, answered: bool) -> None:
        """Show a figure; its cursor stays, or goes to the nearest place that there is now."""
        self._figure = figure
        self.view.empty = NO_CHART if answered else WAITING
        if self._at not in self.stops():
            self._at = self._near(self._at)
        self.draw()

    # The cursor.

    def stops(self) -> Sequence[Any]:
        """The places, in the order of the chart's numbers."""
        if self._figure is None:
            return ()
        return tuple(dict.fromkeys(row[self.column] for row in self._figure.numbers.rows))

    def table_at(self, at: Any) -> Table | None:
        """The values at a place."""
        from ...charts.figures.readings import rows_at

        if self._figure is None:
            return None
        numbers = self._figure.numbers
        return replace(numbers, rows=tuple(rows_at(numbers, (self.column, at))))

    def stop_at(self, place: object, chart: ChartView) -> Any:  # noqa: ARG002
        """The place that is nearest to a click."""
        return self._near(place[0] if isinstance(place, tuple) else place)

    def _near(self, place: Any) -> Any:
        """The stop nearest to an x; a bar by its name; None where there is none."""
        stops, chart = self.stops(), self._figure.chart if self._figure is not None else None
        if isinstance(chart, Plot) and isinstance(place, int | float):
            return nearest(place, stops, log=chart.x.log)
        return place if place in stops else None

    def on_resize(self) -> None:
        self.draw()

    def follow(self, other: LabChart) -> None:
        """Go to the same place as a chart over the same values."""
        if self._over and self._over == other._over and other.at in (None, *self.stops()):
            self._at = other.at
        self.draw()

    @property
    def _over(self) -> str:
        """The name of what the places are values of; "" where there are none."""
        numbers = self._figure.numbers if self._figure is not None else None
        return numbers.columns[self.column].name if numbers is not None and numbers.rows else ""

    def draw(self) -> None:
        """Draw the chart with its cursor, and the values there."""
        chart = self._figure.chart if self._figure is not None else None
        self._read(self.size)
        if isinstance(chart, Bars):
            chart = replace(chart, cursor=self._at or "")
        elif isinstance(chart, Plot):
            chart = replace(chart, cursor=self._at)
        self.view.chart = chart
