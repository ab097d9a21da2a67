"""The clock of a recording, and the bar that moves it."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult

from ldptui.screens.workbench.transport_bar import TransportBar
from ldptui.session.transport import SHORTEST, SPEEDS, Transport, loaded


def test_moments_come_as_they_came() -> None:
    there = loaded([2.0, 4.0, 4.0, 10.0])
    assert (there.length, there.come) == (10.0, 0)
    playing = there.toggled()
    assert [playing.after(s).come for s in (1.9, 2.0, 4.0, 9.9, 10.0)] == [0, 1, 3, 3, 4]
    assert playing.after(9.9).playing
    assert not playing.after(99).playing
    assert playing.after(99).ended
    assert there.after(99) == there  # it is paused


def test_a_short_recording_is_stretched_and_a_long_one_is_not() -> None:
    assert loaded([0.1, 0.2]).moments == (SHORTEST / 2, SHORTEST)
    assert loaded([60.0]).length == 60.0
    even = loaded([0.0, 0.0, 0.0, 0.0])  # known to the store before
    assert even.moments == (2.0, 4.0, 6.0, 8.0)
    assert loaded([5.0] * 4).moments == even.moments  # after a long wait, all at once
    assert loaded([]).ended


def test_a_clock_that_went_back_does_not_turn_the_order() -> None:
    assert loaded([10.0, 3.0, 12.0]).moments == (10.0, 10.0, 12.0)


def test_steps_go_from_moment_to_moment() -> None:
    there = loaded([2.0, 4.0, 4.0, 10.0])
    seen = []
    for _ in range(5):
        there = there.stepped(1)
        seen.append(there.come)
    assert seen == [1, 3, 4, 4, 4]
    for _ in range(4):
        there = there.stepped(-1)
        seen.append(there.come)
    assert seen[5:] == [3, 1, 0, 0]
    assert not loaded([2.0, 4.0]).toggled().stepped(1).playing


def test_speeds_from_a_quarter_to_sixteen() -> None:
    there = loaded([100.0]).toggled()
    assert (SPEEDS[0], SPEEDS[-1]) == (0.25, 16.0)
    assert there.faster(9).speed == 16.0
    assert there.faster(-9).speed == 0.25
    assert there.faster(1).after(10).at == pytest.approx(20)
    assert there.faster(-2).after(10).at == pytest.approx(2.5)


def test_scrubbing_stays_inside_and_the_end_plays_again() -> None:
    there = loaded([100.0, 200.0])
    assert there.scrubbed(-1).at == 0
    assert there.scrubbed(3).at == pytest.approx(30)
    assert there.scrubbed(99).ended
    again = there.to(200).toggled()
    assert (again.at, again.playing) == (0.0, True)


class Bar(App[None]):
    def __init__(self) -> None:
        super().__init__()
        self.come: list[int] = []
        self.closed = 0

    def compose(self) -> ComposeResult:
        yield TransportBar()

    def on_transport_bar_moved(self, message: TransportBar.Moved) -> None:
        self.come.append(message.come)

    def on_transport_bar_closed(self) -> None:
        self.closed += 1


async def test_the_keys_of_the_bar() -> None:
    async with Bar().run_test(size=(80, 5)) as pilot:
        app = pilot.app
        assert isinstance(app, Bar)
        bar = app.query_one(TransportBar)
        assert not bar.display
        bar.about, bar.words = "run 7", "block 1 of 3"
        bar.transport = loaded([100.0, 200.0, 300.0])
        bar.focus()
        await pilot.press("right", "right", "left", "end", "home", "full_stop")
        assert bar.transport == Transport((100.0, 200.0, 300.0), at=15.0)
        assert app.come == [0, 1, 2, 1, 3, 0]
        await pilot.press("up", "up", "down", "space")
        assert bar.transport.playing
        assert bar.transport.speed == 2.0
        shown = bar.render().plain
        assert "run 7" in shown
        assert "2×" in shown
        assert "block 1 of 3" in shown
        await pilot.press("space", "escape")
        assert app.closed == 1
        await pilot.click(TransportBar, offset=(bar._track[0] + bar._track[1], 0))
        assert bar.transport.ended
