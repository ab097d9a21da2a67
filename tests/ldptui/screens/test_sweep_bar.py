"""Space plays the sweep: the cursor runs from stop to stop, and everything that follows it."""

from __future__ import annotations

import pytest
from support.chart_cases import scenario, snapshot
from support.charts_pane import WIDE, showing
from support.waiting import until
from support.workbench_app import own_home, workbench  # noqa: F401
from textual.pilot import Pilot

from ldptui.screens.workbench.charts import ChartsPane
from ldptui.screens.workbench.charts.sweep_bar import PATIENCE_S, REST
from ldptui.session.transport import LONGEST, PACE, paced

from .test_scrub import answered, pictured

SHARES = [round(0.02 * step, 2) for step in range(11)]
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
        for share in SHARES[:4]:
            assert stop(pane) == pytest.approx(share)
            await passed(pane, pilot, clock, PACE)
            assert stop(pane) == pytest.approx(share)  # nothing is measured of it yet
            assert await answered(engine, pilot) == ("cell",)
            await until(pilot, lambda: not pane._shown.awaited)
            shown.append(pictured(screen)[0])
            await passed(pane, pilot, clock, PACE)
        assert shown == pytest.approx(SHARES[:4])
        assert "5 of 11 · space pauses" in pane.sweep.render().plain
        for key, place in (("space", 4), ("full_stop", 5), ("1", 5)):
            await pilot.press(key)
            await passed(pane, pilot, clock, 2 * PATIENCE_S)
            assert stop(pane) == pytest.approx(SHARES[place])
            screen.action_pane(4)
            await pilot.press("space")
        # A worker that is late holds nothing up for long.
        await passed(pane, pilot, clock, PATIENCE_S - PACE)
        assert stop(pane) == pytest.approx(SHARES[5])
        await passed(pane, pilot, clock, PACE)
        assert stop(pane) == pytest.approx(SHARES[6])
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
            for _ in range(2 * len(SHARES)):
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
