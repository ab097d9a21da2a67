"""The options of the topics about a protocol before it collects: checked, chosen, planned."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from ldptui.core.base.errors import ScenarioError
from ldptui.core.base.ranges import ALPHA, DOMAIN, EPSILON, FREQUENCY, POWER, SHARE, USERS, Range

from ..options import Argument, Blank, Choices, Keys, Option
from .offered import OWN, alike, having, kinds, lacking, local, numbers, where
from .shared import (
    BEST,
    SEEDS,
    SIZE,
    Budget,
    Items,
    Near,
    Seed,
    Slack,
    Targets,
    Trials,
    items_of,
    keys,
    targets_of,
    users_of,
)

if TYPE_CHECKING:
    from ...session.draft import Draft


CONCLUDED: Final = ("alpha", "adjust")
"""Keys of what the server concludes, on which no report depends."""
NOISE: Final = ("f", "p", "q", "form")
"""The keys of the noise of bits, which is one option."""


def _audited(form: Mapping[str, Any]) -> bool:
    """Samples are drawn by request, and always of one's own mechanism."""
    return bool(form.get("audit")) or form.get("protocol") == OWN


def _audited_keys(known: Iterable[str]) -> Iterator[Option]:
    return keys((*known, *NOISE, "domain_size", *CONCLUDED))


def _checked_kinds() -> tuple[tuple[str, str], ...]:
    return (*alike(*kinds(), "exponential"), (OWN, "your own"))


@dataclass(frozen=True, kw_only=True)
class CheckOptions:
    """epsilon, delta : what is promised. plugin : the place of one's own mechanism, in the form.

    counts : of the exponential mechanism. bits, hashes, cohorts, noise : of Bloom filters. keys :
    the other keys of the protocol. audit, samples, confidence, seed : of reports that are sampled.
    """

    protocol: Annotated[
        str, Argument(positional=True), Blank("oue", "protocol.kind", _checked_kinds, bare=True)
    ]
    plugin: Annotated[str, Blank(only=where("protocol", OWN))] = ""
    epsilon: Annotated[
        Budget | None,
        Range(0),
        Blank(1.0, "protocol.epsilon", only=lacking("protocol", "f", "exponential", OWN)),
    ] = None
    items: Annotated[
        int | None,
        DOMAIN,
        Argument(renames=("domain_size",)),
        Blank(8, steps="ladder", only=lacking("protocol", "neighbours", OWN)),
    ] = None
    delta: Annotated[Slack, Blank(1e-6, steps="decades", only=having("protocol", "delta", OWN))] = (
        0.0
    )
    neighbours: Annotated[Near, Blank(bare=True, only=having("protocol", "neighbours"))] = (
        "change-one"
    )
    counts: Annotated[str | None, Blank("5, 3, 1", only=where("protocol", "exponential"))] = None
    bits: Annotated[int, Blank(steps="ladder", only=having("protocol", "bits"))] = 8
    hashes: Annotated[int, Blank(only=having("protocol", "hashes"))] = 2
    cohorts: Annotated[int, Blank(steps="ladder", only=having("protocol", "cohorts"))] = 4
    noise: Annotated[
        tuple[float, float, float],
        Argument(renames=NOISE),
        Blank("0.5, 0.5, 0.75", only=having("protocol", "f")),
    ] = (0.5, 0.5, 0.75)
    keys: Annotated[Mapping[str, str], Keys(_audited_keys)]
    audit: Annotated[bool, Blank()] = False
    samples: Annotated[int, Range(1000, 10**8), Blank(steps="ladder", only=_audited)] = 200_000
    confidence: Annotated[float, Range(0, 1, "()"), Blank(steps="hundredths", only=_audited)] = (
        0.999
    )
    seed: Annotated[Seed, Blank(0, only=_audited)] = 0


def _dials() -> Choices:
    from ldptui.core.protocols import DIALS

    return alike(BEST, *DIALS)


def _kind_of(draft: Draft) -> Any:
    kind = None if draft.cell is None else draft.cell.parameters.get("protocol.kind")
    return kind if kind in local() else None


def _weighted(form: Mapping[str, Any]) -> bool:
    """Return whether something is weighted, and so what a report gives away."""
    return bool(form.get("weights"))


def _informed(form: Mapping[str, Any]) -> bool:
    """Return whether a table tells what an observer knows."""
    return _weighted(form) and bool(form.get("prior"))


@dataclass(frozen=True, kw_only=True)
class DesignOptions:
    """weights : of the error, the gain, the guess and the bits; None: the worst case counts.

    prior, column, given : a table of what an observer knows beforehand, as for a guess. check,
    trials, seed : of a simulation.
    """

    among: Annotated[str, Blank(BEST, choices=_dials, bare=True)] = BEST
    beside: Annotated[str, Blank("oue", _kind_of, _locals)] = "oue"
    items: Items
    users: Annotated[int, USERS, Blank(1_000_000, users_of, steps="ladder")]
    epsilon: Annotated[float, EPSILON, Blank(1.0, "protocol.epsilon")]
    share: Annotated[float, SHARE, Blank(0.01, "attack.share", steps="hundredths")] = 0.01
    targets: Targets = 1
    weights: Annotated[
        tuple[float, float, float, float] | None,
        Argument(renames=("mse", "gain", "guessed", "bits")),
        Blank(optional=True),
    ] = None
    prior: Annotated[str | None, Blank(optional=True, only=_weighted)] = None
    column: Annotated[str, Blank("item", only=_informed)] = "item"
    given: Annotated[str | None, Blank(optional=True, only=_informed)] = None
    check: bool = False
    trials: Trials = 1000
    seed: Annotated[int, SEEDS] = 0


def _locals() -> Choices:
    return alike(*local())


LOCALLY: Final = "local"
"""The rung of users who trust nobody."""


MEAN: Final = "mean"
"""The task of a plan whose users hold numbers."""


def _planned() -> Choices:
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
class PlanOptions:
    """Four of users, epsilon, share, frequency and power are given, or all five.

    task : what is planned for, "frequencies" or "mean"; of a mean three of users, epsilon, share
    and within are given, or all four. within : how far off the mean may be. low, high : the range.
    items : None of a mean.

    trust : the rung, whose central budget ε then is. delta : of shuffled reports, and of Gaussian
    noise. weight : of the circuit multihot. noise : of its aggregators. estimates, column, label,
    rank : of a published table. check, trials, seed : of a simulation.
    """

    protocol: Annotated[str, Blank(BEST, "protocol.kind", _planned, bare=True)] = BEST
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


LADDER: Final = "ladder"
"""In place of a protocol: every way to collect, beside each other."""
ANY: Final = "any"
"""In place of a protocol: the worst one of its ε₀."""
SHUFFLED: Final = Range(2, 10**9)


def _trusted() -> Choices:
    return ((LADDER, "all rungs"), (ANY, "any, shuffled"), *alike(*local()))


def _alone(form: Mapping[str, Any]) -> bool:
    """One shuffled protocol is asked about."""
    return form.get("protocol") != LADDER


def _targets_of(draft: Draft) -> int | None:
    """The number of the scenario's targets; without any, ten, or all but one of fewer items."""
    items = items_of(draft)
    return targets_of(draft) or (None if items is None else max(1, min(10, items - 1)))


def _all(form: Mapping[str, Any]) -> bool:
    """The ladder is asked for."""
    return form.get("protocol") == LADDER


@dataclass(frozen=True, kw_only=True)
class TrustOptions:
    """The ladder of `central` and `delta`; or of a shuffled protocol one of three from the others.

    central : the central ε. epsilon : ε₀ of a report. users : n. gap : between two items.
    top : the rank to which fakes lift the rarest item; None for 10, or the last but one of fewer
    items. weight, aggregators : of secure aggregation. silent : the share of users whose reports
    hide nobody. exponent : of the population, a Zipf law. among : further protocols.
    """

    protocol: Annotated[str, Blank(LADDER, choices=_trusted)] = LADDER
    central: Annotated[float | None, EPSILON, Blank(1.0, optional=True, steps="hundredths")] = None
    epsilon: Annotated[float | None, EPSILON, Blank(optional=True, only=_alone)] = None
    delta: Annotated[float, Range(0, 1, "()"), Blank(1e-8, steps="decades")]
    users: Annotated[
        float | None, SHUFFLED, Blank(1_000_000, users_of, optional=True, steps="ladder")
    ] = None
    items: Items
    share: Annotated[float, SHARE, Blank(0.01, "attack.share", steps="hundredths", only=_all)] = (
        0.01
    )
    targets: Annotated[Targets, Blank(10, _targets_of, only=_all)] = 10
    gap: Annotated[float, Range(0, 1, "()"), Blank(0.03, steps="hundredths", only=_all)] = 0.03
    top: Annotated[int | None, Range(1)] = None
    weight: Annotated[int, Range(2, 2**20), Blank(3, only=_all)] = 3
    aggregators: Annotated[int, Range(1, 16)] = 2
    exponent: Annotated[float, Range(0, 20)] = 1.0
    silent: Annotated[float, SHARE, Blank(0.0, steps="hundredths", only=_alone)] = 0.0
    among: tuple[str, ...] = ()
