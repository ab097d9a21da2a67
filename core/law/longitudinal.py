"""Users who keep an answer over several rounds, and send it with fresh noise every round.

Two randomisers in a chain: the first is drawn once an item and kept (memoised), so that any number
of reports of the item cost no more than its ε∞; the second is drawn for every report, so that one
report costs only ε₁. A single collection sees both at once. Erlingsson, Pihur, Korolova, CCS 2014,
section 2. Users that come later keep answers of their own; who leaves takes them along.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final

import numpy as np

from ..base.sampling import Counts, binomial, flip_bits
from .mechanism import LocalMechanism
from .pure import Items, Reports, Rng

MOST_LEAVING: Final = 10**9
"""NumPy draws hypergeometric numbers of populations below this."""


def log(probability: float) -> float:
    """The natural logarithm; minus infinity at 0."""
    return math.log(probability) if probability > 0 else -math.inf


@dataclass(frozen=True)
class Chain:
    """The support probabilities of a memoised answer, and of a report given the memoised answer.

    p1, q1 : the kept answer supports the user's own item, any other given item.
    p2, q2 : a report supports an item that the kept answer supports, one that it does not.
    """

    p1: float
    q1: float
    p2: float
    q2: float

    @property
    def p(self) -> float:
        """The probability that one report supports the user's item."""
        return self.p1 * self.p2 + (1 - self.p1) * self.q2

    @property
    def q(self) -> float:
        """The probability that one report supports a given other item."""
        return self.q1 * self.p2 + (1 - self.q1) * self.q2

    def keep_bits(self, bits: Reports, size: int, rng: Rng) -> Reports:
        """The memoised bits of packed true bits, each perturbed independently."""
        return flip_bits(bits, self.q1, self.p1, size, rng)

    def send_bits(self, kept: Reports, size: int, rng: Rng) -> Reports:
        """The bits of one report of memoised bits, with fresh noise."""
        return flip_bits(kept, self.q2, self.p2, size, rng)

    def epsilon_of_rounds(self, rounds: int) -> float:
        """ε of `rounds` reports of one item, in nats, if every bit is memoised and perturbed again:
        exact.

        The reports of one bit are drawn from one kept bit, so that only their number of ones
        counts; t reports favour a true bit 1 most if all of them are ones, a true bit 0 if none is:
        ε = ln L(t ones) - ln L(no ones), L = Pr[reports | true bit 1] / Pr[reports | true bit 0].
        Two items differ in two bits, one in each direction. With no end of reports the kept bits
        are known: ε∞ = ln[p1 (1-q1) / ((1-p1) q1)].
        """
        p1, q1 = self.p1, self.q1
        lost, absent = (q1, p1) if p1 + q1 == 1 else (1 - p1, 1 - q1)  # to the last digit

        def likelihood(one: float, zero: float) -> float:
            """ln L of t equal bits, sent with these probabilities from a kept 1, a kept 0."""
            high, low = rounds * log(one), rounds * log(zero)
            held = np.logaddexp(log(p1) + high, log(lost) + low)
            other = np.logaddexp(log(q1) + high, log(absent) + low)
            return float(held - other)

        return likelihood(self.p2, self.q2) - likelihood(1 - self.p2, 1 - self.q2)


@dataclass(frozen=True, eq=False)
class Attendance:
    """The users of each round whose bits are memoised, and who has left.

    histograms : int64[d] for each round, the users of each item.
    left : int64[d] for each round, how many of an item's users have gone since the round before;
        any of them, and newcomers took their places.
    permanent : draws what users keep. fresh : gives what draws a round's noise.
    """

    histograms: Sequence[Counts]
    left: Sequence[Counts]
    trials: int
    permanent: Rng
    fresh: Callable[[int], Rng]


@dataclass(frozen=True, eq=False)
class KeptBits:
    """The numbers of memoised bits of some users in one trial.

    spread : int64[d, m], the users of each item and cohort.
    true : int64[m, k], the users who have each bit set by their item.
    kept, raised : int64[m, k], how many with and without it have it as kept bit.
    """

    spread: Counts
    true: Counts
    kept: Counts
    raised: Counts

    @property
    def users(self) -> Counts:
        """int64[m, 1]: the users of each cohort."""
        return np.asarray(self.spread.sum(axis=0)[:, None])

    def add_users(self, other: KeptBits, sign: int = 1) -> KeptBits:
        """The sums of these counts and another group's; with sign -1, the differences."""
        parts = (
            getattr(self, each.name) + sign * getattr(other, each.name) for each in fields(self)
        )
        return KeptBits(*parts)


class Memoising(LocalMechanism):
    """A protocol whose users memoise a perturbed answer; each report adds fresh noise to it.

    Reports of one user are not independent then, and cost less privacy than their sum. By default
    what is kept is a bit for each item, of users of one cohort.

    chain : both noises of what a user keeps. epsilon_infinity : ε∞ of any number of reports of one
        item, in nats; infinite where nothing bounds it.
    """

    chain: Any
    epsilon_infinity: Any

    @property
    def kept_probabilities(self) -> tuple[float, float]:
        """The probabilities that a memoised answer supports the own item, and any other
        given item.
        """
        return self.chain.p1, self.chain.q1

    @abstractmethod
    def epsilon_of_rounds(self, rounds: int) -> float:
        """ε of this many reports of one item, in nats; ε₁ for one report."""

    @abstractmethod
    def memoised_reports(self, values: Items, permanent: Rng, fresh: Rng) -> Reports:
        """The reports of users who hold these items, in one round of several.

        The same users keep the same answers where `permanent` is in the same state.
        """

    def spread_users(self, newcomers: Counts, rng: Rng) -> Counts:  # noqa: ARG002
        """int64[d, m]: new users, int64[d] of each item, in the cohorts that they claim."""
        return newcomers[:, None]

    def bit_users(self, spread: Counts) -> Counts:
        """int64[m, k]: the users whose item sets each bit, of int64[d, m]."""
        return spread.T

    def tally_bits(self, bits: Counts, users: Counts) -> Counts:  # noqa: ARG002
        """The counts of int64[m, k] ones that int64[m, 1] users send in one round."""
        return np.asarray(bits[0])

    def memoised_counts(self, rounds: Attendance) -> Iterator[Counts]:
        """Yields the genuine users' counts [trials, …] of each round, drawn from their exact
        distribution.

        Where any users leave, there are fewer than MOST_LEAVING in all. Given how many users of a
        cohort have a bit set, its kept ones are two binomials; of users that leave, they are
        hypergeometric. Bits are independent given who leaves, as every user has independent bits,
        and who leaves does not depend on them.
        """
        histograms, permanent, chain = rounds.histograms, rounds.permanent, self.chain
        states = [self._enter(histograms[0], permanent) for _ in range(rounds.trials)]
        for number, (histogram, left) in enumerate(zip(histograms, rounds.left, strict=True)):
            if left.any():
                newcomers = histogram - histograms[number - 1] + left
                states = [
                    state.add_users(self._leave(state, left, permanent), -1).add_users(
                        self._enter(newcomers, permanent)
                    )
                    for state in states
                ]
            rng, counts = rounds.fresh(number), []
            for state in states:
                ones = state.kept + state.raised
                sent = binomial(ones, chain.p2, rng) + binomial(state.users - ones, chain.q2, rng)
                counts.append(self.tally_bits(sent, state.users))
            yield np.array(counts)

    def _enter(self, newcomers: Counts, rng: Rng) -> KeptBits:
        """New users, int64[d] of each item, with their cohorts and kept bits."""
        spread = self.spread_users(newcomers, rng)
        true = self.bit_users(spread)
        kept = binomial(true, self.chain.p1, rng)
        raised = binomial(spread.sum(axis=0)[:, None] - true, self.chain.q1, rng)
        return KeptBits(spread, true, kept, raised)

    def _leave(self, there: KeptBits, left: Counts, rng: Rng) -> KeptBits:
        """Uniform choices of int64[d] users of each item, with their kept bits."""
        spread, wanted, rest = np.empty_like(there.spread), left, there.spread.sum(axis=1)
        for cohort in range(spread.shape[1] - 1):
            rest = rest - there.spread[:, cohort]
            spread[:, cohort] = rng.hypergeometric(there.spread[:, cohort], rest, wanted)
            wanted = wanted - spread[:, cohort]
        spread[:, -1] = wanted
        true, users = self.bit_users(spread), spread.sum(axis=0)[:, None]
        absent = there.users - there.true
        kept = rng.hypergeometric(there.kept, there.true - there.kept, true)
        raised = rng.hypergeometric(there.raised, absent - there.raised, users - true)
        return KeptBits(spread, true, kept, raised)
