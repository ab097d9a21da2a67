"""The cursor of a chart: a place that keys move, and the line of what is read there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, Literal, TypeVar

from textual.widgets import Static

from ....widgets.words import put_or_hide

Move = Literal["play", "step", "faster", "to", "pool"]
"""The moves of the keys that go through rounds; a chart's cursor knows `step`, `to` and `pool`."""
READ: Final = 8
"""At most one row is read of this many rows of a chart's box."""

Stop = TypeVar("Stop")


def moved(at: Stop | None, stops: Sequence[Stop], how: Move, by: int) -> Stop | None:
    """The stop that a move leads to, `by` stops on or to the stop `by`; None for nowhere."""
    if how == "pool" or not stops:
        return None
    if how == "to":
        return stops[by]
    if at not in stops:
        return stops[0 if by > 0 else -1]
    return stops[max(0, min(len(stops) - 1, stops.index(at) + by))]


def nearest(place: float, stops: Sequence[float], *, log: bool = False) -> float | None:
    """The stop nearest to a place on an axis, a logarithmic one if `log`; None where none is."""

    def distance(stop: float) -> float:
        return abs(math.log(stop / place)) if log else abs(stop - place)

    there = [stop for stop in stops if stop > 0] if log else stops
    return min(there, key=distance, default=None)


class Readout(Static):
    """The line of what a chart reads at its cursor; nothing while it has none."""

    DEFAULT_CSS = """
    Readout {
        height: auto;
        text-wrap: nowrap;
        text-overflow: ellipsis;
        border-top: solid $foreground 15%;
    }
    """

    def __init__(self) -> None:
        super().__init__(markup=False)
        self.display = False

    def show(self, words: str) -> None:
        put_or_hide(self, words)
