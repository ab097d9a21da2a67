"""A certified floor on the number of fakes: how many reports no honest population can have sent.

For any set S of items, an honest report supports all of S with a known probability τ at most,
whatever its user's item; likewise for "supports none of S". If x of N reports support S, at most m
of them are fake and the others honest,

    P(at least x) ≤ P(m + Bin(N − m, τ) ≥ x),

an exact test of m, in the manner of Clopper and Pearson. It is corrected for all sets of all sizes
up to `SIZES` (Bonferroni), so that any search for the best set is valid. Fakes who look like an
honest population (`undetectable`) prove nothing. Our derivation.
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
    """A proved lower bound on the number of fakes among N reports, and the item set that proves it.

    fakes : m. reports : N. confidence : that the true number is not smaller. items : int64[s], the
    set; empty if nothing is proved. every : whether the counted reports support all of its items;
    else they support none. seen : the number of these reports.
    """

    fakes: int
    reports: int
    confidence: float
    items: Items
    every: bool = True
    seen: int = 0

    @property
    def share(self) -> float:
        """The proved lower bound on the share of fake reports."""
        return self.fakes / self.reports


def nothing(reports: int, confidence: float) -> Floor:
    """The trivial lower bound: 0 fakes."""
    return Floor(0, reports, confidence, np.empty(0, dtype=np.int64))


@lru_cache(maxsize=16)
def honest_rates(protocol: PureProtocol, sizes: int) -> tuple[Floats, Floats]:
    """The largest probabilities that an honest report supports all, or none, of s items, for each
    s.

    float64[sizes] each, s = 1, 2, …, exact; 1 if not known, so that nothing is proved.
    """
    every, none = np.ones(sizes), np.ones(sizes)
    ballot = ballot_of(protocol)
    if protocol.least_support < 0:  # a report may speak neither for an item nor against it
        return every, none
    every[0], none[0] = ballot.p, 1 - ballot.q
    if ballot.votes == 1:
        every[1:], none[:] = 0.0, np.maximum(1 - np.arange(1, sizes + 1) * ballot.q, 0.0)
    elif tells_together(protocol):
        for s in range(1, sizes + 1):
            laws = [numbers(protocol, s, held) for held in (True, False)]
            every[s - 1] = max(law[s] for law in laws)
            none[s - 1] = max(law[0] for law in laws)
    every.flags.writeable = none.flags.writeable = False
    return every, none


@lru_cache(maxsize=16)
def log_chances(items: int, sizes: int, confidence: float) -> Floats:
    """float64[sizes]: the logarithm of the error probability of each test of a set of s items
    (union bound).

    (1 − confidence)/2 for each of both directions, in equal parts for the sizes, and for each size
    in equal parts for all C(d, s) sets. items : d.
    """
    sets = [
        math.lgamma(items + 1) - math.lgamma(s + 1) - math.lgamma(items - s + 1)
        for s in range(1, sizes + 1)
    ]
    chances = np.asarray(math.log((1 - confidence) / (2 * sizes)) - np.array(sets))
    chances.flags.writeable = False
    return chances


def least_fakes(seen: Counts | Floats, reports: int, rate: Floats, log_chance: Floats) -> Counts:
    """int64[…]: the smallest number of fakes m at which P(m + Bin(N − m, τ) ≥ x) reaches the given
    probability.

    seen : x, of N reports. rate : τ. log_chance : the logarithm of the probability. The former
    probability rises with m, and is 1 at m = x.
    """
    every, rates, chances = np.broadcast_arrays(seen, rate, np.exp(log_chance))
    made = np.zeros(every.shape, dtype=np.int64)
    # Where as many as are expected are seen, or fewer, nothing is proved; nor where a few more are.
    beyond = np.asarray(every > reports * rates)
    beyond &= tail_at_least(every, reports, rates) < chances
    if beyond.any():
        made[beyond] = _least_above(-1, every[beyond], reports, rates[beyond], chances[beyond])
    return made


def _least_above(
    low: int | Counts, seen: Counts | Floats, reports: int, rate: Floats, chance: Floats
) -> Counts:
    """int64[k]: the same, or low + 1 where that is more."""
    from scipy.special import betainc, ndtri  # P(Bin(n, τ) ≥ k) = I_τ(k, n − k + 1)

    few, high = np.broadcast_to(low, seen.shape), seen  # no more than `few` are asked for, or low
    # From where a normal law has it, and a step of Newton's method for z = √(2N KL) from there:
    # in steps that double; between numbers tried, by halves.
    least, step, wanted, middle = few, 1, -ndtri(chance), seen - 0.5
    spread = wanted**2 * rate
    root = np.sqrt(spread * (spread / 4 + reports - seen))
    at = (seen - reports * rate - spread / 2 - root) / np.maximum(1 - rate, 1e-12)
    at = np.maximum(np.minimum(at, middle - 0.5), 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        left, honest = middle - at, reports - at
        apart = np.sqrt(2 * _divergence(left, honest, rate))
        at = np.ceil(at + (apart - wanted) * apart / np.log(left / (honest * rate)))
    while (high - few > 1).any():
        at = np.fmax(np.fmin(at, high - 1), few + 1)
        enough = betainc(seen - at, reports - seen + 1, rate) >= chance
        few, high = np.where(enough, few, at), np.where(enough, at, high)
        beside = np.where(enough, at - step, at + step)
        at = np.where((few == least) | (high == seen), beside, (few + high) // 2)
        step *= 2
    return high.astype(np.int64)


def most_fakes(seen: Counts | Floats, reports: int, rate: Floats, log_chance: Floats) -> Counts:
    """int64[trials]: the largest `least_fakes` over the sets of each trial.

    seen : [trials, sets], numbers of reports. rate, log_chance : float64[sets]. A normal
    approximation selects the best set; other sets are computed only if a lower bound leaves room
    for more.
    """
    others, chance = np.maximum(1 - rate, 1e-12), np.exp(log_chance)
    excess = (seen - reports * rate) / others  # the fakes, if no number had noise
    best = (excess - np.sqrt(-2 * reports * log_chance * rate / others)).argmax(axis=1)
    rows = np.arange(len(seen))
    proved = least_fakes(seen[rows, best], reports, rate[best], log_chance[best])
    # N KL(x/N ‖ τ) is (x − Nτ)²/(Nτ(1 − τ)) at most: less than −ln chance − 9 is too little.
    excess -= proved[:, None]
    away = np.maximum(excess.max(axis=0), 0) ** 2 * others
    (sets,) = (away > -(log_chance + 9) * rate * (reports - int(proved.max()))).nonzero()
    rows, at = (excess[:, sets] > 0).nonzero()
    at = sets[at]
    likely = tail_at_least(seen[rows, at] - proved[rows], reports - proved[rows], rate[at])
    more = likely < chance[at]
    if more.any():
        rows, at = rows[more], at[more]
        low, those = proved[rows] - 1, (seen[rows, at], reports, rate[at], chance[at])
        np.maximum.at(proved, rows, _least_above(low, *those))
    return proved


def tail_at_least(seen: Counts | Floats, reports: int | Counts, rate: Floats) -> Floats:
    """float64[…]: a lower bound on P(Bin(N, τ) ≥ x), for x beyond the mean; loads no SciPy.

    At least Φ(−√(2N KL(x/N ‖ τ))) (Zubkov, Serov 2013, theorem 1), and Φ(−z) is at least (√(4 + z²)
    − z)/2 times the normal density (Birnbaum 1942).
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = _divergence(seen, reports, rate)
        bound = (np.sqrt(2 + apart) - np.sqrt(apart)) * np.exp(-apart)
    # A hair below, for rounding; nothing is claimed of the edges.
    return np.where((rate > 0) & (rate < 1), 0.999 / math.sqrt(4 * math.pi) * bound, 0.0)


def _divergence(seen: Counts | Floats, reports: int | Counts | Floats, rate: Floats) -> Floats:
    """float64[…]: N KL(x/N ‖ τ), x beyond the mean."""
    expected, rest = reports * rate, reports - seen
    away = seen - expected
    others = rest * np.log1p(-away / (reports - expected))
    return np.asarray(seen * np.log1p(away / expected) + np.where(rest > 0, others, 0.0))


@dataclass(frozen=True, eq=False)
class ItemChain:
    """Growing sets of items, each with one item more, and the number of reports that support all
    (or none) of each.

    items : int64[k], of which the first s are the set of size s. seen : int64[k]. every : whether
    `seen` counts the reports that support all of a set; else those that support none.
    """

    items: Items
    seen: Counts
    every: bool


def floor_of(
    protocol: PureProtocol,
    chains: tuple[ItemChain, ...],
    reports: int,
    sizes: int,
    confidence: float,
) -> Floor:
    """The largest lower bound on the number of fakes that chains of item sets prove.

    sizes : the number of set sizes that are tested.
    """
    best = nothing(reports, confidence)
    every, none = honest_rates(protocol, sizes)
    chances = log_chances(protocol.domain_size, sizes, confidence)
    for chain in chains:
        k = chain.items.size
        rates = (every if chain.every else none)[:k]
        fakes = least_fakes(chain.seen, reports, rates, chances[:k])
        at = int(np.argmax(fakes)) if k else 0
        if k and fakes[at] > best.fakes:
            items = chain.items[: at + 1]
            best = Floor(
                int(fakes[at]), reports, confidence, items, chain.every, int(chain.seen[at])
            )
    return best


def floor_of_counts(
    protocol: PureProtocol, counts: Counts, reports: int, confidence: float = 0.95
) -> Floor:
    """The lower bound on the number of fakes that support counts of single items prove.

    counts : int64[d], of N reports. If a report supports one item only, the counts also tell how
    many support none of any set.
    """
    chains, sizes = _of_counts(protocol, counts, reports)
    return floor_of(protocol, chains, reports, sizes, confidence)


def floors_of_ordered(protocol: PureProtocol, ordered: Floats, reports: int) -> Counts:
    """int64[trials]: the lower bound on fakes that single items prove with 95 % confidence, from
    sorted estimates of N reports.

    ordered : float64[trials, d], of all items, ascending in each trial.
    """
    if protocol.least_support < 0:
        return np.zeros(len(ordered), dtype=np.int64)
    ballot = ballot_of(protocol)
    if ballot.votes != 1:
        ordered = ordered[:, [0, -1]]  # only of these two is anything asked
    counts = ordered * (reports * ballot.gap)
    counts += reports * ballot.q
    every, none = _count_support(protocol, np.rint(counts, out=counts), reports)
    sizes = none.shape[1]
    all_of, none_of = honest_rates(protocol, sizes)
    chances = log_chances(protocol.domain_size, sizes, 0.95)
    rate, chance = np.append(all_of[0], none_of), np.append(chances[0], chances)
    return most_fakes(np.hstack([every, none]), reports, rate, chance)


def _of_counts(
    protocol: PureProtocol, counts: Counts, reports: int
) -> tuple[tuple[ItemChain, ...], int]:
    """The chains of int64[d] counts, and the number of sizes that are paid for."""
    if protocol.least_support < 0:  # counts do not tell how many reports speak for an item
        return (), 1
    order = np.argsort(counts, kind="stable")
    every, none = _count_support(protocol, counts[order], reports)
    best = ItemChain(np.array([counts.argmax()]), every, every=True)
    return (best, ItemChain(order[: none.size], none, every=False)), none.size


def _count_support(protocol: PureProtocol, ordered: Counts, reports: int) -> tuple[Counts, Counts]:
    """How many reports support the first item, and none of the s last ones, s = 1, 2, ….

    ordered : […, d] counts, ascending. Of reports that support one item each the number is known
    for all s, of others for s = 1 alone.
    """
    last = ordered[..., :1]
    if ballot_of(protocol).votes == 1:
        last = np.cumsum(ordered[..., :-1], axis=-1)
    return ordered[..., -1:], reports - last
