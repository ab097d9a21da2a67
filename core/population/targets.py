"""Targets: the items that an attack promotes, chosen by a rule or listed."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Final, Literal, TypeAlias

import numpy as np

from ..base.errors import ScenarioError, format_value, got
from ..base.ranges import Range, RangeChecked
from ..base.streams import stream
from ..law.pure import Items
from .population import ITEMS, Population

COUNT: Final = Range(1, limit=ITEMS.limit)
"""The number of targets; `require_items` knows the largest."""


def require_items(count: int, items: int, key: str) -> None:
    """Raise ScenarioError if a parameter is larger than the number of items."""
    if count > items:
        rule = f"must be {Range(1, items)}, the number of items"
        raise ScenarioError(f"{rule}, {got(count)}", key=key)


@dataclass(frozen=True)
class PickTargets(RangeChecked):
    """Targets picked by a rule: at random, or the least or most frequent items."""

    pick: Literal["random", "least-frequent", "most-frequent"]
    count: Annotated[int, COUNT]

    def resolve(self, population: Population, seed: int) -> Items:
        """int64[r], the indices of the targets; random ones are the first of a permutation per
        population.

        Raises ScenarioError for more targets than items.
        """
        require_items(self.count, population.domain_size, "count")
        if self.pick == "random":
            return _shuffle_items(population, seed, (0,), self.count)
        sign = 1 if self.pick == "least-frequent" else -1
        if self.count > KEPT:
            return _by_frequency(population, sign)[: self.count]
        return _first_by_frequency(population, sign)[: self.count]


@dataclass(frozen=True)
class ListedTargets:
    """Targets listed one by one: an int is an index, a string a label.

    Raises ScenarioError for an empty list.
    """

    items: tuple[int | str, ...]

    def __post_init__(self) -> None:
        if not self.items:
            raise ScenarioError("must name at least one target, got []", key="items")

    def resolve(self, population: Population, seed: int) -> Items:  # noqa: ARG002
        """int64[r], the indices of the targets, in the given order.

        Raises ScenarioError for an unknown item, and for an item that is listed twice.
        """
        indices = [self._index(item, population) for item in self.items]
        if len(set(indices)) < len(indices):
            # A label and an index can name the same item.
            twice = next(item for at, item in enumerate(self.items) if indices[at] in indices[:at])
            raise ScenarioError(f"must be distinct, got {format_value(twice)} twice", key="items")
        return np.array(indices, dtype=np.int64)

    def _index(self, item: int | str, population: Population) -> int:
        if isinstance(item, str):
            if population.labels is None:
                raise ScenarioError(
                    f"must be indices, as this population has no labels, {got(item)}",
                    key="items",
                )
            at = bisect_left(population.labels, item)  # those of a CSV column are sorted
            if population.labels[at : at + 1] == (item,):
                return at
            if item not in population.labels:
                raise ScenarioError(f"must be labels of the population, {got(item)}", key="items")
            return population.labels.index(item)
        if not 0 <= item < population.domain_size:
            raise ScenarioError(
                f"must be items from 0 to {population.domain_size - 1}, got {item}", key="items"
            )
        return item


Targets: TypeAlias = PickTargets | ListedTargets


@dataclass(frozen=True)
class RandomSet:
    """A set of `size` random items, drawn independently of random targets."""

    size: int

    def resolve(self, population: Population, seed: int) -> Items:
        """int64[size], the indices of the random items: the first of a permutation of their own.

        Raises ScenarioError for more items than there are.
        """
        require_items(self.size, population.domain_size, "size")
        return _shuffle_items(population, seed, (1,), self.size)


def _shuffle_items(population: Population, seed: int, block: tuple[int, ...], count: int) -> Items:
    """The first items of one permutation per population."""
    address, items = population.address, population.domain_size
    if count > KEPT:
        return stream(seed, address, "targets", block=block).permutation(items)[:count]
    return _first_shuffled(seed, address, items, block)[:count]


KEPT: Final = 4096
"""The items of an order that are kept; putting a large domain in order takes long."""


@lru_cache(maxsize=64)
def _first_shuffled(seed: int, address: str, items: int, block: tuple[int, ...]) -> Items:
    rng = stream(seed, address, "targets", block=block)
    return _freeze_order(rng.permutation(items))


def _by_frequency(population: Population, sign: int) -> Items:
    """All items, ties by index; sign : 1 from the rarest on, -1 from the most frequent one."""
    return np.argsort(sign * population.histogram, kind="stable")


@lru_cache(maxsize=4)
def _first_by_frequency(population: Population, sign: int) -> Items:
    return _freeze_order(_by_frequency(population, sign))


def _freeze_order(order: Items) -> Items:
    first = order[:KEPT].copy()
    first.setflags(write=False)
    return first
