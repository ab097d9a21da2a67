"""Mixtures: fake users who do not all do the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal, TypeVar

import numpy as np

from ..base.errors import ScenarioError
from ..base.ranges import SHARE, Range, RangeChecked, check_bounds
from ..law.pure import Items
from ..population import Population
from ..population.targets import ListedTargets, RandomSet, Targets
from .attack_kinds import Attack
from .strategy import Fakes

A = TypeVar("A", "Attack", "Mixture")

WEIGHT = Range(0)


@dataclass(frozen=True)
class Part(RangeChecked):
    """One part of a mixture of attacks: an attack, its targets and its weight among all fakes.

    aims : the indices of the targets; empty before random targets are drawn.
    """

    weight: Annotated[float, WEIGHT]
    attack: Attack
    aims: tuple[int, ...] = ()


@dataclass(frozen=True)
class Mixture:
    """An attack by fakes in several parts, each part with its own attack and its own targets.

    share : β of all parts. targets : the targets that metrics count; None for the targets of all
    parts, in order of appearance. Raises ScenarioError if no part has a positive weight.
    """

    share: Annotated[float, SHARE]
    parts: tuple[Part, ...]
    targets: Targets | None = None
    kind: ClassVar[Literal["mix"]] = "mix"
    cohort: ClassVar[None] = None

    def __post_init__(self) -> None:
        check_bounds(self)
        if not sum(part.weight for part in self.parts) > 0:
            raise ScenarioError("must have a part with a positive weight", key="mix")

    def sharing(self, share: float) -> Mixture:
        """The mixture with another share of fakes."""
        parts = (replace(part, attack=replace(part.attack, share=share)) for part in self.parts)
        return replace(self, share=share, parts=tuple(parts))

    def with_targets(self, population: Population, seed: int) -> tuple[Mixture, Items]:
        """The mixture with its random targets drawn, and int64[r], the targets that the metrics
        count.

        Raises ScenarioError, at the part's key, if a target is no item.
        """
        parts = []
        for number, part in enumerate(self.parts):
            try:
                aims = _resolve_items(part.attack.targets, population, seed)
            except ScenarioError as error:
                raise error.within(f"mix.{number}") from error
            attack = _label_targets(part.attack, population)
            parts.append(replace(part, attack=attack, aims=tuple(aims.tolist())))
        mixture = replace(self, parts=tuple(parts))
        if self.targets is not None:
            items = _resolve_items(self.targets, population, seed)
            return _label_targets(mixture, population), items
        every = dict.fromkeys(item for part in parts for item in part.aims)
        return mixture, np.array([*every], dtype=np.int64)


def resolve_targets(
    attack: Attack | Mixture, population: Population, seed: int
) -> tuple[Attack | Mixture, Items]:
    """An attack with its random targets drawn, and int64[r], the targets that the metrics count.

    Items with labels are named by their labels, so that a target by number makes the same reports.
    Raises ScenarioError, at its key, if a target is no item.
    """
    if isinstance(attack, Mixture):
        return attack.with_targets(population, seed)
    items = _resolve_items(attack.targets, population, seed)
    return _label_targets(attack, population), items


def _label_targets(attack: A, population: Population) -> A:
    """The attack, its listed targets by their labels where the items have any."""
    targets: object = attack.targets
    if not isinstance(targets, ListedTargets) or population.labels is None:
        return attack
    items = targets.resolve(population, 0).tolist()
    labels = ListedTargets(tuple(population.labels[item] for item in items))
    made: A = replace(attack, targets=labels)
    return made


def _resolve_items(targets: Targets | RandomSet, population: Population, seed: int) -> Items:
    try:
        return targets.resolve(population, seed)
    except ScenarioError as error:
        raise (error if isinstance(targets, RandomSet) else error.within("targets")) from error


def fakes_of(
    attack: Attack | Mixture, targets: Items, malicious: int, population: Population
) -> tuple[Fakes, ...]:
    """The groups of identical fake users of an attack, with their targets and their numbers.

    malicious : the number of all fakes. population : the genuine users. A mixture's fakes are split
    by its weights, with the largest remainders rounded up.
    """
    if not isinstance(attack, Mixture):
        return (Fakes(attack.among(population, malicious), targets, malicious),)
    counts = split(malicious, [part.weight for part in attack.parts])
    return tuple(
        Fakes(part.attack.among(population, count), np.array(part.aims, dtype=np.int64), count)
        for part, count in zip(attack.parts, counts, strict=True)
    )


def split(total: int, weights: Sequence[float]) -> list[int]:
    """Integers that add up to `total`, in proportion to the weights: rounded down, then the largest
    remainders get one more.

    Exact for every total; of equal remainders the first is rounded up.
    """
    ratios = [weight.as_integer_ratio() for weight in weights]
    scale = max(below for _, below in ratios)  # of doubles all are powers of 2
    parts = [above * (scale // below) for above, below in ratios]
    whole = sum(parts)
    counts, rests = map(list, zip(*(divmod(total * part, whole) for part in parts), strict=True))
    order = sorted(range(len(rests)), key=rests.__getitem__, reverse=True)
    for at in order[: total - sum(counts)]:
        counts[at] += 1
    return counts
