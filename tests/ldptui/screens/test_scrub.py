"""Going through a sweep with a chart's cursor: histogram, ranks and one report follow the cell."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from rich.cells import cell_len
from support.chart_cases import scenario, snapshot
from support.charts_pane import WIDE, showing
from support.fake_engine import FakeEngine, base_snapshot
from support.waiting import seen, until
from support.workbench_app import measured, own_home, workbench  # noqa: F401
from textual.pilot import Pilot

from ldptui import scenarios
from ldptui.charts import curves
from ldptui.charts.kinds import KINDS
from ldptui.core.scenario import load
from ldptui.core.view import TrialEstimates
from ldptui.screens.workbench.charts import ChartsPane
from ldptui.screens.workbench.charts.sweep_bar import PATIENCE_S, REST
from ldptui.screens.workbench.greeting import OFFER, PLAYS
from ldptui.screens.workbench.report import ReportView
from ldptui.screens.workbench.screen import WorkbenchScreen
from ldptui.session.draft import opened, pointed_at
from ldptui.session.snapshot import Snapshot
from ldptui.session.transport import LONGEST, PACE, paced

QUICKSTART = load(scenarios.path("quickstart"))
SINGLE = TrialEstimates((7,), ("7",), 1, (0.5,), {"clean": ((0.1, 0.2),)}, {})
SHARES = QUICKSTART.sweep["attack.share"]


async def answered(engine: FakeEngine, pilot: Pilot[None]) -> tuple[str, ...]:
    """Answer what is asked for, every part of it; the names of the parts."""
    await until(pilot, lambda: engine.active is not None)
    request = engine.active
    assert request is not None
    made = {part.name: measured(part.document) for part in request.parts}
    frequencies = base_snapshot(1).frequencies
    assert frequencies is not None
    at_cell = None
    if "cell" in made:
        share = float(made["cell"][0].parameters["attack.share"])
        held = (share,) * len(frequencies.items)  # so that a test can recognise it
        lists = next(part.by_trial for part in request.parts if part.name == "cell")
        single = replace(SINGLE, true=(share,)) if lists else None
        at_cell = replace(frequencies, true=held, by_trial=single)
    base = "base" in made
    engine.finish(
        Snapshot(request.key, "done", full=request.full, done=20, total=20, parts=made,
                 frequencies=frequencies if base else None, at_cell=at_cell,
                 by_trial=SINGLE if base and request.parts[0].by_trial else None)
    )  # fmt: skip
    return tuple(made)


def listed(screen: WorkbenchScreen) -> TrialEstimates | None:
    """The estimates of single trials that are shown."""
    made: TrialEstimates | None = screen.charts._shown.numbers(KINDS["trials"])
    return made


def pictured(screen: WorkbenchScreen) -> tuple[float, str]:
    """The first true frequency of the histogram, and which cell it is of."""
    frequencies, words = screen.charts._shown.at_cursor()
    assert frequencies is not None
    return frequencies.true[0], words


def report_share(screen: WorkbenchScreen) -> float:
    draft = screen.query_one(ReportView).draft
    assert draft is not None
    assert draft.cell is not None
    return float(draft.cell.parameters["attack.share"])


async def test_the_histogram_and_the_report_follow_the_cursor_of_the_gain() -> None:
    async with workbench((160, 40)) as (screen, engine, pilot):
        assert screen.draft is not None
        own = screen.draft.cell
        assert own is not None
        screen.charts.tab = "gain"
        while not screen.charts._shown.cells("gain"):
            await answered(engine, pilot)
            await pilot.pause()
        before = pictured(screen)
        assert before[1] == ""
        screen.action_pane(4)
        await pilot.press("full_stop", "full_stop")
        # The cell alone is simulated: what is there already is not measured again.
        await until(pilot, lambda: not screen.simulating.pending and engine.active is not None)
        assert await answered(engine, pilot) == ("cell",)
        at = sorted(curves.preview_part(curves.gain_part(QUICKSTART, curves.axes(QUICKSTART)[0]))
                    .document["sweep"]["attack.share"])[1]  # type: ignore[arg-type]  # fmt: skip
        await until(pilot, lambda: pictured(screen) == (at, f"β {at:g}"))
        assert f"preview · 20 trials · at β {at:g}" in seen(pilot.app)
        assert len(screen.charts._shown.cells("gain")) == 11, "the curve stays"

        # One report is that of this cell; there the same keys go on through the sweep.
        screen.charts.tab = "report"
        await until(pilot, lambda: bool(screen.query(ReportView)) and report_share(screen) == at)
        await pilot.press("full_stop")
        await until(pilot, lambda: report_share(screen) > at)
        await answered(engine, pilot)
        await until(pilot, lambda: pictured(screen)[0] == report_share(screen))

        # So are the single trials.
        screen.charts.tab = "trials"
        await until(pilot, lambda: engine.active is not None)
        assert set(await answered(engine, pilot)) == {"base", "cell"}
        await until(pilot, lambda: listed(screen) is not None)
        there = listed(screen)
        assert there is not None
        assert there.true == (report_share(screen),)
        assert f"Estimates of single trials, β {there.true[0]:g}" in screen.charts.as_text()

        # Without the cursor the present setting is back.
        screen.charts.tab = "report"
        await pilot.press("backspace")
        await until(pilot, lambda: pictured(screen) == before)
        assert report_share(screen) == own.parameters["attack.share"]
        assert " at β" not in seen(pilot.app)
        screen.charts.tab = "trials"
        await until(pilot, lambda: listed(screen) is SINGLE)


def test_a_draft_at_another_cell_has_its_values_and_its_kind() -> None:
    draft = opened(scenarios.path("cao-gain-beta"))
    at = pointed_at(draft, {"protocol.kind": "grr", "attack.kind": "ria", "attack.share": 0.01})
    assert at is not None
    assert at.cell is not None
    kinds = [at.cell.parameters[key] for key in ("protocol.kind", "attack.kind", "attack.share")]
    assert kinds == ["grr", "ria", 0.01]
    assert at.text == draft.text
    assert pointed_at(draft, {"attack.share": 1.5}) is None


# Space plays the sweep.

PLAYED = [round(0.02 * step, 2) for step in range(11)]
"""The shares of the quickstart's preview."""


class Clock:
    """A clock that stands still but for what a test lets pass."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


async def passed(pane: ChartsPane, pilot: Pilot[None], clock: Clock, seconds: float) -> None:
    clock.now += seconds
    pane.sweep.tick()
    await pilot.pause()


def stop(pane: ChartsPane) -> float | None:
    return pane._boxes["gain"].at


def test_a_sweep_takes_its_pace_and_a_long_one_no_longer() -> None:
    assert paced(4).moments == pytest.approx((PACE, 2 * PACE, 3 * PACE, 4 * PACE))
    assert len(paced(4, REST).moments) == 4 + REST
    assert paced(1000).length == pytest.approx(LONGEST)


async def test_each_stop_waits_for_its_estimates_and_any_key_stops_it() -> None:
    async with workbench((160, 40)) as (screen, engine, pilot):
        clock, pane = Clock(), screen.charts
        pane.sweep._clock = clock
        pane.tab = "gain"
        while not pane._shown.cells("gain"):
            await answered(engine, pilot)
            await pilot.pause()
        screen.action_pane(4)
        await pilot.press("space")
        shown = []
        for share in PLAYED[:4]:
            assert stop(pane) == pytest.approx(share)
            await passed(pane, pilot, clock, PACE)
            assert stop(pane) == pytest.approx(share)  # nothing is measured of it yet
            assert await answered(engine, pilot) == ("cell",)
            await until(pilot, lambda: not pane._shown.awaited)
            shown.append(pictured(screen)[0])
            await passed(pane, pilot, clock, PACE)
        assert shown == pytest.approx(PLAYED[:4])
        assert "5 of 11 · space pauses" in pane.sweep.render().plain
        for key, place in (("space", 4), ("full_stop", 5), ("1", 5)):
            await pilot.press(key)
            assert "space plays" in pane.sweep.render().plain
            await passed(pane, pilot, clock, 2 * PATIENCE_S)
            assert stop(pane) == pytest.approx(PLAYED[place])
            screen.action_pane(4)
            await pilot.press("space")
        # A worker that is late holds nothing up for long.
        await passed(pane, pilot, clock, PATIENCE_S - PACE)
        assert stop(pane) == pytest.approx(PLAYED[5])
        await passed(pane, pilot, clock, 1.01 * PACE)  # the sum of both is above the limit
        assert stop(pane) == pytest.approx(PLAYED[6])
        pane.play()  # a pause, from where a greeting that any key ends is another thing
        await pilot.press("backspace")
        pane.play(unasked=True)
        await pilot.pause()
        assert stop(pane) == 0.0
        assert "any key stops" in pane.sweep.render().plain
        await pilot.press("space")
        assert stop(pane) is None
        assert pane.sweep.transport is None


async def test_the_end_stays_but_that_of_a_greeting() -> None:
    async with showing(WIDE, run=snapshot(scenario())) as (pane, pilot):
        clock = Clock()
        pane.sweep._clock = clock
        for unasked in (False, True):
            pane.play(unasked=unasked)
            assert stop(pane) == pane._boxes.gain.places()[0]
            for _ in range(2 * len(PLAYED)):
                await passed(pane, pilot, clock, 2 * PATIENCE_S)
            assert not pane.sweep.playing
            assert stop(pane) == (None if unasked else pane._boxes.gain.places()[-1])
            assert pane.sweep.display is not unasked
            if not unasked:
                await pilot.press("space")  # from the start again
                assert stop(pane) == pane._boxes.gain.places()[0]
                await pilot.press("space", "backspace")
                assert stop(pane) is None
                assert pane.sweep.transport is None


def test_the_words_of_a_first_start_have_room_on_a_narrow_screen() -> None:
    assert cell_len(f" · {PLAYS} · {OFFER}") < 60
