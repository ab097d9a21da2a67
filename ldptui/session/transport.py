"""A small clock for a playback: its place and its speed. Pure."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

SPEEDS: Final = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)

SHORTEST: Final = 8.0
"""Seconds that a playback takes at 1×, at least: many are over before an eye has seen them."""

PACE: Final = 0.35
"""Seconds from one stop of a sweep to the next at 1×, less where there are many stops."""

LONGEST: Final = 8.0
"""Seconds that a sweep takes at 1×, at most."""

SCRUB: Final = 0.05
"""Part of the whole that one step of scrubbing goes."""


class Transport(Struct, frozen=True):
    """The moments at which something came, and the place it is at.

    moments : seconds of playing at 1× at which each of them comes, ascending, none at 0.
    at : seconds of playing since the start; moments up to it have come.
    """

    moments: tuple[float, ...]
    at: float = 0.0
    speed: float = 1.0
    playing: bool = False

    @property
    def length(self) -> float:
        return self.moments[-1] if self.moments else 0.0

    @property
    def come(self) -> int:
        """The number of moments that have come."""
        return bisect_right(self.moments, self.at + 1e-9)

    @property
    def ended(self) -> bool:
        return self.come == len(self.moments)

    def after(self, seconds: float) -> Transport:
        """The transport `seconds` later by the clock on the wall."""
        if not self.playing:
            return self
        later = self.to(self.at + seconds * self.speed)
        return replace(later, playing=not later.ended)

    def to(self, at: float) -> Transport:
        return replace(self, at=min(max(at, 0.0), self.length))

    def scrubbed(self, steps: int) -> Transport:
        return self.to(self.at + steps * SCRUB * self.length)

    def stepped(self, by: int) -> Transport:
        """To the next moment (1) or to the one before (-1, or the start), and paused there.

        Moments that come at once are one step.
        """
        if by > 0:
            at = self.moments[min(self.come, len(self.moments) - 1)] if self.moments else 0.0
        else:
            first = bisect_left(self.moments, self.moments[self.come - 1]) if self.come else 0
            at = self.moments[first - 1] if first else 0.0
        return replace(self, at=at, playing=False)

    def toggled(self) -> Transport:
        """Play to pause and back; at the end, from the start again."""
        if not self.playing and self.ended:
            return replace(self, at=0.0, playing=True)
        return replace(self, playing=not self.playing)

    def faster(self, steps: int) -> Transport:
        place = SPEEDS.index(self.speed) + steps
        return replace(self, speed=SPEEDS[min(max(place, 0), len(SPEEDS) - 1)])


def loaded(seconds: Sequence[float]) -> Transport:
    """The transport of a playback, from the seconds at which its moments came.

    A very short one plays slower than it happened; where all came at once, it is spread evenly.
    """
    rising = list(accumulate(seconds, max))
    count = len(rising)
    if count > 1 and rising[-1] - rising[0] < 1e-3:  # all at once: the store knew them already
        return Transport(tuple(SHORTEST * place / count for place in range(1, count + 1)))
    # At the very start nothing has come yet.
    rising = [max(moment, 1e-6) for moment in rising]
    factor = max(1.0, SHORTEST / rising[-1]) if rising else 1.0
    return Transport(tuple(moment * factor for moment in rising))


def paced(stops: int, rest: int = 0) -> Transport:
    """The transport of a sweep over so many stops, evenly; rest : moments at its last stop."""
    pace = min(PACE, LONGEST / stops)
    return Transport(tuple(pace * place for place in range(1, stops + rest + 1)))
