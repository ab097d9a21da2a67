"""Marks in the dots of the lines: a shape around the dot of its value, not a whole cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from ..rows import Canvas
from .bands import BLANK, BRAILLE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .axes import Floats, Scale

SHAPES: Final[dict[str, tuple[str, ...]]] = {
    "●": (".###.", "#####", ".###."),
    "▲": ("..#..", ".###.", "#####"),
    "■": ("###", "###", "###"),
    "◆": (".#.", "###", ".#."),
    "×": ("#...#", ".#.#.", "..#..", ".#.#.", "#...#"),
    "○": ("###", "#.#", "###"),
    "◇": (".#.", "#.#", ".#."),
    "+": ("..#..", "..#..", "#####", "..#..", "..#.."),
    "▽": ("#####", ".###.", "..#.."),
}
"""The dots of a mark by the character that names it in legends, its value in the middle."""
TICK: Final = ("#", "#", "#")
"""The dots of one of many marks that would cover each other."""
REACH: Final = 2, 2
"""The dots that a mark needs beside its value, and above and below it."""
NEAR: Final = 2
"""Marks at most this number of dots apart, across and up, cover each other."""


Marked: TypeAlias = "tuple[str, Floats, str]"
"""The character that names a mark, the points that have it, in box units, and its style."""


def stamp(canvas: Canvas, marked: Sequence[Marked], x: Scale, y: Scale) -> None:
    """Draw the marks of each series; the dots next to a mark are cleared of what is there."""
    import numpy as np

    last = np.array([y.last, x.last])
    places = [np.floor(points[:, ::-1] * last + 0.5).astype(int) for _, points, _ in marked]
    taken = np.zeros((y.last + 1 + 2 * NEAR, x.last + 1 + 2 * NEAR), dtype=bool)
    for up, across in (place.T for place in places):
        taken[up + NEAR, across + NEAR] = True
    for (glyph, _, style), (up, across) in zip(marked, (each.T for each in places), strict=True):
        shape = TICK if _crowded(up, across, taken) else SHAPES.get(glyph, ("#",))
        _draw(canvas, shape, up, across, style, x, y)


def ticked(points: Floats, y: Scale) -> Floats:
    """The dots of the ticks around points, which are in box units: for clouds below the lines."""
    import numpy as np

    step = 1 / max(1, y.last)
    dots = [points + np.array((0.0, up * step)) for up in (-1, 0, 1)]
    inside: Floats = np.clip(np.concatenate(dots), 0, 1)
    return inside


def _draw(
    canvas: Canvas,
    shape: tuple[str, ...],
    up: NDArray[np.int_],
    across: NDArray[np.int_],
    style: str,
    x: Scale,
    y: Scale,
) -> None:
    """Draw a shape around each of these dots, counted from the bottom left."""
    import numpy as np

    high, right = np.nonzero([[char == "#" for char in line] for line in reversed(shape)])
    rows = (up[:, None] + high - len(shape) // 2).reshape(-1)
    columns = (across[:, None] + right - len(shape[0]) // 2).reshape(-1)
    drawn = _bits(rows, columns, x, y)
    cleared = drawn
    if shape is not TICK:
        beside = np.array([(high, right) for high in (-1, 0, 1) for right in (-1, 0, 1)])
        cleared = _bits(
            (rows[:, None] + beside[:, 0]).reshape(-1),
            (columns[:, None] + beside[:, 1]).reshape(-1), x, y,
        )  # fmt: skip
    for row, column in zip(*(each.tolist() for each in np.nonzero(cleared)), strict=True):
        below, mark = canvas.chars[row][column], int(drawn[row, column])
        bits = ord(below) - BLANK if below >= chr(BLANK) else 0
        bits = (bits & ~int(cleared[row, column])) | mark
        canvas.chars[row][column] = chr(BLANK + bits) if bits else " "
        if mark or not bits:
            canvas.styles[row][column] = style if bits else ""


def _crowded(up: NDArray[np.int_], across: NDArray[np.int_], taken: NDArray[np.bool_]) -> bool:
    """True where most of these dots have a mark near in another column, of any series.

    taken : the dots of all marks, `NEAR` more on each side.
    """
    import numpy as np

    near = np.zeros(len(up), dtype=bool)
    for right in (*range(-NEAR, 0), *range(1, NEAR + 1)):
        for high in range(-NEAR, NEAR + 1):
            near |= taken[up + NEAR + high, across + NEAR + right]
    return bool(2 * near.sum() > len(near))


def _bits(
    rows: NDArray[np.int_], columns: NDArray[np.int_], x: Scale, y: Scale
) -> NDArray[np.uint8]:
    """The bits of a braille character for each cell, row by row from the top, of these dots."""
    import numpy as np

    inside = (columns >= 0) & (columns <= x.last) & (rows >= 0) & (rows <= y.last)
    rows, columns = rows[inside], columns[inside]
    bits = np.zeros((y.cells, x.cells), dtype=np.uint8)
    place = y.cells - 1 - rows // y.dots, columns // x.dots
    weights = np.array(BRAILLE, dtype=np.uint8)
    np.bitwise_or.at(bits, place, weights[columns % x.dots, rows % y.dots])
    return bits
