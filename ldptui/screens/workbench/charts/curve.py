"""The chart of a curve: the attack's gain, or the error without one, over a variable."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, get_args

from textual.app import ComposeResult
from textual.geometry import Size

from ....charts.series import Panels
from ....messages import LongWork
from ....session.draft import UnreadError, ready
from ....terminal.keyboard import key_of
from ....widgets.choice_bar import ChoiceBar, Choices
from ....widgets.cursor import Pointed, nearest
from ....widgets.plot import ChartView
from .shown import Shown

if TYPE_CHECKING:
    from ldptui.core.scenario import Scenario

    from ....charts.curves import Curve, Variable
    from ....charts.figures import Quantity, Table
    from ....charts.series import Plot
    from ....session.snapshot import Part

Kind = Literal["gain", "error", "success"]
_Asked: TypeAlias = "tuple[Scenario, Variable, bool]"
"""The scenario and the variable of curves; True if x is logarithmic."""

NO_ATTACK: Final = "No attack, so no gain. Pane 3 has the attacks: press {}."
PHASED: Final = "The attack has phases: the Timeline shows the gain of every round."
NO_AXIS: Final = "Nothing here can be varied: give the scenario a population with items and users."
DRAWING: Final = "drawing the population of every point …"
LINES: Final = {True: "bounds", False: "no bounds"}
Scale = Literal["linear", "log", "symlog"]
SCALES: Final[tuple[Scale, ...]] = get_args(Scale)
ROOM_FOR_TITLE: Final = 20
"""Rows of the box from which the chart has a title of its own below the row of the axes."""
DEFAULT_LINEAR: Final = 1e-3
"""The linear part of a symlog axis that no curve needs: gains below are in proportion."""
QUANTITIES: Final[dict[Quantity, str]] = {"mse": "MSE", "std": "std"}


class CurveChart(Pointed):
    """A chart under the row of its variables and scales; `show` draws what has changed.

    The closed forms follow the scenario at once; what was simulated comes with the run.
    """

    takes = True  # the cell at the cursor can become the scenario's

    def __init__(self, kind: Kind) -> None:
        super().__init__(id=f"{kind}-box")
        self._shown = Shown()
        self.kind: Kind = kind
        self._bar = ChoiceBar(id=f"{kind}-axis")
        self._chart = ChartView(id=kind)
        self._bar.gap = " · "
        self._scenario: Scenario | None = None
        self._axes: tuple[Variable, ...] | None = None  # None: not worked out yet
        self._swept: tuple[str, ...] = ()  # the scenario's keys, most values first
        self._key = ""  # on the x-axis, chosen by hand
        self._log: bool | None = None  # x, where chosen by hand
        self._scale: Scale | None = None  # of y, where chosen by hand
        self._panel = -1  # the one that is picked, of several; -1: all of them
        self._quantity: Quantity = "mse"
        self._lines = True  # what gains are held against
        self._asked: _Asked | None = None  # what the closed forms at hand are of
        self._curves: tuple[Curve, ...] = ()
        self._awaited: _Asked | None = None  # what those are of that are worked out meanwhile
        self._drawn: tuple[object, ...] = ()  # what the chart was made of

    def compose(self) -> ComposeResult:
        yield self._bar
        yield self._chart
        yield self._readout

    def charts(self) -> list[ChartView]:
        return [self._chart]

    # The axes.

    def follow(self, scenario: Scenario | None) -> None:
        """Take the scenario whose closed forms are shown."""
        if scenario != self._scenario:
            self._scenario, self._axes = scenario, None

    @property
    def axes(self) -> tuple[Variable, ...]:
        """The variables that the x-axis can have."""
        if self._scenario is None:
            return ()
        if self._axes is None:
            sweep = self._scenario.sweep
            self._swept = tuple(sorted(sweep, key=lambda key: -len(sweep[key])))
            self._axes = self._axes_of(self._scenario)
        return self._axes

    def _axes_of(self, scenario: Scenario) -> tuple[Variable, ...]:
        from ....charts import curves

        return curves.axes(scenario) if self.kind == "gain" else curves.error_axes(scenario)

    @property
    def variable(self) -> Variable | None:
        """The variable on the x-axis: chosen by hand, else swept over most values."""
        by_key = {variable.key: variable for variable in self.axes}
        keys = (self._key, *self._swept, *by_key)
        return next((by_key[key] for key in keys if key in by_key), None)

    @property
    def _log_x(self) -> bool:
        if self._log is not None:
            return self._log
        return self.variable is not None and self.variable.log

    @property
    def _drawn_over(self) -> str:
        """The word for what stands over the variable."""
        return self.kind

    @property
    def _y_scale(self) -> Scale:
        """The scale of y: chosen by hand, else that on which every curve can be seen."""
        if self._scale is not None:
            return self._scale
        if self.kind == "error":
            return "log"
        from ....charts.figures import linear_part

        return "symlog" if linear_part(self.closed_forms(), log_x=self._log_x) else "linear"

    def next_axis(self) -> None:
        if self.variable is not None:
            at = self.axes.index(self.variable) + 1
            self._put_on_axis(self.axes[at % len(self.axes)].key)

    def _put_on_axis(self, key: str) -> None:
        self._key = key
        self._log = self._at = None  # each variable has a scale and a cursor of its own

    def toggle_log(self, direction: str) -> None:
        """Linear to logarithmic, of a gain to symlog besides, and back."""
        if direction == "x":
            self._log = not self._log_x
        else:
            at = SCALES.index(self._y_scale) + 1
            self._scale = SCALES[at % (3 if self.kind == "gain" else 2)]

    @property
    def has_panels(self) -> bool:
        """True where the curves stand in panels, or one of them was picked."""
        return self._panel >= 0 or isinstance(self._chart.chart, Panels)

    def pick(self) -> None:
        """The next panel alone, after the last all of them."""
        from ....charts.figures import panels_of

        panels = panels_of(self.closed_forms())
        self._panel = self._panel + 1 if self._panel + 1 < len(panels) else -1

    def _view_switch(self) -> tuple[str, str]:
        """The name of what `next_view` changes, and its present state in words."""
        if self.kind == "error":
            return "quantity", QUANTITIES[self._quantity]
        return "lines", LINES[self._lines]

    def next_view(self) -> None:
        """The other quantity of an error; the lines that gains are held against, or none."""
        if self.kind == "gain":
            self._lines = not self._lines
        else:
            self._quantity = "std" if self._quantity == "mse" else "mse"

    def switches(self) -> Choices:
        """The row above the chart has them all."""
        return ()

    # The cursor.

    def stops(self) -> list[float]:
        """The values of x that were simulated, else those of the closed forms."""
        from ....charts.figures.readings import stops

        table = self.table(self._shown)
        places = [float(x) for x in stops(table) if isinstance(x, int | float)] if table else []
        return sorted(places)

    def table_at(self, at: float) -> Table | None:
        """The values at x, a row for each series."""
        from ....charts.figures.readings import rows_at

        table = self.table(self._shown)
        return None if table is None else replace(table, rows=tuple(rows_at(table, (1, at))))

    def stop_at(self, place: object, chart: ChartView) -> float | None:  # noqa: ARG002
        """The stop nearest to a click."""
        if not isinstance(place, tuple):
            return None
        return nearest(place[0], self.stops(), log=self._log_x)

    @property
    def points(self) -> bool:
        """True if there is an axis for a cursor."""
        return self.variable is not None

    def at_cursor(self) -> list[tuple[str, Any]]:
        """The keys that a cell of the picked series has at the cursor, with their values."""
        table = self.table_at(self._at) if self._at is not None else None
        rows = table.rows if table is not None else ()
        variable, picked = self.variable, rows[self._picked][0] if rows else None
        curve = next((each for each in self.closed_forms() if each.label == picked), None)
        if self._scenario is None or variable is None or curve is None:
            return []
        swept = [key for key in self._scenario.sweep if key in curve.parameters]
        edits = {key: curve.parameters[key] for key in swept}
        return [*{**edits, variable.key: variable.value_at(self._at)}.items()]

    def on_choice_bar_chosen(self, message: ChoiceBar.Chosen) -> None:
        """A click chooses; the message goes on to the pane, which draws."""
        match message.choice:
            case "quantity" | "lines" | "metric":
                self.next_view()
            case "x" | "y" as direction:
                self.toggle_log(direction)
            case key:
                self._put_on_axis(key)

    # What is drawn, and what of it is simulated.

    def part(self) -> Part | None:
        """The part to simulate for the chart, if any."""
        variable = self.variable
        if self._scenario is None or variable is None:
            return None
        from ....charts import curves

        made = curves.gain_part if self.kind == "gain" else curves.error_part
        return made(self._scenario, variable)

    def closed_forms(self) -> tuple[Curve, ...]:
        """The curves, worked out once for each scenario, variable and spacing.

        Where that takes long, those before it meanwhile, or none if they had another axis.
        """
        variable = self.variable
        if self._scenario is None or variable is None:
            return ()
        asked = self._scenario, variable, self._log_x
        if asked == self._asked:
            self._awaited = None
        elif asked != self._awaited:
            from ....charts import curves

            make = curves.gain_and_lines if self.kind == "gain" else curves.error_curves
            work = partial(make, self._scenario, variable, log=asked[2])
            at_once = partial(work, listed=False) if self.kind == "gain" else work
            self._awaited = asked
            try:
                self._take(asked, at_once(draw=ready))
                unread = curves.lists_more(self._curves)
            except UnreadError:
                unread = True
            if unread:
                done = partial(self._take, asked)
                # Not by way of the pane: what it has set off itself ends there.
                self.screen.post_message(LongWork(self.kind, work, done))
        same = self._asked is not None and self._asked[1].key == variable.key
        return self._curves if same else ()

    def _take(self, asked: _Asked, curves: tuple[Curve, ...]) -> None:
        """The curves, if they are still asked for."""
        if asked == self._awaited:
            self._asked, self._awaited, self._curves = asked, None, curves
        elif asked == self._asked:  # the same with a line that takes long
            self._curves = curves

    def show(self, shown: Shown, room: Size) -> None:
        """Draw the curves in a box of this size; (0, 0): there is none yet, nothing is drawn."""
        self._shown = shown
        if not room.width:
            return
        variable = self.variable
        if variable is None:
            self._bar.prefix, self._bar.choices = "", ()
            self._bar.switches = ()
            self._draw_nothing(shown.empty if shown.scenario is None else self._why_none())
            return
        self._bar.selected = variable.key
        log_x, scale = self._log_x, self._y_scale
        switches: Choices = (("x", f"x {'log' if log_x else 'linear'}"), ("y", f"y {scale}"))
        self._bar.switches = (self._view_switch(), *switches)
        self._name_axes(variable, room)
        state = (*self.numbers(shown), variable, log_x, scale, self._panel, self._lines)
        state = (*state, self._at, self._picked, room)
        if self._waits:
            self._draw_nothing(DRAWING)
        elif state != self._drawn:
            plot = self._plot(shown, variable, log_x, scale)
            if isinstance(plot, Panels) or any(len(series.x) for series in plot.series):
                self._drawn = state
                self._chart.chart = pointed(plot, self._at if self._read(room) else None)
            else:
                self._draw_nothing(shown.empty)

    def _name_axes(self, variable: Variable, room: Size) -> None:
        """Name the axes in the bar: in a low box, where there is room, in place of a title."""
        symbols = tuple((axis.key, axis.symbol) for axis in self.axes)
        names = tuple((key, variable.label if key == variable.key else word)
                      for key, word in symbols)  # fmt: skip
        prefixes = f"{self._drawn_over} over  ", "over  "  # the tab says what, too
        low = room.height < ROOM_FOR_TITLE
        ways = [(prefix, words) for words in (names, symbols)[not low :] for prefix in prefixes]
        fitting = (way for way in ways if self._bar.fits(*way, room.width))
        self._bar.prefix, self._bar.choices = next(fitting, ways[-1])
        self._chart.bare = low and self._bar.choices == names

    @property
    def _waits(self) -> bool:
        """True if there is nothing to draw before the closed forms arrive."""
        return not self.closed_forms() and self._awaited is not None

    def _draw_nothing(self, words: str) -> None:
        self._drawn, self._chart.empty = (), words
        self._readout.show("")
        if self._chart.chart is not None:
            self._chart.chart = None

    def _why_none(self) -> str:
        assert self._scenario is not None
        if self.kind != "gain" or self.axes:
            return NO_AXIS
        attack = self._scenario.document.get("attack", {})
        if isinstance(attack, dict) and "phase" in attack:
            return PHASED
        return NO_ATTACK.format(key_of(self.app, "pane.3", "3"))

    def _plot(self, shown: Shown, variable: Variable, log_x: bool, scale: Scale) -> Plot | Panels:
        from ....charts import figures

        curves, cells = self.closed_forms(), shown.cells(self.kind)
        more: dict[str, Any] = {"overlays": shown.overlaid(self.kind), "log_x": log_x}
        more["log_y"] = scale == "log"
        if self.kind == "error":
            return figures.error_plot(curves, cells, variable, self._quantity, **more)
        curves = tuple(curve for curve in curves if self._lines or not curve.line)
        if scale == "symlog":
            more["linear"] = figures.linear_part(curves, log_x=self._log_x) or DEFAULT_LINEAR
        return figures.gain_chart(curves, cells, variable, at=self._panel, **more)

    # The numbers.

    def numbers(self, shown: Shown) -> tuple[object, ...]:
        """The values that the chart and its table are drawn from."""
        simulated = shown.cells(self.kind), shown.overlaid(self.kind)
        return (self._quantity, self.closed_forms(), *simulated)

    def table(self, shown: Shown) -> Table | None:
        from ....charts import figures

        variable = self.variable
        if variable is None or self._waits:
            return None
        curves, cells = self.closed_forms(), shown.cells(self.kind)
        overlays = shown.overlaid(self.kind)
        if self.kind == "gain":
            return figures.gain_table(curves, cells, variable, overlays)
        return figures.error_table(curves, cells, variable, self._quantity, overlays)


def pointed(chart: Plot | Panels, at: float | None) -> Plot | Panels:
    """The chart with its cursor at this x, in every panel."""
    if isinstance(chart, Panels):
        return replace(chart, plots=tuple(replace(plot, cursor=at) for plot in chart.plots))
    return replace(chart, cursor=at)
