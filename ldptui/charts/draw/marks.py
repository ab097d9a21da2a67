"""The marks that stand for the series of a plot."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from ..rows import (
    ASCII_MARKERS,
    MARKERS,
    Charset,
    Look,
)
from ..series import Plot, Series
from .axes import Scale, floats, limits
from .shapes import DOT, SHAPES, TICKS, Shape, in_braille

if TYPE_CHECKING:
    from .axes import Floats

DOTS: dict[Charset, tuple[int, int]] = {"ascii": (1, 1), "braille": (2, 4)}

_CLOUD: Final = "⡪"

_SPARE = "●×□△◆+◇○▽≡HZ"

_ASCII_SPARE = "ox#+%@^&$=HZ"

SHAPED: Final = 4
"""Dots from one mark to the next from which on each has a shape; else it is a tick."""
LONE: Final = 6
"""No more places than this are too near each other."""
FEW: Final = 2
"""A series with this number of times fewer marks than another one has few."""

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


class Mark(Struct, frozen=True):
    """The look of one series: `glyph` for points (or an ASCII line), `dashes` for lines.

    `dashes` are dots on and off in turn, () an unbroken line; `shape` is that of points in braille;
    `sample` is the legend's. Higher layers are drawn over lower ones: 0 clouds of glyphs or ticks,
    1 a cloud of dots, 2 lines, 3 points.
    """

    glyph: str
    sample: str
    dashes: tuple[int, ...] = ()
    layer: int = 2
    shape: Shape = ()


def marks_of(plot: Plot, look: Look) -> list[Mark]:
    """A mark for each series of the plot, no two the same, in a picture of this width.

    The first series with more points than columns is a cloud of dots where there are dots.
    """
    plain = look.charset == "ascii"
    points = iter(_of_points(plot, look))
    lines = {"line": 0, "dotted": 0}
    marks: list[Mark] = []
    for series in plot.series:
        if series.style == "points":
            marks.append(next(points))
        elif series.style == "band":
            marks.append(Mark("", ":" if plain else _CLOUD, layer=1))
        elif series.style == "floor":
            marks.append(Mark("", ".." if plain else _CLOUD * 2, layer=1))
        elif not len(series.x):  # it names lines in the legend, and is none
            marks.append(Mark("", "--" if plain else "──"))
        else:
            marks.append(_of_line(series.style, lines[series.style], look))
            lines[series.style] += 1
    return marks


def _of_line(style: str, index: int, look: Look) -> Mark:
    """The mark of the next line of a style."""
    if look.charset == "ascii":
        glyphs = _ASCII_SOLID if style == "line" else _ASCII_DOTTED
        glyph = glyphs[index % len(glyphs)]
        return Mark(glyph, glyph * 2)
    patterns = _SOLID if style == "line" else _DOTTED
    dashes, sample = patterns[index % len(patterns)]
    return Mark("braille", sample, dashes)


def _of_points(plot: Plot, look: Look) -> list[Mark]:
    """The marks of the series of points."""
    plain = look.charset == "ascii"
    markers, spare = (ASCII_MARKERS, _ASCII_SPARE) if plain else (MARKERS, _SPARE)
    series = [each for each in plot.series if each.style == "points"]
    clouds = [each.cloud and len(each.x) > look.width for each in series]
    single = [each for each, cloud in zip(series, clouds, strict=True) if not cloud]
    ticked = iter(_ticked(plot, single, look.width) if look.charset == "braille" else ())
    ticks, used = iter(TICKS), set[str]()
    marks: list[Mark] = []
    for each, cloud in zip(series, clouds, strict=True):
        if cloud and not plain and not any(mark.layer == 1 for mark in marks):
            # The second cloud shows by its own glyphs where the first one is not.
            marks.append(Mark("braille", _CLOUD, layer=1))
            next(ticks)  # a single dot, as those of the cloud
            continue
        glyph = markers[each.tone]
        if glyph in used:
            glyph = next((s for s in spare if s not in used), glyph)
        used.add(glyph)
        layer = 0 if cloud else 3
        if look.charset != "braille":
            marks.append(Mark(glyph, glyph, layer=layer))
            continue
        tick = cloud or next(ticked)
        shape = next(ticks, TICKS[-1]) if tick else SHAPES.get(glyph, DOT)
        marks.append(Mark(glyph, in_braille(shape), layer=layer, shape=shape))
    return marks


def _ticked(plot: Plot, series: Sequence[Series], width: int) -> list[bool]:
    """True for each series whose marks are ticks, for want of room from one to the next.

    A series with few marks among many keeps a shape, and leaves the ticks of others in sight.
    """
    longest = max((len(each.x) for each in series), default=0)
    ends = limits(plot.x, [floats(each.x) for each in plot.series])
    if ends is None:
        return [False] * len(series)
    x = Scale(*ends, plot.x.log, width, DOTS["braille"][0], plot.x.linear)
    pitches: dict[int, float] = {}  # by the length of a series
    ticked = []
    for size in (len(each.x) for each in series):
        if size not in pitches:
            near = [floats(other.x) for other in series if len(other.x) < FEW * size]
            pitches[size] = _pitch(near, x)
        ticked.append(FEW * size > longest and pitches[size] < SHAPED)
    return ticked


def _pitch(places: Sequence[Floats], x: Scale) -> float:
    """The dots across from a mark at these places to the next one, in the middle of all."""
    import numpy as np

    units = x.unit(np.concatenate(places)) if places else np.empty(0)
    dots = sorted(set(np.round(units[np.isfinite(units)] * x.last).tolist()))
    gaps = sorted(after - before for before, after in pairwise(dots))
    return gaps[len(gaps) // 2] if len(gaps) >= LONE else math.inf


def style_in(plot: Plot, series: Series, look: Look) -> str:
    """The style of a series: where colours do not tell all apart, lines behind points are dim."""
    style = look.palette.style(series.tone)
    if (
        look.palette.coloured
        or series.style not in ("line", "dotted")
        or style == look.palette.muted
    ):
        return style
    marked = any(each.style == "points" for each in plot.series)
    return f"dim {style}" if marked else style


def alike(plot: Plot, marks: Sequence[Mark], look: Look) -> str:
    """A sentence where there are more series of points than marks; colours count if there are."""
    looks = [
        (mark.shape or mark.glyph, look.palette.coloured and series.tone)
        for series, mark in zip(plot.series, marks, strict=True)
        if series.style == "points" and mark.layer == 3
    ]
    more = len(looks) - len(set(looks))
    return f"{more} of {len(looks)} series have the mark of another one, f picks" if more else ""
