"""The shapes of marks, dot by dot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from ..rows import Row

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .axes import Floats, Scale


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


BLANK: Final = 0x2800
"""The braille character without a dot."""
BRAILLE: Final = ((0x40, 0x04, 0x02, 0x01), (0x80, 0x20, 0x10, 0x08))
"""The bits of a braille character: left and right column of dots, from the bottom up."""


def band_cells(bars: Floats, x: Scale, y: Scale) -> Iterator[tuple[int, int, str, bool]]:
    """The cells of a band: row from the top, column, character, and True where the mean is.

    bars : float64[n, 4], x, mean, low and high end of each measurement, in box units. Every other
    dot of the interval is set, and each dot of the line through the means.
    """
    import numpy as np

    bars = bars[bars[:, 0].argsort(kind="stable")]
    if len(bars) < 2:
        return
    first, last = (int(np.floor(u * x.last + 0.5)) for u in bars[[0, -1], 0])
    at = np.arange(first, last + 1)
    mean, low, high = (
        np.floor(np.interp(at / max(1, x.last), bars[:, 0], bars[:, side]) * y.last + 0.5)
        for side in (1, 2, 3)
    )
    before = np.r_[mean[0], mean[:-1]]
    level = np.arange(y.last + 1)[:, None]
    line = (level >= np.where(mean > before, before + 1, mean)) & (
        level <= np.where(mean < before, before - 1, mean)
    )
    inside = (level >= low) & (level <= high) & ((level + at) % 2 == 0)
    dots = np.zeros((2, y.cells * y.dots, x.cells * x.dots), dtype=bool)
    dots[:, : y.last + 1, first : last + 1] = inside | line, line
    cells, means = dots.reshape(2, y.cells, y.dots, x.cells, x.dots).transpose(0, 1, 3, 4, 2)
    on_line = means.any(axis=(2, 3))
    for row, column in zip(*np.nonzero(cells.any(axis=(2, 3))), strict=True):
        char = _char(cells[row, column].tolist())
        yield y.cells - 1 - int(row), int(column), char, bool(on_line[row, column])


def floor_cells(lines: Floats, x: Scale, y: Scale) -> Iterator[tuple[int, int, str]]:
    """The cells below a curve: row from the top, column, character; one dot of four is set.

    lines : float64[n, 4], the segments of the curve in box units. On an axis with a zero the cells
    between zero and the curve, else those down to the edge.
    """
    import numpy as np

    if not len(lines):
        return
    corners = lines.reshape(-1, 2)
    corners = corners[corners[:, 0].argsort(kind="stable")]
    first, last = (int(np.floor(u * x.last + 0.5)) for u in corners[[0, -1], 0])
    at = np.arange(first, last + 1)
    high = np.floor(np.interp(at / max(1, x.last), *corners.T) * y.last + 0.5)
    zero = None if y.log else y.unit_of(0.0)
    level = np.arange(y.last + 1)[:, None]
    bottom = 0 if zero is None else y.dot(zero)
    spread = (at + 2 * (level % 2)) % 4 == 0 if y.dots > 1 else at % 2 == 0
    dots = np.zeros((y.cells * y.dots, x.cells * x.dots), dtype=bool)
    dots[: y.last + 1, first : last + 1] = (level >= bottom) & (level < high) & spread
    cells = dots.reshape(y.cells, y.dots, x.cells, x.dots).transpose(0, 2, 3, 1)
    for row, column in zip(*np.nonzero(cells.any(axis=(2, 3))), strict=True):
        char = _char(cells[row, column].tolist())
        yield y.cells - 1 - int(row), int(column), "." if char == ":" else char


def _char(dots: list[list[bool]]) -> str:
    """The character with these dots: left and right column, each from the bottom up."""
    if len(dots) == 1:  # a cell is one dot
        return ":"
    bits = sum(
        bit for side, column in zip(dots, BRAILLE, strict=True)
        for on, bit in zip(side, column, strict=True) if on
    )  # fmt: skip
    return chr(BLANK + bits)


REACH: Final = 1.0, 1.0
"""The dots that a mark needs beside its value, and above and below it."""


Marked: TypeAlias = "tuple[Shape, Floats, str]"
"""A shape, the points that have it, in box units, and its style."""


def stamp(cells: Sequence[Row], marked: Sequence[Marked], x: Scale, y: Scale) -> None:
    """Draw the marks of each series; what lies below a mark is cleared."""
    import numpy as np

    last = np.array([y.last, x.last])
    for shape, points, style in marked:
        up, across = np.floor(points[:, ::-1] * last + 0.5).astype(int).T
        _draw(cells, shape, up, across, style, x, y)


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
    cells: Sequence[Row],
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
        below, colour = cells[row][column]
        bits = ord(below) - BLANK if below >= chr(BLANK) else 0
        bits = (bits & ~mask) | mark
        cells[row][column] = (chr(BLANK + bits), style if mark else colour) if bits else (" ", "")


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
