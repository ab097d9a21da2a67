"""Marks in the dots of the raster: where they stand, and what is left of what they cover."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest
from msgspec.structs import replace
from support import bit_cases, chart_cases, round_cases

from ldptui.charts import curves, figures
from ldptui.charts.draw import draw
from ldptui.charts.draw.area import Area, area_of
from ldptui.charts.draw.marks import alike, marks_of
from ldptui.charts.draw.shapes import BLANK, BRAILLE, DOT, SHAPES, TICKS, Shape, in_braille
from ldptui.charts.figures import bits
from ldptui.charts.figures import rounds as over_time
from ldptui.charts.figures.trials import trials_plot
from ldptui.charts.rows import ANSI_DARK, DARK, MARKERS, Charset, Look, Palette
from ldptui.charts.series import Axis, Panels, Plot, Series, Tone
from ldptui.core.view import TrialEstimates

WIDTH, HEIGHT = 60, 20
TONES: tuple[Tone, ...] = (
    "true", "clean", "attacked", "theory", "target", "muted",
    "series-0", "series-1", "series-2", "series-3", "series-4", "series-5",
)  # fmt: skip
PALETTES = pytest.mark.parametrize("palette", [DARK, ANSI_DARK], ids=["colours", "none"])
Dots = set[tuple[int, int]]


def plot_of(*series: Series) -> Plot:
    return Plot("", Axis("x", low=0.0, high=1.0), Axis("y", low=0.0, high=1.0), series)


def area(plot: Plot, palette: Palette = DARK, width: int = WIDTH, height: int = HEIGHT) -> Area:
    drawn = area_of(plot, Look(width, height, palette))
    assert isinstance(drawn, Area)
    return drawn


def place(at: Area, column: int) -> float:
    """The value at a column of dots."""
    return at.x.low + column / at.x.last * (at.x.high - at.x.low)


def fraction(at: Area, x: float, y: float) -> tuple[float, float]:
    """The dots of a point, across and up, before they are rounded."""
    across, up = at.x.unit_of(x), at.y.unit_of(y)
    assert across is not None
    assert up is not None
    return across * at.x.last, up * at.y.last


def dots(plot: Plot, palette: Palette = DARK, width: int = WIDTH, height: int = HEIGHT) -> Dots:
    """The dots of the data area, across and up from its corner."""
    at, drawn = area(plot, palette, width, height), draw(plot, Look(width, height, palette))
    places = set()
    for row in range(at.y.cells):
        line = drawn[len(at.heading) + row].text[at.margin + 1 :][: at.x.cells]
        for column, char in enumerate(line):
            for side, weights in enumerate(BRAILLE) if char >= chr(BLANK) else ():
                places |= {
                    (2 * column + side, 4 * (at.y.cells - 1 - row) + up)
                    for up, bit in enumerate(weights)
                    if (ord(char) - BLANK) & bit
                }
    return places


def shape_at(shape: Shape, across: int, up: int) -> Dots:
    """The dots of a shape around one."""
    return {
        (across + right - len(line) // 2, up + len(shape) // 2 - down)
        for down, line in enumerate(shape)
        for right, char in enumerate(line)
        if char == "#"
    }


def points_of(at: Area, series: Series) -> Iterator[tuple[int, int]]:
    """The dots of the points of a series that are on the axes."""
    for x, y in zip(series.x, series.y, strict=False):
        across, up = at.x.unit_of(float(x)), at.y.unit_of(float(y))
        if across is not None and up is not None:
            yield at.x.dot(across), at.y.dot(up)


@pytest.mark.every(5)
@PALETTES
@pytest.mark.parametrize("tone", TONES)
def test_a_mark_is_true_to_the_dot_of_its_value(tone: Tone, palette: Palette) -> None:
    """The middle of its dots is the value's own dot; that of a whole cell is up to two away."""
    rng, shape = np.random.default_rng(0), SHAPES.get(MARKERS[tone], DOT)
    off_cell = []
    for x, y in rng.uniform(0.1, 0.9, (20, 2)):
        plot = plot_of(Series("s", [x], [y], tone, "points", legend=False))
        ideal, drawn = fraction(area(plot, palette), x, y), dots(plot, palette)
        assert len(drawn) == sum(line.count("#") for line in shape)
        ends = [[min(dot[side] for dot in drawn), max(dot[side] for dot in drawn)]
                for side in (0, 1)]  # fmt: skip
        assert max(abs(sum(ends[side]) / 2 - ideal[side]) for side in (0, 1)) <= 0.5 + 1e-9
        off_cell.append(abs(ideal[1] - (4 * (ideal[1] // 4) + 1.5)))
    assert 1.0 < max(off_cell) <= 2.5


SEEN = TrialEstimates(
    items=(3, 5, 7), labels=("three", "five", "seven"), targets=1, true=(0.02, 0.3, 0.1),
    arms={
        "clean": tuple(tuple(mean + 0.01 * at for at in range(9)) for mean in (0.0, 0.28, 0.07)),
        "attacked": tuple(tuple(mean + 0.01 * at for at in range(9)) for mean in (0.1, 0.2, 0.05)),
    },
    expected={"clean": ((0.02, 0.01), (0.3, 0.01), (0.1, 0.01))},
)  # fmt: skip


def charts() -> Iterator[tuple[str, Plot]]:
    """Plots with marks, of every figure that has some."""
    made = chart_cases.scenario()
    estimates = chart_cases.estimates(made, shift=0.01)
    variable = curves.axes(made)[0]
    gain = figures.gain_plot(figures.Over(curves.gain_and_lines(made, variable), (), variable))
    xs = [float(x) for x in np.linspace(*_ends(gain), 9)]
    measured = [Series(tone, xs, [0.3 + 0.1 * at + x for x in xs], tone, "points", [0.05] * 9)
                for at, tone in enumerate(TONES[6:9])]  # fmt: skip
    yield "gain", Plot(gain.title, gain.x, gain.y, (*gain.series, *measured), gain.levels)
    yield "ranks", figures.rank_plot(estimates)
    yield "residuals", figures.residuals(estimates, 30)
    labels, rounds = round_cases.LABELS, round_cases.ROUNDS
    yield "timeline", replace(over_time.estimates(rounds, labels), cursor=3.0)
    yield "timeline of one", replace(over_time.estimates(rounds, labels, 0), cursor=3.0)
    yield "gain by round", replace(over_time.gain(rounds, round_cases.GAIN), cursor=3.0)
    yield "ranks by round", replace(over_time.ranks(rounds, labels, 12, 3), cursor=3.0)
    yield "trials", trials_plot(SEEN, 3)
    yield "a trial", trials_plot(SEEN, 3, 4)
    yield "bits", bits.bit_plot(bit_cases.BITS, 0, 10, attacked=True)


def _ends(plot: Plot) -> tuple[float, float]:
    xs = [float(x) for series in plot.series for x in series.x]
    return min(xs), max(xs)


PLOTS = dict(charts())


@pytest.mark.every(3)
@PALETTES
@pytest.mark.parametrize(("width", "height"), [(76, 16), (120, 34)])
@pytest.mark.parametrize("name", PLOTS)
def test_the_marks_of_every_chart_stand_on_their_values(
    name: str, width: int, height: int, palette: Palette
) -> None:
    """The dots of each are set, but where one drawn later is next to them: nothing is moved."""
    plot = PLOTS[name]
    at, lit = area(plot, palette, width, height), dots(plot, palette, width, height)
    drawn = [
        (mark.shape, set(points_of(at, series)))
        for series, mark in zip(plot.series, at.marks, strict=True)
        if mark.layer == 3
    ]
    inside = {(across, up) for across in range(at.x.last + 1) for up in range(at.y.last + 1)}
    later: Dots = set()
    for shape, places in reversed(drawn):
        for across, up in places:
            hidden = (shape_at(shape, across, up) & inside) - lit
            assert all(any(max(abs(a - c), abs(b - d)) <= 3 for c, d in later) for a, b in hidden)
        later |= places
    assert later or not drawn


@PALETTES
@pytest.mark.parametrize("apart", [(1, 1), (0, 2), (3, 0), (4, -1)])
def test_of_two_near_values_neither_is_moved(apart: tuple[int, int], palette: Palette) -> None:
    tones: tuple[Tone, Tone] = ("attacked", "series-0")
    at, x, y = area(plot_of(Series("s", [0.5], [0.5], "true", "points")), palette), 50, 30
    steps = [(scale.high - scale.low) / scale.last for scale in (at.x, at.y)]
    values = [
        [scale.low + (dot + by) * step
         for scale, dot, by, step in zip((at.x, at.y), (x, y), away, steps, strict=True)]
        for away in ((0, 0), apart)
    ]  # fmt: skip
    plot = plot_of(
        *(Series(tone, [v], [w], tone, "points", legend=False)
          for tone, (v, w) in zip(tones, values, strict=True))
    )  # fmt: skip
    below = shape_at(SHAPES["×"], x, y)
    above = shape_at(SHAPES["●"], x + apart[0], y + apart[1])
    box = {(x + apart[0] + c, y + apart[1] + d) for c in (-1, 0, 1) for d in (-1, 0, 1)}
    assert dots(plot, palette) == above | (below - box)


def test_a_line_runs_over_a_mark_and_whiskers_show_above_and_below_it() -> None:
    line = Series("line", [0.0, 1.0], [0.5, 0.5], "theory")
    marked = plot_of(line, Series("s", [0.5], [0.5], "attacked", "points", [0.2]))
    at, drawn = area(marked), dots(marked)
    x, y = (scale.dot(scale.unit_of(0.5) or 0.0) for scale in (at.x, at.y))
    cross = {(x + by, y + sign * by) for by in range(-1, 2) for sign in (1, -1)}
    box = {(x + c, y + d) for c in (-1, 0, 1) for d in (-1, 0, 1)}
    level = {(across, y) for across in range(1, at.x.last)}
    assert drawn & box == (cross | level) & box
    assert level <= drawn
    low, high = (at.y.dot(at.y.unit_of(end) or 0.0) for end in (0.3, 0.7))
    assert {up for across, up in drawn - level if across == x} - {y} >= {
        up for up in range(low, high + 1) if abs(up - y) > 1
    }


@pytest.mark.parametrize("tone", TONES)
def test_marks_on_the_limits_of_the_axes_are_whole(tone: Tone) -> None:
    """The first and last values of a sweep, which are the limits of its axis."""
    shape = SHAPES.get(MARKERS[tone], DOT)
    drawn = dots(plot_of(Series("s", [0.0, 1.0], [0.0, 1.0], tone, "points")))
    cut = 2 * max(0, len(shape) // 2 - 1)  # a tall mark may lose a dot
    assert len(drawn) >= 2 * sum(line.count("#") for line in shape) - cut


def test_marks_that_would_cover_each_other_are_ticks() -> None:
    """Each of many estimates in a row shows by its own column of dots."""
    at = area(plot_of(Series("s", [0.5], [0.5], "clean", "points")))
    columns = [20, 21, 23, 26, 27, 29, 40]
    xs = [place(at, column) for column in columns]
    drawn = dots(plot_of(Series("s", xs, [0.5] * len(xs), "clean", "points", cloud=False)))
    assert sorted({across for across, _ in drawn}) == columns
    assert len(drawn) == len(columns)
    assert len({up for _, up in drawn}) == 1


@pytest.mark.parametrize(("marks", "size"), [(9, "shape"), (24, "shape"), (60, "tick")])
def test_a_legend_has_the_shape_that_is_drawn(marks: int, size: str) -> None:
    """That of the sign where there is room, else a tick, and the same for both."""
    xs = [float(x) for x in np.linspace(0, 1, marks)]
    plot = plot_of(
        *(Series(tone, xs, [height] * marks, tone, "points", cloud=False)
          for tone, height in (("series-1", 0.3), ("attacked", 0.7)))
    )  # fmt: skip
    for mark, glyph in zip(marks_of(plot, Look(WIDTH, 0, DARK, "braille")), "△×", strict=True):
        assert mark.sample == in_braille(SHAPES[glyph] if size == "shape" else mark.shape)
        assert (mark.shape in TICKS) == (size == "tick")
        drawn = dots(plot)
        assert sum(line.count("#") for line in mark.shape) * marks <= len(drawn)


def test_few_marks_among_many_keep_a_shape_of_their_own() -> None:
    """The true frequencies among those of many trials."""
    plot = PLOTS["trials"]
    both = zip(plot.series, marks_of(plot, Look(WIDTH, 0, DARK, "braille")), strict=True)
    marks = {series.label: mark for series, mark in both if series.style == "points"}
    assert marks["before"].shape in TICKS
    assert marks["after"].shape in TICKS
    assert marks["true"].shape == SHAPES["◆"]
    assert len({mark.sample for mark in marks.values()}) == len(marks)


def test_every_tone_has_a_shape_of_its_own_or_is_a_dot() -> None:
    glyphs = [glyph for glyph in dict.fromkeys(MARKERS.values()) if glyph != "·"]
    assert set(glyphs) <= set(SHAPES)
    assert len({*SHAPES.values(), *TICKS}) == len([*SHAPES, *TICKS])
    for shape in (*SHAPES.values(), *TICKS):
        assert (len(shape) % 2, {len(line) % 2 for line in shape}) == (1, {1})  # it has a middle
    # A legend shows four lines of dots.
    assert len({in_braille(shape) for shape in SHAPES.values()}) == len(SHAPES)


@pytest.mark.parametrize("charset", ["ascii", "braille"])
def test_twelve_series_have_twelve_marks_and_more_are_told(charset: Charset) -> None:
    """Twice as many as there are colours, as of attacks with a defence and without."""
    tones = TONES[6:] * 2
    plot = plot_of(
        *(Series(f"{at}", [0.1], [0.1], tone, "points") for at, tone in enumerate(tones))
    )
    marks = marks_of(plot, Look(WIDTH, 0, DARK, charset))
    assert len({mark.sample for mark in marks}) == len(tones)
    assert alike(plot, marks, Look(WIDTH, 0, ANSI_DARK)) == ""
    more = plot_of(*plot.series, *plot.series[:3])
    told = alike(more, marks_of(more, Look(WIDTH, 0, DARK, charset)), Look(WIDTH, 0, ANSI_DARK))
    assert told.endswith("of 15 series have the mark of another one, f picks")
    text = "".join(strip.text for strip in draw(more, Look(100, 30, ANSI_DARK, charset)))
    assert told in text


def test_series_that_take_turns_hide_none_of_their_marks() -> None:
    """Every mark of three series keeps its column, as those of targets over many rounds."""
    at = area(plot_of(Series("s", [0.5], [0.5], "clean", "points")))
    columns = list(range(4, at.x.last - 4, 2))
    turns = [
        Series(tone, [place(at, column) for column in columns[turn::3]],
               [0.5] * len(columns[turn::3]), tone, "points", cloud=False)
        for turn, tone in enumerate(TONES[6:9])
    ]  # fmt: skip
    assert sorted({across for across, _ in dots(plot_of(*turns))}) == columns


@PALETTES
def test_lines_are_dim_beside_marks_where_no_colour_tells_them_apart(palette: Palette) -> None:
    line = Series("line", [0.0, 1.0], [0.2, 0.2], "theory")
    for plot, dim in (
        (plot_of(line), False),
        (plot_of(line, Series("s", [0.5], [0.8], "attacked", "points")), palette is ANSI_DARK),
    ):
        styles = [segment.style for strip in draw(plot, Look(WIDTH, HEIGHT, palette))
                  for segment in strip if "⠒" in segment.text or "⠉" in segment.text
                  or "⣀" in segment.text or "⠤" in segment.text]  # fmt: skip
        assert styles
        assert {bool(style and style.dim) for style in styles} == {dim}


def test_a_panel_and_the_legend_above_it_have_marks_of_one_size() -> None:
    xs = [float(x) for x in np.linspace(0.1, 0.9, 12)]
    plot = plot_of(Series("s", xs, xs, "series-1", "points"))
    panels = Panels("t", (plot, plot, plot))
    wide, narrow = ("".join(strip.text for strip in draw(panels, Look(width, 20, ANSI_DARK)))
                    for width in (190, 90))  # fmt: skip
    assert all(f"{in_braille(SHAPES['△'])} s" in text for text in (wide, narrow))
    assert math.isclose(len(wide), 190 * 20)
