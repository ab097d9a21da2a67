"""Charts for paper: names of axes once, intervals within their chart, marks without colour."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from ldptui.charts.draw import printed
from ldptui.charts.draw.lettering import LINE, SIZE, fill_lines, in_columns, width_of, with_powers
from ldptui.charts.draw.paper import figure_of, write_figure
from ldptui.charts.series import Axis, Chart, Grid, Panels, Plot, Series
from ldptui.core.base.errors import FileError

pytest.importorskip("matplotlib")
from matplotlib.figure import Figure


def drawn(chart: Chart, tmp_path: Path, columns: int = 1) -> tuple[str, list[str]]:
    """The figure as SVG, and its texts."""
    path = tmp_path / "figure.svg"
    write_figure(chart, path, columns=columns, caption="caption", embedded="kept")
    svg = path.read_text(encoding="utf-8")
    return svg, re.findall(r"<text[^>]*>([^<]+)</text>", svg)


def panels(count: int) -> Panels:
    xs = (0.25, 0.5, 0.75)
    x, y = Axis("β", low=0.0, high=1.0), Axis("gain", low=0.0, high=1.0)
    plots = (Plot(f"P{at}", x, y, (Series("a", xs, xs, "series-0"),)) for at in range(count))
    return Panels("Panels", tuple(plots))


@pytest.mark.parametrize(("count", "rows"), [(2, 1), (3, 2)])
def test_panels_name_their_axes_at_the_rim(tmp_path: Path, count: int, rows: int) -> None:
    _, texts = drawn(panels(count), tmp_path)
    titles = [text for text in texts if re.fullmatch(r"P\d", text)]
    assert titles == [f"P{at}" for at in range(count)]
    assert texts.count("gain") == 1
    assert texts.count("β") == 2
    # The numbers of y at the left of each row, those of x below the lowest of each column.
    assert sum(map(texts.count, ("0", "0.0", "0.00"))) == rows + 2


def test_many_panels_have_room_on_a_page() -> None:
    figure = figure_of(panels(12), columns=1, caption="caption")
    assert figure.get_size_inches()[1] * 25.4 < 230


def test_a_long_interval_ends_with_its_chart(tmp_path: Path) -> None:
    points = Series("a", (1.0, 2.0), (0.5, 0.5), "series-0", "points", error=(0.1, 50.0))
    chart = Plot("Chart", Axis("x"), Axis("y", low=0.0, high=1.0), (points,))
    svg, _ = drawn(chart, tmp_path)
    whiskers = re.findall(r'<path d="M [^"]*L[^"]*"[^>]*#0072b2[^>]*>', svg)
    assert len(whiskers) >= 2
    assert all("clip-path" in whisker for whisker in whiskers)


def test_a_figure_that_cannot_be_written_whole_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "figure.pdf"
    path.write_bytes(b"kept")
    monkeypatch.setattr(
        "ldptui.core.base.files.os.fsync", lambda _: (_ for _ in ()).throw(OSError(28, "full"))
    )
    with pytest.raises(FileError, match=r"figure.pdf cannot be written: full"):
        write_figure(panels(1), path, columns=1, caption="", embedded="")
    assert path.read_bytes() == b"kept"
    assert [found.name for found in tmp_path.iterdir()] == ["figure.pdf"]


def sizes(svg: str) -> set[str]:
    """The sizes of the letters of a figure, but for raised ones."""
    plain = re.sub(r"<tspan.*?</tspan>", "", svg, flags=re.DOTALL)
    return set(re.findall(r"font-size: ([0-9.]+)px", plain))


@pytest.mark.parametrize("columns", [1, 2])
def test_all_letters_have_one_size_and_stand_on_the_page(tmp_path: Path, columns: int) -> None:
    xs = (1.0, 2.0)
    names = [f"{kind} ATTACK, defended" for kind in ("GRR", "OUE", "OLH", "SUE", "BLH", "SS", "HR")]
    series = tuple(Series(name, xs, xs, "series-0", "points") for name in names)
    svg, texts = drawn(Plot("Chart", Axis("x"), Axis("y"), series), tmp_path, columns)
    assert sizes(svg) == {f"{SIZE:g}"}
    assert set(names) <= set(texts)
    width = {1: 84, 2: 174}[columns] / 25.4 * 72
    placed = r'text-anchor: start" x="([0-9.-]+)"[^>]*>([^<]+)</text>'
    starts = {text: float(x) for x, text in re.findall(placed, svg)}
    for name in names:
        assert 0 <= starts[name] <= width - width_of(name), name


@settings(max_examples=30)
@given(st.lists(st.text("abcXYZ ", min_size=1, max_size=30), min_size=1, max_size=12))
def test_a_legend_fits_and_reads_along_its_rows(labels: list[str]) -> None:
    columns, order = in_columns(labels, 20.0, 238.0)
    assert sorted(order) == list(range(len(labels)))
    # The entries as matplotlib sets them: down the columns, the first of which may be longer.
    rows, longer = divmod(len(labels), columns)
    heights = [rows + (at < longer) for at in range(columns)]
    firsts = [sum(heights[:at]) for at in range(columns)]
    assert [order[first] for first in firsts] == list(range(columns))
    taken = sum(
        20 + max(width_of(labels[order[first + row]]) for row in range(height))
        for first, height in zip(firsts, heights, strict=True)
    )
    assert taken <= 238 or columns == 1


def test_a_caption_has_the_title_the_scale_and_whole_facts(tmp_path: Path) -> None:
    xs = (1.0, 2.0)
    plot = Plot("Gain", Axis("x"), Axis("y", linear=1e-4), (Series("a", xs, xs, "series-0"),))
    path = tmp_path / "figure.svg"
    digest = f"xxh3:{'0' * 32}, random numbers of NumPy 2.4.6"
    write_figure(plot, path, columns=1, caption=f"Title · seed 0 · 1800 trials · {digest}",
                 embedded="")  # fmt: skip
    words = path.read_text(encoding="utf-8")
    assert "Gain; the y-axis is linear within ± 10⁻⁴" in words
    assert all(
        fact in words for fact in ("seed 0 ·", "1800 trials ·", "random numbers of NumPy 2.4.6")
    )
    lines = fill_lines("word " * 40, 238.0).split("\n")
    assert all(width_of(line) <= 238 for line in lines)
    assert LINE > SIZE


def test_the_line_of_a_map_is_closed_and_its_numbers_are_read(tmp_path: Path) -> None:
    values, inside = ((1e-4, 20.0), (-0.003, 0.5)), ((False, True), (False, False))
    grid = Grid("Gain", "ε", "β", ("1", "2"), ("a", "b"), values, inside=inside, line="all",
                nouns=("privacy budget ε", "share β"))  # fmt: skip
    svg, texts = drawn(grid, tmp_path)
    assert {"privacy budget ε", "share β", "around: all", "1e−4", "−0.003", "20"} <= set(texts)
    border = [path for path in re.findall(r"<path[^>]*#d55e00[^>]*>", svg) if "M" in path]
    sides = sum(path.count("M ") for path in border)
    assert sides == 5  # of one cell, and the legend's
    svg, _ = drawn(replace(grid, line="", inside=((True, True), (True, True))), tmp_path)
    assert "#d55e00" not in svg  # where all cells lie inside, the note says it


def test_a_series_without_points_takes_no_room(tmp_path: Path) -> None:
    some = Series("some", (1.0, 2.0), (1.0, 2.0), "clean", "points")
    none = Series("none", (), (), "attacked", "points")
    heights = set()
    for series in ((some,), (some, none)):
        svg, _ = drawn(Plot("Chart", Axis("x"), Axis("y"), series), tmp_path)
        ys = [float(y) for y in re.findall(r'<use [^>]*y="([0-9.]+)"', svg)]
        heights.add(round(max(ys) - min(ys)))
    assert len(heights) == 1


def test_raised_digits_are_set_as_powers() -> None:
    assert with_powers("<10⁻⁴") == r"$\mathdefault{<10^{-4}}$"
    assert with_powers("100") == "100"


@pytest.mark.parametrize("linear", [0.0, 0.01])
def test_names_stand_where_their_lines_end(linear: float) -> None:
    ends = {"MGA": 0.5 if linear else 9.0, "RPA": -0.02 if linear else -5.0}
    lines = [Series(name, (1.0, 2.0), (10.0, y), "clean", end=name) for name, y in ends.items()]
    y = Axis("gain", low=-10.0, high=10.0, linear=linear)
    plot = Plot("Gain", Axis("x", low=1.0, high=2.0), y, tuple(lines))
    axes = Figure(figsize=(4, 3)).add_subplot()
    printed.draw_chart(axes, plot, 288, 216)
    assert printed.name_ends(axes, plot, 216) == set(ends)
    to_axes = axes.transData + axes.transAxes.inverted()
    for words in axes.texts:
        there = to_axes.transform((2.0, ends[words.get_text()]))[1]
        assert abs(words.xy[1] - there) < 0.05
