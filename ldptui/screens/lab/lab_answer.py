"""An answer of the lab: its verdict, one of its charts, its table and its words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace
from textual.app import ComposeResult
from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

from ...charts.series import Bars, Plot
from ...questions.sheet import AnswerSheet
from ...text.prose import wrap_text
from ...widgets.blank import PaneColumns
from ...widgets.cursor import CursorCharts, nearest
from ...widgets.plot import ChartView
from ...widgets.words import spell_text
from .page import STALE

if TYPE_CHECKING:
    from ...charts.figures import ChartTable
    from ...questions.sheet import Figure

MOST_GAP: Final = 4
"""Rows between two bars at most, where there is room."""
AROUND_BARS: Final = 6
"""Rows of a chart of bars beside its bars."""


class LabChart(CursorCharts):
    """The widget of one figure of an answer, or of two beside each other; its cursor stops at the
    values of the first one, which are shown below.
    """

    picks = False
    least = 3

    def __init__(self) -> None:
        super().__init__()
        self.view, self.second = ChartView(id="lab-chart"), ChartView(id="lab-second")
        self._figure: Figure | None = None
        self._beside: Plot | Bars | None = None

    def compose(self) -> ComposeResult:
        yield PaneColumns(self.view, self.second)
        yield self._readout

    def show(self, figures: Sequence[Figure], missing: str) -> None:
        """Show at most two figures; if the x-axis of the first is the same as before, the cursor
        stays or moves to the nearest stop.

        missing : the words shown without a figure.
        """
        over, self._figure = self._over, next(iter(figures), None)
        self._beside = figures[1].chart if len(figures) > 1 else None
        self.second.display = self._beside is not None
        self.view.empty = missing
        if over != self._over:
            self._at = None
        elif self._at not in self.stops():
            self._at = self._near(self._at)
        self.draw()

    def draw(self) -> None:
        """Draw the chart with its cursor, and the values at the cursor."""
        chart = self._figure.chart if self._figure is not None else None
        self._read(self.size)
        if chart is not None:
            nowhere = "" if isinstance(chart, Bars) else None
            chart = replace(chart, cursor=nowhere if self._at is None else self._at)
        self.view.chart, self.second.chart = self._spread(chart), self._spread(self._beside)

    def _spread(self, chart: Plot | Bars | None) -> Plot | Bars | None:
        """The chart with its bars over all rows that there are."""
        if not isinstance(chart, Bars) or not chart.bars:
            return chart
        room = (self.size.height - AROUND_BARS) // len(chart.bars)
        return replace(chart, gap=max(0, min(MOST_GAP, room - 1)))

    def on_resize(self) -> None:
        self.draw()

    # The cursor.

    def stops(self) -> Sequence[Any]:
        """The x-values at which the cursor can stop, in the order of the chart's numbers."""
        if self._figure is None:
            return ()
        return tuple(dict.fromkeys(row[self.column] for row in self._figure.numbers.rows))

    def table_at(self, at: Any) -> ChartTable | None:
        """The values of all series at a stop of the cursor."""
        from ...charts.figures.table import rows_at

        if self._figure is None:
            return None
        numbers = self._figure.numbers
        return replace(numbers, rows=tuple(rows_at(numbers, (self.column, at))))

    def stop_at(self, place: object, chart: ChartView) -> Any:
        """The stop of the cursor that is nearest to a click on the first chart."""
        if chart is not self.view:
            return None
        return self._near(place[0] if isinstance(place, tuple) else place)

    def on_chart_view_point_click(self, message: ChartView.PointClick) -> None:
        message.stop()
        super().on_chart_view_point_click(message)
        self.draw()

    def _near(self, place: Any) -> Any:
        """The stop nearest to an x; for bars the bar of that name; None if there is none."""
        stops, chart = self.stops(), self._figure.chart if self._figure is not None else None
        if isinstance(chart, Plot) and isinstance(place, int | float):
            return nearest(place, stops, log=chart.x.log)
        return place if place in stops else None

    @property
    def _over(self) -> str:
        """The name of the x-axis of the figure; "" without numbers."""
        numbers = self._figure.numbers if self._figure is not None else None
        return numbers.columns[self.column].name if numbers is not None and numbers.rows else ""


class Words(Widget):
    """The widget of an answer's sentences, wrapped to its width: the first sentence alone, or the
    following ones.
    """

    DEFAULT_CSS = "Words { height: auto; }"

    def __init__(self, *, first: bool = False, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._first = first
        self._answer: AnswerSheet | None = None
        self._before = ""

    def show(self, answer: AnswerSheet | None, before: str = "") -> None:
        """Show the sentences of an answer, or nothing.

        before : words in front of the first sentence.
        """
        self._answer, self._before = answer, before
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        """The number of rows of the sentences, wrapped to a width."""
        return len(self._content(width).plain.splitlines())

    def render(self) -> Content:
        """The sentences, wrapped to the width of the widget."""
        return self._content(self.content_size.width)

    def _content(self, width: int) -> Content:
        answer = self._answer
        if not width or (answer is None and not self._first):
            return Content()
        words = [spell_text(self, text) for text in answer.words] if answer is not None else []
        if self._first:
            lines = "\n".join(wrap_text(self._before + "".join(words[:1]), width))
            return Content.styled(lines, "$text-warning" * self._before.startswith(STALE))
        assert answer is not None
        sources = [spell_text(self, source) for source in answer.sources]
        return sentences(words[1:], sources, width)


def sentences(words: Sequence[str], sources: Sequence[str], width: int) -> Content:
    """The sentences of an answer, followed by the sources that its table cites, wrapped
    to a width.
    """
    parts = [
        Content(_list_sentences(words, "· ", width)),
        Content.styled(_list_sentences(sources, "", width), "dim"),
    ]
    return Content("\n\n").join([part for part in parts if part.plain])


def _list_sentences(sentences: Sequence[str], mark: str, width: int) -> str:
    """Sentences that begin with a mark, their other lines indented by two cells."""
    return "\n".join(
        (mark if at == 0 else "  ") + line
        for sentence in sentences
        for at, line in enumerate(wrap_text(sentence, width - 2, width - len(mark)))
    )
