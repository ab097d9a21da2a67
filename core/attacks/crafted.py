"""Attacks that craft a report towards their targets.

CJG: Cao, Jia, Gong, USENIX Security 2021. L25: Li, Li, Wang, Sun, "Mitigating Data Poisoning
Attacks to LDP", CCS 2025.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from ..base.errors import ScenarioError, got
from ..base.named import fields_of
from ..base.ranges import SHARE, Range
from ..base.sampling import Counts, Floats
from ..law.law import Ask, Lack, LawName
from ..law.pure import (
    BoolArray,
    Items,
    LocalMechanism,
    Mechanism,
    Reports,
    Rng,
    Scoring,
    SeedSearch,
)
from ..metrics.ranking import in_top
from ..population.targets import COUNT, RandomSet
from .strategy import COHORT, ByNumbers, Promoting, View, evenly

SEEDS = Range(1, 10**6)


class SearchingAttack(ByNumbers):
    """The base of attacks that search for their reports, and send the best reports of a given
    effort.

    seeds : the number of hash functions that a fake tries. scoring : how they are compared.
    """

    seeds: Any
    scoring: Any = "anchor"

    @property
    def search(self) -> SeedSearch:
        return SeedSearch(self.seeds, self.scoring)

    def ask(self, view: View) -> Ask:
        return Ask(self.report_law, view.targets, self.search)


class Maximal(SearchingAttack):
    """The base of MGA and its variants, whose reports support as many targets as possible."""

    report_law: ClassVar[LawName] = "crafted"


@dataclass(frozen=True)
class MaximalGain(Promoting, Maximal):
    """MGA: each fake sends a report that supports as many targets as possible. CJG section 3.2."""

    aims_at_prefixes: ClassVar[bool] = True

    seeds: Annotated[int, SEEDS] = 1000
    scoring: Scoring = "anchor"
    cohort: Annotated[float, COHORT] | None = field(default=None, repr=False)
    kind: Literal["mga"] = "mga"


@dataclass(frozen=True)
class Untargeted(Maximal):
    """MGA at a random set of items that all fakes share, to distort the whole histogram.

    After Cheu, Smith, Ullman, "Manipulation Attacks in Local Differential Privacy", S&P 2021. The
    set depends on the seed and the population, and is drawn from its own random stream.

    share : β. size : the number of items.
    """

    share: Annotated[float, SHARE]
    size: Annotated[int, COUNT]
    seeds: Annotated[int, SEEDS] = 1000
    scoring: Scoring = "anchor"
    cohort: Annotated[float, COHORT] | None = field(default=None, repr=False)
    kind: Literal["untargeted"] = "untargeted"

    @property
    def targets(self) -> RandomSet:
        return RandomSet(self.size)


@dataclass(frozen=True, repr=False)
class Reactive(Promoting, Maximal):
    """MGA at the targets that were not among the k largest estimates of the previous round.

    At all targets in the first round, and if none is outside.
    """

    ADDRESSED: ClassVar[dict[str, str]] = {"class": "Adaptive", "kind": "adaptive"}
    """Its class and kind in the addresses of random streams and stored cells: its former names."""

    seeds: Annotated[int, SEEDS] = 1000
    scoring: Scoring = "anchor"
    cohort: Annotated[float, COHORT] | None = field(default=None, repr=False)
    kind: Literal["reactive"] = "reactive"
    reacts: ClassVar[bool] = True

    def __repr__(self) -> str:
        values = fields_of(self) | {"kind": self.ADDRESSED["kind"]}
        shown = (part.name for part in fields(self) if part.repr)
        text = ", ".join(f"{name}={values[name]!r}" for name in shown)
        return f"{self.ADDRESSED['class']}({text})"

    def reports(self, protocol: LocalMechanism, view: View, count: int, rng: Rng) -> Reports:
        return super().reports(protocol, _narrow_view(view, _outside(view, 1)[0]), count, rng)

    def counts(self, protocol: Mechanism, view: View, count: Counts, rng: Rng) -> Counts:
        outside = _outside(view, count.size)
        drawn: list[tuple[Items, Counts]] = []
        for aims in np.unique(outside, axis=0):
            trials = np.flatnonzero((outside == aims).all(axis=1))
            drawn.append(
                (trials, super().counts(protocol, _narrow_view(view, aims), count[trials], rng))
            )
        shape = (count.size, *drawn[0][1].shape[1:])
        counts = np.empty(shape, dtype=np.int64)
        for trials, crafted in drawn:
            counts[trials] = crafted
        return counts

    def claims(self, view: View, domain_size: int) -> Floats:
        trials = 1 if view.published is None else len(np.atleast_2d(view.published))
        outside = _outside(view, trials)
        law = np.zeros((trials, domain_size))
        law[:, view.targets] = outside / outside.sum(axis=1, keepdims=True)
        return law[0] if view.published is None or view.published.ndim == 1 else law


def _narrow_view(view: View, aims: BoolArray) -> View:
    """The view of fakes who aim at these of the targets alone, bool[r]."""
    return View(view.targets[aims], view.round, view.rounds)


def _outside(view: View, trials: int) -> BoolArray:
    """bool[trials, r]: the targets to aim at, by what was published in each trial."""
    if view.published is None:
        return np.ones((trials, view.targets.size), dtype=np.bool_)
    published = np.atleast_2d(view.published)
    outside = ~in_top(published, min(view.top_k, published.shape[1]))[:, view.targets]
    return outside | ~outside.any(axis=1, keepdims=True)


@dataclass(frozen=True)
class SubsetGain(Promoting, SearchingAttack):
    """MGA-A: each fake supports a random subset of the targets, to look less alike. CJG section 7.

    Unary encodings pad with any items outside the subset; under hashing the seed is searched for
    the subset.

    subset : the number of targets that a report supports; ScenarioError if there are fewer targets.
    """

    subset: Annotated[int, COUNT]
    seeds: Annotated[int, SEEDS] = 1000
    scoring: Scoring = "anchor"
    kind: Literal["mga-a"] = "mga-a"
    report_law: ClassVar[LawName] = "subset"

    def ask(self, view: View) -> Ask:
        return Ask(self.report_law, view.targets, self.search, subset=self.subset)

    def check(self, protocol: Mechanism, targets: Items) -> None:
        super().check(protocol, targets)
        if self.subset > targets.size:
            rule = f"must be {Range(1, targets.size)}, the number of targets"
            raise ScenarioError(f"{rule}, {got(self.subset)}", key="subset")


@dataclass(frozen=True)
class PatternAttack(Promoting, ByNumbers):
    """APA: MGA whose reports have as many ones as honest reports, Bern(p) + Bin(d - 1, q). L25.

    If the ones are fewer than the targets, they are a random subset of the targets.
    """

    kind: Literal["apa"] = "apa"
    report_law: ClassVar[LawName] = "disguised"


@dataclass(frozen=True)
class Demotion(Promoting, SearchingAttack):
    """An attack whose fakes support as few targets as possible and look honest otherwise.

    GRR: a uniform non-target. Unary encodings, Bloom filters: no bit of a target, and as many ones
    elsewhere as expected. Hashing: the seed and bucket with the fewest targets.
    """

    seeds: Annotated[int, SEEDS] = 1000
    cohort: Annotated[float, COHORT] | None = field(default=None, repr=False)
    kind: Literal["demote"] = "demote"
    report_law: ClassVar[LawName] = "avoided"

    def check(self, protocol: Mechanism, targets: Items) -> None:
        alone = targets.size == protocol.domain_size
        if alone and isinstance(self.answer(protocol, View(targets)), Lack):
            rule = "must leave out an item for the fakes to report, got all of them"
            raise ScenarioError(rule, key="targets")
        super().check(protocol, targets)

    def claims(self, view: View, domain_size: int) -> Floats:
        others = np.setdiff1d(np.arange(domain_size), view.targets)
        return evenly(others if others.size else view.targets, domain_size)


# Attacks that send what the protocol itself would draw, of an item or of nothing.
#
# Sections are those of Cao, Jia, Gong, USENIX Security 2021.


@dataclass(frozen=True)
class RandomReport(Promoting, ByNumbers):
    """RPA: each fake reports a uniform element of the encoded space. Section 3.2."""

    report_law: ClassVar[LawName] = "random"
    aims_at_prefixes: ClassVar[bool] = True
    cohort: Annotated[float, COHORT] | None = field(default=None, repr=False)
    kind: Literal["rpa"] = "rpa"

    def claims(self, view: View, domain_size: int) -> Floats:  # noqa: ARG002
        return evenly(np.arange(domain_size), domain_size)


class HeldItem(ByNumbers):
    """The base of RIA and its variants, whose fakes pretend to have a target and run the
    protocol.
    """

    report_law: ClassVar[LawName] = "honest"
    aims_at_prefixes: ClassVar[bool] = True

    def weights(self, r: int) -> Floats | None:  # noqa: ARG002
        """float64[r]: the probability that a fake pretends to have each target; None if all are
        equally likely.
        """
        return None

    def view_law(self, view: View) -> Floats:
        """float64[r]: the probability that a fake pretends to have each target (heavy hitters: each
        prefix of targets).
        """
        aims = view.targets.size if view.stands is None else view.stands.size
        weights = self.weights(aims)
        held = np.full(aims, 1 / aims) if weights is None else weights
        if view.stands is None:
            return held
        return np.asarray(np.bincount(view.stands, held, view.targets.size), dtype=np.float64)

    def ask(self, view: View) -> Ask:
        alike = view.stands is None and self.weights(view.targets.size) is None
        held = None if alike else self.view_law(view)
        return Ask(self.report_law, view.targets, held=held)

    def draw_pretended_items(self, view: View, count: int, rng: Rng) -> Items:
        """int64[count]: the targets that these fakes pretend to have, drawn before their
        reports.
        """
        return self.ask(view).items(count, rng)

    def claims(self, view: View, domain_size: int) -> Floats:
        held = np.zeros(domain_size)
        held[view.targets] = self.view_law(view)
        return held


@dataclass(frozen=True)
class RandomItem(Promoting, HeldItem):
    """RIA: each fake takes a uniform target as its item and follows the protocol. Section 3.2."""

    cohort: Annotated[float, COHORT] | None = field(default=None, repr=False)
    kind: Literal["ria"] = "ria"


@dataclass(frozen=True)
class UnperturbedItem(Promoting, HeldItem):
    """RIA without noise (CJG section 7): fakes send uniform targets, encoded and not perturbed."""

    report_law: ClassVar[LawName] = "unperturbed"
    cohort: Annotated[float, COHORT] | None = field(default=None, repr=False)
    kind: Literal["ria-unperturbed"] = "ria-unperturbed"


@dataclass(frozen=True)
class InputPoisoning(Promoting, HeldItem):
    """IPA: each fake pretends to have a target drawn from `distribution`, and obeys the protocol.

    distribution : a weight for each target, at least 0, in any unit; None for equal weights, which
    is RIA. Raises ScenarioError for a negative weight, or if none is positive.
    """

    distribution: tuple[float, ...] | None = None
    cohort: Annotated[float, COHORT] | None = field(default=None, repr=False)
    kind: Literal["input"] = "input"

    def __post_init__(self) -> None:
        super().__post_init__()
        weights = self.distribution
        if weights is None:
            return
        bad = next((weight for weight in weights if not 0 <= weight < np.inf), None)
        if bad is not None:
            raise ScenarioError(f"must be weights, at least 0, {got(bad)}", key="distribution")
        if not sum(weights) > 0:
            raise ScenarioError("must have a positive weight, got none", key="distribution")

    def check(self, protocol: Mechanism, targets: Items) -> None:
        if self.distribution is not None and len(self.distribution) != targets.size:
            raise ScenarioError(
                f"must have one weight for each of the {targets.size} targets, "
                f"got {len(self.distribution)}",
                key="distribution",
            )
        super().check(protocol, targets)

    def weights(self, r: int) -> Floats:
        weights = np.ones(r) if self.distribution is None else np.array(self.distribution)
        return np.asarray(weights / weights.sum())


KINDS = (
    RandomReport,
    RandomItem,
    UnperturbedItem,
    InputPoisoning,
    MaximalGain,
    SubsetGain,
    PatternAttack,
    Untargeted,
    Demotion,
    Reactive,
)
