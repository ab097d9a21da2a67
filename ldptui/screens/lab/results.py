"""The results of a topic: its words, its chart and its table."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from ...charts.series import Bars, Plot
from ...questions.sheet import Answer
from ...text.prose import wrap_text
from ...widgets.cursor import CursorCharts, Move, nearest
from ...widgets.number_table import NumberTable
from ...widgets.plot import ChartView
from ...widgets.words import put, spell_text

if TYPE_CHECKING:
    from ...charts.figures import Table
    from ...questions.sheet import Figure


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

    def show(self, answer: Answer | None, missing: str) -> None:
        """Show an answer; missing : the words in its place while there is none."""
        figures = answer.figures if answer is not None else ()
        for chart, figure in zip_longest(self._charts, figures):
            chart.show(figure, missing if answer is None else NO_CHART)
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


NO_CHART: Final = "no chart for this one: see the table"


class LabChart(CursorCharts):
    """A figure of an answer; its numbers say where the cursor can stand, and what is read there."""

    picks = False
    least = 3

    def __init__(self, name: str) -> None:
        super().__init__()
        self.view = ChartView(id=f"lab-chart-{name}")
        self._figure: Figure | None = None

    def compose(self) -> ComposeResult:
        yield self.view
        yield self._readout

    def show(self, figure: Figure | None, missing: str) -> None:
        """Show a figure; its cursor stays, or goes to the nearest place that there is now.

        missing : the words in its place where there is none.
        """
        self._figure = figure
        self.view.empty = missing
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
        from ...charts.figures.table import rows_at

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


def spelled_out(answer: Answer | None, widget: Widget) -> Answer | None:
    """The answer with its sentences in the app's charset."""
    if answer is None:
        return None
    verdict, notes, sources = (
        tuple(spell_text(widget, text) for text in texts)
        for texts in (answer.verdict, answer.notes, answer.sources)
    )
    return replace(answer, verdict=verdict, notes=notes, sources=sources)


def verdict(answer: Answer | None, width: int) -> str:
    """The first sentence in lines of at most `width` cells."""
    return "\n".join(wrap_text(answer.words[0], width)) if answer and answer.words else ""


def sentences(answer: Answer, width: int) -> Content:
    """The verdict, then the other sentences, then the sources that the table cites."""
    parts = [
        Content.styled(verdict(answer, width), "bold"),
        Content(_listed(answer.words[1:], "· ", width)),
        Content.styled(_listed(answer.sources, "", width), "dim"),
    ]
    return Content("\n\n").join([part for part in parts if part.plain])


def _listed(sentences: Sequence[str], mark: str, width: int) -> str:
    """Sentences that begin at the left with a mark, their other lines two cells further in."""
    return "\n".join(
        (mark if at == 0 else "  ") + line
        for sentence in sentences
        for at, line in enumerate(wrap_text(sentence, width - 2, width - len(mark)))
    )


class Words(Static):
    """The sentences of an answer, wrapped for its width."""

    def __init__(self) -> None:
        super().__init__(markup=False)
        self._answer: Answer | None = None

    def show(self, answer: Answer | None) -> None:
        """Show the words of an answer; None: there is none yet."""
        self._answer = answer = spelled_out(answer, self)
        width = self.content_size.width
        words = sentences(answer, width) if answer is not None and width else Content("")
        # As many lines lay out nothing anew.
        lines = [str(text).count("\n") for text in (words, self.content)]
        self.update(words, layout=lines[0] != lines[1] or not str(self.content))

    def on_resize(self) -> None:
        self.show(self._answer)
