"""Users who keep bits over several rounds, counted: drawn once, with noise on them every round.

Erlingsson, Pihur, Korolova, CCS 2014, section 2: the permanent randomised response is
memoised, so that the reports of one user are not independent. Users that come later draw bits of
their own; who leaves takes them along.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ...base.sampling import Counts, binomial, set_bits
from ...law.capabilities import Attendance
from ...law.pure import Items, Reports, Rng
from .chain import Chain

MOST_LEAVING = 10**9
"""NumPy draws hypergeometric numbers of populations below this."""


@dataclass(frozen=True, eq=False)
class Bits:
    """The permanent bits of some users of one trial, counted.

    spread : int64[d, m], the users of each item and cohort.
    true : int64[m, k], the users who have each bit set in their filter.
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


@dataclass(frozen=True, eq=False)
class Sent:
    """The ones of int64[m, 1] users of each cohort in one round: int64[m, k] of each bit."""

    bits: Counts
    users: Counts


class BitUsers(Protocol):
    """The bits that items set, in each cohort that users may claim."""

    def spread(self, newcomers: Counts, rng: Rng) -> Counts:
        """int64[d, m]: new users, int64[d] of each item, in the cohorts that they claim."""
        ...

    def bit_users(self, spread: Counts) -> Counts:
        """int64[m, k]: the users whose filter has each bit."""
        ...

    def tally(self, sent: Sent) -> Counts:
        """The counts of the bits that are sent in one round."""
        ...


@dataclass(frozen=True)
class OneBitEach:
    """A bit for each item, and one cohort; chain : the noise of every bit."""

    domain_size: int
    chain: Chain

    def spread(self, newcomers: Counts, rng: Rng) -> Counts:  # noqa: ARG002
        return newcomers[:, None]

    def bit_users(self, spread: Counts) -> Counts:
        return spread.T

    def tally(self, sent: Sent) -> Counts:
        return np.asarray(sent.bits[0])

    def keep(self, values: Items, rng: Rng) -> Reports:
        """The kept bits of users who hold these items, packed as a report packs them."""
        bits = np.zeros((values.size, -(-self.domain_size // 8)), dtype=np.uint8)
        set_bits(bits, values, np.ones(values.size, dtype=np.bool_))
        return self.chain.keep(bits, self.domain_size, rng)

    def send(self, kept: Reports, rng: Rng) -> Reports:
        """One report of each user's kept bits."""
        return self.chain.send(kept, self.domain_size, rng)


class Keeps:
    """Users who keep an answer, and send it with fresh noise: `law.capabilities.Memoises`.

    chain : both noises of what a user keeps.
    """

    chain: Any

    @property
    def kept(self) -> tuple[float, float]:
        return self.chain.p1, self.chain.q1

    def keep(self, values: Items, permanent: Rng) -> Reports:
        """The answers that users with these items keep, as reports without fresh noise."""
        raise NotImplementedError

    def send(self, kept: Reports, fresh: Rng) -> Reports:
        """One report of each kept answer."""
        raise NotImplementedError

    def memoised_reports(self, values: Items, permanent: Rng, fresh: Rng) -> Reports:
        return self.send(self.keep(values, permanent), fresh)


class KeepsBits(Keeps):
    """Users who keep a bit for each item."""

    domain_size: int

    @property
    def _bits(self) -> OneBitEach:
        return OneBitEach(self.domain_size, self.chain)

    def memoised_counts(self, rounds: Attendance) -> Iterator[Counts]:
        return memoised_counts(self._bits, self.chain, rounds)

    def keep(self, values: Items, permanent: Rng) -> Reports:
        return self._bits.keep(values, permanent)

    def send(self, kept: Reports, fresh: Rng) -> Reports:
        return self._bits.send(kept, fresh)


def memoised_counts(filters: BitUsers, chain: Chain, rounds: Attendance) -> Iterator[Counts]:
    """The genuine users' counts [trials, …] of each round, in order, from their exact joint law.

    filters : the bits of items, in cohorts. chain : the noise of every bit. rounds : where any
    users leave, there are fewer than MOST_LEAVING in all.

    Given how many users of a cohort have a bit set, its permanent ones are two binomials; of users
    that leave, they are hypergeometric. Bits are independent given who leaves, as every user has
    independent bits, and who leaves does not depend on them.
    """
    histograms, permanent = rounds.histograms, rounds.permanent
    states = [_entered(filters, chain, histograms[0], permanent) for _ in range(rounds.trials)]
    for number, (histogram, left) in enumerate(zip(histograms, rounds.left, strict=True)):
        if left.any():
            newcomers = histogram - histograms[number - 1] + left
            states = [
                _without(filters, state, left, permanent)
                + _entered(filters, chain, newcomers, permanent)
                for state in states
            ]
        rng = rounds.fresh(number)
        yield np.array([_sent(filters, chain, state, rng) for state in states])


def _entered(filters: BitUsers, chain: Chain, newcomers: Counts, rng: Rng) -> Bits:
    """New users, int64[d] of each item, with their cohorts and permanent bits."""
    spread = filters.spread(newcomers, rng)
    true = filters.bit_users(spread)
    kept = binomial(true, chain.p1, rng)
    raised = binomial(spread.sum(axis=0)[:, None] - true, chain.q1, rng)
    return Bits(spread, true, kept, raised)


def _without(filters: BitUsers, there: Bits, left: Counts, rng: Rng) -> Bits:
    """The users who stay where int64[d] of each item leave."""
    spread = _chosen(there.spread, left, rng)
    true, users = filters.bit_users(spread), spread.sum(axis=0)[:, None]
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


def _sent(filters: BitUsers, chain: Chain, there: Bits, rng: Rng) -> Counts:
    ones = there.ones
    sent = binomial(ones, chain.p2, rng) + binomial(there.users - ones, chain.q2, rng)
    return filters.tally(Sent(sent, there.users))
