"""Letters on paper: the widths of words, the columns of a legend, and powers of ten."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

from ...text import format as fmt

SIZE: Final = 7.0
"""Points of all letters of a figure at the width at which it is printed."""
LINE: Final = 1.25 * SIZE
"""Points from one line of a text to the next."""
_RAISED: Final = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"


@cache
def width_of(text: str) -> float:
    """The width of a text in points, in matplotlib's own font."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(family="DejaVu Sans", size=SIZE)
    return float(text_to_path.get_text_width_height_descent(text, font, False)[0])


def fill_lines(text: str, room: float) -> str:
    """The text broken into lines of at most `room` points."""
    return "\n".join(_lines(text.split(" "), room)).replace("\u00a0", " ")


def balance_lines(text: str, room: float) -> str:
    """The text broken into as few lines of at most `room` points as needed, of about
    equal length.
    """
    words = text.split(" ")
    lines = _lines(words, room)
    widest = max(map(width_of, words))
    while len(lines) > 1 and (room := 0.97 * room) > widest:
        narrower = _lines(words, room)
        if len(narrower) > len(lines):
            break
        lines = narrower
    return "\n".join(lines)


def _lines(words: Sequence[str], room: float) -> list[str]:
    lines = [words[0]]
    for word in words[1:]:
        longer = f"{lines[-1]} {word}"
        if width_of(longer) <= room:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def protect_spaces(text: str) -> str:
    """The text with its spaces made non-breaking, so that `fill_lines` keeps it on one line."""
    return text.replace(" ", "\u00a0")


def in_columns(labels: Sequence[str], handle: float, room: float) -> tuple[int, list[int]]:
    """The number of legend columns that fit into `room` points, and the order of the entries.

    matplotlib fills the columns of a legend downwards; in this order it reads along its rows.
    handle : the points that an entry takes besides its letters.
    """
    for columns in range(len(labels), 0, -1):
        parts = [range(first, len(labels), columns) for first in range(columns)]
        taken = sum(handle + max(width_of(labels[at]) for at in part) for part in parts)
        if taken <= room:
            break
    return columns, [at for part in parts for at in part]


def with_powers(label: str) -> str:
    """A tick label with its superscript digits as matplotlib's powers of ten."""
    parts = re.fullmatch(f"(.*?)(10)([{_RAISED}]+)", label)
    if parts is None:
        return label
    power = "".join("0123456789-"[_RAISED.index(sign)] for sign in parts[3])
    return rf"$\mathdefault{{{parts[1].strip()}10^{{{power}}}}}$"


def tick(value: float, _: object = None) -> str:
    """The text of a tick, short, with a real minus sign."""
    return fmt.short(value).replace("-", "−")
