"""SVG for paper in a third of its letters, with everything that is drawn."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ldptui.charts.draw.lettering import compact
from ldptui.charts.draw.paper import write_figure
from ldptui.charts.series import Axis, Plot, Series

HEAD = """<?xml version="1.0"?>
<svg xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 9.123456 9"
 xmlns="http://www.w3.org/2000/svg"><metadata/>"""


def body(inner: str) -> str:
    """What becomes of the inside of a picture, in one line."""
    short = compact(f"{HEAD}{inner}</svg>").split("<metadata />", 1)[1]
    return short.replace("\n", "").removesuffix("</svg>")


def test_numbers_are_rounded_and_only_numbers() -> None:
    path = '<path id="m0.123456" d="M -0.001234 1.239999 \nL 1e-07 2.5 "/>'
    assert body(path) == '<path d="M 0 1.24 L 1e-07 2.5" />'
    scaled = '<g transform="translate(1.23456 2) scale(0.015625)"><text> 0.12345</text></g>'
    assert body(scaled) == scaled


def test_groups_and_names_that_say_nothing_are_left_out() -> None:
    inner = '<g id="a"><g id="b" clip-path="url(#c)"><text>x</text></g></g><clipPath id="c"/>'
    assert body(inner) == '<g clip-path="url(#c)"><text>x</text></g><clipPath id="c" />'


def test_lines_of_one_look_become_one_and_areas_stay() -> None:
    path = '<path d="M 0 {}" style="fill: {}"/>'
    lines, areas = ("".join(path.format(y, fill) for y in range(3)) for fill in ("none", "#fff"))
    assert body(lines) == '<path d="M 0 0 M 0 1 M 0 2" style="fill: none" />'
    assert body(areas).count("<path") == 3


def test_a_mark_has_its_look_once_or_else_where_it_stands() -> None:
    mark = '<defs><path id="m" d="M 0 0" style="stroke: #111"/></defs>'
    use = '<use xlink:href="#m" x="{}" y="2" style="fill: {}; stroke: #222"/>'
    alike = body(mark + use.format(1, "#333") + use.format(2, "#333"))
    assert '<path id="m" d="M 0 0" style="fill: #333; stroke: #111" />' in alike
    assert alike.count("style") == 1
    assert body(mark + use.format(1, "#333") + use.format(2, "#444")).count("style") == 3


def test_a_figure_is_small_and_keeps_its_text_and_marks(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    xs = tuple(range(21))
    series = (
        Series("line", xs, xs, "series-0"),
        Series("points", xs, xs, "series-1", "points", error=(0.5,) * 21),
    )
    chart = Plot("Chart", Axis("β"), Axis("gain"), series, note="a note")
    out = tmp_path / "a.svg"
    write_figure(chart, out, columns=2, caption="words", embedded="kept")
    svg = out.read_text(encoding="utf-8")
    assert len(svg) < 12_000
    assert svg.count("\n") < 80
    assert {"β", "gain", "points", "Chart; a note", "words"} <= set(
        re.findall(r">([^<>\n]+)</text>", svg)
    )
    assert ">kept</" in svg
    # A mark for each point, two caps for each interval, and an entry of the legend.
    assert svg.count("<use") >= 21 + 2 * 21 + 1
