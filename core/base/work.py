"""The work of a run: a block of trials."""

from __future__ import annotations

from dataclasses import dataclass

from .pulse import Pulse


@dataclass(frozen=True, eq=False)
class Work:
    """The first trials of a block, to be simulated. number : the block's."""

    number: int
    trials: int
    pulse: Pulse
