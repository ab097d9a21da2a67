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
from functools import cached_property, lru_cache
from typing import Final

import numpy as np

from ..base.sampling import Counts, Floats
from ..law.pure import BoolArray, Items, PureProtocol
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


@lru_cache(maxsize=16)
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


def least_fakes(seen: Counts | Floats, reports: int, rate: Floats, log_chance: Floats) -> Counts:
    """int64[…]: the least m with P(m + Bin(N − m, τ) ≥ x) of at least that chance.

    seen : x, of N reports. rate : τ. The probability rises with m, and is 1 at m = x.
    """
    every, rates, chances = np.broadcast_arrays(seen, rate, np.exp(log_chance))
    return _least_of(every, reports, rates, chances)


def _least_of(seen: Counts | Floats, reports: int, rate: Floats, chance: Floats) -> Counts:
    """The same of arrays of one shape."""
    made = np.zeros(seen.shape, dtype=np.int64)
    # Where as many as are expected are seen, or fewer, nothing is proved; nor where a few more are.
    beyond = np.asarray(seen > reports * rate)
    beyond &= tail_at_least(seen, reports, rate) < chance
    if beyond.any():
        those = seen[beyond], reports, rate[beyond], chance[beyond]
        made[beyond] = _least_above(-1, _about(*those), *those)
    return made


def _least_above(
    low: int | Counts, at: Floats, seen: Counts | Floats, reports: int, rate: Floats, chance: Floats
) -> Counts:
    """int64[k]: the same, or low + 1 where that is more; looked for from whole numbers on."""
    from scipy.special import betainc  # P(Bin(n, τ) ≥ k) = I_τ(k, n − k + 1)

    few, high = np.broadcast_to(low, seen.shape), seen  # no more than `few` are asked for, or low
    least, step = few, 1
    while (high - few > 1).any():
        at = np.fmax(np.fmin(at, high - 1), few + 1)
        enough = betainc(seen - at, reports - seen + 1, rate) >= chance
        few, high = np.where(enough, few, at), np.where(enough, at, high)
        # From the guess in steps that double; between numbers that were tried, by halves.
        beside = np.where(enough, at - step, at + step)
        at = np.where((few == least) | (high == seen), beside, (few + high) // 2)
        step *= 2
    return high.astype(np.int64)


def _about(seen: Counts | Floats, reports: int, rate: Floats, chance: Floats) -> Floats:
    """float64[k]: whole numbers next to the least m.

    Halfway between the numbers of reports on both sides, z = √(2n KL) is nearly normal. A step of
    Newton's method, dz/dm = −ln(k/(nτ))/z, from where a normal law would be.
    """
    from scipy.special import ndtri

    wanted, others = -ndtri(chance), 1 - rate
    middle = np.asarray(seen - 0.5)
    with np.errstate(divide="ignore", invalid="ignore"):
        at = middle - reports * rate
        spread = wanted * np.sqrt((reports - at) * rate * others)
        at = np.maximum(np.minimum((at - spread) / others, middle - 0.5), 0)
        left, honest = middle - at, reports - at
        above = np.log(left / (honest * rate))
        apart = np.sqrt(2 * _divergence(left, honest, rate))
        return np.asarray(np.ceil(at + (apart - wanted) * apart / above))


@dataclass(frozen=True, eq=False)
class SetTests:
    """The tests of several sets of items, by what an honest report says of each at most.

    rate : float64[sets], τ. log_chance : float64[sets], ln of the chance that each has.
    """

    rate: Floats
    log_chance: Floats

    @cached_property
    def chance(self) -> Floats:
        """float64[sets]: the chance of each test."""
        return np.exp(self.log_chance)

    @cached_property
    def others(self) -> Floats:
        """float64[sets]: 1 − τ, but never 0."""
        return np.maximum(1 - self.rate, 1e-12)

    @cached_property
    def spread(self) -> Floats:
        """float64[sets]: the fakes that a test proves less than it seems, of one report."""
        return np.sqrt(-2 * self.log_chance * self.rate / self.others)

    def can_be_rare(self, excess: Floats, reports: int) -> BoolArray:
        """bool[sets]: False where this excess of fakes is as likely as the chance, or more.

        excess : float64[sets], of N reports or of more: z falls as N rises.
        """
        rare = np.asarray(excess > 0)
        rate, excess = self.rate[rare], excess[rare] * self.others[rare]
        likely = tail_at_least(reports * rate + excess, reports, rate)
        rare[rare] = likely < self.chance[rare]
        return rare


def most_fakes(seen: Counts | Floats, reports: int, tests: SetTests) -> Counts:
    """int64[trials]: the largest `least_fakes` of [trials, sets] numbers of reports, row by row.

    A normal law tells roughly what each set proves; the others are gone through only where a lower
    bound leaves room for more than the best of these proves.
    """
    excess = (seen - reports * tests.rate) / tests.others  # the fakes, if no number had noise
    best = (excess - math.sqrt(reports) * tests.spread).argmax(axis=1)
    of_best = seen[np.arange(len(seen)), best]
    proved = _least_of(of_best, reports, tests.rate[best], tests.chance[best])
    excess -= proved[:, None]
    (sets,) = tests.can_be_rare(excess.max(axis=0), reports - int(proved.max())).nonzero()
    if not sets.size:  # whatever honest reports of 20 trials say, as a rule
        return proved
    left, honest = seen[:, sets] - proved[:, None], (reports - proved)[:, None]
    rate, chance = tests.rate[sets], tests.chance[sets]
    more = (left > honest * rate) & (sets != best[:, None])
    rows, at = (more & (tail_at_least(left, honest, rate) < chance)).nonzero()
    if rows.size:
        least, those = proved[rows], (seen[rows, sets[at]], reports, rate[at], chance[at])
        further = _least_above(least - 1, np.maximum(_about(*those), least), *those)
        np.maximum.at(proved, rows, further)
    return proved


def tail_at_least(seen: Counts | Floats, reports: int | Counts, rate: Floats) -> Floats:
    """float64[…]: a lower bound on P(Bin(N, τ) ≥ x), of x beyond the mean; no SciPy is loaded.

    It is Φ(−√(2N KL(x/N ‖ τ))) at least (Zubkov, Serov 2013, theorem 1), and Φ(−z) is at least
    (√(4 + z²) − z)/2 times the normal density (Birnbaum 1942).
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
    chains, sizes = _of_counts(protocol, counts, reports)
    return floor_of(protocol, chains, reports, sizes, confidence)


def floors_of_ordered(
    protocol: PureProtocol, ordered: Floats, reports: int, confidence: float = 0.95
) -> Counts:
    """int64[trials]: the fakes that `floor_of_counts` proves, from the estimates of N reports.

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
    tests = _tests(protocol, none.shape[1], confidence)
    return most_fakes(np.hstack([every, none]), reports, tests)


@lru_cache(maxsize=16)
def _tests(protocol: PureProtocol, sizes: int, confidence: float) -> SetTests:
    """The tests of all of one item, and of none of s items, s = 1, 2, …."""
    chances = log_chances(protocol.domain_size, sizes, confidence)
    every, none = honest_rates(protocol, sizes)
    return SetTests(np.append(every[0], none), np.append(chances[0], chances))


def _of_counts(
    protocol: PureProtocol, counts: Counts, reports: int
) -> tuple[tuple[Chain, ...], int]:
    """The chains of int64[d] counts, and the number of sizes that are paid for."""
    if protocol.least_support < 0:  # counts do not tell how many reports speak for an item
        return (), 1
    order = np.argsort(counts, kind="stable")
    every, none = _count_support(protocol, counts[order], reports)
    best = Chain(np.array([counts.argmax()]), every, every=True)
    return (best, Chain(order[: none.size], none, every=False)), none.size


def _count_support(protocol: PureProtocol, ordered: Counts, reports: int) -> tuple[Counts, Counts]:
    """How many reports support the first item, and none of the s last ones, s = 1, 2, ….

    ordered : […, d] counts, ascending. Of reports that support one item each the number is known
    for all s, of others for s = 1 alone.
    """
    last = ordered[..., :1]
    if ballot_of(protocol).votes == 1:
        last = np.cumsum(ordered[..., :-1], axis=-1)
    return ordered[..., -1:], reports - last
