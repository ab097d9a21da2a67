"""The panel of answers: how many fake users it takes, for each cell, beside the run there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.chart_cases import QUICK
from support.charts_pane import chart, showing
from support.told import told

from ldptui import core
from ldptui.charts.chart_data import ChartData
from ldptui.charts.curves import answer_selections, spite_selections
from ldptui.charts.figures.answers import answer_bars, answer_plot, answer_table
from ldptui.core.experiment.search import with_fakes
from ldptui.core.metrics.results import Tally
from ldptui.core.theory import hidden_gain
from ldptui.core.view import CellView
from ldptui.core.view.cells import cell_view
from ldptui.session import draft as drafts
from ldptui.session.snapshot import ChartSelection, Snapshot
from ldptui.text.format import count
from ldptui.widgets.number_table import NumberTable

GOAL = QUICK.replace("share = 0.05\n", "") + (
    '[goal]\nmetric = "gain"\nat_least = 0.2\n[sweep]\n"protocol.kind" = ["oue", "grr"]\n'
)


def document(**goal: Any) -> dict[str, Any]:
    found = dict(core.parse(GOAL, folder=Path()).document)
    return {**found, "goal": {**found["goal"], **goal}}


def run_of(document: dict[str, Any]) -> Snapshot:
    """A run of the cells that the page of an answer asks for."""
    scenario = core.Scenario(document, "test", Path())
    return told(document, ChartSelection(), *answer_selections(scenario))[0]


def answers(document: dict[str, Any]) -> tuple[CellView, ...]:
    """The cells that answer a goal."""
    scenario = core.Scenario(document, "test", Path())
    return ChartData(scenario, run_of(document)).answers([scenario])


def rows(document: dict[str, Any]) -> list[dict[str, Any]]:
    table = answer_table(answers(document))
    assert table is not None
    names = [column.name for column in table.columns]
    return [dict(zip(names, row, strict=True)) for row in table.rows]


def test_a_goal_out_of_reach_is_named_so() -> None:
    table = answer_table(answers(document(at_least=50.0)))
    assert table is not None
    assert "; no: the closest" in table.title
    assert "no" in {row["met"] for row in rows(document(at_least=50.0))}


def test_the_chart_has_a_line_for_each_setting_over_the_number_swept() -> None:
    """Its points are the table's; a cell out of reach has a mark that no line joins."""
    goal = document()
    goal["sweep"] = {"protocol.kind": ["oue", "laplace"], "goal.at_least": [0.01, 0.5, 5.0]}
    cells = answers(goal)
    plot, table = answer_plot(cells), answer_table(cells)
    assert plot is not None
    assert table is not None
    assert plot.x.label == "gain, at least"
    assert plot.x.log
    assert plot.y.log
    points = {s.label: dict(zip(s.x, s.y, strict=True)) for s in plot.series if s.style == "points"}
    lines = {s.label: list(s.x) for s in plot.series if s.style == "line"}
    assert lines == {"OUE": [0.01, 0.5, 5.0], "LAPLACE": [0.01, 0.5]}
    names = [column.name for column in table.columns]
    for row in (dict(zip(names, row, strict=True)) for row in table.rows):
        name = str(row["protocol"]).upper() if row["met"] == "yes" else "not reached"
        assert points[name][float(row["≥"] or 0)] == row["fakes m"]


def test_kinds_alone_have_no_axis() -> None:
    assert answer_plot(answers(document())) is None


@pytest.mark.long
async def test_the_map_of_a_run_with_a_goal_has_the_cells_that_answer_it() -> None:
    """It said that nothing was estimated yet, and its table named the keys of another scenario."""
    text = GOAL.replace('["oue", "grr"]', '["oue", "grr"]\n"goal.at_least" = [0.1, 0.2, 0.3]')
    draft = drafts.draft_of(text, Path())
    async with showing(draft=draft) as (pane, pilot):
        assert draft.scenario is not None
        pane.tab = "table"
        pane.snapshot = run_of(dict(draft.scenario.document))
        while pane._behind != "map":
            await pilot.press("v")
        heads = pane.query_one("#table NumberTable", NumberTable).render_line(0).text.split()
        assert heads[:3] == ["protocol", "goal", "measured"]
        pane.tab = "map"
        await pilot.pause()
        grid = chart(pane, "map")
        assert (grid.rows, grid.columns) == (("0.1", "0.2", "0.3"), ("oue", "grr"))
        assert all(value is not None for row in grid.values for value in row)


def test_without_a_goal_there_is_no_answer() -> None:
    plain = dict(core.parse(QUICK, folder=Path()).document)
    assert answer_table(answers(plain)) is None
    assert answer_table(told(plain)[0].cells) is None


@pytest.mark.every(2)
@pytest.mark.parametrize("size", [(76, 30), (140, 52)])
async def test_the_tab_is_there_with_a_goal_and_asks_for_its_cells(size: tuple[int, int]) -> None:
    draft = drafts.draft_of(GOAL, Path())
    async with showing(size, draft=draft) as (pane, pilot):
        assert "answer" in dict(pane.tabs())
        pane.tab = "frequencies"
        assert draft.scenario is not None
        whole = answer_selections(draft.scenario)[0]
        assert whole not in pane.selections(draft)
        pane.tab = "answer"
        await pilot.pause()
        assert whole in pane.selections(draft)
        pane.snapshot = run_of(dict(draft.scenario.document))
        await pilot.pause()
        assert "fake users" in pane.as_text()
        assert len(chart(pane, "answer").bars) >= 2
        await pilot.press("t")
        assert "formula" in pane.as_text()
        await pilot.press("t")
        pane.draft = drafts.draft_of(QUICK, Path())
        await pilot.pause()
        assert "answer" not in dict(pane.tabs())
        assert pane.tab == "frequencies"


async def test_the_tab_of_a_goal_comes_and_goes_with_it() -> None:
    """As keys at any speed give: which tab is shown follows from the draft and from the tabs."""
    plain, asked = (drafts.draft_of(text, Path()) for text in (QUICK, GOAL))
    invalid = drafts.draft_of(GOAL.replace("at_least = 0.2", 'at_least = "x"'), Path())
    async with showing((80, 24), plain) as (pane, _):
        pane.tab = "gain"
        pane.draft = asked
        assert pane.tab == "answer"
        pane.draft = invalid
        assert pane.tab == "answer"
        pane.draft = drafts.draft_of(f"{GOAL}\nat_least =", Path())  # it does not parse
        assert pane.tab == "answer"
        pane.draft = plain
        assert pane.tab == "gain"
        pane.draft = asked
        pane.tab = "error"
        pane.draft = plain
        pane.draft = asked
        assert pane.tab == "error"


def test_the_bars_tell_what_defences_and_other_protocols_would_take() -> None:
    """Their numbers against searches of the scenario with that protocol, and the hidden gain."""
    asked = document(metric="target_frequency", at_least=0.2)
    asked = {**asked, "defence": [{"kind": "norm"}]}
    asked.pop("sweep")
    scenario = core.Scenario(asked, "test", Path())
    assert [each.values["goal.metric"] for each in spite_selections(scenario)] == [
        "target_frequency_after"
    ]
    (cell,) = core.compile(scenario).cells
    view = cell_view(cell, Tally().results, None, ["grr", "olh"])
    bars = answer_bars([view], view, ())
    found = {bar.label: bar.value for bar in bars.bars}
    kind = max(("grr", "olh"), key=lambda kind: -view.elsewhere[kind])
    (there,) = core.compile(scenario.with_value("protocol.kind", kind)).cells
    assert found["as it is"] == cell.malicious
    assert bars.title.startswith(f"{count(cell.malicious)} fake users, ")
    assert found[f"{kind.upper()} instead"] == pytest.approx(
        there.malicious, abs=1 + there.malicious / 100
    )
    hidden = hidden_gain(with_fakes(cell, int(found["no defence sees"])))
    assert hidden == pytest.approx(view.elsewhere["oue"], rel=0.01)
    # The protocol that bears most comes first.
    others = [value for name, value in found.items() if name.endswith(" instead")]
    assert others == sorted(others, reverse=True)
