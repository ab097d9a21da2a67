"""The figures and the table of an answer."""

from __future__ import annotations

from itertools import zip_longest

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Static

from ...lab.answer import Answer
from ...widgets.cursor import Move
from ...widgets.number_table import NumberTable
from ...widgets.plot import ChartView
from ...widgets.words import put
from .chart import LabChart


class Results(Vertical):
    """Two charts at most, and the table below; which of them are shown is said by `lay_out`."""

    DEFAULT_CSS = """
    Results {
        .lab-box {
            border: round $foreground 25%;
            height: 1fr;
            &:focus-within { border: round $accent; }
            &:ansi:focus-within { border: heavy $accent; }
        }
        #lab-charts { height: 1fr; }
        #lab-table-box { height: auto; max-height: 38%; }
        #lab-table-box > Static { height: 1; text-style: bold; }
        #lab-table-box > NumberTable { height: auto; max-height: 100%; }
    }
    """

    def __init__(self) -> None:
        super().__init__(id="lab-right")
        names = ("first", "second")
        self._charts = [LabChart(name) for name in names]
        self._boxes = [
            Vertical(chart, classes="lab-box", id=f"lab-{name}")
            for name, chart in zip(names, self._charts, strict=True)
        ]
        self._row = Horizontal(*self._boxes, id="lab-charts")
        self._title = Static(id="lab-table-title", markup=False)
        self.table = NumberTable()
        self._table_box = Vertical(self._title, self.table, classes="lab-box", id="lab-table-box")

    def compose(self) -> ComposeResult:
        yield self._row
        yield self._table_box

    def show(self, answer: Answer | None) -> None:
        """Show an answer; None: there is none yet."""
        figures = answer.figures if answer is not None else ()
        for chart, figure in zip_longest(self._charts, figures):
            chart.show(figure, answered=answer is not None)
        self.table.table = answer.table if answer is not None else None
        put(self._title, answer.table.title if answer is not None else "")

    def lay_out(self, at: int, charts: int, both: bool, table: bool) -> None:
        """Show the chart with this number, or both, if it is below `charts`; the table or not."""
        first, second = self._boxes
        first.display = at == 0 or both
        second.display = (both and charts > 1) or at == 1 < charts
        self._row.display = at < charts
        self._table_box.display = table

    # The cursor.

    @property
    def pointed(self) -> LabChart | None:
        """The chart whose cursor the keys move: that with the focus, else the first one shown."""
        shown = [
            chart
            for chart, box in zip(self._charts, self._boxes, strict=True)
            if self.display and self._row.display and box.display and chart.points
        ]
        focused = (chart for chart in shown if chart.view.has_focus)
        return next(focused, next(iter(shown), None))

    def move(self, how: Move, by: int) -> None:
        """Move the cursor of a chart; the other one follows where it is over the same values."""
        if (chart := self.pointed) is not None:
            chart.step(how, by)
            self._follow(chart)

    def _follow(self, leader: LabChart) -> None:
        leader.draw()
        for chart in self._charts:
            if chart is not leader:
                chart.follow(leader)

    def on_chart_view_pointed(self, message: ChartView.Pointed) -> None:
        """A chart has moved its cursor to a click."""
        message.stop()
        self._follow(next(chart for chart in self._charts if chart.view is message.view))

    def as_text(self) -> str:
        """The focused chart or the charts shown as text, or the table tab-separated."""
        focused = self.screen.focused
        if isinstance(focused, ChartView):
            return focused.as_text()
        views = [chart.view for chart in self._charts]
        charts = [view.as_text() for view in views if view.is_on_screen and view.chart]
        if focused is self.table or not charts:
            return self.table.as_text()
        return "\n".join(charts)
