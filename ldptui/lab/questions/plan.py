"""The options of the topic plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from ldptui.core.base.errors import ScenarioError
from ldptui.core.base.ranges import ALPHA, DOMAIN, EPSILON, FREQUENCY, POWER, SHARE, USERS, Range

from ..options import Blank, Choices
from .offered import alike, local, numbers, where
from .shared import BEST, SEEDS, SIZE, Targets, Trials, items_of, targets_of

if TYPE_CHECKING:
    from ...session.draft import Draft

LOCALLY: Final = "local"
"""The rung of users who trust nobody."""


MEAN: Final = "mean"
"""The task of a plan whose users hold numbers."""


def _protocols() -> Choices:
    return alike(BEST, *local(), *numbers())


def _task_of(draft: Draft) -> str | None:
    """What the draft's users hold, where its protocol says so."""
    if draft.cell is None:
        return None
    kind = draft.cell.first.parameters["protocol.kind"]
    return MEAN if kind in numbers() else "frequencies"


def _within_of(draft: Draft) -> float | None:
    """A twentieth of the draft's range of numbers."""
    if draft.cell is None or _task_of(draft) != MEAN:
        return None
    protocol: Any = draft.cell.first.protocol
    return float(f"{(protocol.high - protocol.low) / 20:.2g}")


def _rungs() -> Choices:
    from ldptui.core.lab.rungs import RUNGS

    return alike(*RUNGS)


_of_items, _of_mean = where("task", "frequencies"), where("task", MEAN)


def _shuffled(form: Mapping[str, Any]) -> bool:
    """The promise has a δ."""
    return form.get("trust") == "shuffled" and _of_items(form)


@dataclass(frozen=True, kw_only=True)
class Options:
    """Four of users, epsilon, share, frequency and power are given, or all five.

    task : what is planned for, "frequencies" or "mean"; of a mean three of users, epsilon, share
    and within are given, or all four. within : how far off the mean may be. low, high : the range.
    items : None of a mean.

    trust : the rung, whose central budget ε then is. delta : of shuffled reports, and of Gaussian
    noise. weight : of the circuit multihot. noise : of its aggregators. estimates, column, label,
    rank : of a published table. check, trials, seed : of a simulation.
    """

    protocol: Annotated[str, Blank(BEST, "protocol.kind", _protocols, bare=True)] = BEST
    task: Annotated[
        Literal["frequencies", "mean"],
        Blank(follows=_task_of, choices=(("frequencies", "an item"), (MEAN, "a mean"))),
    ] = "frequencies"
    items: Annotated[
        int | None, DOMAIN, SIZE, Blank(128, items_of, steps="ladder", only=_of_items)
    ] = None
    users: Annotated[int | None, USERS, Blank(optional=True, steps="ladder")] = None
    epsilon: Annotated[float | None, EPSILON, Blank(1.0, "protocol.epsilon", optional=True)] = None
    share: Annotated[float | None, SHARE, Blank(0.01, optional=True, steps="hundredths")] = None
    frequency: Annotated[float | None, FREQUENCY, Blank(0.05, optional=True, only=_of_items)] = None
    power: Annotated[
        float | None, POWER, Blank(0.9, optional=True, steps="hundredths", only=_of_items)
    ] = None
    within: Annotated[
        float | None, Range(0, ends="()"), Blank(0.1, _within_of, optional=True, only=_of_mean)
    ] = None
    low: Annotated[float, Range(), Blank(-1.0, "task.low", only=_of_mean)] = -1.0
    high: Annotated[float, Range(), Blank(1.0, "task.high", only=_of_mean)] = 1.0
    targets: Annotated[Targets, Blank(1, targets_of, only=_of_items)] = 1
    alpha: Annotated[float, ALPHA, Blank(0.05, steps="hundredths")] = 0.05
    trust: Annotated[str, Blank(LOCALLY, choices=_rungs, only=_of_items)] = LOCALLY
    delta: Annotated[float, Range(0, 1, "()"), Blank(1e-8, steps="decades", only=_shuffled)] = 1e-8
    weight: Annotated[int, Range(2, 2**20)] = 3
    noise: Literal["laplace", "gaussian"] = "laplace"
    shift: Annotated[float | None, FREQUENCY] = None
    estimates: str | None = None
    column: str = "frequency"
    label: str = "item"
    rank: Annotated[int | None, Range(1)] = None
    check: bool = False
    trials: Trials = 1000
    seed: Annotated[int, SEEDS] = 0
    out: str | None = None

    @property
    def size(self) -> int:
        """d, which a plan for items needs; raises ScenarioError."""
        if self.items is None:
            raise ScenarioError("is required", key="items")
        return self.items
