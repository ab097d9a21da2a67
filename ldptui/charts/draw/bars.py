"""Horizontal bars by eighths of a cell: estimate, error, truth and change of one item a row."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from ...text import format as fmt
from ..rows import (
    ASCII_MARKERS,
    MARKERS,
    NO_DATA,
    Canvas,
    Charset,
    Palette,
    Row,
    clean,
    length,
    pad,
    titled,
)
from ..series import FINDINGS, Bar, Bars, Finding
from .axes import linear_ticks
from .bar_columns import (
    Column,
    choices,
    common_power,
    distinct,
    named,
    number_columns,
    scaled,
    usable,
)
from .legend import Entry, cut, flow, joined, sentence, with_legend

_FILL = " ▏▎▍▌▋▊▉█"  # by eighths, to the right
_FILL_LEFT = "  ▕▐▐▐▐██"  # to the left there are only an eighth, a half and the whole
_ASCII_FILL = " ...#####"


@dataclass(frozen=True)
class _BarMarks:
    """The characters of bars in a charset."""

    target: str
    axis: str
    true: str
    gained: str
    lost: str
    whisker: str
    ends: tuple[str, str]
    solid: str
    right: str
    left: str
    detected: str
    missed: str
    false: str

    def finding(self, finding: Finding, palette: Palette) -> tuple[str, str]:
        """The mark of what a test made of an item, and its style."""
        return {
            "detected": (self.detected, palette.theory),
            "missed": (self.missed, palette.muted),
            "false": (self.false, palette.attacked),
            "": (" ", ""),
        }[finding]


_BLOCK_MARKS = _BarMarks(
    "▸", "│", "◆", "▒", "░", "─", ("├", "┤"), "█", _FILL, _FILL_LEFT, "✓", "○", "✗"
)
_ASCII_MARKS = _BarMarks(
    ">", "|", "*", "+", ":", "-", ("-", "-"), "#", _ASCII_FILL, _ASCII_FILL, "y", "n", "x"
)


@dataclass(frozen=True)
class _BarScale:
    """Places on the bars: the zero line has a cell of its own, at column `zero`."""

    zero: int
    cells: int
    per_cell: float

    def length(self, value: float) -> float:
        """The length of a value's bar, in cells."""
        return abs(value) / self.per_cell

    def column(self, value: float) -> int:
        """The cell in which a bar of this value ends."""
        steps = math.ceil(self.length(value) - 1e-9)
        at = self.zero + (steps if value > 0 else -steps)
        return max(0, min(self.cells - 1, at))


def bar_rows(chart: Bars, width: int, height: int, palette: Palette, charset: Charset) -> list[Row]:
    bars = [bar for bar in chart.bars if usable(bar.value) or usable(bar.true)]
    if not bars:
        return titled(chart.title, NO_DATA, width, height, palette, charset)
    marks = _ASCII_MARKS if charset == "ascii" else _BLOCK_MARKS
    note = sentence(clean(chart.note, charset), width, palette.muted, 2 if height >= 8 else 0)
    markers = ASCII_MARKERS if charset == "ascii" else MARKERS
    others = [
        (markers[tone], palette.style(tone), clean(name, charset)) for name, tone in chart.others
    ]
    power = common_power(bars)
    unit = clean(
        " ".join(filter(None, (fmt.power_of_ten(power) if power else "", chart.unit))), charset
    )
    # What is not an item gives way when there are few rows, the least important first.
    rows: list[Row] = []
    if chart.title and height >= 4:
        entries = _entries(bars, others, palette, marks, charset, chart)
        rows = _heading(chart, unit, entries, bool(note), width, height, palette, charset)
    has_header = height >= 3
    room = height - len(rows) - has_header - len(note)
    shown, rest = _shown(chart, bars, room, width, height, palette, charset)
    drawn = [scaled(bar, power) for bar in shown]
    table = _columns(chart, drawn, width, charset)
    if table.cells < 3:  # labels alone
        return [[(label, palette.foreground)] for label in table.labels]

    scale = _bar_scale(drawn, table.cells)
    if has_header:
        rows.append(table.header(chart, _bar_axis(scale, charset), palette))
    for index, bar in enumerate(drawn):
        picture = _bar_cells(bar, scale, palette, marks, others)
        rows.append(table.row(index, bar, picture, marks, palette))
    if all(length(row) + table.indent <= width for row in rest):
        rest = [[(" " * table.indent, ""), *row] for row in rest]
    rows += rest
    if note:
        rows += [[] for _ in range(height - len(note) - len(rows))]
    return rows + note


def _shown(
    chart: Bars,
    bars: Sequence[Bar],
    room: int,
    width: int,
    height: int,
    palette: Palette,
    charset: Charset,
) -> tuple[Sequence[Bar], list[Row]]:
    """The bars that have a row, and the rows that tell of the others."""
    rest: list[Row] = []
    while True:  # the fewer bars there are, the more is to be said of the rest
        shown = bars[: max(1, room - len(rest))]
        words = _rest_words(chart, bars[len(shown) :], width, charset) if height >= 5 else ""
        sentences = sentence(words, width, palette.muted, max(1, min(3, room - 1)))
        if len(sentences) <= len(rest):
            return shown, sentences
        rest = sentences


@dataclass(frozen=True)
class _Columns:
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

    def header(self, chart: Bars, axis: str, palette: Palette) -> Row:
        return [
            (" " * self.indent + pad(chart.item, self.label_width) + " ", palette.muted),
            (axis, palette.muted),
            *(
                (pad(head, 2 + cell_len(texts[0]), right=True), palette.muted)
                for head, texts in named(self.numbers, chart)
            ),
        ]

    def row(self, index: int, bar: Bar, picture: Row, marks: _BarMarks, palette: Palette) -> Row:
        """The row of one bar."""
        row: Row = []
        if self.has_targets:
            row.append((f"{marks.target} " if bar.target else "  ", palette.target))
        if self.has_findings:
            mark, tone = marks.finding(bar.finding, palette)
            row.append((f"{mark} ", tone))
        style = palette.target if bar.target else palette.foreground
        row.append((pad(self.labels[index], self.label_width) + " ", style))
        row += picture
        for place, (head, texts) in enumerate(self.numbers):
            style = palette.foreground if place == 0 else palette.muted
            if head == "change" and bar.before is not None:
                style = palette.attacked if bar.target else palette.foreground
            row.append(("  " + texts[index], style))
        return row


def _columns(chart: Bars, bars: Sequence[Bar], width: int, charset: Charset) -> _Columns:
    """The columns that fit: numbers give way to the bars, the least important first."""
    numbers = number_columns(bars, chart, charset)
    has_targets, has_findings = any(bar.target for bar in bars), any(bar.finding for bar in bars)
    indent = 2 * has_targets + 2 * has_findings
    labels = [clean(bar.label, charset) for bar in bars]
    label_width = min(max(*map(cell_len, labels), 4), max(4, min(28, width // 4)))
    least = width // 3 if width >= 36 else 6
    for choice in choices(numbers):
        taken = sum(2 + cell_len(texts[0]) for _, texts in choice)
        cells = width - indent - label_width - 1 - taken
        if cells >= least:
            break
    labels = distinct(labels, label_width)
    return _Columns(labels, label_width, cells, choice, has_targets, has_findings)


def _rest_words(chart: Bars, hidden: Sequence[Bar], width: int, charset: Charset) -> str:
    """The rest beside the bars shown, in words: `hidden` bars, and the chart's own rest."""
    rest = chart.rest
    if isinstance(rest, str):
        more = f"{len(hidden)} more not shown" if hidden else ""
        return "; ".join(filter(None, (more, clean(rest, charset))))
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
        return clean(f"{head}: {listed}" if listed else head, charset)

    full = words(f", {fmt.count(targets)} targets", short=False)
    if cell_len(full) + 4 <= width:
        return full
    brief = words(f", {fmt.count(targets)} targets", short=True)
    return brief if cell_len(brief) <= width else words(f" ({fmt.count(targets)} ▸)", short=True)


def _bar_scale(bars: Sequence[Bar], cells: int) -> _BarScale:
    ends = [0.0]
    for bar in bars:
        spread = bar.error or 0.0
        ends += [n for n in (bar.value - spread, bar.value + spread) if math.isfinite(n)]
        ends += [n for n in (bar.true, bar.before, *bar.others) if n is not None]
    low, high = min(ends), max(ends)
    if low == high:
        return _BarScale(0, cells, 1.0)
    room = cells - 1
    left = 0 if low == 0 else room if high == 0 else round(room * -low / (high - low))
    if low < 0 < high:
        left = max(1, min(room - 1, left))
    per_cell = max(high / (room - left) if high > 0 else 0.0, -low / left if low < 0 else 0.0)
    return _BarScale(left, cells, per_cell)


def _bar_axis(scale: _BarScale, charset: Charset) -> str:
    """The numbers above the bars: zero, and round ones where there is room."""
    low, high = -scale.zero * scale.per_cell, (scale.cells - 1 - scale.zero) * scale.per_cell
    ticks = linear_ticks(low, high, max(2, scale.cells // 12))
    zero = [tick for tick in ticks if tick.value == 0]
    text = [" "] * scale.cells
    used: list[tuple[int, int]] = []
    for tick in [*zero, *(t for t in ticks if t.value != 0)]:
        label = clean(tick.label, charset)
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
    palette: Palette,
    marks: _BarMarks,
    charset: Charset,
    chart: Bars,
) -> list[Entry]:
    """The entries of the legend, the marks of other runs first: those are new every time."""
    before = [bar for bar in bars if bar.before is not None]
    signs: list[tuple[str, str, str]] = [*others]
    if any(bar.finding for bar in bars):  # all of them: what is found changes with every trial
        signs += [(*marks.finding(finding, palette), finding) for finding in FINDINGS]
    signs += [(marks.solid, palette.clean, "before" if before else chart.value)]
    if any(bar.value > (bar.before or 0.0) for bar in before):
        signs.append((marks.gained, palette.attacked, "gained"))
    if any(bar.value < (bar.before or 0.0) for bar in before):
        signs.append((marks.lost, palette.attacked, "lost"))
    if any(bar.true is not None for bar in bars):
        signs.append((marks.true, palette.true, clean(chart.truth, charset)))
    if any(bar.error for bar in bars):
        signs.append((marks.whisker * 2, palette.foreground, clean("± error", charset)))
    return [Entry(mark, style, text, palette.muted) for mark, style, text in signs]


def _heading(
    chart: Bars,
    unit: str,
    entries: Sequence[Entry],
    has_note: bool,
    width: int,
    height: int,
    palette: Palette,
    charset: Charset,
) -> list[Row]:
    """The title and the legend beside it, or below it; the note tells of ± anyway."""
    words = [(chart.title, f"bold {palette.foreground}"), (unit, palette.muted)]
    pieces: list[Row] = [[(clean(text, charset), style)] for text, style in words if text]
    title = flow(pieces, width, 2)
    legend = joined([entry.row() for entry in entries], 2)
    if has_note and length(title[-1]) + 2 + length(legend) > width:
        note, sign = clean(chart.note, charset), clean("±", charset)
        entries = [
            entry for entry in entries if not (entry.label.startswith(sign) and sign in note)
        ]
        legend = joined([entry.row() for entry in entries], 2)
    if height < 12 and length(title[-1]) + 2 + length(legend) > width:  # no row of its own
        rows = flow([*pieces, *(entry.row() for entry in entries)], width, 2)
        return cut(rows, 1 if height < 8 else 2, width, palette.muted)
    most = 1 + height // 4
    return with_legend(
        title[:most], entries, width, gap=2, most=most, limit=most, muted=palette.muted
    )


def _bar_cells(
    bar: Bar,
    scale: _BarScale,
    palette: Palette,
    marks: _BarMarks,
    others: Sequence[tuple[str, str, str]],
) -> Row:
    """One bar: what was there before the attack, what it changed, ± error, others' marks, true."""
    canvas = Canvas([[" "] * scale.cells], [[""] * scale.cells])
    chars, styles = canvas.chars[0], canvas.styles[0]
    colour = palette.target if bar.target else palette.clean
    value = bar.value if math.isfinite(bar.value) else 0.0
    before = value if bar.before is None else bar.before
    step = 1 if value >= 0 else -1
    kept = before if before * step > 0 else 0.0
    long, kept_long = scale.length(value), scale.length(kept)
    fill = marks.right if step > 0 else marks.left
    reach = scale.cells - 1 - scale.zero if step > 0 else scale.zero
    for index in range(reach):
        column = scale.zero + step * (index + 1)
        part = math.floor(8 * max(0.0, min(1.0, long - index)) + 0.5)
        if part:
            gained = kept_long < index + 0.5 and kept_long < long
            whole = marks.gained if gained and bar.before is not None else marks.solid
            chars[column] = whole if part == 8 else fill[part]
            styles[column] = palette.attacked if gained else colour
    for index in range(reach if kept_long > long else 0):
        column = scale.zero + step * (index + 1)
        if long <= index + 0.5 <= kept_long and chars[column] == " ":
            chars[column], styles[column] = marks.lost, palette.attacked
    chars[scale.zero], styles[scale.zero] = marks.axis, palette.muted
    tip = scale.column(value)
    if bar.error and math.isfinite(bar.value):
        first, last = scale.column(value - bar.error), scale.column(value + bar.error)
        filled = (*fill[1:], marks.gained)
        for column in range(first, last + 1 if first < last else first):
            in_bar = chars[column] in filled
            if column == scale.zero or (in_bar and (column == tip or abs(tip - scale.zero) <= 2)):
                continue  # the end of the bar stays in sight, and all of a short one
            end = {first: marks.ends[0], last: marks.ends[1]}.get(column, marks.whisker)
            _over(chars, styles, column, end, palette.foreground)
    for (mark, style, _), other in zip(others, bar.others, strict=False):
        if other is not None:
            _over(chars, styles, scale.column(other), mark, style)
    if bar.true is not None:
        _over(chars, styles, scale.column(bar.true), marks.true, palette.true)
    return list(canvas.spans(0))


def _over(chars: list[str], styles: list[str], column: int, char: str, style: str) -> None:
    """Put a mark over a cell; in a full one it is cut out of the colour of the bar."""
    if chars[column] == "█" and styles[column]:
        style = f"{styles[column]} reverse"
    chars[column], styles[column] = char, style
