"""The options of the topic plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from ldptui.core.base.ranges import ALPHA, EPSILON, FREQUENCY, POWER, SHARE, USERS, Range

from ..options import Blank, Choices
from .offered import alike, local
from .shared import BEST, SEEDS, Items, Targets, Trials


def _protocols() -> Choices:
    return alike(BEST, *local())


@dataclass(frozen=True, kw_only=True)
class Options:
    """Four of users, epsilon, share, frequency and power are given, or all five.

    estimates, column, label, rank : of a published table. check, trials, seed : of a simulation.
    """

    protocol: Annotated[str, Blank(BEST, "protocol.kind", _protocols, bare=True)] = BEST
    items: Items
    users: Annotated[int | None, USERS, Blank(optional=True, steps="ladder")] = None
    epsilon: Annotated[float | None, EPSILON, Blank(1.0, "protocol.epsilon", optional=True)] = None
    share: Annotated[float | None, SHARE, Blank(0.01, optional=True, steps="hundredths")] = None
    frequency: Annotated[float | None, FREQUENCY, Blank(0.05, optional=True)] = None
    power: Annotated[float | None, POWER, Blank(0.9, optional=True, steps="hundredths")] = None
    targets: Targets = 1
    alpha: Annotated[float, ALPHA, Blank(0.05, steps="hundredths")] = 0.05
    shift: Annotated[float | None, FREQUENCY] = None
    estimates: str | None = None
    column: str = "frequency"
    label: str = "item"
    rank: Annotated[int | None, Range(1)] = None
    check: bool = False
    trials: Trials = 1000
    seed: Annotated[int, SEEDS] = 0
    out: str | None = None
