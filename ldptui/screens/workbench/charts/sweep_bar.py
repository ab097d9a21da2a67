"""The bars below a chart: one plays a sweep, one goes through a campaign's rounds.

A moment is a stop of the chart's cursor, so that everything that follows the cursor plays along:
the estimates, their ranks, the sentence above them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace
from textual.message import Message

from ....session.transport import Transport, loaded, paced
from ....text.format import percent, short
from ....widgets.cursor import Move
from ..transport_bar import TransportBar
from .curve import CurveChart

if TYPE_CHECKING:
    from ldptui.core.view import Rounds


def rounds_bar() -> TransportBar:
    bar = TransportBar(id="rounds-bar")
    bar.can_focus = False  # the pane has its keys
    return bar


def load(bar: TransportBar, rounds: Rounds | None) -> bool:
    """Let the bar have as many moments as there are rounds; whether that is another number."""
    count = len(rounds) if rounds is not None else 0
    if count == (len(bar.transport.moments) if bar.transport is not None else 0):
        return False
    bar.transport = loaded([0.0] * count) if count else None
    return True


def tell(bar: TransportBar, rounds: Rounds, cursor: int | None) -> None:
    """Show a round in the bar: its number, its share of fakes and the ε spent so far."""
    count = len(rounds)
    if cursor is None or cursor >= count:
        bar.about, bar.words = f"all {count} rounds", "space plays"
        return
    bar.about = f"round {cursor:>{len(str(count - 1))}} of 0–{count - 1}"
    bar.words = f"β {percent(rounds.share[cursor])}  ε {short(rounds.spent[cursor])}"


def move(bar: TransportBar, how: Move, by: int) -> None:
    """Play or pause, step `by` rounds, play faster, go to round `by` (-1: the last), pool all."""
    match how:
        case "play":
            bar.action_play()
        case "step":
            bar.action_step(by)
        case "faster":
            bar.action_faster(by)
        case "to":
            if bar.transport is not None:
                bar.transport = bar.transport.to(bar.transport.moments[by])
        case "pool":
            stay_at(bar, None)


def stay_at(bar: TransportBar, number: int | None) -> None:
    """Show one round, from 0, and stay there; None: all of them pooled."""
    transport = bar.transport
    if transport is not None:
        at = 0.0 if number is None else transport.moments[number]
        bar.transport = replace(transport.to(at), playing=False)


PATIENCE_S: Final = 1.0
"""Seconds that a stop waits for the estimates of its cell, at most."""
KEYS: Final = ("space", "plus", "equals_sign", "minus")
"""The keys that pause a sweep and change its speed, in the pane of the chart."""
MOST: Final = 41
"""Stops that are played, at most."""
REST: Final = 5
"""Moments at the last stop before a sweep that nobody asked for is put away."""


class SweepBar(TransportBar, can_focus=False):
    """Plays the stops of a chart's cursor; not there before the first play."""

    @dataclass(eq=False)
    class Turned(Message):
        """The cursor of the chart that plays stands at another stop, or has none any more."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(id="sweep-bar", clock=clock)
        self._chart: CurveChart | None = None
        self._stops: tuple[float, ...] = ()
        self._unasked = False  # it ends with the cursor away, as it was before
        self._awaited, self._waited = False, 0.0

    @property
    def playing(self) -> bool:
        """True while the swept value runs."""
        return self.transport is not None and self.transport.playing

    def play(self, chart: CurveChart, *, unasked: bool = False) -> None:
        """Play a chart from its cursor on, or pause; at the last stop, and without, from the first.

        unasked : once, as a greeting: at its end the cursor is away again.
        """
        if self._unasked and self.playing:
            self._put_away()
            return
        if self.transport is not None and chart is self._chart:
            self._unasked = False
            self.action_play()
            if self.playing and not self._place:
                self._go_to(0)
            return
        stops = _moments(chart)
        if len(stops) > 1:
            self._chart, self._stops, self._unasked = chart, stops, unasked
            at = stops.index(chart.at) if chart.at in stops[:-1] else 0
            transport = paced(len(stops), REST if unasked else 0)
            self.transport = replace(transport, at=transport.moments[at], playing=True)

    def hush(self, key: str, *, here: bool) -> None:
        """Stop at any key that is not the transport's own; what nobody asked for is put away.

        here : the key is for the pane of the chart.
        """
        own = here and key in KEYS
        if self.playing and self.transport is not None and not own:
            self.transport = replace(self.transport, playing=False)
            if self._unasked:
                self._put_away()

    def show(self, *, awaited: bool) -> None:
        """Follow the chart that is played: its stops, and its cursor if that was moved by hand.

        awaited : the estimates of the cell at the cursor are not there yet.
        """
        chart, transport = self._chart, self.transport
        if chart is None or transport is None:
            return
        self._awaited, stops = awaited, _moments(chart)
        if chart.at is None or not stops:
            self._leave()
            return
        at = min(range(len(stops)), key=lambda place: abs(stops[place] - chart.at))
        if stops != self._stops:
            self._stops = stops
            new = paced(len(stops), REST if self._unasked else 0)
            self.transport = replace(new, at=new.moments[at], speed=transport.speed,
                                     playing=transport.playing)  # fmt: skip
        elif at != self._place:
            self.transport = replace(transport, at=transport.moments[at], playing=False)
        variable = chart.variable
        self.about = f"{variable.symbol if variable else ''} {short(stops[at]):<8}"
        self._tell()

    def watch_transport(self, before: Transport | None, after: Transport | None) -> None:
        """Move the chart's cursor with the transport."""
        super().watch_transport(before, after)
        if after is None or self._chart is None:
            return
        self._tell()
        stop = self._stops[self._place]
        if stop != self._chart.at:
            self._chart.go(stop)
            self._waited = 0.0
            self.post_message(self.Turned())
        if self._unasked and after.ended and not after.playing:
            self.call_later(self._put_away)

    def _tell(self) -> None:
        """Say where it stands, and what its key does."""
        key = "any key stops" if self._unasked else f"space {'pauses' if self.playing else 'plays'}"
        self.words = f"{self._place + 1} of {len(self._stops)} · {key}"

    def on_transport_bar_moved(self, message: TransportBar.Moved) -> None:
        """The cursor has moved already."""
        message.stop()

    def go_on(self, seconds: float) -> None:
        """Play on by these seconds, but wait a while for the estimates at the cursor."""
        self._waited += seconds * self.playing
        if not self._awaited or self._waited >= PATIENCE_S:
            super().go_on(seconds)

    @property
    def _place(self) -> int:
        """The stop that the transport has come to, by its place."""
        come = self.transport.come if self.transport is not None else 0
        return max(0, min(come, len(self._stops)) - 1)

    def _go_to(self, place: int) -> None:
        assert self.transport is not None
        self.transport = replace(self.transport, at=self.transport.moments[place])

    def _put_away(self) -> None:
        """Leave the chart as it was before it played."""
        chart = self._chart
        self._leave()
        if chart is not None:
            chart.go(None)
            self.post_message(self.Turned())

    def _leave(self) -> None:
        self._chart, self._unasked, self._awaited = None, False, False
        self.transport = None


def _moments(chart: CurveChart) -> tuple[float, ...]:
    """The places that play; of very many some, both ends among them."""
    places = chart.places()
    last, most = len(places) - 1, min(len(places), MOST)
    return tuple(places[round(at * last / (most - 1))] for at in range(most)) if last > 0 else ()
