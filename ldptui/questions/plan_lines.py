"""What is asked of a plan, and the numbers of its answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from ldptui.core.base.errors import ScenarioError

from .parameters import BEST
from .question_answer import HIDDEN, OMITTED

LOCALLY: Final = "local"
"""The rung of users who trust nobody."""
SOLVED: Final = ("users", "epsilon", "share", "frequency", "power")
MEAN_SOLVED: Final = ("users", "epsilon", "share", "within")
"""The quantities that hang together: one of them is left out."""


@dataclass(frozen=True, kw_only=True)
class PlanRequest:
    """The options of a plan, as its parameters say them; task mean has no items."""

    items: int | None = None
    protocol: str = BEST
    users: float | None = None
    epsilon: float | None = None
    share: float | None = None
    frequency: float | None = None
    power: float | None = None
    within: float | None = None
    low: float = -1.0
    high: float = 1.0
    targets: int = 1
    alpha: float = 0.05
    trust: str = LOCALLY
    delta: float = 1e-8
    weight: int = 3
    noise: Literal["laplace", "gaussian"] = "laplace"
    shift: float | None = None
    estimates: str | None = None
    column: str = "frequency"
    label: str = "item"
    rank: int | None = None
    check: bool = False
    trials: int = 1000
    seed: int = 0

    @property
    def size(self) -> int:
        """d, which a plan for items needs; raises ScenarioError."""
        if self.items is None:
            raise ScenarioError("is required", key="items")
        return self.items


@dataclass(frozen=True)
class TrustedTable:
    """The items of a published table whose estimates no fake item reaches."""

    file: str
    items: int
    counts: bool
    trusted: Sequence[str]
    rank: int | None
    share_for_rank: float | None


@dataclass(frozen=True)
class PlanLines:
    """A plan: the quantity that is left out, and every line that follows.

    solved : that quantity; None where all are given, and the plan is judged: power_reached, holds,
    users_needed. oracles : of "best", the answer of each protocol, None where it has none.
    lowered : by how much fakes who leave an item out lower it. share_for_shift : the share of fakes
    who reach `shift`. estimates, check : what was asked for besides. noise : the standard
    deviation of what is added to a count once. refused : of "best", why some protocols have no
    answer.
    """

    protocol: str
    solved: str | None
    items: int
    targets: int
    alpha: float
    users: float
    epsilon: float
    share: float
    frequency: float
    power: float
    variance: float
    gain_factor: float
    lowered: float
    reports: float
    quantile: float
    noise_threshold: float
    f_min: float
    attack_floor: float
    robust_f_min: float
    floor_and_f_min: float
    saturation_users: float
    undetectable_floor: float
    verified_floor: float
    power_lowered: float
    shift: float | None
    share_for_shift: float | None
    oracles: Mapping[str, float | None]
    trust: str = LOCALLY
    local_epsilon: float | None = field(default=None, metadata=OMITTED)
    false_alarms: float | None = field(default=None, metadata=OMITTED)
    noise: float | None = field(default=None, metadata=OMITTED)
    power_reached: float | None = field(default=None, metadata=OMITTED)
    holds: bool | None = field(default=None, metadata=OMITTED)
    users_needed: int | None = field(default=None, metadata=OMITTED)
    estimates: TrustedTable | None = field(default=None, metadata=OMITTED)
    check: Mapping[str, float] | None = field(default=None, metadata=OMITTED)
    refused: str | None = field(default=None, metadata=OMITTED)
    request: PlanRequest = field(default=PlanRequest(), metadata=HIDDEN)


@dataclass(frozen=True)
class MeanPlanLines:
    """A plan for a mean: the quantity that is left out, and every line that follows.

    within : in the numbers of the range, as attack_floor, noise and both other floors. holds :
    where all four are given, whether the error is at most `within`. reached : the error.
    share_for_within : the share of fakes that moves the mean by `within` alone. protocols : the
    answer of each, None where it has none.
    """

    protocol: str
    solved: str | None
    low: float
    high: float
    alpha: float
    users: float
    epsilon: float
    share: float
    within: float
    variance: float
    reach: float
    attack_floor: float
    noise: float
    reached: float
    holds: bool
    undetectable_floor: float
    verified_floor: float
    share_for_within: float
    protocols: Mapping[str, float | None]
