"""Names in a sentence; sentences and formulas in lines of a given width."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from rich.cells import cell_len

_BREAK: Final = re.compile(r"(?<![=<>≤−+±·/]) (?!(?<=\d )(?:\d{3}(?!\d)|%)|= [-+]?\d)")
"""Blanks where a line may end: not inside a number, not after a sign, not before a value or %."""


def either(names: Sequence[str]) -> str:
    """The names as a choice: "olh, lh or loloha"."""
    return " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def wrap_text(text: str, width: int, first: int | None = None) -> list[str]:
    """The text in lines of at most `width` cells, the first one of at most `first`.

    Words longer than a line stay whole. A group of three digits and a % stay with their number, a
    relation sign with the word after it.
    """
    lines: list[str] = []
    room = width if first is None else first
    for word in _BREAK.split(text):
        if lines and cell_len(lines[-1]) + 1 + cell_len(word) <= room:
            lines[-1] += f" {word}"
        elif not lines and first is not None and cell_len(word) > first:
            lines += ["", word]
            room = width
        else:
            room = width if lines else room
            lines.append(word)
    return lines


def first_lines(text: str, width: int, most: int) -> list[str]:
    """The first `most` lines of the wrapped text, with an ellipsis after a word if
    there are more.
    """
    lines = wrap_text(text, width)
    if len(lines) > most:
        words = lines[most - 1].split(" ")
        while len(words) > 1 and cell_len(" ".join(words)) > width - 2:
            words.pop()
        lines[most - 1] = f"{' '.join(words)} …"
    return lines[:most]


def plain(text: str) -> str:
    """The text without control characters that plug-in code may have written."""
    lines = (line.expandtabs(4) for line in text.rstrip().splitlines())
    return "\n".join("".join(c if c.isprintable() else "?" for c in line) for line in lines)
