"""Pane 4 with a campaign: the timeline, its views, and the cursor on its rounds."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace
from support.chart_cases import scenario, snapshot
from support.charts_pane import (
    QUICK_DRAFT,
    WIDE,
    campaign,
    chart,
    showing,
    shown,
)
from support.waiting import seen

from ldptui.core.view import Ends, TrialEstimates
from ldptui.screens.workbench.charts.tabs import lone_words, tabs_of
from ldptui.session import draft as drafts
from ldptui.session.snapshot import ChartSelection, Overlay, Snapshot, with_rest


def test_there_is_a_timeline_only_of_a_campaign_and_single_trials_only_without() -> None:
    for draft, there in ((QUICK_DRAFT, "trials"), (campaign()[0], "timeline")):
        tabs = dict(tabs_of(draft))
        assert [name for name in ("trials", "timeline") if name in tabs] == [there]
    # Nor has one that is not valid yet.
    broken = drafts.draft_of("format = 1\n[protocol]\n", Path())
    assert (broken.cell, "timeline" in dict(tabs_of(broken))) == (None, False)


def test_a_tab_that_draws_no_other_run_says_so() -> None:
    tabs = tabs_of(campaign()[0])
    words = "Timeline shows one run alone; Frequencies draws others over it"
    assert lone_words("timeline", tabs) == words
    assert lone_words("frequencies", tabs) == ""


async def test_single_trials_are_asked_for_and_read_one_by_one() -> None:
    seen_trials = TrialEstimates(
        (7, 0), ("seven", "zero"), 1, (0.02, 0.2),
        {"clean": ((0.01, 0.03), (0.21, 0.19)), "attacked": ((0.11, 0.14), (0.18, 0.17))},
        {"clean": ((0.02, 0.01), (0.2, 0.01)), "attacked": ((0.12, 0.01), (0.18, 0.01))},
    )  # fmt: skip
    run = snapshot(scenario())
    async with showing(run=run) as (pane, pilot):
        assert not pane.selections(QUICK_DRAFT)[0].by_trial
        pane.tab = "trials"
        await pilot.pause()
        assert pane.selections(QUICK_DRAFT)[0].by_trial
        assert "waiting for the estimates of single trials" in seen(pane.app)
        pane.snapshot = replace(run, by_trial=seen_trials)
        await pilot.press("n", "n")
        drawn = next(each for each in chart(pane, "trials").series if each.label == "trial 2")
        assert sorted(drawn.x) == [0.03, 0.14, 0.17, 0.19]
        lines = [line for line in seen(pane.app).split("\n") if "seven" in line]
        read = lines[-1].strip("│").split()
        assert read == ["▸", "seven", "0.020", "0.030", "0.140", "+2.00"]
        await pilot.press("j", "t")
        assert len(pane.table().rows) == 4  # type: ignore[union-attr]
        assert pane.check_action("take", ()) is not True
        await pilot.press("t")
        two = (0.1, 0.2)
        ends = Ends(1000, 0.05, ("seven", "zero"), *[two] * 6, overturning=(0.02, None))
        pane.snapshot = replace(
            run, by_trial=seen_trials, frequencies=replace(run.frequencies, ends=ends)
        )
        await pilot.press("v", "n")
        assert chart(pane, "trials").title == "What one collection still tells (95 %)"
        assert "naive low" in seen(pane.app)
        assert [row[0] for row in pane.table().rows] == ["seven", "zero"]  # type: ignore[union-attr]


async def test_the_timeline_goes_round_its_views_and_the_metrics_in_python() -> None:
    draft, run = campaign()
    assert run.rounds is not None
    metrics = {**run.rounds.metrics, "far_off": run.rounds.metrics["mse"]}
    run = replace(run, rounds=replace(run.rounds, metrics=metrics))
    async with showing(draft=draft, run=run) as (pane, pilot):
        pane.tab = "timeline"
        await pilot.pause()
        views = []
        for _ in range(7):
            views.append(chart(pane, "timeline").title)
            await pilot.press("v")
        assert len(set(views)) == 6
        assert views[5] == "Far off over the rounds"
        assert views[0] == views[6]
        assert pane.selections(draft) == (ChartSelection(),)


async def test_targets_one_after_the_other() -> None:
    draft, run = campaign()
    assert run.rounds is not None
    async with showing(draft=draft, run=run) as (pane, pilot):
        pane.tab = "timeline"
        await pilot.pause()
        every = chart(pane, "timeline").title
        await pilot.press("j")
        assert f"target {run.rounds.targets[0]} " in chart(pane, "timeline").title
        await pilot.press("k", "k")
        assert f"target {run.rounds.targets[-1]} " in chart(pane, "timeline").title
        await pilot.press("j")
        assert chart(pane, "timeline").title == every


async def test_the_table_has_the_rounds() -> None:
    draft, run = campaign()
    async with showing(draft=draft, run=run) as (pane, pilot):
        pane.tab = "timeline"
        await pilot.pause()
        await pilot.press("t")
        assert len(pane.as_text().splitlines()) == 6
        assert "ε spent" in seen(pane.app)
        await pilot.press("t")
        assert pane.tab == "timeline"


async def test_rounds_that_come_and_go_lay_the_tab_out() -> None:
    draft, run = campaign()
    async with showing(WIDE, draft=draft, run=None) as (pane, pilot):
        pane.tab = "timeline"
        await pilot.pause()
        assert shown(pane) == ["timeline"]
        pane.snapshot = run
        await pilot.pause()
        assert "timeline-next" in shown(pane)
        pane.draft, pane.snapshot = QUICK_DRAFT, snapshot(scenario())
        await pilot.pause()
        assert pane.tab != "timeline"  # which a scenario without rounds does not have
        assert "timeline" not in shown(pane)


def test_rounds_stay_while_the_next_run_has_none_yet() -> None:
    _, run = campaign()
    starting = Snapshot(2, "running")
    assert with_rest(starting, run).rounds is run.rounds
    assert with_rest(starting, run).round_frequencies is run.round_frequencies
    other = replace(snapshot(scenario()), status="running")
    assert with_rest(other, run).rounds is None


def test_points_of_a_preview_stay_until_the_run_has_its_own() -> None:
    preview = snapshot(scenario(), "gain")
    base, second, *_ = preview.cells
    ours = replace(second, trials=7, parameters={**second.parameters, "trials": 90})
    run = with_rest(Snapshot(2, "running", full=True, cells=(ours,)), preview)
    assert len(run.cells) == len(preview.cells)
    assert run.table.at(second.parameters) == ours
    assert run.base_cell == base
    # Those of other settings are on no curve of the new ones.
    other = scenario(protocol__epsilon=2.5)
    changed = with_rest(replace(snapshot(other), status="running"), preview)
    assert [
        cell.parameters["protocol.epsilon"] for cell in changed.table.along("attack.share")
    ] == [2.5]


async def test_a_cursor_goes_through_the_rounds_and_the_frequencies_follow() -> None:
    draft, run = campaign()
    async with showing(draft=draft, run=run) as (pane, pilot):
        assert pane.tab == "timeline"  # that of the rounds, when they are added
        pane.tab = "frequencies"
        await pilot.pause()
        before = chart(pane, "bars")
        assert "all 5 rounds" in seen(pane.app)
        await pilot.press("full_stop", "full_stop")
        assert pane.cursor == 1
        assert "round 1 of 0–4" in seen(pane.app)
        assert chart(pane, "bars").title.endswith("round 1 of 0–4")
        third = run.round_frequencies[1]
        at = third.labels.index(chart(pane, "bars").bars[0].label)
        assert chart(pane, "bars").bars[0].value == third.attacked_estimates.mean[at]
        await pilot.press("t")
        assert pane.table() is not None
        assert "round 1 of 0–4" in str(pane.table() and pane.table().title)  # type: ignore[union-attr]
        await pilot.press("t")
        await pilot.press("comma")
        assert pane.cursor == 0
        await pilot.press("end")
        assert pane.cursor == 4
        await pilot.press("home")
        assert pane.cursor == 0
        await pilot.press("backspace")
        assert pane.cursor is None
        assert chart(pane, "bars").bars == before.bars
        pane.tab = "timeline"
        await pilot.pause()
        await pilot.click("#timeline", offset=(pane.size.width - 8, 8))
        assert pane.cursor == 4


async def test_the_cursor_is_drawn_and_only_where_there_are_rounds() -> None:
    draft, run = campaign()
    async with showing(draft=draft, run=run) as (pane, pilot):
        pane.tab = "timeline"
        await pilot.press("full_stop", "full_stop", "full_stop")
        assert chart(pane, "timeline").cursor == 2
        pane.tab = "gain"
        await pilot.pause()
        assert not pane.query_one("#round").display
        await pilot.press("full_stop")
        assert pane.cursor == 2
        pane.draft, pane.snapshot = QUICK_DRAFT, snapshot(scenario())
        await pilot.pause()
        assert pane.cursor is None
        pane.tab = "frequencies"
        await pilot.pause()
        assert not pane.query_one("#round").display


async def test_a_round_that_is_not_kept_shows_the_one_before() -> None:
    draft, run = campaign()
    thinned = replace(run, round_frequencies={0: run.round_frequencies[0]})
    async with showing(draft=draft, run=thinned) as (pane, pilot):
        pane.tab = "frequencies"
        await pilot.press("end")
        assert pane.cursor == 4
        assert chart(pane, "bars").title.endswith("round 0 of 0–4")
        laid = replace(snapshot(scenario()), key=2)
        pane.overlays = (Overlay("flat", laid),)
        await pilot.pause()
        assert chart(pane, "bars").title.endswith("round 0 of 0–4")
