"""Tables and sentences that are wider than a terminal, folded to its width."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import Final

RULE: Final = re.compile(r"─{3,}")
"""The line between the heads of a table and its rows."""

STYLED: Final = re.compile(r"\x1b\[[012]m")


def fold_text(written: str, width: int) -> str:
    """The text in lines of at most `width` cells: sentences broken between words, wide tables
    split.

    A wide table continues below itself, and repeats the columns that name its rows.
    """
    lines = written.split("\n")
    parts: list[str] = []
    while lines:
        size = 1
        if len(lines) > 1 and RULE.fullmatch(lines[1]):
            size = next((at for at, line in enumerate(lines) if not line), len(lines))
        block, lines = lines[:size], lines[size:]
        if max(len(STYLED.sub("", line)) for line in block) <= width:
            parts += block
        elif size > 1:
            parts += _table(block, width)
        else:
            parts += wrap_line(block[0], width, len(block[0]) - len(block[0].lstrip()) + 2)
    return "\n".join(parts)


def wrap_line(line: str, width: int, indent: int) -> list[str]:
    from .prose import wrap_text

    indent = min(indent, width // 2)
    first, *others = filter(str.strip, wrap_text(line, width - indent, width))
    return [first.rstrip(), *(f"{' ' * indent}{other.strip()}" for other in others)]


def _table(block: Sequence[str], width: int) -> Iterator[str]:
    """A wide table as several tables of at most `width` cells; a word wider than that is broken in
    its column.
    """
    rows = [line.ljust(len(block[1])) for line in (block[0], *block[2:])]
    starts = [
        at
        for at in range(2, len(block[1]))
        if all(row[at - 2 : at] == "  " for row in rows) and any(row[at] != " " for row in rows)
    ]
    bounds = [0, *starts, len(block[1])]
    spans = [*itertools.pairwise(bounds)]
    names = 1
    while _room(spans[: names + 1]) <= width // 2 and _alike(rows[1:], spans[names][0]):
        names += 1
    columns = spans[names:]
    while columns:
        some = [*spans[:names], columns.pop(0)]
        while columns and _room([*some, columns[0]]) <= width + 2:
            some.append(columns.pop(0))
        lines = ["".join(row[slice(*span)] for span in some).rstrip() for row in rows]
        rule = "─" * min(width, max(map(len, lines)))
        for line in (lines[0], rule, *lines[1:]):
            yield from wrap_line(line, width, _room(some[:-1]))
        if columns:
            yield ""


def _alike(rows: Sequence[str], end: int) -> bool:
    """True if some rows begin alike up to this place."""
    return len({row[:end] for row in rows}) < len(rows)


def _room(columns: Sequence[tuple[int, int]]) -> int:
    """The width of some columns, with the gap behind each."""
    return sum(end - start for start, end in columns)
