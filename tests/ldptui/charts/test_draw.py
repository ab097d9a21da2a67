"""Charts as rows of text: what is drawn, where, and that no data breaks it."""

import itertools
import math
import sys
from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from rich.cells import cell_len
from rich.color import Color, ColorSystem
from rich.style import Style as RichStyle
from textual.strip import Strip

from ldptui.charts.draw import axes, draw
from ldptui.charts.draw.area import Area, area_of
from ldptui.charts.draw.axes import Scale, sanitise, ticks
from ldptui.charts.draw.marks import marks_of
from ldptui.charts.draw.shapes import SHAPES, in_braille
from ldptui.charts.rows import ANSI_DARK, ANSI_LIGHT, DARK, LIGHT, Charset, Look, Palette, message
from ldptui.charts.series import Axis, Bar, Bars, Chart, Plot, Rest, Series, Tone

Style = Literal["line", "dotted", "points"]
STYLES: tuple[Style, ...] = get_args(Style)
CHARSETS: tuple[Charset, ...] = get_args(Charset)
SIZES = [(0, 0), (1, 1), (2, 3), (7, 4), (8, 8), (20, 5), (40, 12), (80, 24), (200, 60)]
X, Y = Axis("x"), Axis("y")
INF, NAN = math.inf, math.nan


def rows(
    chart: Chart, width: int, height: int, charset: Charset = "braille", palette: Palette = DARK
) -> list[str]:
    """The rows as text without the spaces at their ends, after checking their size."""
    strips = draw(chart, Look(width, height, palette, charset))
    assert len(strips) == height
    for strip in strips:
        assert strip.cell_length == width
        assert sum(cell_len(segment.text) for segment in strip) == width
        assert charset != "ascii" or strip.text.isascii()
        assert strip.text.isprintable() or not strip.text
        assert charset == "braille" or not any("\u2800" <= c <= "\u28ff" for c in strip.text)
    return [strip.text.rstrip() for strip in strips]


def line(y: list[float], **kwargs: object) -> Plot:
    series = Series("a", range(len(y)), y, "series-0", **kwargs)  # type: ignore[arg-type]
    return Plot("", X, Y, (series,))


RISING = Plot("Line", X, Y, (Series("a", [0, 1, 2, 3], [0, 1, 2, 3], "series-0"),))
DECADES = Plot(
    "Points",
    Axis("n", log=True),
    Axis("MSE", log=True),
    (
        Series("a", [1, 10, 100, 1000], [1, 1e-1, 1e-2, 1e-3], "series-0", "points"),
        Series("b", [1, 10, 100, 1000], [1e-1, 1e-2, 1e-3, 1e-4], "series-1", "points"),
    ),
    note="note",
)
ITEMS = Bars(
    "Items",
    (
        Bar("a", 0.5, 0.1, 0.4),
        Bar("東京都庁", 0.25, 0.05, 0.3, 0.1, target=True),
        Bar("c", -0.2, 0.05, 0.0, -0.1),
    ),
    unit="share",
    rest="97 more: 0.2",
    note="note",
)


# --- Pictures --------------------------------------------------------------------------------


def test_a_line_in_braille() -> None:
    assert rows(RISING, 30, 9) == [
        "Line",
        "y                         ── a",
        " │                      ⣀⣀⠤⠤⠄",
        "2┤              ⣀⣀⠤⠤⠒⠒⠉⠉",
        " │      ⣀⣀⠤⠤⠒⠒⠉⠉",
        "0┤⠠⠤⠒⠒⠉⠉",
        " └┬────────┬───────┬────────┬─",
        "  0        1       2        3",
        "               x",
    ]


@pytest.mark.parametrize(("charset", "band"), [("braille", "⡢⡮⡪"), ("ascii", ":::")])
def test_a_band_fills_its_interval_and_no_more(charset: Charset, band: str) -> None:
    """Every other dot from the low to the high end, and all along the mean."""
    xs = [float(x) for x in range(10)]
    series = Series("", xs, [5.0] * 10, "true", "band", [1.5] * 10, legend=False)
    axes = Axis("", low=0.0, high=9.0), Axis("", low=0.0, high=10.0)
    drawn = rows(Plot("", *axes, (series,)), 20, 12, charset)
    assert "".join(row[4] for row in drawn[4:7]) == band
    assert all(row[3:].strip(" ") == "" for row in (*drawn[:4], *drawn[7:10]))


@pytest.mark.parametrize("charset", ["ascii", "braille"])
@pytest.mark.parametrize("log", [False, True])
def test_ticks_stand_on_whole_rows(charset: Charset, log: bool) -> None:
    """The rows from one tick to the next are the same, at every height and for any limits."""
    rng = np.random.default_rng(5)
    for height in range(8, 45, 3):
        low, span = rng.uniform(-2, 2), rng.uniform(2, 7)
        ends = (10**low, 10 ** (low + span)) if log else (low, low + span)
        plot = Plot("", X, Axis("y", log=log), (Series("a", [0, 1], ends, "series-0", "points"),))
        at = area_of(plot, Look(60, height, DARK, charset))
        assert isinstance(at, Area)
        rows_of = sorted(row for row, _ in at.y_ticks)
        assert len(rows_of) >= 2
        assert len({b - a for a, b in itertools.pairwise(rows_of)}) == 1
        assert at.y.unit_of(ends[0]) is not None
        assert at.y.unit_of(ends[1]) is not None


def test_names_stand_at_the_ends_of_lines_and_coinciding_lines_share_one() -> None:
    x = [0.0, 1.0, 2.0]
    series = tuple(
        Series(name, x, y, tone, end=name)
        for name, y, tone in (("GRR", [1, 2, 8], "series-0"), ("OUE", [1, 2, 3], "series-1"),
                              ("OLH", [1, 2, 3.01], "series-2"))
    )  # fmt: skip
    plot = Plot("t", X, Axis("y", low=0, high=10), series)
    drawn = rows(plot, 60, 20)
    assert [row.split("  ")[-1].strip() for row in drawn if row.endswith(("GRR", "OLH"))] == [
        "GRR", "OUE, OLH",
    ]  # fmt: skip
    assert not any("──" in row for row in drawn[:3])  # nothing is left for the legend
    narrow = "".join(rows(plot, 24, 20))
    assert "── GRR" in narrow  # there the legend has them


def test_a_floor_is_shaded_from_zero_to_its_curve_and_named_at_its_edge() -> None:
    floor = Series("floor", [0.0, 2.0], [2.0, 2.0], "muted", "floor", end="floor")
    line = Series("a", [0.0, 2.0], [8.0, 8.0], "series-0", end="a")
    drawn = rows(Plot("t", X, Axis("y", low=0, high=10), (line, floor)), 60, 22)
    shaded = [row for row in drawn if sum("⠀" < char <= "⣿" for char in row) > 20]
    assert any(" floor " in f"{row} " for row in drawn[2:])
    assert 4 <= len(shaded) <= 6  # the line, and a fifth of the eighteen rows
    near = replace(line, y=[2.2, 2.2])
    crowded = rows(Plot("t", X, Axis("y", low=0, high=10), (near, floor)), 60, 22)
    assert "floor" in crowded[1]  # in the legend: at the edge it would hide the line


def test_error_bars_are_clipped_and_levels_dotted() -> None:
    series = Series("a", [0, 1, 2], [0, 1, -1], "series-0", "points", error=[1, 5, 0.1])
    plot = Plot("", X, Axis("y", low=-2, high=2), (series,), levels=((1.5, "up"), (-9, "-")))
    assert rows(plot, 30, 12, palette=ANSI_DARK) == [
        "y                         ⠿⠇ a",
        " 2┤           ⢸",
        "  │⠂⠂⠂⠂⠂⠂⠂⠂⠂⠂⠂⣸⡀⠂⠂⠂⠂⠂⠂⠂⠂⠂⠂⠂ up",
        "  │⢸          ⢻⠃",
        " 0┤⣼⡄         ⢸",
        "  │⢹⠁         ⢸",
        "  │⢸          ⢸         ⢠⣤",
        "  │           ⢸         ⠈⠉",
        "-2┤           ⢸",
        "  └┬──────────┬──────────┬─",
        "   0          1          2",
        "              x",
    ]
    assert rows(plot, 30, 12, "ascii")[3].endswith("- - - - -  up")


def test_levels_of_one_row_are_named_below_each_other() -> None:
    series = Series("a", [0, 1], [0, 0], "series-0", "points")
    levels = ((1.4, "lower"), (1.5, "upper"), (-9, "off"), (1.45, "middle"))
    plot = Plot("", X, Axis("y", low=-2, high=2), (series,), levels=levels)
    named = [row.split()[-1] for row in rows(plot, 60, 12) if row.endswith("er")]
    assert named == ["upper", "lower"]  # the row between them is of the middle
    assert sum("middle" in row for row in rows(plot, 60, 12)) == 1
    assert not any("off" in row for row in rows(plot, 60, 12))


def test_levels_are_in_the_legend_where_their_names_would_take_the_room_of_the_lines() -> None:
    series = Series("a", [0, 1], [0, 0], "series-0", "points")
    plot = Plot("", X, Axis("y", low=-2, high=2), (series,), levels=((1, "far"), (-9, "off")))
    assert [row for row in rows(plot, 30, 14) if "far" in row or "off" in row] == [
        "y                ⠿⠇ a   ┈┈ far"
    ]
    assert "o a   - - far" in rows(plot, 30, 14, "ascii")[0]


def test_several_levels_are_named_beside_their_lines_for_they_look_alike_in_a_legend() -> None:
    series = Series("a", [0, 1], [0, 0], "series-0", "points")
    plot = Plot("", X, Axis("y", low=-2, high=2), (series,), levels=((1, "far"), (-1, "near")))
    assert [row.split()[-1] for row in rows(plot, 31, 14) if "far" in row or "near" in row] == [
        "far", "near",
    ]  # fmt: skip
    assert [row for row in rows(plot, 30, 14) if "far" in row] == [
        row for row in rows(plot, 30, 14) if "near" in row
    ]  # both in the legend's row


def test_few_given_ticks_keep_their_labels_in_rows_next_to_each_other() -> None:
    """Two items in four rows of data, as the trials at 60 × 18."""
    ticks = [(0.0, "0"), (1.0, "▸ 12")]
    series = Series("a", [0, 1], [0, 1], "series-0", "points", legend=False)
    plot = Plot("", X, Axis("", low=-0.5, high=1.5, ticks=ticks), (series,))
    assert [label for _, label in ticks if any(label in row for row in rows(plot, 30, 7))] == [
        "0", "▸ 12",
    ]  # fmt: skip


def test_a_band_without_width_is_a_line_without_a_gap() -> None:
    """Thirty equal trials at 0, then at 1: error 0 in each."""
    y = [0.0] * 15 + [1.0] * 15
    band = Series("a", range(30), y, "series-0", "band", [0.0] * 30, legend=False)
    plot = Plot("", Axis("", low=0, high=29), Axis("", low=-0.1, high=1.1), (band,))
    body = [row.partition("│")[2] + row.partition("┤")[2] for row in rows(plot, 40, 14)[:12]]
    assert all(row.strip() for row in body[2:11])  # the step up
    assert min(len(body[2].strip()), len(body[10].strip())) >= 17


def test_a_band_shows_where_a_curve_lies_on_its_means() -> None:
    x = np.linspace(0, 1, 40)
    curve = Series("closed form", x, x, "theory")
    band = Series("simulated", x, x, "attacked", "band", [0.001] * 40)
    drawn = draw(Plot("", X, Y, (curve, band)), Look(60, 14, DARK))
    style = RichStyle.parse(DARK.attacked)
    parts = [part for strip in drawn[1:] for part in strip if part.style == style]
    cells = sum(len(part.text.strip()) for part in parts)
    assert 10 <= cells <= 16


def test_the_error_is_the_half_width() -> None:
    plot = Plot(
        "",
        X,
        Axis("", low=0, high=10),
        (Series("a", [1], [5], "series-0", "points", error=[3], legend=False),),
    )
    drawn = rows(plot, 20, 14, "ascii")
    body = [row[3:] for row in drawn if row[2:3] in ("|", "+")][:-1]
    first = next(i for i, row in enumerate(body) if row.strip())
    last = max(i for i, row in enumerate(body) if row.strip())
    # 11 rows for 0 … 10: from 8 down to 2.
    assert len(body) == 11
    assert (first, last) == (2, 8)


def test_a_line_breaks_where_a_value_is_missing() -> None:
    gaps = Series("a", range(7), [1, 1, NAN, 1, 1, INF, 1], "series-0", legend=False)
    drawn = rows(Plot("", X, Axis(""), (gaps,)), 24, 7, "ascii")
    assert "   |****     ****     *" in drawn


def test_numbers_stand_in_columns_in_every_charset() -> None:
    chart = Bars("", (Bar("a", 10.5, 0.12, before=1.0), Bar("b", -0.25), Bar("c", NAN, true=1.0)))
    for charset in CHARSETS:
        drawn = rows(chart, 80, 4, charset)
        assert len({len(row) for row in drawn}) == 1
        assert drawn[0].endswith("change")


def test_narrow_bars_keep_the_change_which_they_do_not_show_to_the_digit() -> None:
    head, *drawn = rows(ITEMS, 30, 9)[2:6]
    assert head.endswith("   change")
    assert [row.split()[-1] for row in drawn] == ["–", "+0.150", "-0.100"]


@pytest.mark.parametrize("width", [36, 40, 46])
@pytest.mark.parametrize("error", [6e-3, 2e-4, 2e-5])
def test_estimates_come_before_long_bars(error: float, width: int) -> None:
    """The errors of 10^4, 10^7 and 10^9 users: the number is the point of the row."""
    bars = tuple(Bar(str(at), 0.13 / at, error, 0.05, 0.05, True) for at in range(1, 5))
    head, first, *_ = rows(Bars("", bars), width, 6)
    assert head.split()[-2:] == ["estimate", "change"]
    assert float(first.split()[-2]) == pytest.approx(0.13)


@pytest.mark.parametrize("error", [2e-7, 3e-3, 200.0])
@pytest.mark.parametrize("width", [30, 34, 50, 74])
def test_wide_numbers_leave_the_change_and_no_error_reads_zero(error: float, width: int) -> None:
    """The errors of 10^12 users at ε = 20, at ε = 0.001, and of few users there."""
    size = max(1.0, error)
    bars = tuple(Bar(str(at), at * size / 7, error, None, size / 9) for at in range(4090, 4094))
    head, first, *_ = rows(Bars("", bars), width, 6)
    assert head.endswith("change")
    assert "± error" not in head or float(first.split("±")[1].split()[0]) > 0


def test_labels_that_differ_in_their_ends_lose_their_middle() -> None:
    chart = Bars("", (Bar("string-150", 1.0), Bar("string-151", 1.0), Bar("a", 1.0)))
    drawn = [row.split()[0] for row in rows(chart, 34, 6)[1:4]]
    assert drawn == ["str…-150", "str…-151", "a"]
    chart = Bars("", (Bar("differently", 1.0), Bar("beginning", 1.0)))
    drawn = [row.split()[0] for row in rows(chart, 34, 5)[1:3]]
    assert drawn == ["differe…", "beginni…"]


def test_bar_lengths_are_exact_to_an_eighth() -> None:
    eighths = " ▏▎▍▌▋▊▉█"
    chart = Bars("", (*(Bar(f"{k}", k / 8) for k in range(9)), Bar("x", 16.0)))
    drawn = [row.split("│")[1] for row in rows(chart, 45, 12)[1:11]]
    lengths = [sum(eighths.index(char) for char in bar if char in eighths) for bar in drawn]
    longest = lengths.pop()
    assert longest > 8 * 20
    assert lengths == [math.floor(k / 8 / 16 * longest + 0.5) for k in range(9)]


def test_a_falling_estimate_shows_the_loss() -> None:
    chart = Bars("", (Bar("a", 0.2, before=1.0),))
    bar = rows(chart, 40, 3)[1]
    assert "█" in bar
    assert "░" in bar
    assert "-0.8000" in bar


def test_bars_that_do_not_fit_are_counted() -> None:
    chart = Bars("t", tuple(Bar(f"i{k}", 1.0) for k in range(20)), rest="rest")
    drawn = rows(chart, 60, 10, "ascii")
    shown = sum(row.startswith("i") and "#" in row for row in drawn)
    assert f"{20 - shown} more not shown; rest" in drawn
    assert shown == 7


def test_the_first_bars_take_the_rows_of_the_note_and_the_axis() -> None:
    bars = tuple(Bar(f"i{k}", 1 + k) for k in range(9))
    shown = rows(Bars("t", bars, note="mean", lead=5), 40, 6)
    assert [row[:2] for row in shown[1:]] == ["i0", "i1", "i2", "i3", "i4"]
    assert "mean" in rows(Bars("t", bars, note="mean", lead=5), 40, 9)[-1]


def test_what_has_no_bar_is_summed_up_with_the_bars_that_do_not_fit() -> None:
    bars = tuple(Bar(f"i{k}", 0.02, true=0.01, target=k > 4) for k in range(9))
    chart = Bars("t", bars, rest=Rest(7, 3, 0.5, -0.25))
    assert rows(chart, 60, 12)[-1] == "  7 more, 3 targets: true 0.500, estimate -0.250"
    assert "  9 more, 5 targets: true 0.520, est. -0.210" in rows(chart, 46, 10)
    assert "9 more (5 ▸): true 0.520, est. -0.210" in rows(chart, 38, 10)
    unknown = Bars("t", bars, rest=Rest(1_000_000))
    assert rows(unknown, 60, 12)[-1] == "  1 000 000 more"


def test_small_numbers_share_a_power_of_ten() -> None:
    chart = Bars("t", (Bar("a", 1.5e-6, 1e-7, 1e-6),), unit="share")
    drawn = rows(chart, 80, 5, "ascii")
    assert "t  1e-6 share" in drawn[0]
    assert "1.50 +- 0.10" in drawn[2]


# --- What goes in ----------------------------------------------------------------------------


@pytest.mark.parametrize("charset", CHARSETS)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("chart", [RISING, DECADES, ITEMS], ids=lambda chart: chart.title)
def test_every_size_is_exact(chart: Chart, size: tuple[int, int], charset: Charset) -> None:
    rows(chart, *size, charset)


ODD = {
    "empty": [],
    "one": [5.0],
    "zero": [0.0],
    "nan": [NAN, NAN],
    "infinite": [INF, -INF],
    "constant": [3.0] * 10,
    "negative": [-1.0, -2.0],
    "outlier": [1.0, 2.0, 1e12, 1.0],
    "huge": [1e308, -1e308, 1.7e308],
    "tiny": [5e-324, 1e-323],
    "near": [1.0, 1.0 + 2e-16],
    "mixed": [NAN, 1.0, INF, 0.0, -1.0, NAN],
    "alternating": [NAN, 1.0] * 50,
}


@pytest.mark.every(7)
@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize(
    ("low", "high"), [(None, None), (0.5, 2.0), (None, 1e-3), (2.0, 0.5), (1.0, 1.0)]
)
@pytest.mark.parametrize("name", ODD)
def test_odd_data_is_drawn_or_leaves_a_message(
    name: str, low: float | None, high: float | None, log: bool
) -> None:
    y = ODD[name]
    axis = Axis("y", log=log, low=low, high=high)
    x = range(1, len(y) + 1)
    charsets: tuple[Charset, ...] = ("braille", "ascii")
    for style, charset in itertools.product(STYLES, charsets):
        series = Series("a", x, y, "series-0", style, error=y)
        rows(Plot("title", Axis("x", log=log), axis, (series,)), 40, 12, charset)


@pytest.mark.parametrize("limit", [NAN, INF, -INF, 0.0, -1.0])
def test_odd_limits_are_ignored(limit: float) -> None:
    series = Series("a", [1, 2], [1, 2], "series-0")
    for log in (False, True):
        axis = Axis("", log=log, low=limit, high=limit)
        rows(Plot("", axis, axis, (series,)), 40, 12)


numbers = st.floats(width=64) | st.sampled_from([0.0, 1.0, -1.0, 1e-300, 1e300])


@settings(max_examples=60)
@given(
    st.lists(st.tuples(numbers, numbers, numbers), max_size=30),
    st.sampled_from(["line", "dotted", "points"]),
    st.booleans(),
    st.sampled_from(CHARSETS),
)
def test_any_numbers(
    data: list[tuple[float, float, float]], style: str, log: bool, charset: Charset
) -> None:
    x, y, error = ([row[k] for row in data] for k in range(3))
    series = Series("a", x, y, "series-0", style, error=error)  # type: ignore[arg-type]
    axis = Axis("a", log=log)
    rows(Plot("t", axis, axis, (series,), levels=((y[0], "l"),) if y else ()), 30, 10, charset)
    bars = tuple(Bar("b", *row, target=log) for row in data)
    rows(Bars("t", bars), 30, 10, charset)


def test_a_message_stands_where_there_is_nothing_to_draw() -> None:
    assert any("no data" in row for row in rows(Plot("t", X, Y, ()), 40, 9))
    assert any("no data" in row for row in rows(line([NAN, NAN]), 40, 9))
    assert any("no data" in row for row in rows(Bars("t", ()), 40, 9))
    assert any("no data" in row for row in rows(Bars("t", (Bar("a", NAN),)), 40, 9))
    hidden = Plot("", X, Axis("", low=10, high=20), (Series("a", [0, 1], [1, 2], "series-0"),))
    assert any("outside of the axes" in row for row in rows(hidden, 60, 9))


def test_a_log_axis_leaves_out_values_that_are_not_positive() -> None:
    axis = Axis("", log=True)
    series = Series("a", [1, 2, 3, 4], [10, -5, 0, 100], "series-0", "points", legend=False)
    drawn = "\n".join(rows(Plot("", Axis(""), axis, (series,)), 40, 12, "ascii"))
    assert drawn.count("o") == 2


def test_wide_and_control_characters_in_labels() -> None:
    name = "東京\x1b[31m\n\tlabel 🎉 " * 3
    plot = Plot(
        name,
        Axis(name, ticks=((1, name), (2, "b"))),
        Axis(name, ticks=((1, name),)),
        (Series(name, [1, 2], [1, 2], "series-0"),),
        levels=((1.5, name),),
        note=name,
    )
    bars = Bars(name, (Bar(name, 1.0, target=True),), unit=name, rest=name, note=name)
    charts: tuple[Chart, ...] = (plot, bars)
    for chart in charts:
        for charset, size in itertools.product(CHARSETS, SIZES):
            drawn = rows(chart, *size, charset)
            assert "\x1b" not in "".join(drawn)


def test_series_of_different_lengths_use_the_common_part() -> None:
    series = Series("a", [1, 2, 3], [1, 2], "series-0", error=[1])
    rows(Plot("", X, Y, (series,)), 40, 12)


def test_ticks_given_by_the_axis() -> None:
    axis = Axis("", ticks=((0, "low"), (3, "high"), (99, "never")))
    series = Series("a", [0, 3], [0, 3], "series-0")
    drawn = "\n".join(rows(Plot("", axis, Axis(""), (series,)), 40, 10))
    assert "low" in drawn
    assert "high" in drawn
    assert "never" not in drawn


# --- Distinct without colour -----------------------------------------------------------------

TONES: tuple[Tone, ...] = get_args(Tone)


def _legend_marks(plot: Plot, charset: Charset) -> list[str]:
    """The marks before the labels "#0", "#1", … of the legend."""
    text = "  ".join(rows(plot, 200, 30, charset)[:2])
    return [text.split(f"#{k} ")[0].split()[-1] for k in range(len(plot.series))]


def _pair(tones: Sequence[Tone], styles: Sequence[Style]) -> Plot:
    """Two level series, "#0" below "#1"."""
    both = enumerate(zip(tones, styles, strict=True))
    series = tuple(Series(f"#{k} ", [0, 1], [k, k], tone, style) for k, (tone, style) in both)
    return Plot("", Axis(""), Axis("", low=-1, high=2), series)


@pytest.mark.parametrize("charset", CHARSETS)
def test_any_two_tones_differ_as_points_and_as_lines(charset: Charset) -> None:
    for tones in itertools.combinations_with_replacement(TONES, 2):
        for styles in itertools.product(STYLES, repeat=2):
            one, two = marks_of(_pair(tones, styles), Look(60, 0, DARK, charset))
            assert one.sample != two.sample
            assert (one.glyph, one.dashes) != (two.glyph, two.dashes)


@pytest.mark.every(4)
@pytest.mark.parametrize("charset", CHARSETS)
@pytest.mark.parametrize("styles", list(itertools.product(STYLES, repeat=2)))
def test_what_differs_in_the_legend_differs_in_the_picture(
    styles: tuple[Style, Style], charset: Charset
) -> None:
    pairs: list[tuple[Tone, Tone]] = [
        ("theory", "series-0"), ("series-0", "series-1"), ("clean", "clean"),
    ]  # fmt: skip
    for tones in pairs:
        plot = _pair(tones, styles)
        marks = _legend_marks(plot, charset)
        assert marks[0] != marks[1]
        body = [row[3:].strip() for row in rows(plot, 60, 14, charset)[1:-2]]
        used = [row for row in body if row]
        assert used[0] != used[-1]


@pytest.mark.parametrize("charset", CHARSETS)
def test_three_curves_with_points_are_six_marks(charset: Charset) -> None:
    series = tuple(
        Series(f"#{2 * k + j} ", [0, 1], [k, k + 1], f"series-{k}", style)  # type: ignore[arg-type]
        for k in range(3)
        for j, style in enumerate(("line", "points"))
    )
    assert len(set(_legend_marks(Plot("", Axis(""), Axis(""), series), charset))) == 6


def test_two_clouds_differ() -> None:
    x = np.linspace(0, 1, 500)
    near = Series("before", x, x, "clean", "points")
    far = Series("after", x, x + 1, "attacked", "points")
    drawn = "\n".join(rows(Plot("", X, Y, (near, far)), 60, 20)[1:])
    assert "×" not in drawn
    legend = rows(Plot("", X, Y, (near, far)), 60, 20)[0]
    assert "⡪ before   ⠇ after" in legend
    assert "⡪ before   ⠇ after" in rows(Plot("", X, Y, (near, far)), 60, 20, palette=ANSI_DARK)[0]


@pytest.mark.parametrize("palette", [DARK, LIGHT], ids=["dark", "light"])
@pytest.mark.parametrize("system", [ColorSystem.EIGHT_BIT, ColorSystem.STANDARD])
def test_colours_stay_distinct_with_few_colours(palette: Palette, system: ColorSystem) -> None:
    def number(style: str) -> int | None:
        return Color.parse(style).downgrade(system).number

    assert len({number(style) for style in palette.series}) == 6
    together: tuple[Tone, ...] = ("true", "clean", "attacked", "target", "theory")
    assert len({number(palette.style(tone)) for tone in together}) == 5
    assert len({number(palette.style(tone)) for tone in ("measured", "theory", "target")}) == 3


@pytest.mark.parametrize("palette", [ANSI_DARK, ANSI_LIGHT])
def test_ansi_palettes_use_the_colours_of_the_terminal(palette: Palette) -> None:
    for tone in TONES:
        colour = RichStyle.parse(palette.style(tone)).color
        assert colour is None or colour.triplet is None
    assert len(set(palette.series)) == 6


@pytest.mark.parametrize("palette", [DARK, LIGHT, ANSI_DARK])
def test_marks_have_the_colour_of_their_series(palette: Palette) -> None:
    strips = draw(DECADES, Look(40, 14, palette))
    colours = [RichStyle.parse(style).color for style in palette.series[:2]]
    found = [
        (segment.text.strip(), segment.style.color)
        for strip in strips[1:9]
        for segment in strip
        if segment.style is not None and segment.style.color in colours and segment.text.strip()
    ]
    assert found[:2] == list(
        zip(map(in_braille, (SHAPES["●"], SHAPES["△"])), colours, strict=True)
    )  # in the legend
    drawn = {(colour, mark[0] >= "\u2800") for mark, colour in found[2:]}
    assert drawn == {(colour, True) for colour in colours}


# --- The gate --------------------------------------------------------------------------------


def _scales(log: bool = False) -> tuple[Scale, Scale]:
    return Scale(0, 10, False, 40, 2), Scale(0, 1, log, 10, 4)


def test_segments_are_cut_at_the_box() -> None:
    series = Series("a", [0, 5, 10], [0.5, 1e12, 0.5], "series-0")
    lines = sanitise(series, *_scales()).lines
    assert len(lines) == 2
    assert lines.min() >= 0
    assert lines.max() <= 1
    assert lines[0].tolist() == pytest.approx([0, 0.5, 0, 1], abs=1e-6)
    slanted = sanitise(Series("a", [0, 10], [-0.5, 1.5], "series-0"), *_scales()).lines
    assert slanted.tolist() == [pytest.approx([0.25, 0, 0.75, 1])]


def test_a_line_outside_of_the_box_is_left_out() -> None:
    above = Series("a", [0, 10], [2, 3], "series-0")
    across_the_corner = Series("a", [-10, 5], [0.9, 2.0], "series-0")
    for series in (above, across_the_corner):
        assert len(sanitise(series, *_scales()).lines) == 0


def test_clipping_knows_log_axes() -> None:
    series = Series("a", [0, 10], [1e-2, 1e4], "series-0")
    lines = sanitise(series, *_scales(log=True)).lines  # the box: 10⁰ … 10¹
    assert lines.tolist() == [pytest.approx([1 / 3, 0, 0.5, 1])]


def test_thinning_keeps_the_extremes_of_each_column() -> None:
    rng = np.random.default_rng(7)
    y = rng.uniform(0.2, 0.4, 100_000)
    y[12_345], y[67_890] = 0.9, 0.05
    x_scale, y_scale = _scales()
    sane = sanitise(Series("a", np.linspace(0, 10, y.size), y, "series-0"), x_scale, y_scale)
    corners = sane.lines.reshape(-1, 2)
    assert len(sane.lines) <= 4 * x_scale.cells * x_scale.dots
    assert 0.9 in corners[:, 1]
    assert 0.05 in corners[:, 1]


def test_points_in_one_dot_are_one_point_and_none_is_lost() -> None:
    rng = np.random.default_rng(7)
    x, y = rng.uniform(0, 10, 50_000), rng.uniform(0, 1, 50_000)
    x_scale, y_scale = _scales()
    points = sanitise(Series("a", x, y, "series-0", "points"), x_scale, y_scale).points
    dots = {(x_scale.dot(u), y_scale.dot(v)) for u, v in points.tolist()}
    every = {(x_scale.dot(u / 10), y_scale.dot(v)) for u, v in zip(x, y, strict=True)}
    assert dots == every
    assert len(points) == len(dots)


def test_never_more_than_the_cap() -> None:
    rng = np.random.default_rng(7)
    wide = Scale(0, 1, False, 300, 2), Scale(0, 1, False, 100, 4)
    x, y = rng.uniform(0, 1, 30_000), rng.uniform(0, 1, 30_000)
    styles: tuple[Literal["line", "points"], ...] = ("line", "points")
    for style in styles:
        sane = sanitise(Series("a", x, y, "series-0", style), *wide)
        assert len(sane.points) <= axes.MAX_POINTS
        assert len(sane.lines) <= axes.MAX_POINTS


# --- Ticks -----------------------------------------------------------------------------------


def labels(axis: Axis, low: float, high: float, most: int) -> list[str]:
    return [tick.label for tick in ticks(axis, low, high, most)]


def test_linear_ticks_are_one_two_five() -> None:
    assert labels(X, 0, 1, 5) == ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]
    assert labels(X, 0, 0.1, 2) == ["0.00", "0.05", "0.10"]
    assert labels(X, 0, 3.12, 3) == ["0", "1", "2", "3"]
    assert labels(X, -3, 3, 3) == ["-2", "0", "2"]
    assert labels(X, 0, 4e-5, 4) == ["0", "10⁻⁵", "2·10⁻⁵", "3·10⁻⁵", "4·10⁻⁵"]
    assert labels(X, 0, 3e6, 3) == ["0", "10⁶", "2·10⁶", "3·10⁶"]


def test_an_axis_wider_than_a_float_has_one_tick() -> None:
    assert labels(X, -8e307, 8e307, 3) == ["-5·10³⁰⁷", "0", "5·10³⁰⁷"]
    assert labels(X, -1e308, 1e308, 3) == ["-1e308"]


def test_log_ticks() -> None:
    log = Axis("", log=True)
    assert labels(log, -5, -1, 9) == ["10⁻⁵", "10⁻⁴", "10⁻³", "10⁻²", "10⁻¹"]
    assert labels(log, -12, 0, 4) == ["10⁻¹⁰", "10⁻⁵", "10⁰"]
    assert labels(log, 0, 3, 9) == ["1", "10", "100", "1000"]
    assert labels(log, -2, -0.5, 9) == ["0.01", "0.02", "0.05", "0.1", "0.2"]
    assert labels(log, -5.2, -4, 9) == ["10⁻⁵", "2·10⁻⁵", "5·10⁻⁵", "10⁻⁴"]
    assert labels(log, 0, 0.3, 5) == ["1.0", "1.2", "1.4", "1.6", "1.8"]


@settings(max_examples=200)
@given(st.floats(-300, 300), st.floats(1e-9, 300), st.integers(0, 40), st.booleans())
def test_ticks_lie_on_the_axis_and_are_few(low: float, span: float, most: int, log: bool) -> None:
    high = min(low + span, 300.0)
    if high - low < 1e-9:
        return
    found = ticks(Axis("", log=log), low, high, most)
    assert len(found) <= 4 * max(2, most) + 8
    for tick in found:
        place = math.log10(tick.value) if log else tick.value
        assert low - 1e-6 <= place <= high + 1e-6
    values = [tick.value for tick in found]
    assert values == sorted(values)


# --- Without plotext -------------------------------------------------------------------------


def test_without_plotext_plots_say_so_and_bars_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "plotext", None)
    said = " ".join(row.strip() for row in rows(RISING, 50, 10))
    assert "need plotext" in said
    assert "Table tab" in said
    assert rows(ITEMS, 60, 9)[0].startswith("Items")


@pytest.mark.parametrize(
    ("chart", "width", "height", "charset", "drawn"),
    [
        (
            RISING,
            30,
            9,
            "ascii",
            [
                "Line",
                "y                         ** a",
                " |                       ****",
                "2+              *********",
                " |     *********",
                "0+*****",
                " ++--------+-------+--------+-",
                "  0        1       2        3",
                "               x",
            ],
        ),
        (
            DECADES,
            40,
            14,
            "ascii",
            [
                "Points",
                "MSE                            o a   x b",
                "    |",
                " 1e0+ o",
                "    | x          o",
                "    |",
                "    |            x         o",
                "1e-3+                      x          o",
                "    |                                 x",
                "    |",
                "    +-+----------+---------+----------+-",
                "      1          10       100       1000",
                "                      n",
                "note",
            ],
        ),
        (
            ITEMS,
            60,
            9,
            "ascii",
            [
                "Items  share  # before  + gained  : lost  * true",
                "-- +- error",
                "  item       0.0           0.5     estimate +- error  change",
                "  a           |###########*-#---      0.500 +- 0.100       -",
                "> ????        |###++-+-*              0.250 +- 0.050  +0.150",
                "  c    -#-+###*                      -0.200 +- 0.050  -0.100",
                "  97 more: 0.2",
                "",
                "note",
            ],
        ),
    ],
)
def test_a_chart_row_by_row(
    chart: Chart, width: int, height: int, charset: Charset, drawn: list[str]
) -> None:
    assert rows(chart, width, height, charset) == drawn


def test_a_message_is_centred() -> None:
    strips: list[Strip] = message("nothing yet", Look(21, 3, DARK, "ascii"))
    assert [strip.text for strip in strips] == [" " * 21, "     nothing yet     ", " " * 21]


def test_what_a_test_made_of_an_item_has_a_mark_in_every_charset() -> None:
    found = Bars(
        "Items",
        (
            Bar("a", 0.5, true=0.4, finding="detected"),
            Bar("b", 0.2, true=0.1, finding="missed"),
            Bar("c", 0.1, true=0.0, finding="false", target=True),
            Bar("d", 0.0, true=0.0),
        ),
    )
    blocks = rows(found, 80, 6)
    assert "✓ detected  ○ missed  ✗ false" in blocks[0]
    assert [row[:6] for row in blocks[2:]] == ["  ✓ a ", "  ○ b ", "▸ ✗ c ", "    d "]
    plain = rows(found, 80, 6, "ascii")
    assert "y detected  n missed  x false" in plain[0]
    assert [row[:6] for row in plain[2:]] == ["  y a ", "  n b ", "> x c ", "    d "]


def test_a_short_bar_stays_in_sight_under_its_whisker() -> None:
    chart = Bars("", (Bar("a", 1.0), Bar("b", 0.06, error=0.05), Bar("c", 0.03, error=0.02)))
    drawn = rows(chart, 40, 6)[1:4]
    # Each has its zero line, then at least a part of a filled cell.
    assert all(row.split("│")[1][0] in "▏▎▍▌▋▊▉█" for row in drawn)
