"""The fake users of a cell in its groups, and what they aim at there.

Where the server chooses the groups, a fake joins one at random as everybody does. Where users
choose, the fakes share themselves out so that their targets survive every level.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...attacks import Fakes, View, split
from ...base.sampling import Counts, Floats
from ...law.pure import Items, Rng
from ...law.support import ItemSupport
from .codes import Codes
from .oracles import Oracle
from .prefixes import Prefixes


@dataclass(frozen=True, eq=False)
class Aims:
    """The distinct prefixes of some targets, ascending, and the one that each target stands in."""

    prefixes: Codes
    stands: Items


@dataclass(frozen=True, eq=False)
class GroupedFakes:
    """Fakes who do the same, int64[G] of them in the groups."""

    fakes: Fakes
    counts: Counts

    def aims(self, prefixes: Prefixes, level: int) -> Aims:
        """The prefixes of their targets; those that targets share are aimed at once."""
        cut = prefixes.cut(prefixes.codes[self.fakes.targets], level)
        distinct, stands = np.unique(cut, return_inverse=True)
        return Aims(distinct, stands)


def at_random(fakes: Sequence[Fakes], groups: int, rng: Rng) -> list[GroupedFakes]:
    """Fakes whose groups the server draws."""
    chances = np.full(groups, 1 / groups)
    return [GroupedFakes(part, rng.multinomial(part.count, chances)) for part in fakes]


def allotted(fakes: Sequence[Fakes], weights: Sequence[float]) -> list[GroupedFakes]:
    """Fakes who choose their groups, by these weights."""
    return [GroupedFakes(part, np.array(split(part.count, weights))) for part in fakes]


def fake_rates(
    prefixes: Prefixes, oracle: Oracle, level: int, part: GroupedFakes
) -> tuple[Floats, Floats]:
    """The support of one fake for each prefix that items have, and then for any other one.

    Returns the mean and the variance of its support, float64[u + 1] each.
    """
    held, aims = prefixes.levels[level].held, part.aims(prefixes, level)
    strategy: Any = part.fakes.strategy
    at = np.searchsorted(held, aims.prefixes)
    whole = oracle.whole(level)
    if hasattr(strategy, "view_law"):  # a target may be held as often as items share its prefix
        one = strategy.support(oracle.at(level), 1)
        law = strategy.view_law(View(at, stands=aims.stands))
        rates = np.full(held.size + 1, one.other)
        rates[at] = law * one.target + (1 - law) * one.other
        return rates, rates * (1 - rates)
    if whole is not None:
        own = aims.prefixes.astype(np.int64)
        items = _known(strategy.item_support(whole, own, own))
        places = np.append(held.astype(np.int64), _unheld(held))
        return items.rates[places], items.variances[places]
    r = aims.prefixes.size
    items = _known(strategy.item_support(oracle.listing(r + 1), np.arange(r), np.arange(r)))
    rates, variances = (np.full(held.size + 1, each[-1]) for each in (items.rates, items.variances))
    rates[at], variances[at] = items.rates[:r], items.variances[:r]
    return rates, variances


def mean_rates(
    prefixes: Prefixes, oracle: Oracle, level: int, parts: Sequence[GroupedFakes]
) -> tuple[Floats, Floats]:
    """The mean support of a fake of these parts, by their numbers in the group; 0 without any.

    Returns the mean and the variance for each prefix, float64[u + 1] each, as `fake_rates` does.
    """
    everyone = float(sum(part.counts[level] for part in parts))
    rates, variances = np.zeros((2, prefixes.levels[level].held.size + 1))
    for part in parts if everyone else ():
        weight = part.counts[level] / everyone
        mean, variance = fake_rates(prefixes, oracle, level, part)
        rates += weight * mean
        variances += weight * variance
    return rates, variances


def _known(support: ItemSupport | None) -> ItemSupport:
    """The support of attacks that aim at prefixes is known."""
    assert support is not None
    return support


def _unheld(held: Codes) -> int:
    """The first prefix that no item has; the first of all where every one is held."""
    missing = np.flatnonzero(held != np.arange(held.size, dtype=np.uint64))
    return int(missing[0]) if missing.size else 0
