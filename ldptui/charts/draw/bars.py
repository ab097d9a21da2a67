"""Horizontal bars by eighths of a cell: estimate, error, truth and change of one item a row."""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec import Struct
from rich.cells import cell_len

from ...text import format as fmt
from ..rows import (
    ASCII_MARKERS,
    MARKERS,
    NO_DATA,
    Look,
    Row,
    length,
    pad,
    titled,
)
from ..series import FINDINGS, Bar, Bars
from .axes import linear_ticks
from .bar_cells import (
    MARKS,
    BarMarks,
    BarScale,
    Column,
    bar_cells,
    choices,
    common_power,
    distinct,
    named,
    number_columns,
    scaled,
    usable,
)
from .legend import Entry, cut, flow, joined, sentence, with_legend


class _Layout(Struct, frozen=True):
    """The rows of a chart: above the bars, the bars that have one, and what is said below them."""

    head: list[Row]
    has_header: bool
    bars: Sequence[Bar]
    rest: list[Row]
    note: list[Row]


def bar_rows(chart: Bars, look: Look) -> list[Row]:
    at = _layout(chart, look)
    if at is None:
        return titled(chart.title, NO_DATA, look)
    marks, rows, note = MARKS[look.charset], [*at.head], at.note
    power = common_power(_known(chart))
    drawn = [scaled(bar, power) for bar in at.bars]
    table = _columns(chart, drawn, look)
    if table.cells < 3:  # labels alone
        return [[(label, look.palette.foreground)] for label in table.labels]

    scale = _bar_scale(drawn, table.cells)
    if at.has_header:
        rows.append(table.header(chart, _bar_axis(scale, look), look))
    others = _others(chart, look)
    for index, bar in enumerate(drawn):
        picture = bar_cells(bar, scale, look, marks, others)
        pointer = marks.pointer if bar.label == chart.cursor else " "
        rows.append(table.row(index, bar, picture, marks, look, pointer))
    if all(length(row) + table.indent <= look.width for row in at.rest):
        rows += [[(" " * table.indent, ""), *row] for row in at.rest]
    else:
        rows += at.rest
    if note:
        rows += [[] for _ in range(look.height - len(note) - len(rows))]
    return rows + note


def bar_place(chart: Bars, y: int, look: Look) -> str | None:
    """The label of the bar in a row of the picture; None beside the bars."""
    at = _layout(chart, look)
    row = y - len(at.head) - at.has_header if at is not None else -1
    return at.bars[row].label if at is not None and row in range(len(at.bars)) else None


def _known(chart: Bars) -> list[Bar]:
    """The bars that have something to show."""
    return [bar for bar in chart.bars if usable(bar.value) or usable(bar.true)]


def _others(chart: Bars, look: Look) -> list[tuple[str, str, str]]:
    """The mark, the style and the name of each run that is laid over."""
    markers = ASCII_MARKERS if look.charset == "ascii" else MARKERS
    return [
        (markers[tone], look.palette.style(tone), look.clean(name)) for name, tone in chart.others
    ]


def _layout(chart: Bars, look: Look) -> _Layout | None:
    """The rows of the chart and what stands in them; None without anything to show."""
    bars = _known(chart)
    if not bars:
        return None
    note = sentence(chart.note, look, 2 if look.height >= 8 else 0)
    power = common_power(bars)
    unit = " ".join(filter(None, (fmt.power_of_ten(power) if power else "", chart.unit)))
    # What is not an item gives way when there are few rows, the least important first.
    head: list[Row] = []
    if chart.title and look.height >= 4:
        others = _others(chart, look)
        entries = _entries(bars, others, MARKS[look.charset], look, chart)
        head = _heading(chart, unit, entries, bool(note), look)
    has_header = look.height >= 3
    room = look.height - len(head) - has_header - len(note)
    if room - (len(bars) > chart.lead) < min(chart.lead, len(bars)):
        first = _first(chart, bars, max(1, look.height - len(head)))
        return _Layout(head, has_header=False, bars=first, rest=[], note=[])
    shown, rest = _shown(chart, bars, room, look)
    return _Layout(head, has_header, shown, rest, note)


def _shown(
    chart: Bars,
    bars: Sequence[Bar],
    room: int,
    look: Look,
) -> tuple[Sequence[Bar], list[Row]]:
    """The bars that have a row, and the rows that tell of the others."""
    rest: list[Row] = []
    while True:  # the fewer bars there are, the more is to be said of the rest
        shown = _first(chart, bars, max(1, room - len(rest)))
        hidden = [bar for bar in bars if bar not in shown]
        words = _rest_words(chart, hidden, look) if look.height >= 5 else ""
        sentences = sentence(words, look, max(1, min(3, room - 1)))
        if len(sentences) <= len(rest):
            return shown, sentences
        rest = sentences


def _first(chart: Bars, bars: Sequence[Bar], most: int) -> list[Bar]:
    """The first bars; the one looked at is the last of them where it comes later."""
    looked_at = [bar for bar in bars[most:] if bar.label == chart.cursor]
    return [*bars[: most - len(looked_at[:1])], *looked_at[:1]]


class _Columns(Struct, frozen=True):
    """The columns of the rows: marks, labels, the bars, and numbers.

    label_width, cells : of the labels and of the bars. numbers : heads, and the texts of each row.
    """

    labels: Sequence[str]
    label_width: int
    cells: int
    numbers: Sequence[Column]
    has_targets: bool
    has_findings: bool

    @property
    def indent(self) -> int:
        return 2 * self.has_targets + 2 * self.has_findings

    def header(self, chart: Bars, axis: str, look: Look) -> Row:
        return [
            (" " * self.indent + pad(chart.item, self.label_width) + " ", look.palette.muted),
            (axis, look.palette.muted),
            *(
                (pad(head, 2 + cell_len(texts[0]), right=True), look.palette.muted)
                for head, texts in named(self.numbers, chart)
            ),
        ]

    def row(
        self, index: int, bar: Bar, picture: Row, marks: BarMarks, look: Look, pointer: str
    ) -> Row:
        """The row of one bar; a pointer, if there is one, stands between the label and the bar."""
        row: Row = []
        if self.has_targets:
            row.append((f"{marks.target} " if bar.target else "  ", look.palette.target))
        if self.has_findings:
            mark, tone = marks.finding(bar.finding, look)
            row.append((f"{mark} ", tone))
        style = look.palette.target if bar.target else look.palette.foreground
        row.append((pad(self.labels[index], self.label_width), style))
        row.append((pointer, look.palette.foreground))
        row += picture
        for place, (head, texts) in enumerate(self.numbers):
            style = look.palette.foreground if place == 0 else look.palette.muted
            if head == "change" and bar.before is not None:
                style = look.palette.attacked if bar.target else look.palette.foreground
            row.append(("  " + texts[index], style))
        return row


def _columns(chart: Bars, bars: Sequence[Bar], look: Look) -> _Columns:
    """The columns that fit: numbers give way to the bars, the least important first."""
    numbers = number_columns(bars, chart, look)
    has_targets, has_findings = any(bar.target for bar in bars), any(bar.finding for bar in bars)
    indent = 2 * has_targets + 2 * has_findings
    labels = [look.clean(bar.label) for bar in bars]
    label_width = min(max(*map(cell_len, labels), 4), max(4, min(28, look.width // 4)))
    for choice in choices(numbers):
        taken = sum(2 + cell_len(texts[0]) for _, texts in choice)
        cells = look.width - indent - label_width - 1 - taken
        spare = {head for head, _ in choice} - {"estimate", "change"}  # these come before long bars
        if cells >= (look.width // 3 if spare and look.width >= 36 else 6):
            break
    labels = distinct(labels, label_width)
    return _Columns(labels, label_width, cells, choice, has_targets, has_findings)


def _rest_words(chart: Bars, hidden: Sequence[Bar], look: Look) -> str:
    """The rest beside the bars shown, in words: `hidden` bars, and the chart's own rest."""
    rest = chart.rest
    if isinstance(rest, str):
        more = f"{len(hidden)} more not shown" if hidden else ""
        return "; ".join(filter(None, (more, look.clean(rest))))
    count = rest.count + len(hidden)
    targets = rest.targets + sum(bar.target for bar in hidden)
    sums = []
    if rest.true is not None:
        true = rest.true + math.fsum(bar.true or 0.0 for bar in hidden)
        sums.append(("true", "true", fmt.fixed(true, 3)))
    if rest.value is not None:
        value = rest.value + math.fsum(bar.value for bar in hidden if math.isfinite(bar.value))
        sums.append(("estimate", "est.", fmt.fixed(value, 3)))

    def words(aimed: str, short: bool) -> str:
        head = f"{fmt.count(count)} more{aimed if targets else ''}"
        listed = ", ".join(f"{names[short]} {text}" for *names, text in sums)
        return look.clean(f"{head}: {listed}" if listed else head)

    full = words(f", {fmt.count(targets)} targets", short=False)
    if cell_len(full) + 4 <= look.width:
        return full
    brief = words(f", {fmt.count(targets)} targets", short=True)
    return (
        brief if cell_len(brief) <= look.width else words(f" ({fmt.count(targets)} ▸)", short=True)
    )


def _bar_scale(bars: Sequence[Bar], cells: int) -> BarScale:
    ends = [0.0]
    for bar in bars:
        spread = bar.error or 0.0
        ends += [n for n in (bar.value - spread, bar.value + spread) if math.isfinite(n)]
        ends += [n for n in (bar.true, bar.before, *bar.others) if n is not None]
    low, high = min(ends), max(ends)
    if low == high:
        return BarScale(0, cells, 1.0)
    room = cells - 1
    left = 0 if low == 0 else room if high == 0 else round(room * -low / (high - low))
    if low < 0 < high:
        left = max(1, min(room - 1, left))
    per_cell = max(high / (room - left) if high > 0 else 0.0, -low / left if low < 0 else 0.0)
    return BarScale(left, cells, per_cell)


def _bar_axis(scale: BarScale, look: Look) -> str:
    """The numbers above the bars: zero, and round ones where there is room."""
    low, high = -scale.zero * scale.per_cell, (scale.cells - 1 - scale.zero) * scale.per_cell
    ticks = linear_ticks(low, high, max(2, scale.cells // 12))
    zero = [tick for tick in ticks if tick.value == 0]
    text = [" "] * scale.cells
    used: list[tuple[int, int]] = []
    for tick in [*zero, *(t for t in ticks if t.value != 0)]:
        label = look.clean(tick.label)
        size = len(label)
        if size > scale.cells:
            continue
        start = max(0, min(scale.cells - size, scale.column(tick.value) - size // 2))
        if all(start > stop or start + size < begin for begin, stop in used):
            used.append((start, start + size))
            text[start : start + size] = label
    return "".join(text)


def _entries(
    bars: Sequence[Bar],
    others: Sequence[tuple[str, str, str]],
    marks: BarMarks,
    look: Look,
    chart: Bars,
) -> list[Entry]:
    """The entries of the legend, the marks of other runs first: those are new every time."""
    before = [bar for bar in bars if bar.before is not None]
    signs: list[tuple[str, str, str]] = [*others]
    if any(bar.finding for bar in bars):  # all of them: what is found changes with every trial
        signs += [(*marks.finding(finding, look), finding) for finding in FINDINGS]
    signs += [(marks.solid, look.palette.clean, "before" if before else chart.value)]
    if any(bar.value > (bar.before or 0.0) for bar in before):
        signs.append((marks.gained, look.palette.attacked, "gained"))
    if any(bar.value < (bar.before or 0.0) for bar in before):
        signs.append((marks.lost, look.palette.attacked, "lost"))
    if any(bar.true is not None for bar in bars):
        signs.append((marks.true[1], look.palette.true, look.clean(chart.truth)))
    if any(bar.error for bar in bars):
        signs.append((marks.whisker * 2, look.palette.foreground, look.clean("± error")))
    return [Entry(mark, style, text, look.palette.muted) for mark, style, text in signs]


def _heading(
    chart: Bars,
    unit: str,
    entries: Sequence[Entry],
    has_note: bool,
    look: Look,
) -> list[Row]:
    """The title and the legend beside it, or below it; the note tells of ± anyway."""
    words = [(chart.title, look.strong), (unit, look.palette.muted)]
    pieces: list[Row] = [[(look.clean(text), style)] for text, style in words if text]
    title = flow(pieces, look.width, 2)
    legend = joined([entry.row() for entry in entries], 2)
    if has_note and length(title[-1]) + 2 + length(legend) > look.width:
        note, sign = look.clean(chart.note), look.clean("±")
        entries = [
            entry for entry in entries if not (entry.label.startswith(sign) and sign in note)
        ]
        legend = joined([entry.row() for entry in entries], 2)
    if (
        look.height < 12 and length(title[-1]) + 2 + length(legend) > look.width
    ):  # no row of its own
        rows = flow([*pieces, *(entry.row() for entry in entries)], look.width, 2)
        return cut(rows, 1 if look.height < 8 else 2, look)
    most = 1 + look.height // 4
    return with_legend(title[:most], entries, look, gap=2, most=most, limit=most)
