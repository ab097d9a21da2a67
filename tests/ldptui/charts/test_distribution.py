"""The chart of a distribution: its frame against the estimates that it is drawn from."""

from __future__ import annotations

import numpy as np
import pytest
from support.cases import experiment, results_of

from ldptui.charts.chart_data import ChartData
from ldptui.charts.figures import Frame, distribution
from ldptui.charts.series import Plot
from ldptui.core.base.arms import ATTACKED, CLEAN
from ldptui.core.view.cells import cell_view
from ldptui.core.view.estimated import frequencies
from ldptui.session.cell_table import address_of
from ldptui.session.snapshot import Snapshot

PARTS = 16


@pytest.mark.parametrize("kind", ["top", "none"])
def test_the_frame_is_what_was_estimated(kind: str) -> None:
    made = experiment(
        {"kind": "beta", "items": PARTS, "users": 10_000, "a": 2.0, "b": 5.0},
        {"kind": "sw", "epsilon": 2.0, "bins": 64},
        {"kind": kind} | ({"share": 0.1, "targets": {"items": [15]}} if kind == "top" else {}),
        task={"kind": "distribution", "low": 0.0, "high": 8.0},
        trials=3,
    )
    (cell,), (measured,) = made.cells, results_of(made).cells
    found = frequencies(cell, measured, {})
    assert found is not None
    view = cell_view(cell, measured)
    run = Snapshot(1, "done", cells=(view,), base=address_of(view.parameters), frequencies=found)
    frame = distribution.frame(ChartData(run=run), {})
    assert isinstance(frame, Frame)
    plot = frame.views[""].draw(None, (80, 24))
    assert isinstance(plot, Plot)
    drawn = {series.label: np.array(series.y) for series in plot.series if series.label}
    arms = {"true": cell.population.frequencies, "before": measured.arms[CLEAN].mean}
    if kind == "top":
        arms["after"] = measured.arms[ATTACKED].mean
    assert set(drawn) == set(arms)
    for label, values in arms.items():
        assert drawn[label] == pytest.approx(values)
    numbers = np.array(plot.series[0].x)
    assert numbers == pytest.approx(np.arange(PARTS) / 2 + 0.25)
    marks = [series.x[0] for series in plot.series if series.style == "dotted"]
    assert marks == pytest.approx([float(arms[name] @ numbers) for name in list(arms)[1:]])
    assert ("shift +" in plot.note) == (kind == "top")
    assert len(frame.table.rows) == PARTS
