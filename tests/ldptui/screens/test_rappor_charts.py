"""The charts of RAPPOR alone: findings, bits of cohorts, warnings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from support.chart_cases import QUICK, scenario, snapshot
from support.charts_pane import WIDE, chart, showing, shown
from support.waiting import seen
from textual.pilot import Pilot

from ldptui.core.view import BitCounts
from ldptui.screens.workbench.charts import ChartsPane
from ldptui.session import draft as drafts
from ldptui.session.snapshot import Snapshot
from ldptui.widgets.choice_bar import ChoiceBar

COHORTS = 12
BITS = BitCounts(
    cohorts=40,
    bits=4,
    p_star=0.25,
    q_star=0.75,
    users=(100.0,) * COHORTS,
    counts=tuple(25.0 + at for at in range(4 * COHORTS)),
    held=(0.25,) * 4 * COHORTS,
    expected_users=(100.0,) * COHORTS,
    users_std=(9.0,) * COHORTS,
    expected_counts=(30.0,) * 4 * COHORTS,
    counts_std=(5.0,) * 4 * COHORTS,
)
WARNING = "2 of 64 candidates set the same bits as another one in all 40 cohorts"


def rappor(**more: Any) -> Snapshot:
    run = snapshot(scenario(), "gain")
    assert run.frequencies is not None
    base = replace(run.base_cell, warnings=(WARNING,))
    tested = replace(run.frequencies, detected=(1.0,) * 64)
    return replace(run, cells=(base, *run.cells[1:]), frequencies=tested, bits=BITS, **more)


def switches(pane: ChartsPane) -> str:
    return " ".join(words for _, words in pane.query_one("#tabs", ChoiceBar).switches)


async def to_bits(pane: ChartsPane, pilot: Pilot[None]) -> None:
    for _ in range(4):
        if shown(pane)[0] != "bits":
            await pilot.press("v")
    assert shown(pane)[0] == "bits"


@pytest.mark.long
async def test_the_bits_of_each_cohort_can_be_walked_through() -> None:
    async with showing(run=rappor()) as (pane, pilot):
        await to_bits(pane, pilot)
        assert shown(pane)[0] == "bits"
        assert chart(pane, "bits").title.startswith("Bits, cohort 0 of 0 to 39")
        assert switches(pane) == "j cohort 1 (1 of 12) v bars (4 of 4)"
        await pilot.press("j", "down")
        assert "cohort 2 " in chart(pane, "bits").title
        spikes = next(each for each in chart(pane, "bits").series if each.label == "estimated")
        assert spikes.y[1] == pytest.approx(((25 + 8) / 100 - 0.25) / 0.5)
        await pilot.press("k", "k", "k")  # around those that were sent
        assert f"cohort {COHORTS - 1} " in chart(pane, "bits").title
        await pilot.press("t")
        table = pane.table()
        assert table is not None
        assert len(table.rows) == 4 * COHORTS
        assert "28 more cohorts" in table.title


async def test_without_bits_there_is_no_such_view() -> None:
    async with showing(run=rappor()) as (pane, pilot):
        await to_bits(pane, pilot)
        pane.snapshot = snapshot(scenario(), "gain")  # another protocol
        await pilot.pause()
        assert shown(pane)[0] == "bars"
        views = [switches(pane)]
        for _ in range(4):
            await pilot.press("v")
            views.append(switches(pane))
        assert not any("bits" in words for words in views)
        assert not any("cohort" in words for words in views)


async def test_warnings_stand_above_the_charts_until_the_settings_change() -> None:
    async with showing(run=rappor()) as (pane, pilot):
        assert f"! {WARNING}" in " ".join(seen(pane.app).split())
        await pilot.press("right")
        assert f"! {WARNING}" in " ".join(seen(pane.app).split())  # of the gain as well
        pane.snapshot = snapshot(scenario(protocol__epsilon=2.0), "gain")
        await pilot.pause()
        assert "!" not in seen(pane.app)


async def test_findings_have_a_legend() -> None:
    async with showing(WIDE, run=rappor()) as (pane, _):
        assert "✓ detected" in seen(pane.app)
        assert "of 64 detected" in chart(pane, "rank").note


async def test_privacy_is_a_tab_of_rappor() -> None:
    text = QUICK.replace('kind = "oue"\nepsilon = 1.0', 'kind = "rappor"\nf = 0.5')
    async with showing(draft=drafts.draft_of(text, Path())) as (pane, pilot):
        await pilot.press(*["right"] * 5)
        assert pane.tab == "privacy"
        assert "ε of t reports" in pane.as_text()
        pane.draft = drafts.draft_of(QUICK, Path())
        await pilot.pause()
        assert pane.tab == "frequencies"
        assert "privacy" not in dict(pane.tabs())
