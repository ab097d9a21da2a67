"""The shapes of marks, dot by dot."""

from __future__ import annotations

from typing import Final, TypeAlias

from .bands import BLANK, BRAILLE

Shape: TypeAlias = tuple[str, ...]
"""The dots of a mark, line by line from the top, with the value's own dot in the middle."""

SHAPES: Final[dict[str, Shape]] = {
    "●": ("###", "###", "###"),
    "△": (".#.", ".#.", "###"),
    "□": ("###", "#.#", "###"),
    "◇": (".##", "#.#", "##."),
    "+": (".#.", "###", ".#."),
    "▽": ("###", ".#.", ".#."),
    "×": ("#.#", ".#.", "#.#"),
    "○": (".#.", "#.#", ".#."),
    "◆": ("#", "#", "#", "#", "#"),
    "≡": ("###", "...", "###"),
    "H": ("#.#", "###", "#.#"),
    "Z": ("##.", ".#.", ".##"),
    "∙": ("#.#", "...", "#.#"),
}  # fmt: skip
"""The shape of a mark by the character that names it: three dots high and wide, so that the
whiskers of an interval are seen above and below it."""
DOT: Final[Shape] = ("#",)
"""The shape of a character that is a dot itself."""
TICKS: Final[tuple[Shape, ...]] = (
    ("#",), ("#", "#", "#"), ("#", ".", "#"), ("###",),
)  # fmt: skip
"""The shapes of marks where wider ones would cover each other, one for each series."""


def in_braille(shape: Shape) -> str:
    """The shape in one row of braille, for legends: its first four lines of dots."""
    lines = ["", *shape] if len(shape) == 1 else shape[:4]
    bits = [0] * -(-len(shape[0]) // 2)
    for down, line in enumerate(lines):
        for across, char in enumerate(line):
            if char == "#":
                bits[across // 2] |= BRAILLE[across % 2][3 - down]
    return "".join(chr(BLANK + each) for each in bits)


def box(shape: Shape) -> list[tuple[int, int]]:
    """The steps, up and across, from the middle of a mark to the dots that it covers.

    A mark covers its box, so that its shape is seen over whiskers and other marks; a tick covers
    its own dots alone.
    """
    whole = shape not in TICKS
    return [
        (len(shape) // 2 - down, right - len(line) // 2)
        for down, line in enumerate(shape)
        for right, char in enumerate(line)
        if whole or char == "#"
    ]
