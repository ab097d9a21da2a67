"""The options of the topic plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final

from ldptui.core.base.ranges import ALPHA, EPSILON, FREQUENCY, POWER, SHARE, USERS, Range

from ..options import Blank, Choices
from .offered import alike, local
from .shared import BEST, SEEDS, Items, Targets, Trials

LOCALLY: Final = "local"
"""The rung of users who trust nobody."""


def _protocols() -> Choices:
    return alike(BEST, *local())


def _rungs() -> Choices:
    from ldptui.core.lab.rungs import RUNGS

    return alike(*RUNGS)


def _shuffled(form: Mapping[str, Any]) -> bool:
    """The promise has a δ."""
    return form.get("trust") == "shuffled"


@dataclass(frozen=True, kw_only=True)
class Options:
    """Four of users, epsilon, share, frequency and power are given, or all five.

    trust : the rung, whose central budget ε then is. delta : of shuffled reports. weight : of the
    circuit multihot. estimates, column, label, rank : of a published table. check, trials, seed :
    of a simulation.
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
    trust: Annotated[str, Blank(LOCALLY, choices=_rungs)] = LOCALLY
    delta: Annotated[float, Range(0, 1, "()"), Blank(1e-8, steps="decades", only=_shuffled)] = 1e-8
    weight: Annotated[int, Range(2, 2**20)] = 3
    shift: Annotated[float | None, FREQUENCY] = None
    estimates: str | None = None
    column: str = "frequency"
    label: str = "item"
    rank: Annotated[int | None, Range(1)] = None
    check: bool = False
    trials: Trials = 1000
    seed: Annotated[int, SEEDS] = 0
    out: str | None = None
