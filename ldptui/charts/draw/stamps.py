"""Marks in the dots of the lines: a shape around the dot of its value, not a whole cell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

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
    "×": ("#.#", ".#.", "#.#"),
    "○": ("###", "#.#", "###"),
    "◇": (".#.", "#.#", ".#."),
    "+": ("..#..", "..#..", "#####", "..#..", "..#.."),
    "▽": ("#####", ".###.", "..#.."),
}
"""The dots of a mark by the character that names it in legends, its value in the middle."""
TICK: Final = ("#", "#", "#")
"""The dots of one of many marks that would cover each other."""
NEAR: Final = 2
"""Marks at most this number of dots apart, across and up, cover each other."""


def stamp(canvas: Canvas, glyph: str, points: Floats, style: str, x: Scale, y: Scale) -> None:
    """Draw a mark at each point, in box units; the dots next to it are cleared of what is there."""
    import numpy as np

    across = np.floor(points[:, 0] * x.last + 0.5).astype(int)
    up = np.floor(points[:, 1] * y.last + 0.5).astype(int)
    shape = TICK if _crowded(across, up) else SHAPES.get(glyph, ("#",))
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


def _crowded(across: NDArray[np.int_], up: NDArray[np.int_]) -> bool:
    """True where most marks would cover another one."""
    import numpy as np

    if len(across) < 2:
        return False
    order = np.lexsort((across, up))
    columns, rows = across[order], up[order]
    near = (np.abs(np.diff(columns)) <= NEAR) & (np.abs(np.diff(rows)) <= NEAR)
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
