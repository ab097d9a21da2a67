"""The chart of a metric over a variable: of items that the server names, or one in Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....catalogue import metric_words
from .curve import CurveChart, Scale
from .shown import Shown

if TYPE_CHECKING:
    from ldptui.core.scenario import Scenario

    from ....charts.curves import Curve, Variable
    from ....charts.figures import Table
    from ....charts.series import Plot
    from ....session.snapshot import Part


class SuccessChart(CurveChart):
    """Curves of one metric at a time; `v` shows the next one."""

    def __init__(self) -> None:
        super().__init__("success")
        self._metric = ""  # chosen by hand

    @property
    def metric(self) -> str:
        """The metric that is shown."""
        known = self._metrics()
        return self._metric if self._metric in known else next(iter(known), "")

    def _metrics(self) -> tuple[str, ...]:
        if self._scenario is None:
            return ()
        from ....charts.curves import success_metrics

        return success_metrics(self._scenario)

    def _axes_of(self, scenario: Scenario) -> tuple[Variable, ...]:
        from ....charts.curves import success_axes

        return success_axes(scenario)

    @property
    def _drawn_over(self) -> str:
        from ....charts.curves import names_items

        hunted = self._scenario is not None and names_items(self._scenario)
        return self.kind if hunted else "metric"

    @property
    def _y_scale(self) -> Scale:
        return self._scale or "linear"

    def _view_switch(self) -> tuple[str, str]:
        return "metric", metric_words(self.metric).name if self.metric else ""

    def next_view(self) -> None:
        known = self._metrics()
        if known:
            self._metric = known[(known.index(self.metric) + 1) % len(known)]

    def part(self) -> Part | None:
        """The part to simulate for the chart, if any."""
        variable = self.variable
        if self._scenario is None or variable is None:
            return None
        from ....charts.curves import success_part

        return success_part(self._scenario, variable)

    def closed_forms(self) -> tuple[Curve, ...]:
        """The series, worked out once for each scenario and variable."""
        variable = self.variable
        if self._scenario is None or variable is None:
            return ()
        asked = self._scenario, variable, self._log_x
        if asked != self._asked:
            from ....charts.curves import success_curves

            self._asked, self._curves = asked, success_curves(self._scenario, variable)
        return self._curves

    def _plot(self, shown: Shown, variable: Variable, log_x: bool, scale: Scale) -> Plot:
        from ....charts.figures import success_plot

        laid = shown.overlaid(self.kind)
        return success_plot(
            self.closed_forms(), shown.cells(self.kind), variable, self.metric,
            overlays=laid, log_x=log_x, log_y=scale == "log",
        )  # fmt: skip

    def numbers(self, shown: Shown) -> tuple[object, ...]:
        """The values that the chart and its table are drawn from."""
        return (self.metric, *super().numbers(shown))

    def table(self, shown: Shown) -> Table | None:
        from ....charts.figures import success_table

        variable = self.variable
        if variable is None:
            return None
        cells, laid = shown.cells(self.kind), shown.overlaid(self.kind)
        return success_table(self.closed_forms(), cells, variable, self.metric, laid)
