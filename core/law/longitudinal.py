"""Protocols with memoised answers, for users who report in several rounds.

A user perturbs each item once and keeps (memoises) the answer; every report perturbs that answer
again, with fresh noise. Any number of reports of one item has privacy loss ε∞ at most, one report
ε₁. Erlingsson, Pihur, Korolova, CCS 2014, section 2. Users who join later memoise answers of their
own; the answers of users who leave go with them.
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
    """The natural logarithm of a probability; minus infinity at 0."""
    return math.log(probability) if probability > 0 else -math.inf


@dataclass(frozen=True)
class Chain:
    """The support probabilities of a memoised answer, and of a report given the memoised answer.

    p1, q1 : the probability that the memoised answer supports the user's item, and any other given
    item.
    p2, q2 : the probability that a report supports an item, if the memoised answer supports that
    item, and if not.
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
        """uint8[n, ceil(size/8)]: the memoised bits of packed true bits, each perturbed
        independently.
        """
        return flip_bits(bits, self.q1, self.p1, size, rng)

    def send_bits(self, kept: Reports, size: int, rng: Rng) -> Reports:
        """uint8[n, ceil(size/8)]: the bits of one report of packed memoised bits, with
        fresh noise.
        """
        return flip_bits(kept, self.q2, self.p2, size, rng)

    def epsilon_of_rounds(self, rounds: int) -> float:
        """The exact ε of `rounds` reports of one item, in nats, if every bit is memoised and
        perturbed again.

        The reports of one bit are independent given its memoised bit, so that only their number of
        ones counts. t reports are the strongest evidence of a true bit 1 if all are ones, of a true
        bit 0 if none is: ε = ln L(t ones) - ln L(no ones), with L = Pr[reports | true bit 1] /
        Pr[reports | true bit 0]. Two items differ in two bits, one in each direction. For t → ∞ the
        memoised bits are known: ε∞ = ln[p1 (1-q1) / ((1-p1) q1)].
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
    """The users of each round of a campaign, and the number of users who have left, for memoised
    bits.

    histograms : int64[d] for each round, the users of each item.
    left : int64[d] for each round, the number of users of each item who have left since the round
    before; each of the item's users is equally likely to leave, and newcomers replace them.
    permanent : the generator of memoised bits.
    fresh : returns the generator of one round's noise, by the number of the round.
    """

    histograms: Sequence[Counts]
    left: Sequence[Counts]
    trials: int
    permanent: Rng
    fresh: Callable[[int], Rng]


@dataclass(frozen=True, eq=False)
class KeptBits:
    """The counts of memoised bits of the users of one trial, in m cohorts with k bits each.

    spread : int64[d, m], the users of each item and cohort.
    true : int64[m, k], the users whose item sets the bit.
    kept : int64[m, k], the users with memoised bit 1 whose item sets the bit.
    raised : int64[m, k], the users with memoised bit 1 whose item does not set the bit.
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
        """The sums of these counts and those of another group of users; with sign -1, the
        differences.
        """
        parts = (
            getattr(self, each.name) + sign * getattr(other, each.name) for each in fields(self)
        )
        return KeptBits(*parts)


class Memoising(LocalMechanism):
    """The base of protocols whose users memoise a perturbed answer; each report perturbs it again.

    The reports of one user are dependent, and their privacy loss together is less than the sum. By
    default the answer is a bit for each item, and all users are in one cohort.

    chain : the support probabilities of memoised answers and of reports.
    epsilon_infinity : ε∞ of any number of reports of one item, in nats; infinite if nothing bounds
    it.
    """

    chain: Any
    epsilon_infinity: Any

    @property
    def kept_probabilities(self) -> tuple[float, float]:
        """The probabilities that a memoised answer supports the user's item, and any other given
        item.
        """
        return self.chain.p1, self.chain.q1

    @abstractmethod
    def epsilon_of_rounds(self, rounds: int) -> float:
        """ε of `rounds` reports of one item, in nats; for one report, ε₁."""

    @abstractmethod
    def memoised_reports(self, values: Items, permanent: Rng, fresh: Rng) -> Reports:
        """The reports of users of these items, int64[n], in one round of several.

        Users memoise the same answers in two calls if `permanent` is in the same state.
        """

    def spread_users(self, newcomers: Counts, rng: Rng) -> Counts:  # noqa: ARG002
        """int64[d, m]: the numbers of new users by item and cohort, from int64[d] new users of each
        item.
        """
        return newcomers[:, None]

    def bit_users(self, spread: Counts) -> Counts:
        """int64[m, k]: the number of users whose item sets each bit, from int64[d, m] users by item
        and cohort.
        """
        return spread.T

    def tally_bits(self, bits: Counts, users: Counts) -> Counts:  # noqa: ARG002
        """The counts of one round, from int64[m, k] reported ones of int64[m, 1] users of each
        cohort.
        """
        return np.asarray(bits[0])

    def memoised_counts(self, rounds: Attendance) -> Iterator[Counts]:
        """Yields the genuine users' counts [trials, …] of each round, drawn from their exact
        distribution.

        If users leave, the population must have fewer than MOST_LEAVING users. In a cohort, the
        memoised ones of the users with the bit set by their item, and of the others, are two
        binomial numbers; those of users who leave are hypergeometric. Bits are independent given
        who leaves, since every user's bits are independent, and leaving does not depend on the
        bits.
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
