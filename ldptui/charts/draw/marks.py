"""The marks that stand for the series of a plot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..rows import (
    ASCII_MARKERS,
    MARKERS,
    Charset,
)
from ..series import Plot

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


DOTS: dict[Charset, tuple[int, int]] = {"ascii": (1, 1), "block": (2, 2), "braille": (2, 4)}

_RASTER: dict[Charset, str] = {"block": "hd", "braille": "braille"}

_CLOUDS: dict[Charset, str] = {"block": "▞", "braille": "⡪"}

_SPARE = "●×■▲◆+◇○"

_ASCII_SPARE = "ox#+%@^&$"

# Lines: dots on and off along the line, and what the legend shows; the first is unbroken.
_SOLID: list[tuple[tuple[int, ...], str]] = [
    ((), "──"), ((6, 4), "╴╶"), ((7, 3, 1, 3), "─·"), ((12, 5), "╸╺"), ((3, 3), "╌╌"),
]  # fmt: skip

_DOTTED: list[tuple[tuple[int, ...], str]] = [
    ((1, 2), "┄┄"), ((1, 4), "··"), ((1, 1, 1, 5), "∙∙"),
    ((3, 3, 1, 3), "╴·"),
]  # fmt: skip

_ASCII_SOLID = "*=~-_"

_ASCII_DOTTED = ".:',"


@dataclass(frozen=True)
class Mark:
    """The look of one series: `glyph` for points (or an ASCII line), `dashes` for lines.

    `dashes` are dots on and off in turn, () an unbroken line; `sample` is the legend's. Higher
    layers are drawn over lower ones: 0 clouds of glyphs, 1 a cloud of dots, 2 lines, 3 points.
    """

    glyph: str
    sample: str
    dashes: tuple[int, ...] = ()
    layer: int = 2


def marks_of(plot: Plot, charset: Charset, width: int) -> list[Mark]:
    """A mark for each series of the plot, no two the same.

    The first series with more points than columns is a cloud of dots where there are dots.
    """
    plain = charset == "ascii"
    markers, spare = (ASCII_MARKERS, _ASCII_SPARE) if plain else (MARKERS, _SPARE)
    used: set[str] = set()
    lines = {"line": 0, "dotted": 0}
    marks: list[Mark] = []
    for series in plot.series:
        if series.style == "points":
            cloud = series.cloud and len(series.x) > width
            if cloud and not plain and not any(mark.layer == 1 for mark in marks):
                # The second cloud shows by its own glyphs where the first one is not.
                marks.append(Mark(_RASTER[charset], _CLOUDS[charset], layer=1))
                continue
            glyph = markers[series.tone]
            if glyph in used:
                glyph = next((s for s in spare if s not in used), glyph)
            used.add(glyph)
            marks.append(Mark(glyph, glyph, layer=0 if cloud else 3))
            continue
        if series.style == "band":
            marks.append(Mark("", ":" if plain else _CLOUDS[charset], layer=1))
            continue
        if not len(series.x):  # it names lines in the legend, and is none
            marks.append(Mark("", "--" if plain else "──"))
            continue
        index = lines[series.style]
        lines[series.style] += 1
        if plain:
            glyphs = _ASCII_SOLID if series.style == "line" else _ASCII_DOTTED
            glyph = glyphs[index % len(glyphs)]
            marks.append(Mark(glyph, glyph * 2))
        else:
            patterns = _SOLID if series.style == "line" else _DOTTED
            dashes, sample = patterns[index % len(patterns)]
            marks.append(Mark(_RASTER[charset], sample, dashes))
    return marks
