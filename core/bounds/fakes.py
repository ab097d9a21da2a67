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

import itertools
import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from ..base.sampling import Counts, Floats
from ..law.pure import BoolArray, Items, PureProtocol
from ..law.together import numbers, tells_together
from .robust import ballot_of

SIZES: Final = 16
"""Items of a set, at most, where sets are looked for in reports."""

STRAIGHT: Final = 12
"""Guesses of the least number of fakes by a normal law, before halves are tried."""

TINY: Final = float(np.finfo(np.float64).tiny)


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
    made = np.zeros(every.shape, dtype=np.int64)
    # Where as many as are expected are seen, or fewer, nothing is proved; nor where a few more are.
    beyond = np.asarray(every > reports * rates)
    beyond &= tail_at_least(every, reports, rates) < chances
    if not beyond.any():
        return made
    from scipy.special import betainc, ndtri  # P(Bin(n, τ) ≥ k) = I_τ(k, n − k + 1)

    seen, rate, chance = every[beyond], rates[beyond], chances[beyond]
    low, high = np.full(seen.shape, -1), seen.astype(np.int64)  # P(low) is too small, P(high) not
    # Of the normal law that P is nearly of: its point at the chance, and how it moves with m.
    wanted, spread = ndtri(chance), np.sqrt(reports * rate * (1 - rate))
    skew = (1 - 2 * rate) * (wanted**2 - 1) / 6
    guess = (seen - reports * rate + wanted * spread - skew) / (1 - rate)
    slope, last, last_point = (1 - rate) / np.maximum(spread, TINY), guess, wanted
    for step in itertools.count():
        if (high - low <= 1).all():
            break
        guess = guess if step < STRAIGHT else (low + high) / 2
        at = np.maximum(np.minimum(np.maximum(guess, low + 1), high - 1), 0).astype(np.int64)
        likely = betainc(seen - at, reports - seen + 1, rate)
        enough = likely >= chance
        low, high = np.where(enough, low, at), np.where(enough, at, high)
        point = ndtri(np.clip(likely, TINY, 1 - 1e-9))
        moved, risen = at - last, point - last_point
        steep = step and moved * risen > 0
        slope = np.where(steep, risen / np.where(steep, moved, 1), slope)
        guess = np.ceil(at + (wanted - point) / slope)
        guess = np.where(enough, np.minimum(guess, at - 1), guess)
        last, last_point = at, point
    made[beyond] = high
    return made


def most_fakes(seen: Counts | Floats, reports: int, rate: Floats, log_chance: Floats) -> Counts:
    """int64[trials]: the largest `least_fakes` of [trials, sets] numbers of reports, row by row.

    rate, log_chance : float64[sets]. A normal law tells roughly what each set proves; the others
    are gone through only where a lower bound leaves room for more than the best of these proves.
    """
    others, chance = np.maximum(1 - rate, 1e-12), np.exp(log_chance)
    excess = (seen - reports * rate) / others  # the fakes, if no number had noise
    most = excess.max(axis=0)
    beyond = most > 0
    beyond[beyond] = tail_at_least(seen.max(axis=0)[beyond], reports, rate[beyond]) < chance[beyond]
    if not beyond.any():  # whatever honest reports of 20 trials say, as a rule
        return np.zeros(len(seen), dtype=np.int64)
    from scipy.special import betainc

    honest = reports - np.clip(most, 0, reports)
    rows = np.arange(len(seen))
    best = (excess - np.sqrt(-2 * log_chance * honest * rate / others)).argmax(axis=1)
    proved = least_fakes(seen[rows, best], reports, rate[best], log_chance[best])
    most = (excess - proved[:, None]).max(axis=0)
    fewest = reports - int(proved.max())
    sets = np.flatnonzero(_can_be_rare(most * others, fewest, reports, rate, log_chance))
    seen, rate, log_chance, chance = seen[:, sets], rate[sets], log_chance[sets], chance[sets]
    left, honest = seen - proved[:, None], reports - proved[:, None]
    rows, sets = np.nonzero((left > honest * rate) & (tail_at_least(left, honest, rate) < chance))
    left, honest = left[rows, sets], honest[rows, 0]
    rare = betainc(left, honest - left + 1, rate[sets]) < chance[sets]
    rows, sets = rows[rare], sets[rare]
    further = least_fakes(seen[rows, sets], reports, rate[sets], log_chance[sets])
    np.maximum.at(proved, rows, further)
    return proved


def _can_be_rare(
    excess: Floats, reports: int, total: int, rate: Floats, log_chance: Floats
) -> BoolArray:
    """bool[sets]: False where Nτ + excess of N reports are as likely as the chance, or more.

    Of all N from `reports` to `total`. P(at least x) is at least e^(−N KL)/√(2N), as in
    `tail_at_least`, where ln(1 + y) ≤ y − y²/2 + y³/3 bounds KL(τ + δ ‖ τ) by a polynomial of
    δ = excess/N, and the exponent falls as N rises.
    """
    above, both = excess / reports, rate * (1 - rate)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        bound = above * (1 - 3 * both) / (3 * both * both * both) + (2 * rate - 1) / (6 * both**2)
        bound = above**2 * (above * bound + 0.5 / both)
        least = -log_chance - math.log(2 * total) / 2
        return np.asarray((above > 0) & ~(reports * bound <= least))


def tail_at_least(seen: Counts | Floats, reports: int | Counts, rate: Floats) -> Floats:
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
    chains, sizes = _of_counts(protocol, counts, reports)
    return floor_of(protocol, chains, reports, sizes, confidence)


def floors_of_means(
    protocol: PureProtocol, means: Floats, reports: int, confidence: float = 0.95
) -> Counts:
    """int64[trials]: the fakes that `floor_of_counts` proves of what N reports say on average.

    means : float64[trials, d], of all items, ascending in each trial.
    """
    if protocol.least_support < 0:
        return np.zeros(len(means), dtype=np.int64)
    if ballot_of(protocol).votes != 1:
        means = means[:, [0, -1]]  # only of these two is anything asked
    every, none = _seen(protocol, np.rint(means * reports), reports)
    sizes = none.shape[1]
    chances = log_chances(protocol.domain_size, sizes, confidence)
    rates = honest_rates(protocol, sizes)
    return most_fakes(
        np.hstack([every, none]), reports, np.append(rates[0][0], rates[1]),
        np.append(chances[0], chances),
    )  # fmt: skip


def _of_counts(
    protocol: PureProtocol, counts: Counts, reports: int
) -> tuple[tuple[Chain, ...], int]:
    """The chains of int64[d] counts, and the number of sizes that are paid for."""
    if protocol.least_support < 0:  # counts do not tell how many reports speak for an item
        return (), 1
    order = np.argsort(counts, kind="stable")
    every, none = _seen(protocol, counts[order], reports)
    best = Chain(np.array([counts.argmax()]), every, every=True)
    return (best, Chain(order[: none.size], none, every=False)), none.size


def _seen(protocol: PureProtocol, ordered: Counts, reports: int) -> tuple[Counts, Counts]:
    """How many reports support the first item, and none of the s last ones, s = 1, 2, ….

    ordered : […, d] counts, ascending. Of reports that support one item each the number is known
    for all s, of others for s = 1 alone.
    """
    last = ordered[..., :1]
    if ballot_of(protocol).votes == 1:
        last = np.cumsum(ordered[..., :-1], axis=-1)
    return ordered[..., -1:], reports - last
