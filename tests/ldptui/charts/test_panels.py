"""The gain of many series: panels, a symlog scale, nothing left out."""

from __future__ import annotations

import dataclasses

import pytest
from msgspec.structs import replace
from support.chart_cases import QUICK, scenario, swept
from support.kinds import CAO_ATTACKS, CAO_PROTOCOLS

from ldptui.charts import curves, figures
from ldptui.charts.draw import draw, place_at
from ldptui.charts.rows import DARK, Look
from ldptui.charts.series import Panels, Plot
from ldptui.session.cells import Cells

NINE = swept(
    scenario(QUICK.replace("items = 64", "items = 16")),
    {
        "protocol.kind": list(CAO_PROTOCOLS),
        "attack.kind": list(CAO_ATTACKS),
        "attack.share": [0.001, 0.01, 0.1],
    },
)


def text(chart: Panels | Plot, width: int, height: int) -> str:
    return "\n".join(strip.text for strip in draw(chart, Look(width, height, DARK)))


def test_nine_series_stand_in_three_panels_on_one_symlog_scale() -> None:
    axis = curves.axes(NINE)[0]
    lines = curves.gain_curve(NINE, axis, points=5)
    assert len(lines) == 9
    linear = figures.linear_part(lines)
    assert 0 < linear < 1
    chart = figures.gain_chart(figures.Over(lines, Cells(), axis, linear=linear), at=-1)
    assert isinstance(chart, Panels)
    assert [plot.title for plot in chart.plots] == ["GRR", "OUE", "OLH"]
    assert [series.label for series in chart.plots[0].series] == ["RPA", "RIA", "MGA"]
    assert len({(plot.y.low, plot.y.high) for plot in chart.plots}) == 1
    drawn = text(chart, 76, 19)
    for word in ("GRR", "OUE", "OLH", "RPA", "RIA", "MGA", "10⁻³", "10⁻¹"):
        assert word in drawn
    numbers = [row.split("┤")[0].strip() for row in drawn.split("\n") if "┤" in row]
    assert len(set(numbers)) >= 3, "the first panel has the numbers of the axis that all share"
    for name in ("GRR", "OUE", "OLH", "10⁻³"):  # at 60 x 18 too
        assert name in text(chart, 60, 10)
    # No room for three: those left out are said, and f picks them.
    assert "1 of 3 shown, f picks" in text(chart, 30, 16)
    assert "2 of 3 shown, f picks" in text(chart, 50, 10)
    alone = figures.gain_chart(figures.Over(lines, Cells(), axis, linear=linear), at=1)
    assert isinstance(alone, Plot)
    assert alone.title.endswith(", OUE")
    # A tall picture has the whole note, which one line ends with "…".
    noted = replace(chart, note="; ".join(["a sentence that takes a whole line", "the last one"]))
    assert "the last one" not in text(noted, 40, 12)
    assert "the last one" in " ".join(text(noted, 40, 36).split())
    few = figures.gain_chart(figures.Over(lines[:3], Cells(), axis))
    assert isinstance(few, Plot)


def test_a_click_on_any_panel_is_a_place_of_the_axes_that_all_share() -> None:
    axis = curves.axes(NINE)[0]
    lines = curves.gain_curve(NINE, axis, points=5)
    chart = figures.gain_chart(
        figures.Over(lines, Cells(), axis, linear=figures.linear_part(lines)), at=-1
    )
    shown = text(chart, 76, 19).splitlines()
    row = next(at for at, line in enumerate(shown) if "GRR" in line) + 5
    starts = [at + 1 for at, char in enumerate(shown[row]) if char in "│┤"]
    assert len(starts) == 3
    places = [[place_at(chart, start + at, row, Look(76, 19, DARK)) for at in (0, 9, 18)]
              for start in starts]  # fmt: skip
    assert places[0] == places[1] == places[2]
    assert None not in places[0]
    assert [place_at(chart, start - 1, row, Look(76, 19, DARK)) for start in starts] == [None] * 3


def test_more_series_than_four_stand_in_panels_by_defence_too() -> None:
    swept_too = {**NINE.sweep, "protocol.kind": ["grr"], "defence.kind": ["none", "norm-sub"]}
    document = {**NINE.document, "defence": [{"kind": "none"}]}
    made = swept(dataclasses.replace(NINE, document=document), swept_too)
    axis = curves.axes(made)[0]
    lines = curves.gain_curve(made, axis, points=3)
    assert list(figures.panels_of(lines)) == ["none", "norm-sub"]
    chart = figures.gain_chart(figures.Over(lines, Cells(), axis))
    assert isinstance(chart, Panels)
    for plot in chart.plots:
        assert [series.label for series in plot.series] == ["RPA", "RIA", "MGA"]


def test_a_key_of_a_defence_that_is_left_out_takes_no_chart_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nine series have no room for the defence that knows η."""
    monkeypatch.setattr("ldptui.charts.curves.selections.MOST_SERIES", 9)
    kinds = ["none", "ldprecover"]
    document = {**NINE.document, "defence": [{"kind": "none", "eta": 0.05}]}
    made = swept(
        dataclasses.replace(NINE, document=document), {**NINE.sweep, "defence.kind": kinds}
    )
    assert curves.axes(made)
    kept = curves.gain_document(made)
    assert kept is not None
    assert kept["defence"] == [{"kind": "none"}]


def test_a_gain_over_decades_is_symlog_over_a_logarithmic_axis_alone() -> None:
    one = swept(NINE, {"attack.share": [1e-4, 1e-3, 1e-2, 0.1]})
    axis = replace(curves.axes(one)[0], log=True, low=1e-4)
    lines = curves.gain_curve(one, axis, points=4)
    assert figures.linear_part(lines) == 0.0
    linear = figures.linear_part(lines, log_x=True)
    least = min(abs(y) for y in lines[0].y)
    assert least / 10 < linear <= least


def test_a_curve_that_a_linear_axis_would_lay_on_its_floor_has_a_log_one() -> None:
    """GRR gains 90 times as much as OUE does: on one linear axis OUE's line is the axis itself."""
    oue = curves.Curve("OUE", "oue", {}, (0.5, 4.0), (1.27, 0.51), (0.0, 0.0))
    assert figures.scale_of([replace(oue, y=(115.0, 1.44)), oue]) == "log"
    assert figures.scale_of([replace(oue, y=(30.0, 1.44)), oue]) == "linear"
