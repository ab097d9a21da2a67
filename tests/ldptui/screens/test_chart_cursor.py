"""The cursor on each chart: what keys and clicks lead to, and the numbers that are read there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from support.chart_cases import scenario, snapshot
from support.charts_pane import NORMAL, QUICK_DRAFT, SMALL, WIDE, campaign, chart, showing, shown
from support.waiting import seen
from textual.pilot import Pilot

from ldptui.charts.figures.table import PICKED
from ldptui.core.view import Detection, TrialEstimates
from ldptui.screens.workbench.charts import ChartsPane
from ldptui.session import draft as drafts
from ldptui.session.snapshot import Overlay
from ldptui.widgets.cursor import Readout
from ldptui.widgets.plot import ChartView

HUNTED = '[task]\nkind = "heavy-hitters"\nk = 4\nbits = 8\ngroups = 3\n[population]'
SCORES = Detection(
    "fiad", "suspicious items", (0.0, 1.0, 3.0), (60, 30, 10), (0, 5, 15),
    (0.0, 0.1, 0.4, 1.0), (0.0, 0.75, 1.0, 1.0), 0.9, (0.1, 0.75),
)  # fmt: skip
TRIALS = TrialEstimates(
    (7, 0), ("seven", "zero"), 1, (0.02, 0.2),
    {"clean": ((0.01, 0.03), (0.21, 0.19)), "attacked": ((0.11, 0.14), (0.18, 0.17))},
    {"clean": ((0.02, 0.01), (0.2, 0.01)), "attacked": ((0.12, 0.01), (0.18, 0.01))},
)  # fmt: skip


def read(pane: ChartsPane) -> list[list[str]]:
    """The words of each line below the charts; of no chart, none."""
    shown = [each for each in pane.query(Readout) if each.display and each.size.height]
    return [line.strip(PICKED).split() for each in shown for line in str(each.content).split("\n")]


async def on_tab(pane: ChartsPane, pilot: Pilot[None], tab: Any) -> None:
    pane.tab = tab
    await pilot.pause()


@pytest.mark.every(2)
@pytest.mark.parametrize("size", [NORMAL, SMALL])
async def test_an_item_is_read_in_every_view_of_the_frequencies(size: tuple[int, int]) -> None:
    run = snapshot(scenario())
    frequencies = run.frequencies
    assert frequencies is not None
    async with showing(size, run=run) as (pane, pilot):
        assert not read(pane)
        await pilot.press("j", "j")  # the second by its true frequency
        at = sorted(range(len(frequencies.true)), key=lambda each: -frequencies.true[each])[1]
        head, before, after = read(pane)
        assert head[:3] == ["item", "=", frequencies.labels[at]]
        for line, arm in ((before, frequencies.clean), (after, frequencies.attacked_estimates)):
            sigma = arm.sigma[at] / frequencies.trials**0.5
            score = (arm.mean[at] - frequencies.true[at]) / sigma
            assert float(line[1]) == pytest.approx(frequencies.true[at], abs=1e-4)
            assert float(line[2]) == pytest.approx(arm.mean[at], abs=1e-4)
            if size != SMALL:  # the last columns give way
                assert float(line[4]) == pytest.approx(score, abs=0.01)
        if size != SMALL:
            assert float(after[5]) == pytest.approx(float(after[2]) - float(before[2]), abs=2e-4)
        cursors = {"bars": frequencies.labels[at], "rank": 2.0, "residuals": frequencies.items[at]}
        for _ in range(4):
            for name, cursor in cursors.items():
                if name in shown(pane):
                    assert chart(pane, name).cursor == cursor
            assert read(pane)[0][:3] == head[:3]
            await pilot.press("v")
        await pilot.press("backspace")
        assert not read(pane)


async def test_a_click_reads_the_bar_and_the_rank() -> None:
    async with showing(run=snapshot(scenario())) as (pane, pilot):
        bars = pane.query_one("#frequencies", ChartView)
        rows = bars.as_text().split("\n")
        labels = [bar.label for bar in chart(pane, "bars").bars if not bar.target]
        y, label = next((y, row.split()[0]) for y, row in enumerate(rows)
                        if row.split()[:1] and row.split()[0] in labels)  # fmt: skip
        await pilot.click("#frequencies", offset=(3, y))
        assert read(pane)[0][:3] == ["item", "=", label]
        await pilot.press("v")
        width = pane.query_one("#frequencies").size.width
        await pilot.click("#frequencies", offset=(width - 3, 4))
        last = len(snapshot(scenario()).frequencies.true)  # type: ignore[union-attr]
        assert 0.7 * last < chart(pane, "rank").cursor <= last


async def test_an_item_that_is_no_bar_gets_one_and_runs_laid_over_are_read() -> None:
    run = snapshot(scenario())
    async with showing(run=run) as (pane, pilot):
        pane.overlays = (Overlay("other", replace(run, key=9)),)
        await pilot.press("k")  # the last one by its true frequency
        pointed = chart(pane, "bars")
        assert pointed.bars[-1].label == pointed.cursor == read(pane)[0][2]
        assert [line[0] for line in read(pane)[1:]] == ["before", "after", "other"]
        assert "◂" in pane.query_one("#frequencies", ChartView).as_text()


async def test_a_score_is_read_in_both_groups_with_the_rates_from_there_on() -> None:
    run = replace(snapshot(scenario()), detection=SCORES)
    async with showing(run=run) as (pane, pilot):
        await on_tab(pane, pilot, "detection")
        pane.snapshot = replace(run, key=3)
        await pilot.press("full_stop", "full_stop")
        assert read(pane)[1:] == [
            ["genuine", "users", "30", "0.3000", "0.0458", "0.4000", "0.0490"],
            ["fake", "users", "5", "0.2500", "0.0968", "1.0000", "–"],
        ]
        assert chart(pane, "detection").cursor == 1.0
        assert chart(pane, "detection-next").cursor == 0.4
        width = pane.query_one("#detection").size.width
        await pilot.click("#detection", offset=(width - 2, 4))
        assert chart(pane, "detection").cursor == 3.0
        await pilot.click("#detection-next", offset=(width - 2, 4))  # all are flagged there
        assert chart(pane, "detection").cursor == 0.0
        assert pane.check_action("cohort", (1,)) is False
        late = pane.query_one("#detection-next", ChartView)
        pane.snapshot = replace(run, detection=None, key=4)
        late.post_message(late.PointClick(late, (3.0, 0.5)))  # it has left the screen since
        await pilot.pause()
        assert not late.display


async def test_a_click_reads_the_trial_and_the_item_below_it() -> None:
    run = replace(snapshot(scenario()), by_trial=TRIALS)
    async with showing((76, 32), run=run) as (pane, pilot):
        await on_tab(pane, pilot, "trials")
        marks = seen(pane.app).split("\n")
        first = next(y for y, line in enumerate(marks) if "▸ seven" in line)
        # The crosses of the attacked estimates, in dots below the middle of the item's row.
        row, line = next(
            (y, line)
            for y, line in enumerate(marks)
            if y > first and any("⠀" < char <= "⣿" for char in line)
        )
        x = next(x for x, char in enumerate(line) if "⠀" < char <= "⣿")
        await pilot.click(offset=(x, row))
        picked = next(row for row in seen(pane.app).split("\n") if "▸ seven" in row and "." in row)
        assert "+2.00" in picked or "+1.00" in picked or "-1.00" in picked


async def test_a_round_is_read_as_the_timeline_shows_it() -> None:
    draft, run = campaign()
    rounds = run.rounds
    assert rounds is not None
    async with showing(WIDE, draft=draft, run=run) as (pane, pilot):
        await on_tab(pane, pilot, "timeline")
        await pilot.press("full_stop", "full_stop", "v")
        gain = rounds.metrics["gain"][1]
        lines = {line[0]: line for line in read(pane)}
        assert float(lines["gain"][2]) == pytest.approx(gain.mean, abs=1e-3)
        await pilot.press("backspace")
        assert not read(pane)
        # A click on the frequencies beside it reads an item, and is no round.
        await pilot.click("#frequencies", offset=(4, 6))
        assert pane.cursor is None
        assert read(pane)[0][0] == "item"


async def test_a_level_is_read_by_keys() -> None:
    arm = {name: {"mean": 2.0, "standard_error": 0.1, "theory": 2.1}
           for name in ("targets", "hitters")}  # fmt: skip
    levels = [{"level": number, "bits": 2 * number, "candidates": 9, "target_prefixes": 1,
               "clean": arm, "attacked": arm} for number in (1, 2, 3)]  # fmt: skip
    tree = {"trials": 5, "users": 90, "malicious": 10, "levels": levels, "watched": []}
    hunted = QUICK_DRAFT.text.replace("[population]", HUNTED, 1)
    run = replace(snapshot(scenario()), followed=tree)
    async with showing(draft=drafts.draft_of(hunted, Path()), run=run) as (pane, pilot):
        await on_tab(pane, pilot, "levels")
        await pilot.press("full_stop", "full_stop")
        assert read(pane)[0][:3] == ["level", "=", "2"]
        after = next(line for line in read(pane) if line[:2] == ["targets", "after"])
        assert after[2:] == ["4", "9", "2.000", "0.100"]
        await pilot.press("backspace")
        assert not read(pane)
