"""Columns in groups, and groups in blocks of the terminal's width."""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from typing import Final
from unicodedata import combining, east_asian_width

from msgspec import Struct
from msgspec.structs import force_setattr, replace

from ldptui.core.base.errors import one_line
from ldptui.core.base.summary import Estimate

from ..format import to_ascii

GAP: Final = "   "


def room_of(words: str) -> int:
    """The number of terminal cells of a text: two for a wide character, none for a
    combining mark.
    """
    if words.isascii():
        return len(words)
    return sum(0 if combining(c) else 1 + (east_asian_width(c) in "WF") for c in words)


def _has_greek() -> bool:
    """True unless the encoding of standard output lacks ε."""
    try:
        "ε".encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


class TextColumn(Struct, frozen=True):
    """One column of a table: its head and its cells, padded to one width."""

    head: str
    cells: tuple[str, ...]
    words: bool = False
    width: int = 0

    def __post_init__(self) -> None:
        """Replace characters that would steer the terminal or end a line, and set the column's
        width.

        If standard output has no Greek, the words get the length of their ASCII spelling.
        """
        spelled = one_line if _has_greek() else lambda cell: to_ascii(one_line(cell))
        force_setattr(self, "head", spelled(self.head))
        force_setattr(self, "cells", tuple(map(spelled, self.cells)))
        force_setattr(self, "width", max(map(room_of, (self.head, *self.cells))))

    def place_cell(self, cell: str) -> str:
        blank = " " * (self.width - room_of(cell))
        return f"{cell}{blank}" if self.words else f"{blank}{cell}"


class ColumnGroup(Struct, frozen=True):
    """Columns under one title, which are not separated.

    estimates : the estimates whose z-scores the columns show, by row.
    """

    title: str
    columns: tuple[TextColumn, ...]
    estimates: tuple[Estimate, ...] = ()

    @property
    def width(self) -> int:
        inner = sum(column.width for column in self.columns) + 2 * (len(self.columns) - 1)
        return max(inner, len(self.title))


class Style(Struct, frozen=True):
    """The emphasis of lines: escape sequences, or none."""

    colour: bool = False

    def make_strong(self, line: str) -> str:
        return f"\x1b[1m{line}\x1b[0m" if self.colour and line.strip() else line

    def make_faint(self, line: str) -> str:
        return f"\x1b[2m{line}\x1b[0m" if self.colour and line.strip() else line


def in_blocks(
    keys: ColumnGroup, groups: Sequence[ColumnGroup], width: int
) -> list[list[ColumnGroup]]:
    """The groups in blocks of at most `width` cells, each block beginning with the keys."""
    blocks: list[list[ColumnGroup]] = []
    room = 0
    for group in groups:
        if not blocks or group.width + len(GAP) > room:
            blocks.append([keys])
            room = width - keys.width
        blocks[-1].append(group)
        room -= group.width + len(GAP)
    return blocks


def lines_of(
    groups: Sequence[ColumnGroup], width: int, style: Style, breaks: Collection[int] = ()
) -> list[str]:
    """The lines of a table of groups, in blocks with an empty line between them."""
    keys, *others = groups
    lines: list[str] = []
    for block in in_blocks(keys, others, width):
        lines += [*([""] if lines else []), *block_lines(block, style, breaks)]
    return lines


def narrow_groups(groups: Sequence[ColumnGroup], room: int) -> list[ColumnGroup]:
    """The groups, with too wide ones split into several of fewer columns."""
    narrow = []
    for group in groups:
        parts: list[list[TextColumn]] = [[]]
        for column in group.columns:
            if parts[-1] and ColumnGroup("", (*parts[-1], column)).width > room:
                parts.append([])
            parts[-1].append(column)
        narrow += [replace(group, columns=tuple(part)) for part in parts]
    return narrow


def plain_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table, with a head for each column, as lines of text."""
    lines = block_lines([words_group(heads, rows)], Style())
    return "\n".join(line.rstrip() for line in lines) + "\n"


def words_group(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> ColumnGroup:
    """A group of columns of text."""
    columns = (
        TextColumn(head, tuple(row[place] for row in rows), words=True)
        for place, head in enumerate(heads)
    )
    return ColumnGroup("", tuple(columns))


def block_lines(
    groups: Sequence[ColumnGroup], style: Style, breaks: Collection[int] = ()
) -> list[str]:
    """The lines of groups side by side: titles, heads, a rule, the rows; an empty line before each
    row in `breaks`.
    """
    lines = []
    if any(group.title for group in groups):
        lines.append(
            style.make_strong(GAP.join(group.title.ljust(group.width) for group in groups))
        )
    lines.append(
        style.make_strong(
            GAP.join(
                "  ".join(column.place_cell(column.head) for column in group.columns).ljust(
                    group.width
                )
                for group in groups
            )
        )
    )
    lines.append(style.make_faint(GAP.join("─" * group.width for group in groups)))
    for row in range(len(groups[0].columns[0].cells)):
        if row in breaks:
            lines.append("")
        parts = []
        for group in groups:
            cells = []
            for column in group.columns:
                cell = column.place_cell(column.cells[row])
                cells.append(style.make_faint(cell) if column.head == "theory" else cell)
            inner = sum(column.width for column in group.columns) + 2 * (len(cells) - 1)
            parts.append("  ".join(cells) + " " * (group.width - inner))
        lines.append(GAP.join(parts))
    return lines


def align_words(words: Sequence[str], mark: str = ".") -> tuple[str, ...]:
    """The numbers padded to one width with their decimal points aligned.

    A percent sign does not count as part of its number.
    """
    parts = []
    for word in words:
        whole = len(word.removesuffix(" %"))
        end = word.find(mark) if mark in word else word.find("e") if "e" in word else whole
        parts.append((word[:end], word[end:]))
    before = max((len(left) for left, _ in parts), default=0)
    after = max((len(right) for _, right in parts), default=0)
    return tuple(left.rjust(before) + right.ljust(after) for left, right in parts)
