"""One horizontal bar in a row of cells: its estimate by eighths of a cell, error, truth, change."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace
from rich.cells import cell_len

from ...text import format as fmt
from ..rows import Charset, Look, Row, clean, crop
from ..series import Bar, Bars, Finding

_FILL = " ▏▎▍▌▋▊▉█"  # by eighths, to the right
_FILL_LEFT = "  ▕▐▐▐▐██"  # to the left there are only an eighth, a half and the whole
_ASCII_FILL = " ...#####"


class BarMarks(Struct, frozen=True):
    """The characters of bars in a charset; pairs are for the left and the right half of a cell.

    true : of the mark, and of what it has in the next cell. ends : of the low and the high end of
    an error bar.
    """

    target: str
    axis: str
    true: tuple[str, str]
    gained: str
    lost: str
    whisker: str
    ends: tuple[tuple[str, str], tuple[str, str]]
    solid: str
    right: str
    left: str
    detected: str
    missed: str
    false: str
    pointer: str

    def finding(self, finding: Finding, look: Look) -> tuple[str, str]:
        """The mark of what a test made of an item, and its style."""
        return {
            "detected": (self.detected, look.palette.theory),
            "missed": (self.missed, look.palette.muted),
            "false": (self.false, look.palette.attacked),
            "": (" ", ""),
        }[finding]


# Of the true mark the full column of dots is the value's own; the others make it a diamond.
DOT_MARKS = BarMarks(
    "▸", "│", ("⠰⡷", "⢾⠆"), "▒", "░", "─", (("─", "╶"), ("╴", "─")), "█", _FILL, _FILL_LEFT,
    "✓", "○", "✗", "◂",
)  # fmt: skip
ASCII_MARKS = BarMarks(
    ">", "|", ("*", "*"), "+", ":", "-", (("-", "-"), ("-", "-")), "#", _ASCII_FILL, _ASCII_FILL,
    "y", "n", "x", "<",
)  # fmt: skip
MARKS: Final[dict[Charset, BarMarks]] = {
    "ascii": ASCII_MARKS, "braille": DOT_MARKS,
}  # fmt: skip


class BarScale(Struct, frozen=True):
    """Places on the bars: the zero line has a cell of its own, at column `zero`."""

    zero: int
    cells: int
    per_cell: float

    def length(self, value: float) -> float:
        """The length of a value's bar, in cells."""
        return abs(value) / self.per_cell

    def column(self, value: float) -> int:
        """The cell in which a bar of this value ends."""
        return self.place(value)[0]

    def place(self, value: float) -> tuple[int, int]:
        """That cell, and the half of it in which the bar ends: 0 left, 1 right."""
        steps = math.ceil(2 * self.length(value) - 1e-9)
        half = 2 * self.zero + (1 + steps if value > 0 else -steps)
        return divmod(max(0, min(2 * self.cells - 1, half)), 2)


def bar_cells(
    bar: Bar,
    scale: BarScale,
    look: Look,
    marks: BarMarks,
    others: Sequence[tuple[str, str, str]],
) -> Row:
    """One bar: what was there before the attack, what it changed, ± error, others' marks, true."""
    cells: Row = [(" ", "")] * scale.cells
    colour = look.palette.target if bar.target else look.palette.clean
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
            style = look.palette.attacked if gained else colour
            cells[column] = (whole if part == 8 else fill[part], style)
    for index in range(reach if kept_long > long else 0):
        column = scale.zero + step * (index + 1)
        if long <= index + 0.5 <= kept_long and cells[column][0] == " ":
            cells[column] = (marks.lost, look.palette.attacked)
    cells[scale.zero] = (marks.axis, look.palette.muted)
    tip = scale.column(value)
    if bar.error and math.isfinite(bar.value):
        (first, low), (last, high) = (scale.place(value + sign * bar.error) for sign in (-1, 1))
        filled = (*fill[1:], marks.gained)
        for column in range(first, last + 1 if first < last else first):
            in_bar = cells[column][0] in filled
            if column == scale.zero or (in_bar and (column == tip or abs(tip - scale.zero) <= 2)):
                continue  # the end of the bar stays in sight, and all of a short one
            ends = {first: marks.ends[0][low], last: marks.ends[1][high]}
            end = ends.get(column, marks.whisker)
            _over(cells, column, end, look.palette.foreground)
    for (mark, style, _), other in zip(others, bar.others, strict=False):
        if other is not None:
            _over(cells, scale.column(other), mark, style)
    if bar.true is not None:
        column, half = scale.place(bar.true)
        mark = marks.true[half]
        first = column + (0 if half else 1 - len(mark))
        for at, char in enumerate(mark, start=first):
            if at == column or (at in range(scale.cells) and cells[at][0] == " "):
                _over(cells, at, char, look.palette.true)
    return cells


def _over(cells: Row, column: int, char: str, style: str) -> None:
    """Put a mark over a cell; in a full one it is cut out of the colour of the bar."""
    below, colour = cells[column]
    cells[column] = (char, f"{colour} reverse" if below == "█" and colour else style)


MOST_PLACES: Final = 9
"""Decimals at most: those of the error of 10^12 users, which six would call 0."""


def usable(number: float | None) -> bool:
    return number is not None and math.isfinite(number)


def common_power(bars: Sequence[Bar]) -> int:
    """The power of ten to take out of all numbers: 0 unless they are very small or very large."""
    parts = [n for bar in bars for n in (bar.value, bar.error, bar.true, bar.before, *bar.others)]
    sizes = [abs(n) for n in parts if n is not None]
    largest = max((size for size in sizes if math.isfinite(size)), default=0.0)
    if not largest or 1e-3 <= largest < 1e6:
        return 0
    return math.floor(math.log10(largest))


def scaled(bar: Bar, power: int) -> Bar:
    def in_power(number: float | None) -> float | None:
        if number is None or not math.isfinite(number):
            return None
        return number / 10.0**power if power > -300 else 0.0

    return replace(
        bar,
        value=math.nan if (value := in_power(bar.value)) is None else value,
        error=in_power(bar.error),
        true=in_power(bar.true),
        before=in_power(bar.before),
        others=tuple(in_power(other) for other in bar.others),
    )


Column = tuple[str, list[str]]  # a heading, and texts of one width


def named(columns: Sequence[Column], chart: Bars) -> list[Column]:
    """The columns with the chart's own words for its numbers."""
    value, truth = (clean(word, "braille") for word in (chart.value, chart.truth))
    return [
        (truth if head == "true" else head.replace("estimate", value), texts)
        for head, texts in columns
    ]


def distinct(labels: Sequence[str], width: int) -> list[str]:
    """The labels in at most `width` cells; the middle is cut where cutting the end hides too much.

    That is where two labels differ in their ends alone, like those of numbered items.
    """
    ends = [crop(label, width) for label in labels]
    if len(set(ends)) == len(set(labels)):
        return ends
    left = width // 2
    return [
        # The mark of what is cut is the last cell of the left part; that of the right one goes.
        crop(label, left) + crop(label[::-1], width - left + 1)[-2::-1]
        if cell_len(label) > width
        else label
        for label in labels
    ]


def number_columns(bars: Sequence[Bar], chart: Bars, look: Look) -> list[Column]:
    """The columns of numbers, all with the same decimals: estimate ± error, true, change."""
    errors = [bar.error for bar in bars if bar.error]
    if errors:
        places = min(MOST_PLACES, fmt.decimals(errors))
    else:
        largest = max((abs(bar.value) for bar in bars if usable(bar.value)), default=1.0) or 1.0
        places = max(0, min(6, 3 - math.floor(math.log10(largest))))

    def column(head: str, texts: list[str]) -> Column:
        head, texts = look.clean(head), [look.clean(text) for text in texts]
        ((name, _),) = named([(head, texts)], chart)
        size = max(len(name), *map(len, texts))
        return head, [text.rjust(size) for text in texts]

    values = column("", [fmt.fixed(bar.value, places) for bar in bars])[1]
    columns = [column("estimate", values)]
    if errors:
        spreads = column("", [f"± {fmt.fixed(b.error, places)}" if b.error else "" for b in bars])[
            1
        ]
        both = [f"{v} {s}" for v, s in zip(values, spreads, strict=True)]
        columns = [column("estimate ± error", both), *columns]
    if any(bar.true is not None for bar in bars):
        columns.append(column("true", [fmt.fixed(bar.true, places) for bar in bars]))
    if any(bar.before is not None for bar in bars):
        changes = [None if b.before is None else b.value - b.before for b in bars]
        columns.append(column("change", [fmt.fixed(c, places, sign=True) for c in changes]))
    return columns


def choices(columns: list[Column]) -> Iterator[list[Column]]:
    """The columns that may be shown, the fullest choice first."""
    full = [c for c in columns if c[0] != "estimate"] if len(columns[0][0]) > 8 else columns
    short = [c for c in columns if not c[0].startswith("estimate ")]
    estimates = [c for c in columns if c[0] == "estimate"]
    yield full
    yield [c for c in full if c[0] != "true"]
    yield [c for c in short if c[0] != "true"]
    changes = [c for c in columns if c[0] == "change"]
    if changes:  # the bar says the estimate, and nothing else how much an attack made of it
        yield changes
    yield full[:1]
    yield estimates
    yield []
