"""Attacks that craft a report towards their targets.

CJG: Cao, Jia, Gong, USENIX Security 2021. L25: Li, Li, Wang, Sun, "Mitigating Data Poisoning
Attacks to LDP", CCS 2025.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Annotated, ClassVar, Literal, cast

import numpy as np

from ..base.errors import ScenarioError, got
from ..base.ranges import SHARE, Range
from ..base.sampling import Counts, Floats
from ..law.capabilities import BitLaw, CraftsSubsets, Disguises, SendsBits
from ..law.pure import (
    BoolArray,
    Items,
    LocalMechanism,
    Mechanism,
    Reports,
    Rng,
    Scoring,
    SeedSearch,
    Supporting,
)
from ..law.support import Support
from ..metrics.ranking import in_top
from ..population.targets import COUNT, RandomSet, Targets
from .strategy import COHORT, ByNumbers, ReportLaw, View, evenly, played, require

SEEDS = Range(1, 10**6)


class Maximal(ByNumbers):
    """Reports that support as many of the targets as possible; what MGA and its kin share."""

    report_law: ClassVar[ReportLaw] = "crafted"
    seeds: int
    scoring: Scoring
    cohort: float | None

    @property
    def search(self) -> SeedSearch:
        return SeedSearch(self.seeds, self.scoring)

    def reports(self, protocol: LocalMechanism, view: View, count: int, rng: Rng) -> Reports:
        return played(protocol, self.cohort).craft(view.targets, count, self.search, rng)

    def counts(self, protocol: Mechanism, view: View, count: Counts, rng: Rng) -> Counts:
        return played(protocol, self.cohort).craft_counts(view.targets, count, self.search, rng)

    def support(self, protocol: Supporting, r: int) -> Support:
        return protocol.crafted_support(r, self.search)

    def bits(self, protocol: SendsBits, targets: Items) -> BitLaw:
        return played(protocol, self.cohort).crafted_bits(targets)


@dataclass(frozen=True)
class MaximalGain(Maximal):
    """MGA: each fake sends a report that supports as many targets as possible. CJG section 3.2."""

    aims_at_prefixes: ClassVar[bool] = True

    share: Annotated[float, SHARE]
    targets: Targets
    seeds: Annotated[int, SEEDS] = 1000
    scoring: Scoring = "anchor"
    cohort: Annotated[float, COHORT] | None = field(default=None, repr=False)
    kind: Literal["mga"] = "mga"


@dataclass(frozen=True)
class Untargeted(Maximal):
    """MGA at a random set of items that all fakes share: to wreck the histogram as a whole.

    After Cheu, Smith, Ullman, "Manipulation Attacks in Local Differential Privacy", S&P 2021. The
    set is drawn once a seed and population, apart from random targets.
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
class Reactive(Maximal):
    """MGA at the targets that are still outside the top k of what was published last.

    All targets in the first round, and when none is outside.
    """

    ADDRESSED: ClassVar[dict[str, str]] = {"class": "Adaptive", "kind": "adaptive"}
    """Its class and kind in the addresses of random streams and stored cells: its former names."""

    share: Annotated[float, SHARE]
    targets: Targets
    seeds: Annotated[int, SEEDS] = 1000
    scoring: Scoring = "anchor"
    cohort: Annotated[float, COHORT] | None = field(default=None, repr=False)
    kind: Literal["reactive"] = "reactive"
    reacts: ClassVar[bool] = True

    def __repr__(self) -> str:
        shown = (part.name for part in fields(self) if part.repr)
        values = {name: getattr(self, name) for name in shown} | {"kind": self.ADDRESSED["kind"]}
        text = ", ".join(f"{name}={value!r}" for name, value in values.items())
        return f"{self.ADDRESSED['class']}({text})"

    def reports(self, protocol: LocalMechanism, view: View, count: int, rng: Rng) -> Reports:
        aims = view.targets[_outside(view, 1)[0]]
        return played(protocol, self.cohort).craft(aims, count, self.search, rng)

    def counts(self, protocol: Mechanism, view: View, count: Counts, rng: Rng) -> Counts:
        fakes = played(protocol, self.cohort)
        outside = _outside(view, count.size)
        drawn: list[tuple[Items, Counts]] = []
        for aimed in np.unique(outside, axis=0):
            trials = np.flatnonzero((outside == aimed).all(axis=1))
            aims = view.targets[aimed]
            drawn.append((trials, fakes.craft_counts(aims, count[trials], self.search, rng)))
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


def _outside(view: View, trials: int) -> BoolArray:
    """bool[trials, r]: the targets to aim at, by what was published in each trial."""
    if view.published is None:
        return np.ones((trials, view.targets.size), dtype=np.bool_)
    published = np.atleast_2d(view.published)
    outside = ~in_top(published, min(view.top_k, published.shape[1]))[:, view.targets]
    return outside | ~outside.any(axis=1, keepdims=True)


@dataclass(frozen=True)
class SubsetGain(ByNumbers):
    """MGA-A: each fake supports a random subset of the targets, to look less alike. CJG section 7.

    Unary encodings pad from everything outside the subset; under hashing the seed is searched for
    the subset.
    """

    share: Annotated[float, SHARE]
    targets: Targets
    subset: Annotated[int, COUNT]
    seeds: Annotated[int, SEEDS] = 1000
    scoring: Scoring = "anchor"
    kind: Literal["mga-a"] = "mga-a"
    report_law: ClassVar[ReportLaw] = "subset"
    cohort: ClassVar[None] = None

    @property
    def search(self) -> SeedSearch:
        return SeedSearch(self.seeds, self.scoring)

    def check(self, protocol: Mechanism, targets: Items) -> None:
        require(protocol, "craft_some", self.kind, "which crafts no report for a part of them")
        if self.subset > targets.size:
            rule = f"must be {Range(1, targets.size)}, the number of targets"
            raise ScenarioError(f"{rule}, {got(self.subset)}", key="subset")

    def reports(self, protocol: LocalMechanism, view: View, count: int, rng: Rng) -> Reports:
        able = cast("CraftsSubsets", protocol)
        return able.craft_some(view.targets, self.subset, count, self.search, rng)

    def counts(self, protocol: Mechanism, view: View, count: Counts, rng: Rng) -> Counts:
        able = cast("CraftsSubsets", protocol)
        return able.craft_some_counts(view.targets, self.subset, count, self.search, rng)

    def support(self, protocol: Supporting, r: int) -> Support:
        return cast("CraftsSubsets", protocol).subset_support(r, self.subset, self.search)


@dataclass(frozen=True)
class PatternAttack(ByNumbers):
    """APA: MGA whose number of ones follows the honest law, Bern(p) + Bin(d - 1, q). L25.

    With fewer ones than targets they are a random subset of the targets.
    """

    share: Annotated[float, SHARE]
    targets: Targets
    kind: Literal["apa"] = "apa"
    report_law: ClassVar[ReportLaw] = "disguised"
    cohort: ClassVar[None] = None

    def check(self, protocol: Mechanism, targets: Items) -> None:  # noqa: ARG002
        require(protocol, "disguise", self.kind, "of whose reports no number of ones is known")

    def reports(self, protocol: LocalMechanism, view: View, count: int, rng: Rng) -> Reports:
        return cast("Disguises", protocol).disguise(view.targets, count, rng)

    def counts(self, protocol: Mechanism, view: View, count: Counts, rng: Rng) -> Counts:
        return cast("Disguises", protocol).disguise_counts(view.targets, count, rng)

    def support(self, protocol: Supporting, r: int) -> Support:
        return cast("Disguises", protocol).disguised_support(r)


@dataclass(frozen=True)
class Demotion(ByNumbers):
    """Each fake supports as few targets as possible and looks honest elsewhere.

    GRR: a uniform non-target. Unary encodings and RAPPOR: no bit of a target, and as many ones
    elsewhere as expected. Hashing: the seed and bucket with the fewest targets.
    """

    share: Annotated[float, SHARE]
    targets: Targets
    seeds: Annotated[int, SEEDS] = 1000
    cohort: Annotated[float, COHORT] | None = field(default=None, repr=False)
    kind: Literal["demote"] = "demote"
    report_law: ClassVar[ReportLaw] = "avoided"

    @property
    def search(self) -> SeedSearch:
        return SeedSearch(self.seeds)

    def check(self, protocol: Mechanism, targets: Items) -> None:
        if not protocol.can_avoid(targets.size):
            rule = "must leave out an item for the fakes to report, got all of them"
            raise ScenarioError(rule, key="targets")

    def reports(self, protocol: LocalMechanism, view: View, count: int, rng: Rng) -> Reports:
        return played(protocol, self.cohort).avoid(view.targets, count, self.search, rng)

    def counts(self, protocol: Mechanism, view: View, count: Counts, rng: Rng) -> Counts:
        return played(protocol, self.cohort).avoid_counts(view.targets, count, self.search, rng)

    def claims(self, view: View, domain_size: int) -> Floats:
        others = np.setdiff1d(np.arange(domain_size), view.targets)
        return evenly(others if others.size else view.targets, domain_size)

    def support(self, protocol: Supporting, r: int) -> Support:
        return protocol.avoided_support(r, self.search)

    def bits(self, protocol: SendsBits, targets: Items) -> BitLaw:
        return played(protocol, self.cohort).avoided_bits(targets)
