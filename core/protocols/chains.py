"""Longitudinal protocols: a user memoises an answer, and adds fresh noise to it in each report.

Erlingsson, Pihur, Korolova, CCS 2014 (L-SUE is its basic form with the noise given by ε∞ and ε₁);
L-GRR, L-OSUE, L-OUE: Arcolezi, Couchot, Al Bouna, Xiao, "Improving the utility of locally
differentially private protocols for longitudinal and multidimensional frequency estimates", Digital
Communications and Networks 2022; LOLOHA: Arcolezi, Pinzón, Palamidessi, Gambs, "Frequency
estimation of evolving data under local differential privacy", EDBT 2023. The published second noise
gives ε₁ for two answers only; the calibration "tight" is solved for any number of answers.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal, TypeAlias

import numpy as np

from ..base.errors import ScenarioError, format_number, got
from ..base.ranges import EPSILON, Range
from ..base.sampling import Counts, binomial, uniform_multinomial
from ..law.longitudinal import Attendance, Chain, Memoising
from ..law.pure import Items, Reports, Rng
from .budget import Budget
from .grr import GRR
from .hashing import HASH_RANGE, HashRule, LocalHashing, hash_range_for
from .unary import IndependentBits, Unary

Calibration: TypeAlias = Literal["tight", "published"]

KEPT_EPSILON = Range(0, 2 * EPSILON.high, "(]")
"""ε∞, of which ε₁ is a part."""


@dataclass(frozen=True)
class TwoBudgets(Budget):
    """The base of `[protocol]` tables of memoising protocols: `epsilon` is ε₁ of one report,
    `limit` ε∞ of all.

    epsilon_infinity : ε∞ of all reports of one item, above ε₁; None for twice ε₁.
    """

    epsilon_infinity: Annotated[float, KEPT_EPSILON] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.epsilon_infinity is not None and self.epsilon >= self.epsilon_infinity:
            raise ScenarioError(
                f"must be below epsilon_infinity = {format_number(self.epsilon_infinity)}, "
                "as one report "
                f"tells less than all reports together, {got(self.epsilon)}",
                key="epsilon",
            )

    @property
    def limit(self) -> float:
        """ε∞, the privacy budget of any number of reports, in nats."""
        return 2 * self.epsilon if self.epsilon_infinity is None else self.epsilon_infinity


class MemoisingPair(Memoising):
    """The base of protocols whose users memoise one perturbation and add a second in each report.

    One collection is the pure protocol of both perturbations together; epsilon is ε₁.
    """

    @abstractmethod
    def keep(self, values: Items, permanent: Rng) -> Reports:
        """The answers that n users memoise, as reports without noise; values : int64[n], items."""

    @abstractmethod
    def send(self, kept: Reports, fresh: Rng) -> Reports:
        """n reports: one for each of n memoised answers."""

    def memoised_reports(self, values: Items, permanent: Rng, fresh: Rng) -> Reports:
        return self.send(self.keep(values, permanent), fresh)


class MemoisedBits(MemoisingPair, IndependentBits):
    """The base of protocols whose users memoise a perturbed bit for each item and perturb it again
    in each report.
    """

    def keep(self, values: Items, permanent: Rng) -> Reports:
        return np.asarray(
            self.chain.keep_bits(self.encode_items(values), self.domain_size, permanent)
        )

    def send(self, kept: Reports, fresh: Rng) -> Reports:
        return np.asarray(self.chain.send_bits(kept, self.domain_size, fresh))


@dataclass(frozen=True)
class Response:
    """A chain of two randomised responses over g answers, the first of which is memoised.

    answers : g. limit : ε∞, in nats. odds : c, the probability that the second response sends the
    memoised answer, divided by that of any given other answer.
    """

    answers: int
    limit: float
    odds: float

    @classmethod
    def solve_response(
        cls, answers: int, epsilon: float, limit: float, calibration: Calibration
    ) -> Response:
        """The chain whose second response gives one report ε₁ = `epsilon`, with A = e^ε∞, B = e^ε₁.

        tight: c = [B(A+g-2) - (g-1)] / (A-B): both together are randomised response of ε₁.
        published: c = (AB-1) / (A-B), the same for g = 2, too private for more answers.
        """
        kept, one = math.exp(limit), math.expm1(epsilon)
        # c - 1, so that nothing cancels where the budgets are small.
        more = kept + 1 if calibration == "published" else math.expm1(limit) + answers
        return cls(answers, limit, 1 + one * more / ((one + 1) * math.expm1(limit - epsilon)))

    @property
    def chain(self) -> Chain:
        """The probabilities of the user's answer and of any other, memoised and reported."""
        first, second = self.answers - 1 + math.exp(self.limit), self.answers - 1 + self.odds
        return Chain(math.exp(self.limit) / first, 1 / first, self.odds / second, 1 / second)

    def epsilon_of_rounds(self, rounds: int) -> float:
        """ε of t reports of one answer, in nats: exact, ln[(A cᵗ + g - 1) / (cᵗ + A + g - 2)].

        The worst case is that all t reports equal the true answer.
        """
        gone = math.exp(-rounds * math.log(self.odds))  # c^-t, so that nothing overflows
        first = math.expm1(self.limit)
        return math.log1p(first * (1 - gone) / (1 + (first + self.answers - 1) * gone))

    def send(self, kept: Items, rng: Rng) -> Items:
        """int64[n] in [0, g): one report for each of the memoised answers, int64[n]."""
        chain = self.chain
        sent = rng.integers(0, self.answers, size=kept.size)
        np.copyto(sent, kept, where=rng.random(kept.size) < chain.p2 - chain.q2)
        return sent


class MemoisedAnswer(MemoisingPair):
    """The base of protocols whose users memoise one answer of a chained randomised response."""

    family: ClassVar[str] = "chains"

    response: Response

    @property
    def epsilon_lifetime(self) -> float:
        """ε of a user who comes to hold every item: d ε∞, since each item's answer is memoised."""
        return self.domain_size * self.epsilon_infinity

    @property
    def epsilon_infinity(self) -> float:
        return self.response.limit

    @property
    def chain(self) -> Chain:
        return self.response.chain

    def epsilon_of_rounds(self, rounds: int) -> float:
        return self.response.epsilon_of_rounds(rounds)


@dataclass(frozen=True)
class ResponseChain(MemoisedAnswer, GRR):
    """L-GRR: an item perturbed by GRR is memoised, and perturbed again in every report.

    One collection is GRR; epsilon is the exact ε of the first report.
    """

    called: ClassVar[str] = "L-GRR"
    at_one_time: ClassVar[str] = GRR.family

    response: Response

    def memoised_counts(self, rounds: Attendance) -> Iterator[Counts]:
        """Yields int64[trials, d] for each round: support counts of the genuine users, with churn.

        Exact. A user memoises the true item with probability p₁ - q₁, else a uniform item,
        independent of the true one: those who leave are a random subset of the latter.
        """
        chain = self.chain
        none = np.zeros(self.domain_size, dtype=np.int64)
        own, other = np.tile(none, (rounds.trials, 1)), np.tile(none, (rounds.trials, 1))
        before, permanent = none, rounds.permanent
        for number, (histogram, gone) in enumerate(
            zip(rounds.histograms, rounds.left, strict=True)
        ):
            if gone.any():
                own, other = _without(own, other, before, gone, permanent)
            newcomers = np.broadcast_to(histogram - before + gone, own.shape)
            if newcomers.any():
                faithful = binomial(newcomers, chain.p1 - chain.q1, permanent)
                drawn = (newcomers - faithful).sum(axis=1)
                own = own + faithful
                other = other + uniform_multinomial(drawn, self.domain_size, permanent)
            before, rng, held = histogram, rounds.fresh(number), own + other
            sent = binomial(held, chain.p2 - chain.q2, rng)
            lost = held.sum(axis=1) - sent.sum(axis=1)
            yield sent + uniform_multinomial(lost, self.domain_size, rng)

    def keep(self, values: Items, permanent: Rng) -> Reports:
        return GRR(self.domain_size, self.epsilon_infinity).perturb(values, permanent)

    def send(self, kept: Reports, fresh: Rng) -> Reports:
        return self.response.send(kept, fresh)


def _without(
    own: Counts, other: Counts, users: Counts, gone: Counts, rng: Rng
) -> tuple[Counts, Counts]:
    """The users who stay where int64[d] of each item leave; arrays [trials, d].

    own : who keeps the own item, by item. other : who keeps any, by the kept one. users : int64[d].
    """
    faithful = rng.hypergeometric(own, users - own, gone)
    strangers = (gone - faithful).sum(axis=1)
    taken = np.array(
        [
            rng.multivariate_hypergeometric(row, int(some), method="marginals")
            for row, some in zip(other, strangers, strict=True)
        ]
    )
    return own - faithful, other - taken


@dataclass(frozen=True)
class HashingChain(MemoisedAnswer, LocalHashing):
    """LOLOHA: a hash function and a perturbed bucket are memoised; reports add fresh noise.

    One collection is local hashing; epsilon is the exact ε of the first report. Counts over rounds
    have the exact distribution of each item over all rounds, and of all items in each round. Left
    out is that items of one bucket rise and fall together from round to round, which changes no
    mean, variance or covariance.
    """

    called: ClassVar[str] = "LOLOHA"
    at_one_time: ClassVar[str] = LocalHashing.family

    response: Response

    @property
    def epsilon_lifetime(self) -> float:
        """ε of a user whose item changes at will: g ε∞, since each bucket's answer is memoised."""
        return self.hash_range * self.epsilon_infinity

    @property
    def chain(self) -> Chain:
        """The support probabilities of the user's item and of another item, which shares its bucket
        with probability 1/g.
        """
        return replace(self.response.chain, q1=1 / self.hash_range)

    def keep(self, values: Items, permanent: Rng) -> Reports:
        first = LocalHashing(self.domain_size, self.epsilon_infinity, self.hash_range)
        return first.perturb(values, permanent)

    def send(self, kept: Reports, fresh: Rng) -> Reports:
        reports = kept.copy()
        reports["value"] = self.response.send(kept["value"].astype(np.int64), fresh)
        return reports


@dataclass(frozen=True)
class CalibratedBudgets(TwoBudgets):
    """The two budgets of a chained randomised response, and the calibration of its fresh noise."""

    calibration: Calibration = "tight"

    def first_epsilon(self, response: Response) -> float:
        """ε of the first report, in nats."""
        return self.epsilon if self.calibration == "tight" else response.epsilon_of_rounds(1)


@dataclass(frozen=True)
class LGRRSpec(CalibratedBudgets, kind="l-grr", mechanism=ResponseChain):
    """The `[protocol]` table of L-GRR, before the domain is known."""

    def bind(self, domain_size: int) -> ResponseChain:
        response = Response.solve_response(domain_size, self.epsilon, self.limit, self.calibration)
        return ResponseChain(domain_size, self.first_epsilon(response), response)


@dataclass(frozen=True)
class LOLOHASpec(CalibratedBudgets, kind="loloha", mechanism=HashingChain):
    """The `[protocol]` table of LOLOHA; g is given, or follows from ε₁ by a rule."""

    hash_range: HashRule | Annotated[int, HASH_RANGE] = "nearest"

    def __post_init__(self) -> None:
        super().__post_init__()
        g = hash_range_for(self.epsilon, self.hash_range)
        if g not in HASH_RANGE:
            rule = f"must be {HASH_RANGE}, {got(g)} (e^ε₁ + 1); give an integer instead"
            raise ScenarioError(rule, key="hash_range")

    def bind(self, domain_size: int) -> HashingChain:
        g = hash_range_for(self.epsilon, self.hash_range)
        response = Response.solve_response(g, self.epsilon, self.limit, self.calibration)
        return HashingChain(domain_size, self.first_epsilon(response), g, response)


@dataclass(frozen=True)
class UnaryChain(MemoisedBits, Unary):
    """A unary encoding whose bits pass through two randomised responses, the first memoised.

    One collection is the unary encoding of both together: p and q are those of the chain.
    """

    called: ClassVar[str] = "longitudinal unary encoding"
    family: ClassVar[str] = "chains"
    at_one_time: ClassVar[str] = Unary.family

    epsilon_infinity: float
    chain: Chain

    @property
    def epsilon_lifetime(self) -> float:
        """ε of a user who comes to hold every item: d ε∞, since bits are memoised for each item."""
        return self.domain_size * self.epsilon_infinity

    def epsilon_of_rounds(self, rounds: int) -> float:
        return self.epsilon if rounds == 1 else self.chain.epsilon_of_rounds(rounds)


def l_sue(epsilon: float, limit: float) -> Chain:
    """The two responses of L-SUE, SUE and SUE, such that one report is SUE's of ε₁ = `epsilon`."""
    kept, both = math.tanh(limit / 4), math.tanh(epsilon / 4)
    return Chain(*_symmetric(kept), *_symmetric(both / kept))


def l_osue(epsilon: float, limit: float) -> Chain:
    """The two responses of L-OSUE, OUE and SUE, such that one report is OUE's of ε₁ = `epsilon`."""
    kept, both = math.tanh(limit / 2), math.tanh(epsilon / 2)
    return Chain(0.5, 1 / (math.exp(limit) + 1), *_symmetric(both / kept))


def l_oue(epsilon: float, limit: float) -> Chain:
    """The two responses of L-OUE: p₁ = p₂ = 1/2, and q₂ such that one report has ε₁ = `epsilon`.

    With q₁ = 1/2 - w and u = e^ε₁ - 1 the ratio p(1-q) / ((1-p)q) of the chain is e^ε₁ for the
    smaller root q₂ of u(1-q₁) q₂² / 2 - (w + u(1/4 + w)) q₂ + (4w - 3u q₁)/8 = 0 (our derivation).
    """
    other, gap, raised = 1 / (math.exp(limit) + 1), math.tanh(limit / 2) / 2, math.expm1(epsilon)
    square, linear = raised * (1 - other) / 2, gap + raised * (0.25 + gap)
    constant = (4 * gap - 3 * raised * other) / 8
    root = math.sqrt(linear**2 - 4 * square * constant)
    return Chain(0.5, other, 0.5, 2 * constant / (linear + root))


def _symmetric(gap: float) -> tuple[float, float]:
    """p and q with p + q = 1 and p - q as given."""
    return (1 + gap) / 2, (1 - gap) / 2


class _UnarySpec(TwoBudgets, mechanism=UnaryChain):
    """A unary chain before the domain is known."""

    solved: ClassVar[Callable[[float, float], Chain]]

    def bind(self, domain_size: int) -> UnaryChain:
        chain = type(self).solved(self.epsilon, self.limit)
        return UnaryChain(domain_size, self.epsilon, chain.p, self.limit, chain)


@dataclass(frozen=True)
class LSUESpec(_UnarySpec, kind="l-sue", solved=l_sue):
    """The `[protocol]` table of L-SUE, before the domain is known."""


@dataclass(frozen=True)
class LOSUESpec(_UnarySpec, kind="l-osue", solved=l_osue):
    """The `[protocol]` table of L-OSUE, before the domain is known."""


@dataclass(frozen=True)
class LOUESpec(_UnarySpec, kind="l-oue", solved=l_oue):
    """The `[protocol]` table of L-OUE, before the domain is known."""

    def __post_init__(self) -> None:
        super().__post_init__()
        # Without fresh noise on the zeros, q₂ = 0, one report costs this.
        most = math.log1p(2 * math.expm1(self.limit) / 3)
        if self.epsilon >= most:
            raise ScenarioError(
                f"must be below ln((2 e^ε∞ + 1) / 3) = {format_number(most, 6)} "
                "where epsilon_infinity = "
                f"{format_number(self.limit)}, as half of the kept ones are lost anyhow, "
                f"{got(self.epsilon)}",
                key="epsilon",
            )


SPECS = (LSUESpec, LOSUESpec, LOUESpec, LGRRSpec, LOLOHASpec)
