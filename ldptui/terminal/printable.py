"""The characters that a terminal is shown: what data holds must not steer it."""

from __future__ import annotations

from rich.cells import get_character_cell_size
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from ldptui.core.base.errors import one_line


class PrintableFilter(LineFilter):
    """A filter that removes characters which a terminal does not print.

    These are control characters, line separators and marks of direction. A question mark replaces
    one that takes a cell.
    """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002
        if all(segment.text.isprintable() for segment in segments):
            return segments
        return [
            Segment("".join(map(_printable, segment.text)), segment.style, segment.control)
            for segment in segments
        ]


def _printable(char: str) -> str:
    return char if char.isprintable() else one_line(char) * get_character_cell_size(char)
