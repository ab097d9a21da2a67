"""The charts and the table of an answer."""

from __future__ import annotations

from typing import Final

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Static

from ...lab.answer import Answer
from ...widgets.number_table import NumberTable
from ...widgets.plot import ChartView

WAITING: Final = "the worker is on it"
NO_CHART: Final = "no chart for this one: see the table"


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
        #lab-table-box { height: auto; max-height: 50%; }
        #lab-table-box > Static { height: 1; text-style: bold; }
        #lab-table-box > NumberTable { height: auto; max-height: 100%; }
    }
    """

    def __init__(self) -> None:
        super().__init__(id="lab-right")
        names = ("first", "second")
        self.charts = [ChartView(id=f"lab-chart-{name}", empty=WAITING) for name in names]
        self._boxes = [
            Vertical(chart, classes="lab-box", id=f"lab-{name}")
            for name, chart in zip(names, self.charts, strict=True)
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
        charts = answer.charts if answer is not None else ()
        for at, view in enumerate(self.charts):
            view.chart = charts[at] if at < len(charts) else None
            view.empty = WAITING if answer is None else NO_CHART
        self.table.table = answer.table if answer is not None else None
        self._title.update(answer.table.title if answer is not None else "")

    def lay_out(self, at: int, charts: int, both: bool, table: bool) -> None:
        """Show the chart with this number, or both, if it is below `charts`; the table or not."""
        first, second = self._boxes
        first.display = at == 0 or both
        second.display = (both and charts > 1) or at == 1 < charts
        self._row.display = at < charts
        self._table_box.display = table

    def as_text(self) -> str:
        """The focused chart or the charts shown as text, or the table tab-separated."""
        focused = self.screen.focused
        if isinstance(focused, ChartView):
            return focused.as_text()
        charts = [view.as_text() for view in self.charts if view.is_on_screen and view.chart]
        if focused is self.table or not charts:
            return self.table.as_text()
        return "\n".join(charts)
