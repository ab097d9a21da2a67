"""Curves of success over a key: their axes, what is simulated for them, lines and points."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace
from support.chart_cases import QUICK, along, base_address, cells, scenario, swept
from support.charts_pane import chart, showing

from ldptui.charts.chart_data import ChartData
from ldptui.charts.curves import (
    Curve,
    Variable,
    chart_selection,
    closed_forms,
    success_metrics,
)
from ldptui.charts.figures import Frame
from ldptui.charts.kinds import KINDS
from ldptui.charts.series import Plot
from ldptui.core.base.summary import Estimate
from ldptui.core.experiment import compile
from ldptui.core.scenario import Scenario
from ldptui.core.view import CellView
from ldptui.screens.workbench.charts.tabs import tabs_of
from ldptui.session import draft as drafts
from ldptui.session.cell_table import Cells
from ldptui.session.snapshot import Snapshot

TEXT = """
format = 1
trials = 2
population = { kind = "zipf", items = 64, users = 20_000, exponent = 1.3 }
protocol = { kind = "olh", epsilon = 2.0 }
attack = { kind = "mga", share = 0.05, targets = { pick = "random", count = 3 }, seeds = 10 }
task = { kind = "heavy-hitters", k = 4, bits = 8, groups = 3 }
"""
HUNT = drafts.draft_of(TEXT, Path())


def hunt(**sweep: list[object]) -> Scenario:
    assert HUNT.scenario is not None
    named = {key.replace("__", "."): values for key, values in sweep.items()}
    return swept(HUNT.scenario, named) if sweep else HUNT.scenario


def success_axes(made: Scenario, chart: str = "success") -> tuple[Variable, ...]:
    return closed_forms(made).axes(chart)


def success_curves(made: Scenario, axis: Variable) -> tuple[Curve, ...]:
    return closed_forms(made).curves("success", axis, log=axis.log)


def framed(
    made: Scenario, views: tuple[CellView, ...], key: str, metric: str
) -> tuple[Plot, Frame]:
    """The chart of a metric over a key, of a run with these cells."""
    run = Snapshot(1, "done", cells=views, base=base_address(made))
    frame = KINDS["success"].make_frame(ChartData(made, run), {"axis": key, "view": metric})
    assert isinstance(frame, Frame)
    plot = frame.views[metric].draw(None, (80, 24))
    assert isinstance(plot, Plot)
    return plot, frame


def axis(made: Scenario, key: str) -> Variable:
    return next(each for each in success_axes(made) if each.key == key)


def test_the_axes_are_those_of_the_issue_and_all_their_ends_can_be() -> None:
    made = hunt()
    keys = [each.key for each in success_axes(made)]
    assert keys[:5] == ["attack.share", "task.k", "task.groups", "task.bits", "protocol.epsilon"]
    assert "task.extension" not in keys
    for each in success_axes(made):
        part = along(made, each, "success")
        ends = {**part.document, "sweep": {each.key: [each.low, each.high]}}
        if each.integer:
            ends["sweep"] = {each.key: [int(each.low), int(each.high)]}
        assert len(compile(Scenario(ends)).cells) == 2, each.key
    assert axis(made, "task.bits").low == 6  # for 64 items
    assert not success_axes(made, "gain")
    assert not success_axes(made, "error")
    assert not success_axes(scenario(QUICK))


def test_words_and_what_the_sweep_asks_for_have_a_series_each() -> None:
    made = hunt(attack__share=[0.01, 0.1], task__k=[2, 4], attack__kind=["mga", "ria"])
    along_share = success_curves(made, axis(made, "attack.share"))
    assert [curve.label for curve in along_share] == ["MGA k 2", "MGA k 4", "RIA k 2", "RIA k 4"]
    # Nobody has asked for a number of groups: it is not multiplied by what else is swept.
    groups = axis(made, "task.groups")
    assert [curve.label for curve in success_curves(made, groups)] == ["MGA", "RIA"]
    assert along(made, groups, "success").document["task"]["k"] == 4
    alone = success_curves(hunt(), axis(hunt(), "task.k"))
    assert [curve.label for curve in alone] == ["MGA on OLH"]


def test_a_goal_has_its_share_on_the_axis() -> None:
    document = {**hunt().document, "goal": {"metric": "targets_in_top_k", "at_least": 2}}
    document["attack"] = {key: document["attack"][key] for key in ("kind", "targets")}
    made = Scenario(document)
    assert [each.key for each in success_axes(made)] == ["attack.share"]
    part = along(made, axis(made, "attack.share"), "success")
    assert "goal" not in part.document
    # The cell that answers a goal is a point of the curve, which knows none.
    (cell,) = cells(part.document)[:1]
    goal = {"goal.metric": "targets_in_top_k", "goal.at_least": 2}
    table = Cells([replace(cell, parameters=cell.parameters | goal)])
    assert len(table.group(cell.parameters, "attack.share")) == 1
    assert not table.group(cell.parameters, "attack.kind")


@pytest.fixture(scope="module")
def measured() -> tuple[Scenario, Scenario, tuple[CellView, ...]]:
    made = hunt(attack__share=[0.01, 0.05, 0.1])
    part = along(made, axis(made, "attack.share"), "success")
    means = dict.fromkeys(success_metrics(made), Estimate(0.5, 0.1, None))
    return made, part, tuple(replace(view, metrics=means) for view in cells(part.document))


def test_the_points_are_the_measured_means_and_a_line_without_closed_form_joins_them(
    measured: tuple[Scenario, Scenario, tuple[CellView, ...]],
) -> None:
    made, _, views = measured
    for metric in success_metrics(made):
        plot, frame = framed(made, views, "attack.share", metric)
        (points,) = (series for series in plot.series if series.style == "points")
        (line,) = (each for each in plot.series if each.style == "line" and len(each.x))
        assert (list(line.x), list(line.y)) == (list(points.x), list(points.y))
        assert plot.note.endswith("lines join the means")
        assert list(points.x) == [0.01, 0.05, 0.1]
        assert list(points.y) == [view.metrics[metric].mean for view in views]
        assert (plot.y.low or 0.0) >= 0
        assert [row[3] for row in frame.table.rows] == list(points.y)


MEAN = """
format = 1
trials = 2
population = { kind = "normal", items = 11, users = 9000, mean = 4, std = 2 }
protocol = { kind = "sr", epsilon = 1.0 }
attack = { kind = "mga", share = 0.05, targets = { items = [10] } }
task = { kind = "mean" }
[sweep]
"protocol.epsilon" = [0.5, 1.0]
"""


def test_a_closed_form_that_is_exact_is_called_one() -> None:
    made = scenario(MEAN)
    variable = axis(made, "protocol.epsilon")
    views = cells(along(made, variable, "success").document)
    plot, frame = framed(made, views, variable.key, "mean_shift")
    assert plot.series[0].label.endswith("closed form")
    assert "closed form" in [column.name for column in frame.table.columns]


async def test_the_pane_shows_them_and_goes_through_the_metrics(
    measured: tuple[Scenario, Scenario, tuple[CellView, ...]],
) -> None:
    made, _, views = measured
    draft = drafts.draft_of(TEXT + "[sweep]\n'attack.share' = [0.01, 0.05, 0.1]\n", Path())
    run = Snapshot(1, "done", done=60, total=60, cells=views)
    async with showing(draft=draft, run=run) as (pane, pilot):
        assert [name for name, _ in pane.tabs()][:3] == ["levels", "items", "success"]
        pane.open_on(draft)
        await pilot.pause()
        assert pane.tab == "success"
        assert pane.selections(draft)[1] == chart_selection(
            "success", made, axis(made, "attack.share")
        )
        assert "Targets among the top k over" in pane.as_text()
        await pilot.press("v")
        assert "Precision of the answer over" in pane.as_text()
        await pilot.press("t")
        await pilot.pause()
        assert "0.5" in pane.as_text()


# Metrics in Python, which have the axes of the gain and no closed form.

OWN = f"""{QUICK}
[[defence]]
kind = "norm-sub"
[[metric]]
name = "mine"
[sweep]
"protocol.epsilon" = [0.5, 2.0]
"attack.share" = [0.01, 0.1]
"""


def own_cells(made: Scenario, *means: float) -> tuple[CellView, ...]:
    """The cells of the chart over ε, whose metric in Python has these means."""
    views = cells(along(made, axis(made, "protocol.epsilon"), "success").document)
    return tuple(
        replace(view, metrics={**view.metrics, "mine": Estimate(mean, 0.01, None)})
        for view, mean in zip(views, means, strict=True)
    )


def test_a_metric_in_python_is_charted_over_the_axes_of_the_gain() -> None:
    made = scenario(OWN)
    assert success_metrics(made) == ("mine", "mine_clean", "mine_after", "mine_clean_after")
    assert [each.key for each in success_axes(made)] == [
        each.key for each in success_axes(made, "gain")
    ]
    views = own_cells(made, 0.2, 0.3, -0.4, -0.5)
    plot, _ = framed(made, views, "protocol.epsilon", "mine")
    drawn = [list(each.y) for each in plot.series if each.style == "points"]
    assert drawn == [[0.2, 0.3], [-0.4, -0.5]]
    assert plot.title == "Mine over the privacy budget ε"
    assert plot.y.low is not None
    assert plot.y.low <= -0.5
    words = [series.label for series in plot.series if series.legend]
    assert not any("approximation" in word for word in (*words, plot.note))
    assert success_metrics(scenario(QUICK)) == ()
    alone = scenario(f'{QUICK}\n[[metric]]\nname = "mine"\n')
    assert success_metrics(alone) == ("mine", "mine_clean")


async def test_the_pane_has_a_tab_for_it() -> None:
    draft = drafts.draft_of(OWN, Path())
    views = own_cells(scenario(OWN), 0.2, 0.3, 0.4, 0.5)
    run = Snapshot(1, "done", done=80, total=80, cells=views)
    async with showing(draft=draft, run=run) as (pane, pilot):
        assert dict(pane.tabs())["success"] == "Metrics"
        pane.tab = "success"
        await pilot.pause()
        assert chart(pane, "success").y.label == "mine"
        assert "Mine over the privacy budget" in pane.as_text()
    assert "success" not in dict(tabs_of(drafts.draft_of(QUICK, Path())))


def test_without_an_attack_the_first_metric_has_values() -> None:
    """Errors of the clean estimate come before shifts, which nobody makes."""
    text = """
format = 1
trials = 2
population = { kind = "normal", items = 11, users = 1000, mean = 5.0, std = 1.0 }
protocol = { kind = "sr", epsilon = 1.0 }
attack = { kind = "none" }
task = { kind = "mean" }
"""
    mga = '"mga", share = 0.1, targets = { items = [10] }'
    without, with_one = (
        success_metrics(scenario(text.replace('"none"', kind))) for kind in ('"none"', mga)
    )
    assert without[0] == "mean_squared_error_clean"
    assert with_one[0] == "mean_shift"
    assert set(with_one) - set(without) == {"mean_shift", "robust_low", "robust_high"}
