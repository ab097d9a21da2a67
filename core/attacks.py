"""Attacks: how fake users choose their reports.

Cao, Jia, Gong, "Data Poisoning Attacks to Local Differential Privacy Protocols", USENIX Security
2021, section 3. An attack is what a scenario names (`share`, `targets`, its effort) and a few
rules: the fakes' reports, the law of their counts, and what one such report supports, or how likely
it has each bit of RAPPOR's Bloom filters.

Against RAPPOR `cohort` is the share of the fakes that all claim one cohort; the others, and all of
them where it is left out, claim one at random as honest users do.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Final, Literal, Protocol, TypeAlias

import numpy as np

from .bounds import Range, check_bounds
from .errors import ScenarioError
from .population import Population
from .protocols.rappor import Rappor
from .pure import Items, Mechanism, PureProtocol, Reports, Rng, Scoring, SeedSearch, Support
from .sampling import Counts, Floats, uniform_multinomial
from .streams import stream

SHARE = Range(0, 1, "[)")
COHORT = Range(0, 1)


def played(protocol: Mechanism, cohort: float | None) -> Mechanism:
    """The protocol as fakes play it of whom the share `cohort` claims one cohort."""
    if cohort is None or not isinstance(protocol, Rappor):
        return protocol
    return protocol.concentrated(cohort)


@dataclass(frozen=True)
class PickTargets:
    """Targets chosen by a rule: random ones, or the least or most frequent items."""

    pick: Literal["random", "least-frequent", "most-frequent"]
    count: Annotated[int, Range(1)]

    def __post_init__(self) -> None:
        check_bounds(self)

    def resolve(self, population: Population, seed: int) -> Items:
        """Indices of the targets. Random ones are the first of one permutation per population."""
        if self.count > population.domain_size:
            raise ScenarioError(
                f"must be at most the number of items, {population.domain_size}, got {self.count}",
                key="count",
            )
        if self.pick == "random":
            rng = stream(seed, population.address, "targets")
            return rng.permutation(population.domain_size)[: self.count]
        sign = 1 if self.pick == "least-frequent" else -1
        return np.argsort(sign * population.histogram, kind="stable")[: self.count]


@dataclass(frozen=True)
class ListedTargets:
    """Targets listed one by one: an int is an index, a string a label."""

    items: tuple[int | str, ...]

    def __post_init__(self) -> None:
        if not self.items:
            raise ScenarioError("must name at least one target, got []", key="items")

    def resolve(self, population: Population, seed: int) -> Items:  # noqa: ARG002
        """Indices of the targets, in the order given."""
        indices = [self._index(item, population) for item in self.items]
        if len(set(indices)) < len(indices):
            # A label and an index can name the same item.
            twice = next(one for at, one in enumerate(self.items) if indices[at] in indices[:at])
            raise ScenarioError(f"must be distinct, got {twice!r} twice", key="items")
        return np.array(indices, dtype=np.int64)

    def _index(self, item: int | str, population: Population) -> int:
        if isinstance(item, str):
            if population.labels is None:
                raise ScenarioError(
                    f"must be indices, as this population has no labels, got {item!r}",
                    key="items",
                )
            if item not in population.labels:
                raise ScenarioError(f"must be labels of the population, got {item!r}", key="items")
            return population.labels.index(item)
        if not 0 <= item < population.domain_size:
            raise ScenarioError(
                f"must be indices in [0, {population.domain_size}), got {item}", key="items"
            )
        return item


Targets: TypeAlias = PickTargets | ListedTargets


@dataclass(frozen=True, eq=False)
class View:
    """What fake users know when they choose their reports.

    targets : int64[r], the items to promote.
    round, rounds : which collection this is, from 0, and how many there are.
    published : the estimate that the server published last, None in the first round: float64[d],
        or float64[trials, d] where the counts of several trials are drawn at once.
    """

    targets: Items
    round: int = 0
    rounds: int = 1
    published: Floats | None = None


class Strategy(Protocol):
    """What every attack can do once its targets are indices."""

    @property
    def cohort(self) -> float | None: ...

    def reports(self, protocol: Mechanism, view: View, count: int, rng: Rng) -> Reports:
        """Reports of `count` fake users."""
        ...

    def counts(self, protocol: Mechanism, view: View, count: Counts, rng: Rng) -> Counts:
        """int64[trials, …], the law of the counts of int64[trials] fake users."""
        ...

    def support(self, protocol: PureProtocol, r: int) -> Support:
        """What one fake report supports, towards r targets."""
        ...

    def rates(self, protocol: Rappor, targets: Items) -> Floats:
        """float64[m, k], how likely a fake report of each cohort has each bit."""
        ...

    def scatter(self, protocol: Rappor, targets: Items, cohort: int, pull: Floats) -> Floats:
        """float64[any], the variance of Σ pull·bits of a fake report, pull float64[k, any]."""
        ...


@dataclass(frozen=True)
class NoAttack:
    """No fake users."""

    kind: Literal["none"] = "none"


@dataclass(frozen=True)
class RandomReport:
    """RPA: each fake reports a uniform element of the encoded space. Section 3.2."""

    share: Annotated[float, SHARE]
    targets: Targets
    cohort: Annotated[float, COHORT] | None = field(default=None, repr=False)
    kind: Literal["rpa"] = "rpa"

    def __post_init__(self) -> None:
        check_bounds(self)

    def reports(self, protocol: Mechanism, view: View, count: int, rng: Rng) -> Reports:  # noqa: ARG002
        return played(protocol, self.cohort).random_reports(count, rng)

    def counts(self, protocol: Mechanism, view: View, count: Counts, rng: Rng) -> Counts:  # noqa: ARG002
        return played(protocol, self.cohort).random_counts(count, rng)

    def support(self, protocol: PureProtocol, r: int) -> Support:
        return protocol.random_support(r)

    def rates(self, protocol: Rappor, targets: Items) -> Floats:  # noqa: ARG002
        return protocol.random_rates()

    def scatter(self, protocol: Rappor, targets: Items, cohort: int, pull: Floats) -> Floats:  # noqa: ARG002
        return protocol.random_scatter(pull)


@dataclass(frozen=True)
class RandomItem:
    """RIA: each fake holds a uniform target and follows the protocol. Section 3.2."""

    share: Annotated[float, SHARE]
    targets: Targets
    cohort: Annotated[float, COHORT] | None = field(default=None, repr=False)
    kind: Literal["ria"] = "ria"

    def __post_init__(self) -> None:
        check_bounds(self)

    def reports(self, protocol: Mechanism, view: View, count: int, rng: Rng) -> Reports:
        held = view.targets[rng.integers(0, view.targets.size, size=count)]
        return played(protocol, self.cohort).perturb(held, rng)

    def counts(self, protocol: Mechanism, view: View, count: Counts, rng: Rng) -> Counts:
        held = np.zeros((count.size, protocol.domain_size), dtype=np.int64)
        held[:, view.targets] = uniform_multinomial(count, view.targets.size, rng)
        return played(protocol, self.cohort).sample_counts(held, rng)

    def support(self, protocol: PureProtocol, r: int) -> Support:
        return protocol.honest_support(r)

    def rates(self, protocol: Rappor, targets: Items) -> Floats:
        return protocol.honest_rates(self._held(protocol, targets))

    def scatter(self, protocol: Rappor, targets: Items, cohort: int, pull: Floats) -> Floats:
        return protocol.honest_scatter(self._held(protocol, targets), cohort, pull)

    def _held(self, protocol: Rappor, targets: Items) -> Floats:
        return np.asarray(np.bincount(targets, minlength=protocol.domain_size) / targets.size)


@dataclass(frozen=True)
class MaximalGain:
    """MGA: each fake sends a report that supports as many targets as possible. Section 3.2."""

    share: Annotated[float, SHARE]
    targets: Targets
    seeds: Annotated[int, Range(1, 10**6)] = 1000
    scoring: Scoring = "anchor"
    cohort: Annotated[float, COHORT] | None = field(default=None, repr=False)
    kind: Literal["mga"] = "mga"

    def __post_init__(self) -> None:
        check_bounds(self)

    @property
    def search(self) -> SeedSearch:
        return SeedSearch(self.seeds, self.scoring)

    def reports(self, protocol: Mechanism, view: View, count: int, rng: Rng) -> Reports:
        return played(protocol, self.cohort).craft(view.targets, count, self.search, rng)

    def counts(self, protocol: Mechanism, view: View, count: Counts, rng: Rng) -> Counts:
        return played(protocol, self.cohort).craft_counts(view.targets, count, self.search, rng)

    def support(self, protocol: PureProtocol, r: int) -> Support:
        return protocol.crafted_support(r, self.search)

    def rates(self, protocol: Rappor, targets: Items) -> Floats:
        return protocol.crafted_rates(targets)

    def scatter(self, protocol: Rappor, targets: Items, cohort: int, pull: Floats) -> Floats:
        return protocol.crafted_scatter(targets, cohort, pull)


Attack: TypeAlias = RandomReport | RandomItem | MaximalGain
AttackSpec: TypeAlias = NoAttack | Attack

ATTACKS: Final[dict[str, type[AttackSpec]]] = {
    "none": NoAttack,
    "rpa": RandomReport,
    "ria": RandomItem,
    "mga": MaximalGain,
}


def malicious_users(users: int, share: float) -> int:
    """m = round(n·β / (1 - β)): so many fakes are a share β of all n + m users."""
    return round(users * share / (1 - share))
