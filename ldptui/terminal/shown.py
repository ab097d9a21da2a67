"""The characters of a line that a terminal is shown, whichever widget draws it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from typing import Final

from rich.cells import get_character_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter

from ldptui.core.base.errors import one_line

from ..text.format import shortened, to_ascii

SPELLED: Final = {char: to_ascii(char) for char in "αβγδεϵηθλμπρστφχω±≤≥…→∞"}
"""Signs that are words in ASCII."""
ROOM: Final = " ─━"


class Shown(LineFilter):
    """Lets through the characters that a terminal prints.

    Data may hold others: control characters, separators of lines, marks of direction. One that
    takes a cell leaves a question mark there, one that takes none leaves nothing.
    """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002
        if all(segment.text.isprintable() for segment in segments):
            return segments
        return [
            Segment("".join(map(_shown, segment.text)), segment.style, segment.control)
            for segment in segments
        ]


class Spelled(LineFilter):
    """Spells signs out where there is room beside them: `budget ε    1`, `budget eps  1`.

    Room are spaces, and the rule of a border behind or before its words.

    The line keeps its width, and all that has no such room stays as it is.
    """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002
        if not any(char in SPELLED for segment in segments for char in segment.text):
            return segments
        if any(segment.control for segment in segments):
            return segments
        cells = [(char, segment.style) for segment in segments for char in segment.text]
        at = 0
        while at < len(cells):
            if cells[at][0] in SPELLED:
                at = _spell(cells, at)
            at += 1
        return [
            Segment("".join(char for char, _ in run), style)
            for style, run in groupby(cells, key=itemgetter(1))
        ]


def _spell(cells: list[tuple[str, Style | None]], at: int) -> int:
    """Put the word for the sign at this place, if there is room; the place of its end."""
    char, style = cells[at]
    word = SPELLED[char]
    for letters in (word, shortened(word)):
        more = len(letters) - 1
        before = _spaces(cells, at - more - 1, at)
        gap = next((end for end in range(at + 1, len(cells)) if _gap(cells, end, more)), None)
        if before > more:
            del cells[at - more : at]
            at -= more
        elif gap is not None:
            del cells[gap : gap + more]
        else:
            continue
        cells[at : at + 1] = [(letter, style) for letter in letters]
        return at + more
    return at


def _gap(cells: Sequence[tuple[str, Style | None]], start: int, most: int) -> bool:
    """True if there is room for this number of cells from here, and for one more that stays."""
    return _spaces(cells, start, start + most + 1) == most + 1


def _spaces(cells: Sequence[tuple[str, Style | None]], start: int, end: int) -> int:
    """The spaces, or the cells of a rule, from `start` to `end`; 0 where that leaves the line."""
    inside = start >= 0 and end <= len(cells)
    chars = [char for char, _ in cells[start:end]] if inside else []
    return max((chars.count(char) for char in ROOM), default=0)


def _shown(char: str) -> str:
    return char if char.isprintable() else one_line(char) * get_character_cell_size(char)
