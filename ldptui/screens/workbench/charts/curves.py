"""The charts over a variable: the attack's gain, the error without one, a metric."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Final

from msgspec.structs import replace

from ....catalogue import metric_words
from ....charts.series import Panels, Plot
from ....terminal.keyboard import key_of
from .curve import NO_AXIS, CurveChart, Kind, Scale

if TYPE_CHECKING:
    from ....charts.figures import Over, Quantity, Table

NO_ATTACK: Final = "No attack, so no gain. Pane 3 has the attacks: press {}."
PHASED: Final = "The attack has phases: the Timeline shows the gain of every round."
DEFAULT_LINEAR: Final = 1e-3
"""The linear part of a symlog axis that no curve needs: gains below are in proportion."""


class GainChart(CurveChart):
    """The attack's gain, held against bounds or not; of many curves a panel can be picked."""

    kind: ClassVar[Kind] = "gain"
    scales: ClassVar[int] = 3
    views: Mapping[str, str] = {
        "edge": "edge", "floor": "floor", "bounds": "bounds", "none": "no bounds"
    }  # fmt: skip

    _panel = -1  # the one that is picked, of several; -1: all of them

    @property
    def has_panels(self) -> bool:
        """True where the curves stand in panels, or one of them was picked."""
        return self._panel >= 0 or isinstance(self._pictures[0].chart, Panels)

    def pick(self) -> None:
        """The next panel alone, after the last all of them."""
        from ....charts.figures import panels_of

        panels = panels_of(self.closed_forms())
        self._panel = self._panel + 1 if self._panel + 1 < len(panels) else -1

    def usual_scale(self) -> Scale:
        from ....charts.figures import scale_of

        return scale_of(self.closed_forms(), log_x=self._log_x)

    def why_no_axis(self) -> str:
        if self._scenario is None or self.axes:
            return NO_AXIS
        attack = self._scenario.document.get("attack", {})
        if isinstance(attack, dict) and "phase" in attack:
            return PHASED
        return NO_ATTACK.format(key_of(self.app, "pane.3", "3"))

    def state(self) -> tuple[object, ...]:
        return (*super().state(), self._panel)

    def plot(self, over: Over) -> Plot | Panels:
        from ....charts import figures

        if self.view == "none":
            over = replace(over, curves=[curve for curve in over.curves if not curve.line])
        if self._y_scale == "symlog":
            linear = figures.linear_part(over.curves, log_x=self._log_x) or DEFAULT_LINEAR
            over = replace(over, linear=linear)
        return figures.gain_chart(
            over, at=self._panel, bounds=self.view == "bounds", is_shaded=self.view == "floor"
        )

    def table_along(self, over: Over) -> Table:
        from ....charts.figures import gain_table

        return gain_table(over)


class ErrorChart(CurveChart):
    """The error without attack, squared or as a standard deviation."""

    kind: ClassVar[Kind] = "error"
    views: Mapping[str, str] = {"mse": "MSE", "std": "std"}

    @property
    def _quantity(self) -> Quantity:
        return "std" if self.view == "std" else "mse"

    def usual_scale(self) -> Scale:
        return "log"

    def plot(self, over: Over) -> Plot:
        from ....charts.figures import LEFT_OUT, error_plot

        plot = error_plot(over, self._quantity)
        return replace(plot, note=plot.note.removesuffix(f"; {LEFT_OUT}"))  # a row of the chart

    def table_along(self, over: Over) -> Table:
        from ....charts.figures import error_table

        return error_table(over, self._quantity)


class SuccessChart(CurveChart):
    """A metric: of items that the server names, or one in Python; `v` shows the next one."""

    kind: ClassVar[Kind] = "success"

    @property
    def views(self) -> Mapping[str, str]:
        """The metrics."""
        if self._scenario is None:
            return {}
        from ....charts.curves import success_metrics

        return {metric: metric_words(metric).name for metric in success_metrics(self._scenario)}

    @property
    def _prefixes(self) -> tuple[str, ...]:
        return (f"{self.views.get(self.view, self.kind)} over  ",)

    @property
    def _view_word(self) -> str:
        return ""

    def plot(self, over: Over) -> Plot:
        from ....charts.figures import success_plot

        return success_plot(over, self.view)

    def table_along(self, over: Over) -> Table:
        from ....charts.figures import success_table

        return success_table(over, self.view)
