"""Charts for paper: names of axes once, intervals within their chart, marks without colour."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from core.errors import FileError
from ldptui.charts.draw.paper import write_figure
from ldptui.charts.series import Axis, Chart, Panels, Plot, Series

pytest.importorskip("matplotlib")


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


def test_a_long_interval_ends_with_its_chart(tmp_path: Path) -> None:
    points = Series("a", (1.0, 2.0), (0.5, 0.5), "series-0", "points", error=(0.1, 50.0))
    chart = Plot("Chart", Axis("x"), Axis("y", low=0.0, high=1.0), (points,))
    svg, _ = drawn(chart, tmp_path)
    (whiskers,) = re.findall(r'<path d="M [^"]*L[^"]*"[^>]*#0072b2[^>]*>', svg)
    assert whiskers.count("L ") == 2  # both are one path
    assert "clip-path" in whiskers


def test_clouds_differ_by_their_marks(tmp_path: Path) -> None:
    xs = tuple(range(1, 501))
    clouds = tuple(
        Series(name, xs, xs, tone, "points")
        for name, tone in (("before", "clean"), ("after", "attacked"))
    )
    path = tmp_path / "figure.pgf"
    write_figure(Plot("Chart", Axis("x"), Axis("y"), clouds), path, columns=1, caption="",
                 embedded="")  # fmt: skip
    pgf = path.read_text(encoding="utf-8")
    marks = pgf.split(r"\pgfsys@defobject{currentmarker}")[1:]
    placed = [mark for mark in marks if mark.count("useobject") == len(xs)]
    assert ["curveto" in mark for mark in placed] == [True, False]  # dots are round, crosses not


def test_a_figure_that_cannot_be_written_whole_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "figure.pdf"
    path.write_bytes(b"kept")
    monkeypatch.setattr("core.files.os.fsync", lambda _: (_ for _ in ()).throw(OSError(28, "full")))
    with pytest.raises(FileError, match=r"figure.pdf cannot be written: full"):
        write_figure(panels(1), path, columns=1, caption="", embedded="")
    assert path.read_bytes() == b"kept"
    assert [found.name for found in tmp_path.iterdir()] == ["figure.pdf"]
