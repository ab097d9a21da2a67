"""The privacy blanket of a local protocol: the part of a report's distribution that no item
changes.

Balle, Bell, Gascón, Nissim, "The Privacy Blanket of the Shuffle Model", CRYPTO 2019, section 5. A
report of any item v is, with probability γ, drawn from one distribution ω that does not depend on
v, where γω(y) is at most the probability of y under every item. Behind a shuffler such reports hide
the others. All that the bound needs of a protocol are the likelihood ratios of a report y of ω
under two items, R₀(y)/ω(y) and R₁(y)/ω(y); reports with the same two ratios are one cell.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ..base.sampling import Floats
from .enumeration import every_report
from .exchangeable import Exchangeable
from .mechanism import LocalMechanism, Mechanism, name_of

PAIRED: Final = 16
"""The most items all of whose pairs are gone through."""

ROUNDED: Final = 1e-9
"""Ratios that differ by less, as a part of them, differ by rounding."""


@dataclass(frozen=True, eq=False)
class Blanket:
    """The privacy blanket of a protocol for two given items: the part of its reports that no item
    changes.

    share : γ, the probability that a report is drawn from ω. weights : float64[k], the distribution
    ω over the cells. first, second : float64[k], R₀/ω and R₁/ω of each cell; the mean of each under
    ω is 1.
    """

    share: float
    weights: Floats
    first: Floats
    second: Floats

    @property
    def swap_items(self) -> Blanket:
        """The blanket with the two items exchanged."""
        return Blanket(self.share, self.weights, self.second, self.first)


@dataclass(frozen=True)
class Sides:
    """The probabilities that a user's report supports only the first of two items, or only the
    second.

    up, down : for the first item, and for the second.
    """

    up: float
    down: float


@dataclass(frozen=True, eq=False)
class Pair:
    """The reports of two data sets that differ in one user, who has the first or the second of two
    items.

    first, second : the report of that user. others : the report of each other user.
    """

    first: Sides
    second: Sides
    others: Sides


def why_unshuffled(mechanism: Mechanism) -> str | None:
    """The reason, with the mechanism's name, why shuffling its reports hides nothing; None if it
    hides something.
    """
    name = name_of(mechanism)
    if not isinstance(mechanism, LocalMechanism):
        return f"{name}, a curator to whom users tell their items: there are no reports to shuffle"
    if mechanism.linked:
        return f"{name}, whose reports say whose they are, as the server drew a part of each"
    return None


def any_blanket(epsilon: float) -> Blanket:
    """The blanket of the worst protocol of this ε: randomised response of one bit.

    It bounds every protocol of this ε: Feldman, McMillan, Talwar, SODA 2023, lemma 5.1.
    """
    odds = math.exp(epsilon)
    high, low = 2 * odds / (odds + 1), 2 / (odds + 1)
    return Blanket(low, np.full(2, 0.5), np.array([high, low]), np.array([low, high]))


def blankets_of(protocol: Any) -> tuple[Blanket, ...]:
    """The privacy blankets of a protocol for pairs of items; the worst pair bounds its privacy
    loss.

    For a protocol without known distributions, that of the worst protocol with its ε.
    """
    if isinstance(protocol, Exchangeable):
        return (_background_blanket(protocol),)
    law = every_report(protocol)
    blankets = () if law is None else _of_reports(law.probabilities)
    return blankets or (any_blanket(protocol.epsilon),)


def pairs_of(protocol: Any) -> tuple[Pair, ...]:
    """Pairs of neighbouring data sets that bound a protocol's privacy loss from below; empty if
    none are known.
    """
    if isinstance(protocol, Exchangeable):
        return tuple(_conditioned_pairs(protocol))
    law = every_report(protocol)
    if law is None:
        return ()
    return tuple(_reported_pairs(law.probabilities))


def any_pairs(epsilon: float) -> tuple[Pair, ...]:
    """Pairs of neighbouring data sets of two protocols with this ε: one of one bit, and one of
    three items.
    """
    odds = math.exp(epsilon)
    yes, no = odds / (odds + 1), 1 / (odds + 1)
    own, other = odds / (odds + 2), 1 / (odds + 2)
    bit, item, third = Sides(yes, no), Sides(own, other), Sides(other, other)
    back, flipped = Sides(no, yes), Sides(other, own)
    return Pair(bit, back, bit), Pair(bit, back, back), Pair(item, flipped, third)


# A background, given whether it supports the own item.


def _background_blanket(protocol: Exchangeable) -> Blanket:
    """R_v(y) = B(y) p/π where y supports v, else B(y) (1 − p)/(1 − π); π = B(y supports v)."""
    items, size = protocol.domain_size, protocol.report_size
    rate = protocol.q if size is None else size / items
    high, low = protocol.p / rate, (1 - protocol.p) / (1 - rate)
    if size is None:
        both, one, every = rate**2, rate * (1 - rate), rate**items
    else:
        both = rate * (size - 1) / max(items - 1, 1)
        one, every = rate - both, 0.0
    share = low * (1 - every) + high * every
    # Both supported, and not all items; the first alone; the second alone; none; all items.
    masses = np.array([max(both - every, 0.0), one, one, 1 - both - 2 * one])
    weights = np.append(masses * low, every * high) / share
    lifted, plain = share * high / low, share
    first = np.array([lifted, lifted, plain, plain, share])
    second = np.array([lifted, plain, lifted, plain, share])
    return _drop_empty(share, weights, first, second)


def _drop_empty(share: float, weights: Floats, first: Floats, second: Floats) -> Blanket:
    """The blanket without cells that have no reports."""
    seen = weights > 0
    return Blanket(share, weights[seen], first[seen], second[seen])


def _conditioned_pairs(protocol: Exchangeable) -> list[Pair]:
    """All others hold a third item, or the first one, or the second one."""
    p, items, size = protocol.p, protocol.domain_size, protocol.report_size
    if size is None:
        q = protocol.q
        own, third = Sides(p * (1 - q), q * (1 - p)), Sides(q * (1 - q), q * (1 - q))
    else:
        rest = items - 1
        own = Sides(p * (rest - size + 1) / rest, (1 - p) * size / rest)
        spread = p * (size - 1) * (rest - size + 1) + (1 - p) * size * (rest - size)
        beside = spread / (rest * (rest - 1)) if items > 2 else 0.0
        third = Sides(beside, beside)
    other = Sides(own.down, own.up)
    pairs = [Pair(own, other, own), Pair(own, other, other)]
    return [Pair(own, other, third), *pairs] if items > 2 else pairs


# Every report, one by one.


def _of_reports(law: Floats) -> tuple[Blanket, ...]:
    """The blankets of all pairs of items; none where there are too many of them to go through."""
    least = law.min(axis=0)
    share = float(least.sum())
    if share <= 0:
        return ()
    seen = least > 0
    weights, ratios = least[seen] / share, law[:, seen] * share / least[seen]
    missed = bool((law[:, ~seen] > 0).any())
    if missed:
        return ()
    low, high = float(ratios.min()), float(ratios.max())
    if np.all((ratios < low * (1 + ROUNDED)) | (ratios > high * (1 - ROUNDED))):
        marks = (ratios > (low + high) / 2).astype(np.float64)
        return _two_valued(share, weights, marks, low, high)
    if len(law) > PAIRED:
        return ()
    pairs = [(a, b) for a in range(len(law)) for b in range(len(law)) if a != b]
    return _different(_cells(share, weights, ratios[a], ratios[b]) for a, b in pairs)


def _different(blankets: Iterable[Blanket]) -> tuple[Blanket, ...]:
    """The blankets without those that are equal to another one but for rounding."""
    distinct: dict[bytes, Blanket] = {}
    for blanket in blankets:
        cells = np.stack([blanket.weights, blanket.first, blanket.second]).round(10) + 0.0
        distinct.setdefault(cells[:, np.lexsort(cells)].tobytes(), blanket)
    return tuple(distinct.values())


def _two_valued(
    share: float, weights: Floats, marks: Floats, low: float, high: float
) -> tuple[Blanket, ...]:
    """The blankets of all pairs, where each ratio is one of two: few of them differ."""
    both = (marks * weights) @ marks.T
    single = np.diag(both)
    upper = np.triu_indices(len(marks), 1)
    cells = np.stack([both[upper], single[upper[0]], single[upper[1]]], axis=1)
    blankets = []
    for together, one, two in np.unique(cells.round(12), axis=0):
        masses = np.array([together, one - together, two - together, 1 - one - two + together])
        first, second = np.array([high, high, low, low]), np.array([high, low, high, low])
        pair = _drop_empty(share, np.maximum(masses, 0.0), first, second)
        blankets += [pair, pair.swap_items]
    return _different(blankets)


def _cells(share: float, weights: Floats, first: Floats, second: Floats) -> Blanket:
    """Reports with the same two ratios, taken together."""
    ratios, place = np.unique(np.stack([first, second]).round(12), axis=1, return_inverse=True)
    joined = np.zeros(ratios.shape[1])
    np.add.at(joined, place.ravel(), weights)
    return Blanket(share, joined, ratios[0], ratios[1])


def _reported_pairs(law: Floats) -> list[Pair]:
    """Two items that differ much, told apart by which of them makes the report likelier."""
    start = int(np.abs(law - law[0]).sum(axis=1).argmax())
    one, two = start, int(np.abs(law - law[start]).sum(axis=1).argmax())
    first, second = law[one] > law[two] * (1 + ROUNDED), law[two] > law[one] * (1 + ROUNDED)

    def sides(item: int) -> Sides:
        return Sides(float(law[item, first].sum()), float(law[item, second].sum()))

    third = [item for item in range(min(len(law), 3)) if item not in (one, two)][:1]
    return [Pair(sides(one), sides(two), sides(other)) for other in (one, two, *third)]
