"""Bands, dot by dot: measurements as the line of their means within their intervals; floors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from .axes import Floats, Scale

BLANK: Final = 0x2800
"""The braille character without a dot."""
BRAILLE: Final = ((0x40, 0x04, 0x02, 0x01), (0x80, 0x20, 0x10, 0x08))
"""The bits of a braille character: left and right column of dots, from the bottom up."""
QUADRANTS: Final = " ▖▘▌▗▄▚▙▝▞▀▛▐▟▜█"
"""The block characters by their dots: 1 left below, 2 left above, 4 right below, 8 right above."""


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
    if len(dots[0]) == 2:
        (a, b), (c, d) = dots
        return QUADRANTS[a + 2 * b + 4 * c + 8 * d]
    bits = sum(
        bit for side, column in zip(dots, BRAILLE, strict=True)
        for on, bit in zip(side, column, strict=True) if on
    )  # fmt: skip
    return chr(BLANK + bits)
