"""A certified floor on the fakes: how many reports at least no honest population can have sent.

Of any set S of items it is known how likely an honest report supports all of S, whatever its user
holds: with probability τ at most; and so for "supports none of S". Where x of N reports do it, m of
them fake at most and the others honest,

    P(at least x) ≤ P(m + Bin(N − m, τ) ≥ x),

an exact test of m, in the manner of Clopper and Pearson. All sets of all sizes up to `SIZES` are
paid for (Bonferroni), so that whoever looks for the best one finds no more than there is. Fakes who
look like an honest population (`undetectable`) prove nothing. We derive it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from ..base.sampling import Counts, Floats
from ..law.pure import Items, PureProtocol
from ..law.together import numbers, tells_together
from .robust import ballot_of

SIZES: Final = 16
"""Items of a set, at most, where sets are looked for in reports."""


@dataclass(frozen=True, eq=False)
class Floor:
    """The least number of fakes that N reports prove, and the set that proves it.

    fakes : m. reports : N. confidence : that no more than the true number is proved. items :
    int64[s], the set; empty where nothing is proved. every : whether it is that so many reports
    support all of its items; else that they support none. seen : the reports that do.
    """

    fakes: int
    reports: int
    confidence: float
    items: Items
    every: bool = True
    seen: int = 0

    @property
    def share(self) -> float:
        """The share of the reports that are fake at least."""
        return self.fakes / self.reports


def nothing(reports: int, confidence: float) -> Floor:
    """The floor where nothing is proved."""
    return Floor(0, reports, confidence, np.empty(0, dtype=np.int64))


def honest_rates(protocol: PureProtocol, sizes: int) -> tuple[Floats, Floats]:
    """The largest probabilities that an honest report supports all, and none, of s items.

    float64[sizes] each, s = 1, 2, …, exact; 1 where they are not known, so that nothing is proved.
    """
    every, none = np.ones(sizes), np.ones(sizes)
    ballot = ballot_of(protocol)
    if protocol.least_support < 0:  # a report may speak neither for an item nor against it
        return every, none
    every[0], none[0] = ballot.p, 1 - ballot.q
    if ballot.votes == 1:
        every[1:], none = 0.0, np.maximum(1 - np.arange(1, sizes + 1) * ballot.q, 0.0)
    elif tells_together(protocol):
        for s in range(1, sizes + 1):
            laws = [numbers(protocol, s, held) for held in (True, False)]
            every[s - 1] = max(law[s] for law in laws)
            none[s - 1] = max(law[0] for law in laws)
    return every, none


@lru_cache(maxsize=16)
def log_chances(items: int, sizes: int, confidence: float) -> Floats:
    """float64[sizes]: ln of the chance of each test of a set of s items, so that all are paid for.

    (1 − confidence)/2 for each of both directions, in equal parts for the sizes, and of each size
    in equal parts for all C(d, s) sets.
    """
    sets = [
        math.lgamma(items + 1) - math.lgamma(s + 1) - math.lgamma(items - s + 1)
        for s in range(1, sizes + 1)
    ]
    chances = np.asarray(math.log((1 - confidence) / (2 * sizes)) - np.array(sets))
    chances.flags.writeable = False
    return chances


def least_fakes(seen: Counts, reports: int, rate: Floats, log_chance: Floats) -> Counts:
    """int64[…]: the least m with P(m + Bin(N − m, τ) ≥ x) of at least that chance.

    seen : x, of N reports. rate : τ. The probability rises with m, and is 1 at m = x.
    """
    every, rates, chances = np.broadcast_arrays(seen, rate, np.exp(log_chance))
    made = np.zeros(every.shape, dtype=np.int64)
    # Where as many as are expected are seen, or fewer, nothing is proved; nor where a few more are.
    beyond = np.asarray(every > reports * rates)
    beyond &= tail_at_least(every, reports, rates) < chances
    if not beyond.any():
        return made
    from scipy.special import betainc  # P(Bin(n, τ) ≥ k) = I_τ(k, n − k + 1)

    seen, rate, chance = every[beyond], rates[beyond], chances[beyond]
    low, high = np.full(seen.shape, -1), seen.astype(np.int64)  # P(low) is too small, P(high) not
    while (high - low > 1).any():
        middle = (low + high) // 2
        left = np.maximum(seen - middle, 1)
        likely = np.where(middle < seen, betainc(left, reports - seen + 1, rate), 1.0)
        enough = likely >= chance
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    made[beyond] = high
    return made


def most_fakes(seen: Counts, reports: int, rate: Floats, log_chance: Floats) -> Counts:
    """int64[trials]: the largest `least_fakes` of int64[trials, sets], row by row.

    rate, log_chance : float64[sets]. A normal law tells roughly what each set proves; the others
    are gone through only where a lower bound leaves room for more than the best of these proves.
    """
    others = np.maximum(1 - rate, 1e-12)
    beyond = np.clip((seen - reports * rate) / others, 0, reports)
    noise = np.sqrt(-2 * log_chance * (reports - beyond) * rate / others)
    rows, best = np.arange(len(seen)), (beyond - noise).argmax(axis=1)
    proved = least_fakes(seen[rows, best], reports, rate[best], log_chance[best])
    left, honest = seen - proved[:, None], reports - proved[:, None]
    more = (left > honest * rate) & (tail_at_least(left, honest, rate) < np.exp(log_chance))
    more[rows, best] = False
    rows, sets = np.nonzero(more)
    further = least_fakes(seen[rows, sets], reports, rate[sets], log_chance[sets])
    np.maximum.at(proved, rows, further)
    return proved


def tail_at_least(seen: Counts, reports: int | Counts, rate: Floats) -> Floats:
    """float64[…]: a lower bound on P(Bin(N, τ) ≥ x), of x beyond the mean; no SciPy is loaded.

    The w + 1 values from x on are at least as likely as x + w each, and k is at least as likely as
    √(N/(8k(N − k))) e^(−N KL(k/N ‖ τ)) (MacWilliams, Sloane 1977, chapter 10, lemma 7).
    """
    spread = np.sqrt(reports * rate * (1 - rate))
    wide = np.floor(spread / 3)
    last = np.minimum(seen + wide, reports - 1.0)
    wide, rest = last - seen, reports - last
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        away = last - reports * rate
        apart = last * np.log1p(away / (reports * rate))
        apart = apart + rest * np.log1p(-away / (reports * (1 - rate)))
        bound = (wide + 1) * np.sqrt(reports / (8 * last * rest)) * np.exp(-apart)
    # A hair below, for rounding; nothing is claimed of the edges.
    return np.where((wide >= 0) & (rate > 0) & (rate < 1), 0.999 * bound, 0.0)


@dataclass(frozen=True, eq=False)
class Chain:
    """Sets of items that grow by one item each, and how many reports support all of each, or none.

    items : int64[k], the first s of them are the set of size s. seen : int64[k]. every : whether
    `seen` counts the reports that support all of a set; else those that support none.
    """

    items: Items
    seen: Counts
    every: bool


def floor_of(
    protocol: PureProtocol, chains: tuple[Chain, ...], reports: int, sizes: int, confidence: float
) -> Floor:
    """The largest floor that chains of sets prove, of N reports; sizes : of those paid for."""
    best = nothing(reports, confidence)
    every, none = honest_rates(protocol, sizes)
    chances = log_chances(protocol.domain_size, sizes, confidence)
    for chain in chains:
        k = chain.items.size
        rates = (every if chain.every else none)[:k]
        fakes = least_fakes(chain.seen, reports, rates, chances[:k])
        at = int(np.argmax(fakes)) if k else 0
        if k and fakes[at] > best.fakes:
            found = chain.items[: at + 1]
            best = Floor(
                int(fakes[at]), reports, confidence, found, chain.every, int(chain.seen[at])
            )
    return best


def floor_of_counts(
    protocol: PureProtocol, counts: Counts, reports: int, confidence: float = 0.95
) -> Floor:
    """The floor that support counts alone prove: from single items.

    A report of one item has no other one, so that counts tell there how many support none of any
    set. counts : int64[d], of N reports.
    """
    chains, sizes = _of_counts(protocol, counts[None], reports)
    some = tuple(Chain(each.items[0], each.seen[0], each.every) for each in chains)
    return floor_of(protocol, some, reports, sizes, confidence)


def floors_of_counts(
    protocol: PureProtocol, counts: Counts, reports: int, confidence: float = 0.95
) -> Counts:
    """int64[trials]: the fakes that `floor_of_counts` proves of int64[trials, d] counts."""
    chains, sizes = _of_counts(protocol, counts, reports)
    rates = honest_rates(protocol, sizes)
    chances = log_chances(protocol.domain_size, sizes, confidence)
    proved = np.zeros(len(counts), dtype=np.int64)
    for each in chains:
        k = each.seen.shape[1]
        rate = rates[0 if each.every else 1][:k]
        proved = np.maximum(proved, most_fakes(each.seen, reports, rate, chances[:k]))
    return proved


def _of_counts(
    protocol: PureProtocol, counts: Counts, reports: int
) -> tuple[tuple[Chain, ...], int]:
    """Chains with a first axis of trials, and the number of sizes that are paid for."""
    if protocol.least_support < 0:  # counts do not tell how many reports speak for an item
        return (), 1
    if ballot_of(protocol).votes == 1:
        order = np.argsort(counts, axis=1, kind="stable")[:, :-1]
        seen = reports - np.cumsum(np.take_along_axis(counts, order, axis=1), axis=1)
    else:
        order = counts.argmin(axis=1)[:, None]
        seen = reports - counts.min(axis=1)[:, None]
    best = Chain(counts.argmax(axis=1)[:, None], counts.max(axis=1)[:, None], every=True)
    return (best, Chain(order, seen, every=False)), order.shape[1]
