"""The gain in spite of a defence beside the gain without one."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from ldptui.charts.curves import Curve, Variable
from ldptui.charts.figures import Over, gain_table
from ldptui.charts.figures.beside import with_defended
from ldptui.charts.figures.table import reading, rows_at
from ldptui.charts.series import Axis, Plot
from ldptui.core.base.summary import Estimate
from ldptui.core.view import CellView
from ldptui.session.cells import Cells
from ldptui.text.format import MISSING

KEY = "attack.share"
SHARE = Variable(KEY, "β", "share of fake users β", 0.0, 0.2)


def cell(share: float, after: Estimate | None) -> CellView:
    metrics = {"gain": Estimate(2 * share, 0.01, 2 * share)}
    parameters = {KEY: share, "protocol.kind": "oue"}
    return CellView(
        0, parameters, "counts", 100, 5, 8, 0.5, 0.3, None, 10, 10, (1,),
        metrics if after is None else {**metrics, "gain_after": after},
    )  # fmt: skip


CURVE = Curve("MGA on OUE", KEY, {KEY: 0.1, "protocol.kind": "oue"}, (0.1, 0.2), (0.2, 0.4), (0, 0))
PLOT = Plot("t", Axis("x"), Axis("y", low=0.0, high=0.5), ())


def test_every_cell_that_has_one_is_a_point_and_the_axis_holds_it() -> None:
    cells = [cell(0.1, Estimate(-0.3, 0.02, -0.25)), cell(0.2, Estimate(0.1, None, None))]
    plot = with_defended(PLOT, Over([CURVE], Cells(cells), SHARE), ())
    theory, points = plot.series
    assert (list(theory.x), list(theory.y), theory.style) == ([0.1], [-0.25], "dotted")
    assert (points.label, points.x, points.y) == ("defended", [0.1, 0.2], [-0.3, 0.1])
    assert (plot.y.low, plot.y.high) == (-0.3, 0.5)
    several = with_defended(PLOT, Over([CURVE], Cells(cells), SHARE), ("series-0",))
    assert [series.label for series in several.series] == [
        "MGA on OUE, defended, closed form",
        "MGA on OUE, defended",
    ]
    on_log = replace(PLOT, y=Axis("y", log=True, low=0.1, high=0.5))
    log = with_defended(on_log, Over([CURVE], Cells(cells), SHARE), ())
    assert log.y.low == 0.1


def test_the_table_tells_the_part_of_the_gain_that_is_left() -> None:
    cells = [cell(0.1, Estimate(-0.3, 0.02, -0.25)), cell(0.2, Estimate(0.1, None, None))]
    table = gain_table(Over([CURVE], Cells(cells), SHARE))
    place = [column.name for column in table.columns].index("% of gain")
    parts = {row[:2]: row[place] for row in table.rows}
    assert parts == {
        ("MGA on OUE", 0.1): None, ("MGA on OUE", 0.2): None,
        ("defended", 0.1): pytest.approx(-150), ("defended", 0.2): pytest.approx(25),
    }  # fmt: skip
    shown = reading(table, rows_at(table, (1, 0.2)), 1, 0, (72, 3))
    assert [line.split()[-1] for line in shown.splitlines()] == ["…", MISSING, "25.0"]
    plain = gain_table(Over([CURVE], Cells([cell(0.1, None)]), SHARE))
    assert "% of gain" not in [column.name for column in plain.columns]


def test_without_a_defence_the_plot_stays_as_it_is() -> None:
    assert with_defended(PLOT, Over([CURVE], Cells([cell(0.1, None)]), SHARE), ()) is PLOT
