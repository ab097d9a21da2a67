"""The shapes of marks, dot by dot."""

from __future__ import annotations

from typing import Final, TypeAlias

from .bands import BLANK, BRAILLE

Shape: TypeAlias = tuple[str, ...]
"""The dots of a mark, line by line from the top, with the value's own dot in the middle."""

SHAPES: Final[dict[str, tuple[Shape, Shape]]] = {
    "●": ((".###.", "#####", "#####", "#####", ".###."), ("###", "###", "###")),
    "△": (("..#..", ".#.#.", ".#.#.", "#...#", "#####"), (".#.", ".#.", "###")),
    "□": (("#####", "#...#", "#...#", "#...#", "#####"), ("###", "#.#", "###")),
    "◇": (("..#..", ".#.#.", "#...#", ".#.#.", "..#.."), ("..#..", "#...#", "..#..")),
    "+": (("..#..", "..#..", "#####", "..#..", "..#.."), ("..#..", "#####", "..#..")),
    "▽": (("#####", "#...#", ".#.#.", ".#.#.", "..#.."), ("###", ".#.", ".#.")),
    "×": (("#...#", ".#.#.", "..#..", ".#.#.", "#...#"), ("#.#", ".#.", "#.#")),
    "○": ((".###.", "#...#", "#...#", "#...#", ".###."), (".#.", "#.#", ".#.")),
    "◆": (("..#..", ".###.", "#####", ".###.", "..#.."), ("#", "#", "#", "#", "#")),
    "≡": (("#####", ".....", "#####", ".....", "#####"), ("###", "...", "###")),
    "H": (("#...#", "#...#", "#####", "#...#", "#...#"), ("#.#", "###", "#.#")),
    "Z": (("#####", "...#.", "..#..", ".#...", "#####"), ("##.", ".#.", ".##")),
    "∙": ((".#.", "###", ".#."), (".#.", "###", ".#.")),
}  # fmt: skip
"""The shapes of a mark by the character that names it: where there is room, and where little."""
DOT: Final[tuple[Shape, Shape]] = (("#",), ("#",))
"""Those of a character that is a dot itself."""
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


def around(shape: Shape) -> list[tuple[int, int]]:
    """The steps, up and across, from each dot of a mark to those that are cleared with it.

    Marks stand apart from lines; ticks stand too near each other for that.
    """
    if shape in TICKS[1:]:
        return [(0, 0)]
    lines = (0,) if shape == TICKS[0] else (-1, 0, 1)
    return [(high, right) for high in lines for right in (-1, 0, 1)]
