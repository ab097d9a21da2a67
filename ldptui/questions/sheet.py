"""The answer of a topic, as one value: its command prints it, its tab shows it.

The worker computes an `AnswerSheet` and sends it as a document; the screen reads it back and draws
it. Neither knows anything of the mechanisms.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from ..charts.figures import ChartTable, TableColumn, Value
from ..charts.series import Bars, Chart, Plot, Series
from ..text import format as text


class Figure(msgspec.Struct, frozen=True):
    """A chart of an answer with its numbers as a table.

    numbers : a row for each stop of the cursor: a name, the place (x of a plot, label of a bar) and
        the values there. A chart without rows has no cursor.
    """

    chart: Plot | Bars
    numbers: ChartTable


Edits = tuple[tuple[str, Any], ...]


class AnswerSheet(msgspec.Struct, frozen=True):
    """The answer of a question in the form in which the worker sends it to the lab.

    table : the quantities with their values, formulas and sources.
    verdict : the sentences beside the charts, the answer first.
    notes : sentences about the table.
    figures : the charts, the most important first.
    sources : the cited papers in full.
    edits : the keys and values that the answer proposes for the scenario, in order.
    choices : such edits for each stop of a chart's cursor.
    """

    table: ChartTable
    verdict: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    sources: tuple[str, ...] = ()
    edits: Edits = ()
    choices: tuple[tuple[str, Edits], ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """The sentences and notes of the answer, without repetitions."""
        said = " ".join(self.verdict).casefold()
        return (*self.verdict, *(note for note in self.notes if note.casefold() not in said))

    def proposed_edits(self, place: object) -> Sequence[tuple[str, Any]]:
        """The scenario edits proposed for a stop of the chart's cursor; maybe none."""
        return dict(self.choices).get(str(place), self.edits)

    @property
    def charts(self) -> tuple[Chart, ...]:
        """The charts of the answer."""
        return tuple(figure.chart for figure in self.figures)


def encode_answer(answer: AnswerSheet) -> dict[str, Any]:
    """The answer as plain values for the worker's message."""
    sent: dict[str, Any] = msgspec.to_builtins(answer, enc_hook=lambda array: array.tolist())
    return sent


def decode_answer(document: Mapping[str, Any]) -> AnswerSheet:
    """The answer of a worker's message, the inverse of `encode_answer`."""
    return msgspec.convert(document, AnswerSheet)


def list_rows(title: str, heads: Sequence[str], rows: Sequence[Sequence[Value]]) -> ChartTable:
    """A table of numbers and words; numbers have as many decimals as they need."""
    return ChartTable(title, tuple(map(TableColumn, heads)), tuple(map(tuple, rows)))


def figure(chart: Plot | Bars, heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> Figure:
    """A figure of a chart with its table; values that are not finite are left blank.

    A z has a sign and two decimals, and whole numbers are in groups of three digits.
    """
    kept = (
        tuple(None if isinstance(v, float) and not math.isfinite(v) else v for v in row)
        for row in rows
    )
    columns = (
        TableColumn("z", 2, sign=True) if head == "z" else TableColumn(head, grouped=True)
        for head in heads
    )
    return Figure(chart, ChartTable("", tuple(columns), tuple(kept)))


def curves(plot: Plot, value: str, x: str) -> Figure:
    """A figure of curves, with a row of the table for each x and each horizontal line.

    value, x : the names of y and x.
    If something was measured, the rows are those of its points only, each with its interval.
    """
    lines = [(line.label, _values(line)) for line in plot.series if line.legend]
    measured = [_values(line) for line in plot.series if line.error is not None]
    places = {place for values in measured or [each for _, each in lines] for place in values}
    rows = [
        (
            value,
            int(place) if place.is_integer() else place,
            *(values.get(place) for _, values in lines),
            *(at for at, _ in plot.levels),
        )
        for place in sorted(places)
    ]
    return figure(
        plot, ("", x, *(name for name, _ in lines), *(name for _, name in plot.levels)), rows
    )


def _values(line: Series) -> dict[float, Value]:
    """The finite values of a line by their x, with the intervals around them."""
    errors = [None] * len(line.x) if line.error is None else line.error
    return {
        float(x): float(y) if error is None else text.estimate(float(y), float(error))
        for x, y, error in zip(line.x, line.y, errors, strict=True)
        if math.isfinite(y)
    }


def shares(bars: Bars) -> Figure:
    """Bars of shares or counts, and a row for each."""
    rows = [("", bar.label, bar.value) for bar in bars.bars]
    return figure(bars, ("", bars.item, bars.value), rows)
