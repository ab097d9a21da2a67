"""RAPPOR over several rounds: a user draws permanent bits once, and noise on them every round.

Erlingsson, Pihur, Korolova, "RAPPOR", CCS 2014, section 2: the permanent randomised response is
memoised, so that the reports of one user are not independent. Users that come later draw bits of
their own; who leaves takes them along.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ...pure import Items, Reports, Rng
from ...sampling import Counts, binomial
from ..unary import Unary
from .mechanism import Rappor
from .noise import BitNoise

MOST_LEAVING = 10**9
"""NumPy draws hypergeometric numbers of populations below this."""


@dataclass(frozen=True, eq=False)
class Bits:
    """The permanent bits of some users of one trial, counted.

    spread : int64[d, m], the users of each item and cohort.
    true : int64[m, k], how many users have each bit set in their filter.
    kept, raised : int64[m, k], how many with and without it have it as permanent bit.
    """

    spread: Counts
    true: Counts
    kept: Counts
    raised: Counts

    @property
    def users(self) -> Counts:
        """int64[m, 1]: the users of each cohort."""
        return np.asarray(self.spread.sum(axis=0)[:, None])

    @property
    def ones(self) -> Counts:
        return self.kept + self.raised

    def __add__(self, other: Bits) -> Bits:
        return Bits(
            self.spread + other.spread,
            self.true + other.true,
            self.kept + other.kept,
            self.raised + other.raised,
        )


def memoised_counts(
    protocol: Unary | Rappor,
    noise: BitNoise,
    histograms: Sequence[Counts],
    left: Sequence[Counts],
    trials: int,
    permanent: Rng,
    fresh: Callable[[int], Rng],
) -> Iterator[Counts]:
    """The genuine users' counts [trials, …] of each round, in order, from their exact joint law.

    Parameters
    ----------
    protocol : RAPPOR in any form; `noise` is its own.
    histograms : int64[d] for each round, the users of each item.
    left : int64[d] for each round, how many of an item's users have gone since the round before,
        fewer than MOST_LEAVING users in all where any do; which ones is a uniform choice.
    permanent : draws cohorts and permanent bits. fresh : gives what draws a round's noise.

    Notes
    -----
    Given how many users of a cohort have a bit set, its permanent ones are two binomials; of users
    that leave, they are hypergeometric. Bits are independent given who leaves, as every user has
    independent bits, and who leaves does not depend on them.
    """
    states = [_entered(protocol, noise, histograms[0], permanent) for _ in range(trials)]
    for number, histogram in enumerate(histograms):
        if left[number].any():
            newcomers = histogram - histograms[number - 1] + left[number]
            states = [
                _without(protocol, state, left[number], permanent)
                + _entered(protocol, noise, newcomers, permanent)
                for state in states
            ]
        rng = fresh(number)
        yield np.array([_sent(protocol, noise, state, rng) for state in states])


def _set(protocol: Unary | Rappor, spread: Counts) -> Counts:
    """int64[m, k]: the users whose filter has each bit."""
    return protocol.bit_users(spread) if isinstance(protocol, Rappor) else spread.T


def _entered(protocol: Unary | Rappor, noise: BitNoise, newcomers: Counts, rng: Rng) -> Bits:
    """New users, int64[d] of each item, with their cohorts and permanent bits."""
    spread = newcomers[:, None]
    if isinstance(protocol, Rappor):
        spread = rng.multinomial(newcomers, protocol.cohort_law)
    true = _set(protocol, spread)
    kept = binomial(true, 1 - noise.f / 2, rng)
    raised = binomial(spread.sum(axis=0)[:, None] - true, noise.f / 2, rng)
    return Bits(spread, true, kept, raised)


def _without(protocol: Unary | Rappor, there: Bits, left: Counts, rng: Rng) -> Bits:
    """Those that stay of whom int64[d] of each item leave."""
    spread = _chosen(there.spread, left, rng)
    true, users = _set(protocol, spread), spread.sum(axis=0)[:, None]
    absent = there.users - there.true
    kept = rng.hypergeometric(there.kept, there.true - there.kept, true)
    raised = rng.hypergeometric(there.raised, absent - there.raised, users - true)
    return Bits(there.spread - spread, there.true - true, there.kept - kept, there.raised - raised)


def _chosen(spread: Counts, count: Counts, rng: Rng) -> Counts:
    """int64[d, m]: uniform choices of `count` users of each item, by cohort."""
    chosen, wanted, rest = np.empty_like(spread), count, spread.sum(axis=1)
    for cohort in range(spread.shape[1] - 1):
        rest = rest - spread[:, cohort]
        chosen[:, cohort] = rng.hypergeometric(spread[:, cohort], rest, wanted)
        wanted = wanted - chosen[:, cohort]
    chosen[:, -1] = wanted
    return chosen


def _sent(protocol: Unary | Rappor, noise: BitNoise, there: Bits, rng: Rng) -> Counts:
    ones = there.ones
    sent = binomial(ones, noise.q, rng) + binomial(there.users - ones, noise.p, rng)
    return np.hstack([sent, there.users]) if isinstance(protocol, Rappor) else sent[0]


def memoised_reports(
    protocol: Unary | Rappor, noise: BitNoise, values: Items, permanent: Rng, fresh: Rng
) -> Reports:
    """Reports of users who hold these items in one round of several.

    The same users have the same permanent bits where `permanent` is in the same state.
    """
    if isinstance(protocol, Rappor):
        return protocol.report(values, permanent, fresh)
    bits = np.zeros((values.size, protocol.domain_size), dtype=np.bool_)
    bits[np.arange(values.size), values] = True
    return np.packbits(noise.instantaneous(noise.permanent(bits, permanent), fresh), axis=1)
