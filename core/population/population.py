"""The genuine users' items: a histogram, drawn once for each seed or given as data."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import numpy as np

from ..base.code import PythonCode, What
from ..base.errors import ScenarioError, check_limit, format_number, got
from ..base.ranges import Range, RangeChecked
from ..base.sampling import Counts, Floats
from ..base.streams import digest, stream

ITEMS = Range(2, limit=2**20)
USERS = Range(1, limit=10**13)


@dataclass(frozen=True, eq=False)
class Population:
    """The genuine users of a run: the number of users of each item.

    histogram : int64[d], users per item, read-only.
    labels : the items' names in order; None if an item's name is its index.
    address : a text of everything that determines the histogram, besides the seed; it is the
    address of the population's random streams.
    law : float64[d], the probability that one more such user has each item.
    awaited : the name of the plug-in code that makes it, as long as that is not permitted; else "".
    drawn : of the pooled rounds of a campaign, the users drawn for the first round; else None.
    span : the two ends of a range whose equal parts the items are, in order; None for other items.
    """

    histogram: Counts
    labels: tuple[str, ...] | None
    address: str
    law: Floats
    awaited: str = ""
    drawn: Population | None = None
    span: tuple[float, float] | None = None

    @property
    def domain_size(self) -> int:
        return self.histogram.size

    @property
    def groups(self) -> Counts:
        """int64[m]: the numbers of users in groups with equal items, here the histogram."""
        return self.histogram

    @property
    def weights(self) -> Floats | None:
        """float64[d]: the weight of each item in a mean over items; None if all are equal."""
        return None

    @cached_property
    def users(self) -> int:
        return int(self.histogram.sum())

    @cached_property
    def distinct(self) -> tuple[Counts, Counts]:
        """The distinct numbers of users of an item, ascending, and the items with each, int64[k]
        twice.
        """
        return np.unique(self.histogram, return_counts=True)

    @property
    def frequencies(self) -> Floats:
        """float64[d]: the true frequencies, users per item over all users."""
        return np.asarray(self.histogram / self.histogram.sum())

    def label(self, item: int) -> str:
        return str(item) if self.labels is None else self.labels[item]


@dataclass(frozen=True, eq=False, kw_only=True)
class Records(Population):
    """A population whose users have a value of each of k attributes; its items are all the values.

    histogram : int64[d], the users of each value, one attribute after the other.
    records : int64[m, k], the distinct records of users: each attribute's value, counted from 0.
    holders : int64[m], the users with each record.
    sizes : int64[k], the number of values of each attribute. attributes : their names.
    """

    records: Counts
    holders: Counts
    sizes: Counts
    attributes: tuple[str, ...]

    @property
    def groups(self) -> Counts:
        """int64[m]: the number of users with each record."""
        return self.holders

    @property
    def weights(self) -> Floats:
        """float64[d]: weights by which a mean over all values is the mean of the
        attributes' means.
        """
        return np.repeat(1 / (self.sizes.size * self.sizes), self.sizes)

    @cached_property
    def users(self) -> int:
        return int(self.holders.sum())

    @property
    def frequencies(self) -> Floats:
        """float64[d]: the share of users with each value; the values of one attribute add
        up to 1.
        """
        return np.asarray(self.histogram / self.users)

    def with_pair(self, first: str, second: str) -> Records:
        """The population with one more attribute, the pair of two attributes' values.

        Raises ScenarioError for more than 2^20 pairs of values.
        """
        name = f"{first} & {second}"
        if name in self.attributes:
            return self
        at = [self.attributes.index(each) for each in (first, second)]
        rows, columns = self.sizes[at].tolist()
        check_limit(rows * columns, 2**20, "must have at most 2^20 pairs of values", "task.joint")
        assert self.labels is not None
        ends, labels = np.cumsum(self.sizes)[at], self.labels
        one, other = labels[ends[0] - rows : ends[0]], labels[ends[1] - columns : ends[1]]
        held = self.records[:, at[0]] * columns + self.records[:, at[1]]
        sizes = dict(zip(self.attributes, self.sizes.tolist(), strict=True))
        return records_population(
            np.column_stack([self.records, held]),
            self.holders,
            sizes | {name: rows * columns},
            [*labels, *(f"{a} & {b}" for a in one for b in other)],
        )


def count_records(holders: Mapping[tuple[str, ...], int], attributes: Sequence[str]) -> Records:
    """The population of users with several attributes, from the number of users with each
    record.
    """
    values = [sorted(set(column)) for column in zip(*holders, strict=True)]
    places = [{value: place for place, value in enumerate(each)} for each in values]
    named = zip(attributes, values, strict=True)
    return records_population(
        np.array([[p[value] for p, value in zip(places, row, strict=True)] for row in holders]),
        np.array(list(holders.values()), dtype=np.int64),
        {name: len(each) for name, each in zip(attributes, values, strict=True)},
        [f"{attribute}={value}" for attribute, each in named for value in each],
    )


def records_population(
    records: Counts, holders: Counts, attributes: Mapping[str, int], labels: Sequence[str]
) -> Records:
    """The population of users with these records.

    records : int64[m, k], the attributes' values. holders : int64[m], the users with each record.
    attributes : by name, the number of values. labels : the names of all values.
    """
    sizes = np.array(list(attributes.values()))
    held = [
        np.bincount(column, holders, size).astype(np.int64)
        for column, size in zip(records.T, sizes, strict=True)
    ]
    histogram = np.concatenate(held)
    for array in (histogram, records, holders):
        array.setflags(write=False)
    address = f"data {digest(b''.join(a.tobytes() for a in (histogram, records, holders)))}"
    law = histogram / histogram.sum()
    return Records(
        histogram, tuple(labels), address, law,
        records=records, holders=holders, sizes=sizes, attributes=tuple(attributes),
    )  # fmt: skip


def _draw(law: OfUsers, weights: Floats, seed: int) -> Population:
    """A population of n users who choose their items independently, by the law's weights."""
    total = weights.sum()
    if not total > 0:
        raise ScenarioError(f"no item has a positive probability in {law!r}")
    address = repr(law)
    histogram = stream(seed, address, "population").multinomial(law.users, weights / total)
    return _population(histogram, None, address, weights / total)


def population_from_counts(counts: Counts, labels: tuple[str, ...] | None) -> Population:
    """The population with these users per item, int64[d]; its random streams depend on the counts
    alone.
    """
    return _population(counts, labels, f"data {digest(counts.tobytes())}", counts / counts.sum())


def _population(
    histogram: Counts, labels: tuple[str, ...] | None, address: str, law: Floats
) -> Population:
    histogram.setflags(write=False)
    return Population(histogram, labels, address, law)


@dataclass(frozen=True)
class OfUsers:
    """The base of populations given by their numbers of items and users."""

    items: Annotated[int, ITEMS]
    users: Annotated[int, USERS]


class Weighted(OfUsers):
    """The base of populations whose users choose their items independently, by weights."""

    @abstractmethod
    def weights(self) -> Floats:
        """float64[items]: the unnormalised probability that a user has each item, at least 0.

        Raises ScenarioError if all of them are 0.
        """

    def draw_users(self, weights: Floats, seed: int) -> Population:
        """The population of independent users, with items drawn by these weights,
        float64[items].
        """
        return _draw(self, weights, seed)

    def bind(self, seed: int, folder: Path) -> Population:  # noqa: ARG002
        return self.draw_users(self.weights(), seed)


class FixedPopulation:
    """The base of populations that are not random."""

    @property
    @abstractmethod
    def population(self) -> Population:
        """The population's users."""

    def bind(self, seed: int, folder: Path) -> Population:  # noqa: ARG002
        return self.population


@dataclass(frozen=True)
class Zipf(Weighted, RangeChecked):
    """A population in which item i has weight 1 / (i + 1)^exponent."""

    exponent: Annotated[float, Range(0, 20)]
    kind: Literal["zipf"] = "zipf"

    def weights(self) -> Floats:
        return np.arange(1, self.items + 1, dtype=np.float64) ** -self.exponent


@dataclass(frozen=True)
class Uniform(Weighted, RangeChecked):
    """A population in which all items have equal weight."""

    kind: Literal["uniform"] = "uniform"

    def weights(self) -> Floats:
        return np.ones(self.items)


@dataclass(frozen=True)
class Geometric(Weighted, RangeChecked):
    """A population in which item i has weight ratio^i."""

    ratio: Annotated[float, Range(0, 1, "()")]
    kind: Literal["geometric"] = "geometric"

    def weights(self) -> Floats:
        return self.ratio ** np.arange(self.items, dtype=np.float64)


@dataclass(frozen=True)
class Normal(Weighted, RangeChecked):
    """A population in which item i has the normal probability of [i - 1/2, i + 1/2]."""

    libraries: ClassVar[tuple[str, ...]] = ("scipy.special",)
    """The libraries that are imported when it is first used."""

    mean: Annotated[float, Range()]
    std: Annotated[float, Range(0, math.inf, "()")]
    kind: Literal["normal"] = "normal"

    def weights(self) -> Floats:
        from scipy.special import ndtr

        with np.errstate(over="ignore"):  # so far out that nobody is beyond
            edges = (np.arange(self.items + 1) - 0.5 - self.mean) / self.std
        # A tail far to the right is computed on the left, where the difference does not cancel.
        flipped = np.where(edges[1:] > -edges[:-1], -1.0, 1.0)
        weights = np.asarray(np.abs(ndtr(flipped * edges[1:]) - ndtr(flipped * edges[:-1])))
        if not weights.sum() > 0:
            raise ScenarioError(
                f"must be near the items 0 … {self.items - 1}, {got(self.mean)} "
                f"with std = {format_number(self.std)}: no item has a positive probability",
                key="mean",
            )
        return weights


@dataclass(frozen=True)
class Beta(Weighted, RangeChecked):
    """A population in which item i has the probability of [i/d, (i + 1)/d] under a beta
    distribution.
    """

    libraries: ClassVar[tuple[str, ...]] = ("scipy.special",)

    a: Annotated[float, Range(0, 1e4, "(]")]
    b: Annotated[float, Range(0, 1e4, "(]")]
    kind: Literal["beta"] = "beta"

    def weights(self) -> Floats:
        from scipy.special import betainc

        return np.diff(betainc(self.a, self.b, np.linspace(0, 1, self.items + 1)))


@dataclass(frozen=True)
class Lognormal(Weighted, RangeChecked):
    """A population in which item i has the lognormal probability of [i/d, (i + 1)/d], cut off at 1.

    median, sigma : the median before the cut, and the standard deviation of the logarithm.
    """

    libraries: ClassVar[tuple[str, ...]] = ("scipy.special",)

    median: Annotated[float, Range(0, 1, "()")]
    sigma: Annotated[float, Range(0, 10, "(]")]
    kind: Literal["lognormal"] = "lognormal"

    def weights(self) -> Floats:
        from scipy.special import ndtr

        ends = np.arange(1, self.items + 1) / self.items
        with np.errstate(over="ignore"):  # so far out that nobody is beyond
            below = ndtr(np.log(ends / self.median) / self.sigma)
        return np.diff(below, prepend=0.0)


@dataclass(frozen=True)
class Explicit(FixedPopulation):
    """A population given by the number of users of each item."""

    counts: tuple[int, ...]
    kind: Literal["counts"] = "counts"

    def __post_init__(self) -> None:
        if len(self.counts) < 2:
            raise ScenarioError(f"must list at least 2 items, got {len(self.counts)}", key="counts")
        for count in self.counts:
            if count < 0:
                raise ScenarioError(f"must be at least 0, got {count}", key="counts")
        if not 1 <= sum(self.counts) < 2**63:
            raise ScenarioError(
                f"must add up to at least 1 and below 2^63, got {sum(self.counts)}",
                key="counts",
            )

    @property
    def population(self) -> Population:
        return population_from_counts(np.array(self.counts, dtype=np.int64), None)


@dataclass(frozen=True)
class PythonPopulation(PythonCode, OfUsers, FixedPopulation):
    """A population whose item weights come from plug-in code, by its name.

    `core.plugins` finds and runs the code, if the user permits it; until then, all items have equal
    numbers of users, up to rounding.
    """

    what: ClassVar[What] = "population"
    kind: Literal["plugin"] = "plugin"

    @property
    def population(self) -> Population:
        held = np.full(self.items, self.users // self.items, dtype=np.int64)
        held[: self.users % self.items] += 1
        evenly = _population(held, None, repr(self), np.full(self.items, 1 / self.items))
        return replace(evenly, awaited=self.name)


def given_population(histogram: Counts, labels: Sequence[str] | None) -> Population:
    """A population from its histogram, int64[d], and the items' names.

    Raises ScenarioError for an invalid histogram or a wrong number of names.
    """
    population = Explicit(tuple(histogram.tolist())).population
    if labels is None:
        return population
    if len(labels) != histogram.size or not all(isinstance(label, str) for label in labels):
        raise ScenarioError(f"must be {histogram.size} names, got {len(labels)}", key="labels")
    return replace(population, labels=tuple(labels))
