"""Legends and notes in as many rows as they take: what does not fit in one goes on in the next."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ..rows import Look, Row, length, wrapped

SHORT: Final = {
    "not detected": "undetected",
    "falsely detected": "false",
    "after the attack": "after",
    "after, closed form": "closed form",
    "other settings": "others",
    "targets": "T",
    "line = closed form": "closed form",
    "proved, or kept back": "or kept back",
    "target ": "",
}
"""The first words of labels, long and short; short ones where the long ones have no room."""


def shortened(label: str) -> str:
    """The label in short words."""
    for long, short in SHORT.items():
        if label.startswith(long):
            return short + label.removeprefix(long)
    return label


@dataclass(frozen=True)
class Entry:
    """A mark, what it stands for, and the styles of both."""

    mark: str
    style: str
    label: str
    text_style: str

    def row(self, *, short: bool = False) -> Row:
        label = shortened(self.label) if short else self.label
        return [(f"{self.mark} ", self.style), (label, self.text_style)]


def joined(pieces: Sequence[Row], gap: int) -> Row:
    """The pieces side by side in one row."""
    return [span for piece in pieces for span in ((" " * gap, ""), *piece)][1:]


def flow(pieces: Sequence[Row], width: int, gap: int, *, ordered: bool = True) -> list[Row]:
    """The pieces side by side, `gap` cells between them, in rows of at most `width` cells.

    A piece wider than a row is broken between words of its last span. ordered : False if a piece
    may stand in an earlier row that has room for it.
    """
    rows: list[Row] = []
    for piece in pieces:
        first, *more = _broken(piece, width)
        open_rows = range(max(0, len(rows) - 1) if ordered else 0, len(rows))
        at = next((at for at in open_rows if length(rows[at]) + gap + length(first) <= width), None)
        if at is not None and (not more or at == len(rows) - 1):
            rows[at] = joined((rows[at], first), gap)
        else:
            rows.append(list(first))
        rows += more
    return rows


def _broken(piece: Row, width: int) -> list[Row]:
    *before, (text, style) = piece
    indent = length(before)
    if indent + length(piece[-1:]) <= width:
        return [piece]
    first, *more = wrapped(text, max(1, width - indent)) or [""]
    return [[*before, (first, style)], *([(" " * indent + line, style)] for line in more)]


def sentence(text: str, look: Look, most: int) -> list[Row]:
    """A note in at most `most` rows, broken after its commas and semicolons where that does."""
    text = look.clean(text)
    if not text or most < 1:
        return []
    pieces: list[Row] = [[(part, look.palette.muted)] for part in re.split(r"(?<=[;,]) ", text)]
    rows = flow(pieces, look.width, 1)
    if len(rows) > most:
        words: list[Row] = [[(line, look.palette.muted)] for line in wrapped(text, look.width)]
        rows = words if len(words) <= most else rows
    return cut(rows, most, look)


def cut(rows: list[Row], most: int, look: Look) -> list[Row]:
    """The first `most` rows; where some are left out, the last one says so."""
    if len(rows) <= most or most < 1:
        return rows[:most]
    last = rows[most - 1]
    while last and length(last) + 2 > look.width:
        last = last[:-1]
    return [*rows[: most - 1], [*last, (" …", look.palette.muted)]]


def with_legend(
    rows: Sequence[Row],
    entries: Sequence[Entry],
    look: Look,
    *,
    gap: int,
    most: int,
    limit: int,
) -> list[Row]:
    """The heading's rows and the legend: at the right of the last row it fits in, or below them.

    most : rows of all that a heading has; short words, and then up to `limit` rows, come before an
    entry is lost.
    """
    kept = [list(row) for row in rows]
    if not entries:
        return kept
    pieces = [entry.row() for entry in entries]
    line = joined(pieces, gap)
    for row in reversed(kept):
        space = look.width - length(row) - length(line)
        if space >= gap:
            row += [(" " * space, ""), *line]
            return kept
    if len(kept) == most:
        kept.pop()  # the legend tells more than the y label
    lines = flow(pieces, look.width, gap, ordered=False)
    if len(kept) + len(lines) > most:
        short = [entry.row(short=True) for entry in entries]
        tight = [flow(each, look.width, min(gap, 2), ordered=False) for each in (pieces, short)]
        lines = min(tight, key=len)  # short words only where they save a row
    return kept + cut(lines, max(1, limit - len(kept)), look)
