"""Marks in the dots of the raster: where they stand, and what is left of what they cover."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ldptui.charts.draw import draw
from ldptui.charts.draw.bands import BLANK, BRAILLE
from ldptui.charts.draw.plots import Area, area_of
from ldptui.charts.draw.stamps import SHAPES, TICK
from ldptui.charts.rows import ANSI_DARK, DARK, MARKERS, Palette
from ldptui.charts.series import Axis, Plot, Series, Tone

WIDTH, HEIGHT = 60, 20
TONES: tuple[Tone, ...] = ("series-0", "series-2", "attacked", "clean", "series-3", "true")


def plot_of(*series: Series) -> Plot:
    return Plot("", Axis("x", low=0.0, high=1.0), Axis("y", low=0.0, high=1.0), series)


def area(plot: Plot, palette: Palette = DARK) -> Area:
    found = area_of(plot, WIDTH, HEIGHT, palette, "braille")
    assert isinstance(found, Area)
    return found


def place(at: Area, column: int) -> float:
    """The value at a column of dots."""
    return at.x.low + column / at.x.last * (at.x.high - at.x.low)


def fraction(at: Area, x: float, y: float) -> tuple[float, float]:
    """The dots of a point, across and up, before they are rounded."""
    across, up = at.x.unit_of(x), at.y.unit_of(y)
    assert across is not None
    assert up is not None
    return across * at.x.last, up * at.y.last


def dots(plot: Plot) -> set[tuple[int, int]]:
    """The dots of the data area, across and up from its corner."""
    at, drawn = area(plot), draw(plot, WIDTH, HEIGHT, DARK)
    found = set()
    for row in range(at.y.cells):
        line = drawn[len(at.heading) + row].text[at.margin + 1 :]
        for column, char in enumerate(line):
            for side, bits in enumerate(BRAILLE) if char >= chr(BLANK) else ():
                found |= {
                    (2 * column + side, 4 * (at.y.cells - 1 - row) + up)
                    for up, bit in enumerate(bits)
                    if (ord(char) - BLANK) & bit
                }
    return found


@pytest.mark.parametrize("tone", TONES)
def test_a_mark_is_true_to_the_dot_of_its_value_and_a_sign_is_not(tone: Tone) -> None:
    """The middle of the dots is the value's own dot; a whole cell is up to two dots from it."""
    rng, shape = np.random.default_rng(0), SHAPES[MARKERS[tone]]
    off_cell = []
    for x, y in rng.uniform(0.1, 0.9, (20, 2)):
        plot = plot_of(Series("s", [x], [y], tone, "points", legend=False))
        at = area(plot)
        ideal = fraction(at, x, y)
        found = dots(plot)
        assert len(found) == sum(line.count("#") for line in shape)
        middle = [sum(place[side] for place in found) / len(found) for side in (0, 1)]
        assert max(abs(middle[side] - ideal[side]) for side in (0, 1)) <= 0.5 + 1e-9
        sign = draw(plot, WIDTH, HEIGHT, ANSI_DARK)
        rows = [strip.text for strip in sign[len(at.heading) :]]
        row = next(row for row, text in enumerate(rows) if MARKERS[tone] in text)
        ideal = fraction(area(plot, ANSI_DARK), x, y)
        off_cell.append(abs(4 * (at.y.cells - 1 - row) + 1.5 - ideal[1]))
    assert 1.0 < max(off_cell) <= 2.0


def test_a_mark_clears_the_dots_next_to_it_and_no_others() -> None:
    line = Series("line", [0.0, 1.0], [0.5, 0.5], "theory")
    marked = plot_of(line, Series("s", [0.5], [0.5], "attacked", "points"))
    at = area(marked)
    x, y = at.x.dot(0.5), at.y.dot(0.5)
    cross = {(x + by, y + sign * by) for by in range(-2, 3) for sign in (1, -1)}
    found = dots(marked)
    assert {(across, up) for across, up in found if abs(across - x) <= 3} == cross
    assert {across for across, _ in found} >= {*range(2, x - 3), *range(x + 4, at.x.last - 1)}


@pytest.mark.parametrize("tone", TONES)
def test_marks_on_the_limits_of_the_axes_are_whole(tone: Tone) -> None:
    """The first and last values of a sweep, which are the limits of its axis."""
    shape = SHAPES[MARKERS[tone]]
    found = dots(plot_of(Series("s", [0.0, 1.0], [0.0, 1.0], tone, "points")))
    assert len(found) == 2 * sum(line.count("#") for line in shape)


def test_marks_that_would_cover_each_other_are_ticks() -> None:
    """Each of many estimates in a row shows by its own column of dots."""
    at = area(plot_of(Series("s", [0.5], [0.5], "clean", "points")))
    columns = [20, 21, 23, 26, 27, 40]
    xs = [place(at, column) for column in columns]
    found = dots(plot_of(Series("s", xs, [0.5] * len(xs), "clean", "points")))
    assert sorted({across for across, _ in found}) == columns
    assert len(found) == len(columns) * len(TICK)
    assert math.isclose(sum(up for _, up in found) / len(found), at.y.dot(0.5))


def test_every_tone_has_a_shape_of_its_own_or_is_a_dot() -> None:
    glyphs = [glyph for glyph in dict.fromkeys(MARKERS.values()) if glyph not in "·∙"]
    assert set(glyphs) == set(SHAPES)
    assert len({*SHAPES.values(), TICK}) == len(SHAPES) + 1
    for shape in (*SHAPES.values(), TICK):
        assert (len(shape) % 2, {len(line) % 2 for line in shape}) == (1, {1})  # it has a middle


def test_series_that_take_turns_hide_none_of_their_marks() -> None:
    """Every mark of three series keeps its column, as those of targets over many rounds."""
    at = area(plot_of(Series("s", [0.5], [0.5], "clean", "points")))
    columns = list(range(4, at.x.last - 4, 2))
    turns = [
        Series(tone, [place(at, column) for column in columns[turn::3]],
               [0.5] * len(columns[turn::3]), tone, "points", cloud=False)
        for turn, tone in enumerate(("series-0", "series-1", "series-2"))
    ]  # fmt: skip
    assert sorted({across for across, _ in dots(plot_of(*turns))}) == columns
