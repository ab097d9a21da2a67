"""The charts over an axis: gain and error as closed forms and points, and their tables."""

from __future__ import annotations

import dataclasses
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from support.chart_cases import along, base_address, cells, scenario, swept
from support.kinds import CAO_ATTACKS, CAO_PROTOCOLS
from support.round_cases import DOCUMENT

from ldptui import scenarios
from ldptui.charts import curves
from ldptui.charts.chart_data import ChartData
from ldptui.charts.curves import Curve
from ldptui.charts.draw import draw, place_at
from ldptui.charts.draw.marks import marks_of
from ldptui.charts.figures import ChartTable, Frame
from ldptui.charts.figures.course import BIT_SUPPORT, NO_BARS
from ldptui.charts.figures.gain import coinciding, linear_part
from ldptui.charts.kinds import KINDS
from ldptui.charts.rows import DARK, Look
from ldptui.charts.series import Panels, Plot, Series
from ldptui.core.base.summary import Estimate
from ldptui.core.scenario import Scenario, load
from ldptui.core.view import CellView
from ldptui.session.snapshot import Overlay, Snapshot
from ldptui.text.interval import reach_95

ROOM = (80, 24)


def framed(chart: str, made: Scenario, views: Any = (), overlays: Any = (), **chosen: str) -> Frame:
    """The frame of a chart of a run with these cells."""
    run = Snapshot(1, "done", cells=tuple(views), base=base_address(made))
    laid = tuple(Overlay(name, Snapshot(2, "done", cells=each, base=base_address(of)))
                 for name, of, each in overlays)  # fmt: skip
    frame = KINDS[chart].make_frame(ChartData(made, run, laid), chosen)
    assert isinstance(frame, Frame), frame
    return frame


def plotted(chart: str, made: Scenario, views: Any = (), **more: Any) -> Any:
    frame = framed(chart, made, views, **more)
    view = more.get("view") or next(iter(frame.views))
    return frame.views[view].draw(None, ROOM)


def measured(made: Scenario, chart: str = "gain", **more: Any) -> tuple[CellView, ...]:
    """The cells along the usual axis of a chart."""
    axis = curves.closed_forms(made).axis(chart)
    assert axis is not None
    return cells(along(made, axis, chart).document, **more)


def named(plot: Plot) -> dict[str, Series]:
    return {series.label: series for series in plot.series}


def column(table: ChartTable, name: str) -> list[Any]:
    at = [each.name for each in table.columns].index(name)
    return [row[at] for row in table.rows]


# --- The gain


def test_one_curve_has_its_closed_form_its_points_and_an_edge() -> None:
    made = scenario()
    views = measured(made, off=1.05)
    frame = framed("gain", made, views)
    plot: Any = frame.views["edge"].draw(0.05, ROOM)
    line, points, edge = plot.series
    assert (line.label, line.end, line.style) == ("MGA on OUE, closed form", "MGA on OUE", "line")
    assert (points.label, points.style, edge.style) == ("simulated", "points", "dotted")
    assert list(points.x) == [cell.parameters["attack.share"] for cell in views]
    on_line = dict(zip(line.x, line.y, strict=True))
    assert [1.05 * on_line[x] for x in points.x] == pytest.approx(list(points.y))
    assert points.error[-1] == pytest.approx(0.1 * reach_95(20) * points.y[-1] / 1.05)
    assert (plot.note, plot.cursor) == ("points: mean of 20 trials ± 95 %", 0.05)
    assert (plot.x.low, plot.x.high) == (0.0, 0.1)
    heads = [each.name for each in frame.table.columns]
    assert heads[:7] == ["series", "β", "closed form", "measured", "± error", "z", "trials"]
    assert column(frame.table, "closed form")[-1] == pytest.approx(on_line[0.1])
    assert column(frame.table, "z")[-1] == pytest.approx(0.5)  # 5 % off, a tenth of error
    assert frame.settings_at is not None
    assert frame.settings_at(0.05, 0) == [("attack.share", 0.05)]
    alone = framed("gain", made).table
    assert len(alone.rows) == len(line.x)
    assert set(column(alone, "measured")) == {None}


@pytest.mark.parametrize("kind", ["ria", "mga"])
def test_the_lines_that_a_gain_is_held_against(kind: str) -> None:
    """Dotted lines of shapes and colours of their own; that of MGA where no curve is it."""
    made = scenario(attack__kind=kind)
    plot = plotted("gain", made, view="bounds")
    names = ["MGA"] * (kind != "mga") + [
        "limit: proved coins, or no report",
        "limit: nobody notices",
        "limit: honest coins",
    ]
    assert [each.label for each in plot.series if each.style == "dotted"] == names
    assert len({series.tone for series in plot.series}) == len(plot.series)
    assert plot.levels == ((0.0, "limit: honest item"),)
    for charset in ("braille", "ascii"):
        marks = marks_of(plot, Look(60, 0, DARK, charset))
        assert len({mark.sample for mark in marks}) == len(marks)
    table = framed("gain", made, measured(made)).table
    assert {each.name for each in table.columns[7:]} == {*names, "limit: honest item"}
    assert all(None not in row[6:] for row in table.rows)
    assert plotted("gain", made, view="none").levels == ()


def test_a_series_for_each_kind_and_the_marker_names_it() -> None:
    made = swept(scenario(), {"attack.kind": ["ria", "mga"]})
    before = plotted("gain", made, view="none")
    assert [(s.label, s.legend) for s in before.series] == [("RIA", True), ("MGA", True)]
    after = plotted("gain", made, measured(made), view="none")
    assert [(s.label, s.style, s.legend) for s in after.series] == [
        ("RIA", "line", False), ("MGA", "line", False), ("RIA", "points", True),
        ("MGA", "points", True), ("line = closed form", "line", True),
    ]  # fmt: skip


def test_many_points_are_a_line_within_a_band() -> None:
    """From thirty on: points would hide the closed form, which then names the series."""
    made = swept(scenario(), {"attack.share": {"from": 0.01, "to": 0.2, "points": 30}})
    plot = plotted("gain", made, measured(made))
    assert [s.style for s in plot.series[:2]] == ["line", "band"]
    assert "bands: mean of" in plot.note


def test_axes_stand_still_while_the_points_come_in() -> None:
    made = scenario()
    empty, some, far = (
        plotted("gain", made, views).y
        for views in ((), measured(made, off=1.02)[:4], measured(made, off=3.0))
    )
    assert (empty.low, empty.high) == (some.low, some.high)
    assert far.high > 2 * empty.high
    wide = [
        replace(cell, metrics={"gain": dataclasses.replace(cell.metrics["gain"], standard_error=2)})
        for cell in measured(made)
    ]
    plot = plotted("gain", made, wide)
    points = named(plot)["simulated"]
    for y, error in zip(points.y, points.error, strict=True):
        assert plot.y.low <= y - error < y + error <= plot.y.high


def test_points_of_other_settings_are_muted_and_other_runs_laid_over() -> None:
    made, other = scenario(), scenario(protocol__epsilon=2.0)
    run = Snapshot(1, "done", cells=measured(other), base=base_address(other))
    frame = KINDS["gain"].make_frame(ChartData(made, run), {})
    assert isinstance(frame, Frame)
    stale = named(frame.views["none"].draw(None, ROOM))["other settings"]  # type: ignore[arg-type]
    assert (stale.tone, stale.error) == ("muted", None)
    wide = swept(scenario(protocol__kind="grr"), {"attack.share": [0.0, 0.3, 0.9]})
    run = Snapshot(1, "done", cells=measured(wide), base=base_address(wide))
    drawn = KINDS["gain"].make_frame(ChartData(made, run), {}).views["none"].draw(None, ROOM)  # type: ignore[union-attr]
    points = named(drawn)["other settings"]  # type: ignore[arg-type]
    assert (drawn.x.high, len(points.x)) == (0.9, 3)  # type: ignore[union-attr]
    assert drawn.y.low <= min(points.y) < max(points.y) <= drawn.y.high  # type: ignore[union-attr]
    overlays = [("run 2", other, measured(other)), ("run 3", other, measured(other)[:1])]
    plot = plotted("gain", made, overlays=overlays)
    assert named(plot)["run 2"].style == "points"
    assert "run 3: no points over this axis" in plot.note  # one point is no curve over it
    rows = framed("gain", made, overlays=overlays).table.rows
    assert sum(row[0] == "run 2" for row in rows) == len(measured(other))


def test_a_dozen_runs_are_told_apart_by_colour_and_dash() -> None:
    made, *others = [scenario(protocol__epsilon=0.3 * at) for at in range(1, 13)]
    overlays = [(f"ε {at}", each, measured(each)) for at, each in enumerate(others)]
    plot = plotted("gain", made, measured(made), overlays=overlays)
    laid = [each for each in plot.series if each.label and each.tone != "muted"]
    for each, (_, _, views) in zip(laid[2::2], overlays, strict=True):  # on their closed forms
        assert [*each.y] == [cell.metrics["gain"].theory for cell in views]
    lines = {(each.tone, each.style) for each in laid if each.style != "points"}
    assert len(lines) == 12
    marks = marks_of(plot, Look(100, 40, DARK))
    looks = {mark.glyph for mark, each in zip(marks, plot.series, strict=True)
             if each in laid and each.style == "points"}  # fmt: skip
    assert len(looks) == 12


def test_runs_have_a_series_for_each_of_their_words_and_are_grouped_by_a_key() -> None:
    made = scenario()
    other = swept(scenario(protocol__epsilon=2.0), {"protocol.kind": ["oue", "grr"]})
    overlays = [("ε 2", other, measured(other)), ("ε 1", made, measured(made))]
    chart = {"views": measured(made), "overlays": overlays}
    assert {"ε 2 OUE", "ε 2 GRR", "ε 1"} <= named(plotted("gain", made, **chart)).keys()
    options = framed("gain", made, **chart).options["group"].values
    assert list(options.values()) == ["each run", "by protocol", "by ε"]
    for group, labels, lines in (
        ("protocol.kind", ["OUE", "GRR"], ["GRR"]),  # cells of several runs at a place are no curve
        ("protocol.epsilon", ["ε 1", "ε 2"], []),
    ):
        frame = framed("gain", made, **chart, group=group)
        rows = frame.table.rows
        assert list(dict.fromkeys(row[0] for row in rows)) == labels
        assert len(rows) == sum(len(measured(of)) for of in (made, other, made))
        drawn = frame.views["none"].draw(None, ROOM).series  # type: ignore[union-attr]
        assert [each.label for each in drawn if each.style == "points"] == labels
        assert [each.label for each in drawn if each.style != "points"] == lines


def test_the_scales_that_keys_choose() -> None:
    made = scenario(protocol__kind="olh", attack__kind="rpa")  # a negative gain
    plot = plotted("gain", made, x="log", y="log")
    assert (plot.x.log, plot.x.low) == (True, pytest.approx(1e-4))
    assert plot.note == "values ≤ 0 have no place on a log axis"
    assert plotted("gain", made, axis="protocol.epsilon").x.label == "privacy budget ε"
    bent = plotted("gain", made, y="symlog")
    assert bent.y.linear > 0
    (line, *_) = (each for each in bent.series if each.style == "line" and len(each.x))
    assert line.y[0] != 0  # no straight stroke from 0
    for mean, error in ((1e-4, 1e-3), (0.3, 1e-3)):  # 0 lies in all intervals, or in none
        views = [
            replace(cell, metrics={"gain": Estimate(mean, error, None)}) for cell in measured(made)
        ]
        bent = plotted("gain", made, views, y="symlog")
        assert (named(bent)["simulated"].error is None, NO_BARS in bent.note) == (mean < error,) * 2


def test_what_is_left_in_spite_of_a_defence_has_points_and_rows() -> None:
    made = scenario().with_value("defence", [{"kind": "norm-sub"}])
    views = [
        replace(cell, metrics={**cell.metrics, "gain_after": Estimate(-0.3, 0.02, -0.25)})
        for cell in measured(made)
    ]
    plot = plotted("gain", made, views)
    assert list(named(plot)["defended"].y) == [-0.3] * len(views)
    assert named(plot)["defended, closed form"].style == "dotted"
    assert plot.y.low <= -0.3
    rows = framed("gain", made, views).table.rows
    assert [row[3] for row in rows if row[0] == "defended"] == [-0.3] * len(views)


def test_the_gain_of_rappors_bits_goes_beside_the_decoded_one() -> None:
    table = {"kind": "rappor", "bits": 128, "hashes": 1, "cohorts": 8}
    made = swept(scenario(), {"attack.share": [0.0, 0.05, 0.1]}).with_value("protocol", table)
    views = [replace(view, bits={"bit_support_gain": 0.1 * at})
             for at, view in enumerate(measured(made))]  # fmt: skip
    labels = [series.label for series in plotted("gain", made, views, view="none").series]
    assert labels == ["MGA on RAPPOR, closed form", BIT_SUPPORT, "simulated"]
    assert column(framed("gain", made, views).table, BIT_SUPPORT) == [0.0, 0.1, 0.2]
    # Known before any run, so that there is something to see.
    assert plotted("gain", made, view="none").series[1].label == BIT_SUPPORT


def test_a_point_in_doubt_has_no_z() -> None:
    made = scenario()
    views = [replace(cell, metrics={"gain": Estimate(0.3, 0.01, 0.2, "rare")})
             for cell in measured(made)]  # fmt: skip
    assert set(column(framed("gain", made, views).table, "z")) == {None}


# --- Panels

NINE = swept(
    scenario(),
    {"protocol.kind": [*CAO_PROTOCOLS], "attack.kind": [*CAO_ATTACKS],
     "attack.share": [0.001, 0.01, 0.1]},
)  # fmt: skip


def text(chart: Panels | Plot, width: int, height: int) -> str:
    return "\n".join(strip.text for strip in draw(chart, Look(width, height, DARK)))


def test_nine_series_stand_in_three_panels_on_one_symlog_scale() -> None:
    chart = plotted("gain", NINE)
    assert isinstance(chart, Panels)
    assert [plot.title for plot in chart.plots] == ["GRR", "OUE", "OLH"]
    assert [series.label for series in chart.plots[0].series][1:4] == ["RPA", "RIA", "MGA"]
    assert len({(plot.y.low, plot.y.high) for plot in chart.plots}) == 1
    drawn = text(chart, 76, 19)
    for word in ("GRR", "OUE", "OLH", "RPA", "RIA", "MGA", "10⁻³", "10⁻¹"):
        assert word in drawn
    # No room for three: those left out are said, and f picks them.
    assert "1 of 3 shown, f picks" in text(chart, 30, 16)
    alone = plotted("gain", NINE, pick="OUE")
    assert isinstance(alone, Plot)
    assert alone.title.endswith(", OUE")


def test_a_click_on_any_panel_is_a_place_of_the_axes_that_all_share() -> None:
    chart, look = plotted("gain", NINE), Look(90, 20, DARK)
    places = [place_at(chart, x, 9, look) for x in range(90)]
    xs = [place[0] for place in places if isinstance(place, tuple)]
    assert sum(later < before for before, later in pairwise(xs)) == 2
    assert min(xs) < 0.01
    assert max(xs) > 0.09


def test_curves_that_coincide_are_named_and_small_ones_ask_for_a_log_axis() -> None:
    same = [Curve("OUE", {}, y=(3.0, 4.0)), Curve("GRR", {}, y=(9.0, 4.0)),
            Curve("OLH", {}, y=(3.01, 4.02))]  # fmt: skip
    assert coinciding(same) == "OUE = OLH within 1 %"
    assert coinciding(same[:2]) == ""
    assert linear_part(same) == 0.0
    small = [*same, Curve("RPA", {}, y=(0.01, 0.02))]
    assert linear_part(small) == 0.01
    assert linear_part(small, noticed=0.5) == 0.1  # its curves are apart all the same
    assert linear_part(small, noticed=0.15) == 0.1  # what nobody can notice has no decades


@pytest.mark.parametrize(
    ("made", "chart", "words"),
    [
        (scenario(attack__kind="none"), "gain", "3 opens the attacks"),
        (Scenario(DOCUMENT, "", Path()), "gain", "→ Timeline shows the gain of each round"),
        (load(scenarios.path("rappor-normal")), "error", "← → show the tabs"),
    ],
)
def test_an_empty_chart_says_what_to_press(made: Scenario, chart: str, words: str) -> None:
    said = KINDS[chart].make_frame(ChartData(made), {})
    assert isinstance(said, str)
    assert words in said


# --- The error


def test_the_error_as_its_square_and_as_a_deviation() -> None:
    made = scenario()
    views = measured(made, "error")
    frame = framed("error", made, views)
    mse, std = (frame.views[name].draw(None, ROOM) for name in ("mse", "std"))
    assert isinstance(mse, Plot)
    assert isinstance(std, Plot)
    assert mse.note.endswith("; other protocols: only where chosen or swept")
    assert mse.series[-1].label == curves.FLOOR
    assert mse.y.log
    assert [mse.y.label, std.y.label] == [
        "mean squared error of a frequency", "standard deviation of a frequency"
    ]  # fmt: skip
    points, roots = (
        next(s for s in plot.series if s.label == "OUE" and s.style == "points")
        for plot in (mse, std)
    )
    assert [y**2 for y in roots.y] == pytest.approx(list(points.y))
    assert points.error is not None
    assert roots.error is not None
    assert roots.error[0] == pytest.approx(points.error[0] / (2 * roots.y[0]))  # d√y = dy / 2√y
    two = swept(made, {"protocol.kind": ["grr", "oue"]})
    assert "only where" not in plotted("error", two).note
