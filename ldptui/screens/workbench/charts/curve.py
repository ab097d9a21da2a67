"""A chart over a variable: its axes, its closed forms, and the cells that are simulated for it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, TypeAlias, get_args

from msgspec.structs import replace
from textual.app import ComposeResult

from ....charts.series import Panels
from ....messages import LongWork
from ....session.draft import UnreadError, ready
from ....widgets.choice_bar import ChoiceBar, Choices
from .box import ChartBox
from .shown import Shown

if TYPE_CHECKING:
    from ldptui.core.scenario import Scenario

    from ....charts.curves import Course, Curve, Variable
    from ....charts.figures import Over, Table
    from ....charts.series import Chart, Plot
    from ....session.snapshot import Selection

Kind = Literal["gain", "error", "success"]
_Asked: TypeAlias = "tuple[Scenario, Variable, bool]"
"""The scenario and the variable of curves; True if x is logarithmic."""

NO_AXIS: Final = "Nothing here can be varied: give the scenario a population with items and users."
DRAWING: Final = "drawing the population of every point …"
Scale = Literal["linear", "log", "symlog"]
SCALES: Final[tuple[Scale, ...]] = get_args(Scale)


class CurveChart(ChartBox):
    """A chart under the row of its variables and scales.

    The closed forms follow the scenario at once; what was simulated comes with the run.
    """

    takes = True  # the cell at the cursor can become the scenario's
    kind: ClassVar[Kind]
    scales: ClassVar[int] = 2
    """The number of scales that y can have."""
    aside = False
    """True beside the chart of another tab, which does not say what this one shows."""

    def __init__(self) -> None:
        super().__init__(f"{self.kind}-box", self.kind)
        self._bar = ChoiceBar(id=f"{self.kind}-axis")
        self._bar.gap = " · "
        self._pictures[0].bare = True  # the bar says what the title does
        self._scenario: Scenario | None = None
        self._axes: tuple[Variable, ...] | None = None  # None: not worked out yet
        self._variable: Variable | None = None  # the one of them that is chosen
        self._key = ""  # on the x-axis, chosen by hand
        self._log: bool | None = None  # x, where chosen by hand
        self._scale: Scale | None = None  # of y, where chosen by hand
        self._asked: _Asked | None = None  # what the closed forms at hand are of
        self._curves: tuple[Curve, ...] = ()
        self._awaited: _Asked | None = None  # what those are of that are worked out meanwhile

    def compose(self) -> ComposeResult:
        yield self._bar
        yield from super().compose()

    @property
    def _course(self) -> Course:
        from ....charts.curves import COURSES

        return COURSES[self.kind]

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
            from ....charts.curves import axis_of

            self._axes = self._course.axes(self._scenario)
            self._variable = axis_of(self._scenario, self._axes, self._key)
        return self._axes

    @property
    def variable(self) -> Variable | None:
        """The variable on the x-axis: chosen by hand, else swept over most values."""
        return self._variable if self.axes else None

    @property
    def _log_x(self) -> bool:
        if self._log is not None:
            return self._log
        return self.variable is not None and self.variable.log

    @property
    def _prefixes(self) -> tuple[str, ...]:
        """The words for what stands over the variable; shorter ones where the tab says it too."""
        return (f"{self.kind} over  ", *(() if self.aside else ("over  ",)))

    @property
    def _view_word(self) -> str:
        """The view as a switch names it; "" where the words before the variable do."""
        return self.views[self.view] if self.view else ""

    @property
    def _y_scale(self) -> Scale:
        """The scale of y: chosen by hand, else that on which every curve can be seen."""
        return self._scale or self.usual_scale()

    def usual_scale(self) -> Scale:
        """The scale of y on which every curve can be seen."""
        return "linear"

    def next_axis(self) -> None:
        if self.variable is not None:
            at = self.axes.index(self.variable) + 1
            self._put_on_axis(self.axes[at % len(self.axes)].key)

    def _put_on_axis(self, key: str) -> None:
        self._key, self._axes = key, None
        self._log = self._at = None  # each variable has a scale and a cursor of its own

    def toggle_log(self, direction: str) -> None:
        """Linear to logarithmic, of a gain to symlog besides, and back."""
        if direction == "x":
            self._log = not self._log_x
        else:
            at = SCALES.index(self._y_scale) + 1
            self._scale = SCALES[at % self.scales]

    def switches(self) -> Choices:
        """The row above the chart has them all."""
        return ()

    # The cursor.

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
            case "shown" | "prefix":
                self.next_view()
            case "axis":
                pass  # the next one, which is the pane's to put there
            case "x" | "y" as direction:
                self.toggle_log(direction)
            case key:
                self._put_on_axis(key)

    # What is drawn, and what of it is simulated.

    def selection(self) -> Selection | None:
        """The cells to measure for the chart, if any."""
        variable = self.variable
        if self._scenario is None or variable is None:
            return None
        return self._course.select(self._scenario, variable)

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
            from ....charts.curves import lists_more

            work = partial(self._course.curves, self._scenario, variable, log=asked[2])
            self._awaited = asked
            try:
                self._take(asked, work(draw=ready, **self._course.at_once))
                unread = lists_more(self._curves)
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

    def lay_out(self, *, there: bool) -> None:  # noqa: ARG002
        """Say in the bar what is on the axes."""
        variable = self.variable
        if not self._room.width:
            return
        if variable is None:
            self._bar.prefix, self._bar.choices, self._bar.switches = "", (), ()
            return
        self._bar.selected = variable.key
        view: Choices = (("shown", word),) if (word := self._view_word) else ()
        x, y = f"x {'log' if self._log_x else 'linear'}", f"y {self._y_scale}"
        self._bar.switches = (*view, ("x", x), ("y", y))
        self._name_axes(variable)

    def why_none(self) -> str:
        if not self._room.width:
            return ""
        if self.variable is None:
            return self._shown.empty if self._shown.scenario is None else self.why_no_axis()
        return DRAWING if self._waits else ""

    def why_no_axis(self) -> str:
        """The reason why a valid scenario has nothing to put on the axis."""
        return NO_AXIS

    def state(self) -> tuple[object, ...]:
        return (self.variable, self._log_x, self._y_scale)

    def drawn(self) -> Sequence[Chart]:
        variable = self.variable
        assert variable is not None
        plot = self.plot(self._over(variable, self._shown))
        if not isinstance(plot, Panels) and not any(len(series.x) for series in plot.series):
            return ()
        at = self._at if self._read(self._room) else None
        return (pointed(plot, at),)

    def _over(self, variable: Variable, shown: Shown) -> Over:
        """The curves and the cells along a variable."""
        from ....charts.figures import Over

        cells, overlays = shown.table, shown.tables_over
        log_y = self._y_scale == "log"
        return Over(self.closed_forms(), cells, variable, overlays, self._log_x, log_y)

    def plot(self, over: Over) -> Plot | Panels:
        """The curves along a variable, and the points of the cells."""
        raise NotImplementedError

    def _name_axes(self, variable: Variable) -> None:
        """Name the axes in the bar, in place of a title; the last ones give way, then switches."""
        names = [(axis.key, axis.label if axis == variable else axis.symbol) for axis in self.axes]
        ways = [(prefix, tuple(names)) for prefix in self._prefixes]
        while len(names) > 1:
            names.pop(-2 if names[-1][0] == variable.key else -1)
            ways.append((self._prefixes[-1], (*names, ("axis", "…"))))
        # Where the bar drops switches all the same, names have what room that leaves.
        fitting = (
            way
            for first in range(len(self._bar.switches) + 1)
            for way in ways
            if self._bar.fits(*way, self._room.width, first)
        )
        self._bar.prefix, self._bar.choices = next(fitting, ways[-1])

    @property
    def _waits(self) -> bool:
        """True if there is nothing to draw before the closed forms arrive."""
        return not self.closed_forms() and self._awaited is not None

    # The numbers.

    def numbers(self, shown: Shown) -> tuple[object, ...]:
        return (self.view, self.closed_forms(), shown.table, shown.tables_over)

    def table(self, shown: Shown) -> Table | None:
        variable = self.variable
        if variable is None or self._waits:
            return None
        return self.table_along(self._over(variable, shown))

    def table_along(self, over: Over) -> Table:
        """The numbers behind the curves along a variable."""
        raise NotImplementedError


def pointed(chart: Plot | Panels, at: float | None) -> Plot | Panels:
    """The chart with its cursor at this x, in every panel."""
    if isinstance(chart, Panels):
        return replace(chart, plots=tuple(replace(plot, cursor=at) for plot in chart.plots))
    return replace(chart, cursor=at)
