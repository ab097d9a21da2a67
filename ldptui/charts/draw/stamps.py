"""Marks in the dots of the lines: a shape around the dot of its value, not a whole cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from ..rows import Canvas
from .bands import BLANK, BRAILLE
from .shapes import Shape, box

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .axes import Floats, Scale

REACH: Final = 1.0, 1.0
"""The dots that a mark needs beside its value, and above and below it."""


Marked: TypeAlias = "tuple[Shape, Floats, str]"
"""A shape, the points that have it, in box units, and its style."""


def stamp(canvas: Canvas, marked: Sequence[Marked], x: Scale, y: Scale) -> None:
    """Draw the marks of each series; what lies below a mark is cleared."""
    import numpy as np

    last = np.array([y.last, x.last])
    for shape, points, style in marked:
        up, across = np.floor(points[:, ::-1] * last + 0.5).astype(int).T
        _draw(canvas, shape, up, across, style, x, y)


def spread(points: Floats, shape: Shape, y: Scale) -> Floats:
    """The dots of ticks around points, which are in box units: for clouds below the lines."""
    import numpy as np

    step, middle = 1 / max(1, y.last), len(shape) // 2
    dots = [
        points + np.array((0.0, (line - middle) * step))
        for line, char in enumerate(shape)
        if char == "#"
    ]
    inside: Floats = np.clip(np.concatenate(dots), 0, 1)
    return inside


def _draw(
    canvas: Canvas,
    shape: Shape,
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
    below_it = np.array(box(shape))
    hidden = (up[:, None] + below_it[:, 0], across[:, None] + below_it[:, 1])
    cleared = _bits(hidden[0].reshape(-1), hidden[1].reshape(-1), x, y)
    places = np.nonzero(cleared)
    masks = (each[places].tolist() for each in (drawn, cleared))
    for row, column, mark, mask in zip(*(each.tolist() for each in places), *masks, strict=True):
        below = canvas.chars[row][column]
        bits = ord(below) - BLANK if below >= chr(BLANK) else 0
        bits = (bits & ~mask) | mark
        canvas.chars[row][column] = chr(BLANK + bits) if bits else " "
        if mark or not bits:
            canvas.styles[row][column] = style if bits else ""


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
