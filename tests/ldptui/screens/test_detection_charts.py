"""The tab Detection: where it is, what it asks to be computed, and what it shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from support.charts_pane import NARROW, chart, showing, shown
from support.fake_engine import base_snapshot
from support.told import answered
from support.waiting import until
from support.workbench_app import finished, measured, own_home, workbench  # noqa: F401

from ldptui.session import draft as drafts
from ldptui.session.cell_table import address_of
from ldptui.session.snapshot import ChartSelection, Request, Snapshot

SCENARIO = """
format = 1
trials = 1
[population]
kind = "zipf"
items = 12
users = 1_500
exponent = 1.0
[protocol]
kind = "oue"
epsilon = 1.0
[attack]
kind = "mga"
share = 0.1
targets = {{ items = [3, 5, 8, 10] }}
[[defence]]
kind = "{}"
"""


def draft_with(kind: str) -> drafts.Draft:
    return drafts.draft_of(SCENARIO.format(kind), Path())


def run_of(draft: drafts.Draft, selections: tuple[ChartSelection, ...]) -> Snapshot:
    """A run of the worker over the cells that the pane asks for."""
    assert draft.scenario is not None
    return answered(Request(1, draft.scenario.document, ".", selections, interval=0))[0]


@pytest.mark.parametrize(("kind", "there"), [("fiad", True), ("diffstats", False), ("norm", False)])
async def test_the_tab_is_there_where_a_filter_has_a_score(kind: str, there: bool) -> None:
    async with showing(draft=draft_with(kind)) as (pane, _):
        assert ("detection" in dict(pane.tabs())) == there


async def test_it_asks_for_the_verdict_only_while_it_is_shown() -> None:
    draft: Any = draft_with("fiad")
    async with showing(size=NARROW, draft=draft) as (pane, pilot):
        assert not pane.selections(draft)[0].detection
        pane.tab = "detection"
        await pilot.pause()
        assert pane.selections(draft)[0].detection
        run = run_of(draft, pane.selections(draft))
        assert run.detection is not None
        pane.snapshot = run
        await pilot.pause()
        assert shown(pane) == ["detection"]
        assert chart(pane, "detection").title == "Score of fiad"
        await pilot.press("v")
        assert chart(pane, "detection").title.startswith("ROC curve, area 0.9")
        await pilot.press("t")
        table = pane.table()
        assert table is not None
        assert table.columns[0].name == "score"


async def test_a_preview_adds_the_verdict_to_a_run_that_was_not_asked_for_it(
    tmp_path: Path,
) -> None:
    path = tmp_path / "fiad.toml"
    path.write_text(SCENARIO.format("fiad"))
    async with workbench((80, 40), path) as (screen, engine, pilot):
        finished(engine)
        await pilot.press("ctrl+r")
        await until(pilot, lambda: engine.active is not None and engine.active.full)
        assert engine.active is not None
        cells = measured(engine.active.document)
        key, asked = engine.active.key, len(engine.requests)
        run = replace(
            base_snapshot(key), cells=cells, base=address_of(cells[0].parameters), full=True
        )
        engine.finish(run)
        await until(pilot, lambda: screen.charts.snapshot == run)
        screen.charts.tab = "detection"
        await until(pilot, lambda: len(engine.requests) > asked)
        assert screen.draft is not None
        preview = run_of(screen.draft, engine.requests[-1].selections)
        engine.finish(replace(preview, key=engine.requests[-1].key))
        await until(pilot, lambda: screen.charts.as_text().startswith("Score of fiad"))
        assert screen.run_list.shown == key


def test_a_long_trial_tells_what_it_looks_at() -> None:
    scenario = draft_with("fiad").scenario
    assert scenario is not None
    told = [
        news.snapshot.latest
        for news in answered(Request(1, scenario.document, ".", interval=0))[1]
        if news.snapshot is not None
    ]
    assert "trial 1 of 1 without fakes: pairs of items" in told
    assert "trial 1 of 1: sets of 3 items, 100 %" in told
