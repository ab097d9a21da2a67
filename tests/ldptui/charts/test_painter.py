"""The painter of every chart: exact sizes, true places, even ticks, whole words."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from msgspec.structs import replace
from rich.cells import cell_len

from ldptui.charts.draw import draw, panels, place_at
from ldptui.charts.draw.canvas import Canvas, clip_line, thin_line
from ldptui.charts.draw.marks import marks_of
from ldptui.charts.draw.plot_layout import lay_out
from ldptui.charts.draw.scale import bend, fit_scale, unbend
from ldptui.charts.rows import ANSI_DARK, DARK, LIGHT, Charset, ChartPalette, Look, Row
from ldptui.charts.series import Axis, Bar, Bars, Chart, Grid, Panels, Plot, Rest, Series

NAN, INF = math.nan, math.inf
CHARSETS: tuple[Charset, ...] = ("ascii", "braille")
X, Y = Axis("x"), Axis("y")


def rows(
    chart: Chart,
    width: int,
    height: int,
    charset: Charset = "braille",
    palette: ChartPalette = DARK,
) -> list[str]:
    return [strip.text for strip in draw(chart, Look(width, height, palette, charset))]


LINE = Plot("Line", X, Y, (Series("a", [0, 1, 2, 3], [0, 1, 2, 3], "series-0", end="a"),))
POINTS = Plot(
    "Points", Axis("n", log=True), Axis("MSE", log=True),
    (Series("東京 ε", [1, 10, 100], [1, 0.1, 0.01], "series-0", "points", [0.5, 0.05, 0.02]),),
    levels=((0.1, "limit"),), note="a note of some words; " * 9, cursor=10.0,
)  # fmt: skip
BARS = Bars(
    "Items", (Bar("a", 0.5, 0.1, 0.4), Bar("東京都庁", 0.25, 0.05, 0.3, 0.1, True),
              Bar("c", -0.2, 0.05, -0.1, -0.1, finding="missed")),
    unit="share", rest=Rest(97, 2, 0.25, 0.5), note="note", others=(("run 2", "series-1"),),
)  # fmt: skip
GRID = Grid(
    "Gain", "r", "c", ("a", "b", "cc"), ("x", "y"), ((0.0, 0.25), (-0.5, 1.0), (None, 0.75)),
    inside=((True, False), (True, False), (True, True)), line="both are in", cursor=("b", "y"),
)  # fmt: skip
PANELS = Panels("Two", (replace(LINE, title="one"), replace(LINE, title="two")), note="said")
HARD = [
    Plot("hard", X, Axis("y", **kind), (Series("s", xs, ys, "series-0", style, error, end="s"),))
    for ys, kind in itertools.product(
        ([NAN] * 4, [1, INF, -INF, NAN], [1e300, -1e300, 1, 0], [1e-300, 0, -1e-310, 2e-300],
         [2.0] * 4, [-5, -4, -1, -3], [3.0], []),
        ({}, {"log": True}, {"linear": 1e-3}, {"low": 0.0}, {"low": 1.0, "high": 1.0},
         {"ticks": ((1.0, "a"), (2.0, "b")), "low": 0.5, "high": 2.5}),
    )
    for style, error in (("line", None), ("points", [0.1, NAN, INF, -1]), ("band", [1.0] * 4),
                         ("floor", None), ("dotted", None))
    for xs in (list(range(len(ys))),)
]  # fmt: skip


@pytest.mark.parametrize("charset", CHARSETS)
def test_every_picture_has_its_exact_size_and_charset(charset: Charset) -> None:
    charts: list[Chart] = [LINE, POINTS, BARS, GRID, PANELS]
    charts += HARD[:: 7 if charset == "ascii" else 5]
    for chart, (width, height), palette in itertools.product(
        charts, [(0, 0), (1, 1), (7, 3), (30, 9), (78, 20)], (DARK, ANSI_DARK)
    ):
        drawn = rows(chart, width, height, charset, palette)
        assert [cell_len(row) for row in drawn] == [width] * height
        assert charset != "ascii" or all(row.isascii() for row in drawn)
        for x, y in itertools.product(range(0, width, 9), range(0, height, 4)):
            place_at(chart, x, y, Look(width, height, palette, charset))


def test_a_line_is_drawn_dot_by_dot_and_named_at_its_end() -> None:
    assert rows(LINE, 30, 12) == [
        "Line                          ",
        "y                         ── a",
        "3┤                         ⣀⠤⠒",
        " │                    ⢀⡠⠔⠒⠉   ",
        "2┤                ⣀⠤⠒⠊⠁       ",
        " │           ⢀⡠⠔⠒⠉            ",
        "1┤       ⣀⠤⠒⠊⠁                ",
        " │  ⢀⡠⠔⠒⠉                     ",
        "0┤⠐⠊⠁                         ",
        " └┬────────┬────────┬────────┬",
        "  0        1        2        3",
        "               x              ",
    ]
    assert any(row.rstrip().endswith(" a") for row in rows(LINE, 60, 9)[2:4])
    assert sum(row.count("*") for row in rows(LINE, 30, 9, "ascii")) >= 27


@pytest.mark.parametrize(("log", "linear"), [(False, 0.0), (True, 0.0), (False, 1e-2)])
def test_ticks_stand_at_their_values_and_linear_ones_equally_far_apart(
    log: bool, linear: float
) -> None:
    rng = np.random.default_rng(5)
    for cells in range(6, 60, 3):
        low, span = rng.uniform(-2, 2), rng.uniform(2, 7)
        ends = (10**low, 10 ** (low + span)) if log else (low, low + span)
        scale = fit_scale(Axis("", log=log, linear=linear), [np.array(ends)], cells, 3)
        assert scale is not None
        gaps = {b - a for (a, _), (b, _) in itertools.pairwise(scale.ticks)}
        assert min(gaps, default=3) >= 3
        assert all(-0.5 <= place < cells for place in scale.places(ends))
        if log or linear:  # the data fill the axis
            assert scale.places(ends[-1]) == pytest.approx(cells - 1)
        else:
            assert len(gaps) == 1
        for cell, label in scale.ticks:
            if "⁻" not in label and "¹" not in label and "10" not in label:
                off = 0.5 if log or linear else 1e-6
                assert scale.places(float(label)) == pytest.approx(cell, abs=off)


def test_a_log_axis_ends_with_its_data_and_has_ticks_between_few_powers() -> None:
    wide = fit_scale(Axis("", log=True), [np.array([1.6, 80.0])], 190, 9)
    assert wide is not None
    assert wide.value(wide.cells - 1) < 100
    assert [label for _, label in wide.ticks] == ["2", "3", "5", "10", "20", "30", "50"]
    low = fit_scale(Axis("", log=True), [np.array([0.006, 0.07])], 7, 2)
    assert low is not None
    assert [label for _, label in low.ticks] == ["0.01", "0.03"]


def test_a_symlog_axis_is_linear_around_zero_and_logarithmic_beyond() -> None:
    values = [-0.1, -1e-2, -5e-3, 0.0, 5e-3, 1e-2, 1.0]
    bent = bend(values, log=False, linear=1e-2)
    assert bent == pytest.approx([-2, -1, -0.5, 0, 0.5, 1, 3])
    assert [unbend(each, log=False, linear=1e-2) for each in bent] == pytest.approx(values)
    for cells in (5, 9, 20):  # the greatest powers have ticks, as near each other as they must be
        scale = fit_scale(Axis("", linear=1e-2, low=-0.02, high=20.0), [], cells, 2)
        labels = [label for _, label in scale.ticks] if scale else []
        assert [*labels[:2], labels[-1]] == ["-0.01", "0", "10"]


def test_a_place_is_the_value_that_is_drawn_there() -> None:
    for plot in (POINTS, LINE):
        look = Look(70, 20, DARK)
        at = lay_out(plot, look)
        assert at is not None
        for x, y in zip(plot.series[0].x, plot.series[0].y, strict=True):
            column = at.margin + round(at.x.place(float(x)))
            row = len(at.head) + at.y.cells - 1 - round(at.y.place(float(y)))
            place = place_at(plot, column, row, look)
            assert isinstance(place, tuple)
            assert abs(at.x.place(float(place[0])) - at.x.place(float(x))) <= 0.5 + 1e-6
            assert abs(at.y.place(float(place[1])) - at.y.place(float(y))) <= 0.5 + 1e-6
        assert place_at(plot, 0, 0, look) is None


def test_whiskers_end_where_their_intervals_do_and_leave_the_mark_free() -> None:
    canvas = Canvas(9, 11, Look(9, 11, DARK))
    places = np.array([4.0]), np.array([5.0])
    canvas.marks(*places, np.array([2.0]), np.array([9.0]), "white", "●", "")
    drawn = ["".join(text for text, _ in row) for row in canvas.rows()]
    filled = [at for at, row in enumerate(drawn) if row.strip()]
    assert filled == list(range(11 - 1 - 9, 11 - 1 - 2 + 1))
    log = Plot("", X, Axis("y", log=True, low=0.1, high=10), (
        Series("a", [1.0], [1.0], "series-0", "points", [2.0]),))  # fmt: skip
    assert rows(log, 40, 12)[-4].strip(" │└┤0123456789.-⁻¹") != ""  # down to the edge


def test_a_band_fills_its_interval_and_a_floor_the_cells_without_anything_else() -> None:
    xs = [float(x) for x in range(10)]
    band = Series("", xs, [5.0] * 10, "true", "band", [2.0] * 10)
    axes = Axis("", low=0.0, high=9.0), Axis("", low=0.0, high=10.0)
    drawn = rows(Plot("", *axes, (band,)), 24, 13)
    at = lay_out(Plot("", *axes, (band,)), Look(24, 13, DARK))
    assert at is not None
    low, high = (at.y.cells - 1 - round(at.y.place(y)) for y in (3.0, 7.0))
    assert all((max(row[4:20]) > "⠀") == (high <= n <= low) for n, row in enumerate(drawn[:11]))
    floor = Series("no server", xs, [5.0] * 10, "muted", "floor")
    line = Series("a", xs, [2.0] * 10, "series-0")
    both, alone = (rows(Plot("", *axes, each), 24, 13) for each in ((floor, line), (line,)))
    own = [row for row in alone if "⠤" in row or "⣀" in row or "⠒" in row or "⠉" in row]
    assert any(row[4:18] in each for row in own for each in both)


def test_lines_of_one_plot_have_dashes_of_their_own_in_colours_too() -> None:
    lines = tuple(Series(f"s{n}", [0, 1], [n, n + 1], "series-0") for n in range(5))
    samples = [mark.sample for mark in marks_of(Plot("", X, Y, lines), Look(60, 20, DARK))]
    assert len(set(samples)) == 5
    drawn = rows(Plot("", X, Y, (lines[0], replace(lines[1], x=[0, 1], y=[3, 3]))), 60, 20)
    assert any(" ⠒" in row or "⠒ " in row or "⠤ " in row for row in drawn)


@pytest.mark.parametrize("number", range(5))
def test_dashes_join_nothing_that_a_gap_parts(number: int) -> None:
    first = tuple(Series(f"s{n}", [0, 1], [4, 4], "series-0") for n in range(number))
    apart = Series("apart", [0, 0.3, NAN, 0.7, 1], [3, 3, NAN, 1, 1], "series-1")
    drawn = rows(Plot("", X, Y, (*first, apart)), 60, 20)
    middle = [row[30:34] for row in drawn if row[:9].strip().endswith(("│", "┤"))]
    assert sum(bool(cells.strip()) for cells in middle[3:]) == 0


def test_names_of_lines_that_end_together_share_a_row_and_carry_their_marks() -> None:
    def line(name: str, end: float) -> tuple[Series, ...]:
        tone = "series-0" if name == "OUE" else "series-1" if name == "OLH" else "series-2"
        return (
            Series(name, [0, 1], [0, end], tone, legend=False, end=name),
            Series(name, [0, 1], [0, end], tone, "points"),
        )

    chart = Plot("t", X, Y, (*line("OUE", 1.0), *line("OLH", 1.001), *line("GRR", 0.2)))
    drawn = rows(chart, 80, 16)
    assert any(row.rstrip().endswith("△ OLH, ● OUE") for row in drawn)
    assert any(row.rstrip().endswith("□ GRR") for row in drawn)
    assert "OUE" not in drawn[1]  # no entry of the legend is left
    assert "● OUE" in " ".join(rows(chart, 40, 16)[:4])  # without room at the ends
    assert drawn[0].split() == ["t", "●", "under", "□△"]


def test_more_points_than_columns_are_dots_and_others_have_their_mark() -> None:
    x = np.linspace(0, 1, 500)
    near = Series("before", x, x, "clean", "points")
    few = Series("after", [0.5], [0.5], "attacked", "points")
    marks = marks_of(Plot("", X, Y, (near, few)), Look(60, 20, DARK))
    assert marks[0].dots == "#"
    assert (marks[1].dots, marks[1].glyph) == ("", "×")
    drawn = rows(Plot("", X, Y, (near, few)), 60, 20)
    assert "".join(drawn[2:]).count("×") == 1
    twelve = tuple(Series(str(n), [0], [n], "series-0", "points") for n in range(12))
    for charset in CHARSETS:
        look = Look(60, 20, DARK, charset)
        assert len({mark.sample for mark in marks_of(Plot("", X, Y, twelve), look)}) == 12


@pytest.mark.parametrize("charset", CHARSETS)
def test_a_true_line_lies_over_a_cloud_where_columns_hold_several_points(charset: Charset) -> None:
    x = np.linspace(0.5, 1, 500)
    true = Series("true", [0.0, 1.0], [0.5, 0.5], "true")
    cloud = Series("after", [0.0, *x], [0.5, *np.full(500, 0.5)], "attacked", "points")
    target = Series("target", [0.75], [0.5], "target", "points")
    plot = Plot("", X, Axis("y", low=0.0, high=1.0), (true, cloud, target))
    drawn = rows(plot, 60, 20, charset)
    line = next(row for row in drawn[2:] if row[20:40].strip())
    sign, mark = ("*", "^") if charset == "ascii" else (line[20], "△")
    assert set(line[33:57]) == {sign, mark}  # a mark of few is above both
    assert line.count("x") == (2 if charset == "ascii" else 0)  # where a column holds one point
    samples = [mark.sample for mark in marks_of(plot, Look(60, 20, DARK, charset))]
    assert samples[1] == ("x" if charset == "ascii" else "⠂⠄")


def test_a_line_is_cut_at_the_edges_of_the_box() -> None:
    rng = np.random.default_rng(3)
    points = np.round(rng.uniform(-30, 60, (200, 2)))
    points[::17] = NAN
    start, stop = clip_line(points, 30.0, 20.0)
    for each in (start, stop):
        assert ((each >= 0) & (each <= (30, 20))).all()
    inside = ((points >= 0) & (points <= (30, 20))).all(axis=1)
    ends = {tuple(point) for point in np.concatenate((start, stop)).tolist()}
    joined = inside[:-1] & np.isfinite(points[1:]).all(axis=1)
    assert all(tuple(point) in ends for point in points[:-1][joined].tolist())


def test_thinning_a_line_leaves_its_picture() -> None:
    rng = np.random.default_rng(4)
    x = np.sort(rng.uniform(0, 1, 9000))
    y = np.sin(9 * x) + rng.normal(0, 0.1, x.size)
    dots = np.column_stack((np.floor(60 * x), np.floor(40 * (y + 2))))
    thinned = thin_line(dots, 60)
    assert len(thinned) <= 4 * 61
    for column in np.unique(dots[:, 0]):
        all_of, kept = (each[each[:, 0] == column][:, 1] for each in (dots, thinned))
        assert (all_of.min(), all_of.max()) == (kept.min(), kept.max())


# --- Bars ----------------------------------------------------------------------------------------


def test_bar_lengths_are_exact_to_an_eighth() -> None:
    eighths = " ▏▎▍▌▋▊▉█"
    chart = Bars("", (*(Bar(f"{k}", k / 8) for k in range(9)), Bar("x", 16.0)))
    drawn = [row.split("│")[1] for row in rows(chart, 45, 12)[1:11]]
    lengths = [sum(eighths.index(char) for char in bar if char in eighths) for bar in drawn]
    longest = lengths.pop()
    assert longest > 8 * 20
    assert lengths == [math.floor(k / 8 / 16 * longest + 0.5) for k in range(9)]


def test_bars_below_zero_losses_whiskers_on_both_sides_and_the_rest() -> None:
    drawn = rows(BARS, 90, 12)
    first, second, third = (next(row for row in drawn if f" {name}" in row) for name in
                            ("a ", "東京都庁", "c "))  # fmt: skip
    assert third.index("█") < third.index("│") < first.index("█")  # left and right of zero
    assert "▒" in second
    assert all("─" in row for row in (first, third))
    assert any(row.strip() == "97 more, 2 targets" for row in drawn)
    wide = rows(BARS, 120, 12)
    assert any("97 more, 2 targets, together estimate 0.25, true 0.5" in row for row in wide)
    fallen = rows(Bars("", (Bar("a", 0.2, before=1.0),)), 40, 3)[1]
    assert "█" in fallen
    assert "░" in fallen


def test_all_numbers_stand_beside_wide_bars_alone() -> None:
    wide, narrow = (" ".join(rows(BARS, width, 12)) for width in (110, 50))
    assert "estimate ± error" in wide
    assert "+0.150" in wide
    assert "0.250" in narrow
    assert "+0.150" not in narrow


def test_bars_that_do_not_fit_are_counted_and_the_picked_one_is_shown() -> None:
    chart = Bars("t", tuple(Bar(f"i{k}", 1.0) for k in range(20)), rest="rest", cursor="i17")
    drawn = rows(chart, 60, 10, "ascii")
    shown = [row.split()[0] for row in drawn if row.startswith("i") and "#" in row]
    assert shown[-1].startswith("i17")
    assert f"{20 - len(shown)} more not shown; rest" in " ".join(drawn)
    look = Look(60, 10, DARK, "ascii")
    places = [place_at(chart, 20, y, look) for y in range(10)]
    assert [place for place in places if place] == [name.rstrip("<") for name in shown]
    tall = replace(chart, bars=chart.bars[:2], cursor="", gap=4)  # three rows a bar, two between
    places = [place_at(tall, 20, y, Look(60, 16, DARK, "ascii")) for y in range(2, 12)]
    assert places == [*["i0"] * 3, None, None, *["i1"] * 3, None, None]
    assert [row[:2].strip() for row in rows(tall, 60, 16, "ascii")[2:5]] == ["", "i0", ""]


def test_labels_that_differ_in_their_ends_lose_their_middle() -> None:
    chart = Bars("", (Bar("string-150", 1.0), Bar("string-151", 1.0), Bar("a", 1.0)))
    drawn = [row.split()[0] for row in rows(chart, 34, 6)[1:4]]
    assert drawn == ["str…-150", "str…-151", "a"]


# --- Heat maps -----------------------------------------------------------------------------------


@pytest.mark.parametrize("palette", [DARK, LIGHT, ANSI_DARK])
@pytest.mark.parametrize("charset", CHARSETS)
def test_every_number_of_a_map_is_read_at_its_place(
    charset: Charset, palette: ChartPalette
) -> None:
    look, known = Look(60, 14, palette, charset), {"0.25", "-0.500", "1", "0.75", "1.00", "0.750"}
    drawn = rows(GRID, 60, 14, charset, palette)
    found = [
        word for row in drawn[2:11] for word in row.replace("▸", " ").replace("[", " ").split()
    ]
    assert {word.rstrip("]").lstrip(">") for word in found} & known
    blocks = {place_at(GRID, x, y, look) for x in range(60) for y in range(14)} - {None}
    assert blocks == set(itertools.product(GRID.rows, GRID.columns))


def test_a_line_runs_around_what_is_inside_or_brackets_mark_it() -> None:
    coloured = rows(GRID, 60, 14)
    assert any("▏" in row for row in coloured)
    assert "line: both are in" in " ".join(coloured)
    plain = " ".join(rows(replace(GRID, cursor=None), 60, 14, palette=ANSI_DARK))
    assert "[ ]: both are in" in plain
    assert plain.count("[0]") == 1
    assert "[-0.500]" in plain or "[-0.5]" in plain


def test_a_title_of_a_panel_draws_no_panel_again(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = list[Plot]()
    plot_rows = panels.plot_rows

    def count(plot: Plot, look: Look, margin: int | None = None) -> list[Row]:
        drawn.append(plot)
        return plot_rows(plot, look, margin)

    monkeypatch.setattr(panels, "plot_rows", count)
    plots = tuple(replace(POINTS, title=name, series=(*POINTS.series,)) for name in "abc")
    look = Look(90, 20, DARK)
    first, second = (
        draw(Panels("all", (replace(plots[0], title=title), *plots[1:]), own=(26, 7)), look)
        for title in ("a", "b")
    )
    assert first[2:] != second[2:]
    assert [strip.text for strip in first[3:]] == [strip.text for strip in second[3:]]
    assert len(drawn) == 3
    draw(Panels("all", (replace(plots[0], cursor=1.0), *plots[1:]), own=(26, 7)), look)
    assert len(drawn) == 4


def test_without_colours_a_name_at_an_end_has_the_stroke_of_its_line() -> None:
    ends = tuple(
        Series(name, [0, 1], [0, up], "series-0", style, end=name)
        for up, (name, style) in enumerate((("a", "line"), ("b", "line"), ("c", "dotted")))
    )
    drawn = "\n".join(rows(Plot("", X, Y, ends), 60, 12, "ascii"))
    assert all(name in drawn for name in (".. c", "** a", "== b"))
    assert "── a" not in "\n".join(rows(Plot("", X, Y, ends), 60, 12))
