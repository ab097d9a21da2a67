"""The labels of horizontal bars and the columns of numbers beside them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from rich.cells import cell_len

from ...text import format as fmt
from ..rows import Look, clean, crop
from ..series import Bar, Bars

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
    value, truth = (clean(word, "block") for word in (chart.value, chart.truth))
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
