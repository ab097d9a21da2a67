"""LDPGuard: two reports of every user, by which the share of fakes is estimated and their counts
subtracted.

"LDPGuard: Defenses Against Data Poisoning Attacks to Local Differential Privacy Protocols", IEEE
Transactions on Knowledge and Data Engineering 36, 2024. Both reports of a genuine user coincide
with probability P1, those of a fake of the assumed attack with P2, so that the share of users whose
reports coincide estimates the share of fakes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import singledispatch
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from ..base.errors import ScenarioError, got
from ..base.ranges import Range
from ..base.sampling import Counts, hypergeometric_law, multinomial
from ..law.exchangeable import Exchangeable
from ..law.law import Ask, LawName
from ..law.longitudinal import Memoising
from ..law.mechanism import is_a, lacking
from ..law.pure import BoolArray, Items, Mechanism, Reports, Rng
from ..protocols.grr import GRR
from ..protocols.hashing import LocalHashing
from ..protocols.unary import IndependentBits
from .step import Filter, Load, ServerKnowledge, TrialReports, Verdict

COMPARED = Range(1, 64)

NOISE = 0.25
"""The standard deviation from which β~ is only noise: two of them to either side are wider than all
shares from no fakes to fakes alone."""


@dataclass(frozen=True)
class Guard(Filter):
    """LDPGuard: a correction that estimates the share of fakes from two reports of each user and
    subtracts their counts.

    Every report has half the budget. β~ = (P1 - coinciding/N) / (P1 - P2); reports of Nβ~ fakes are
    drawn as the assumed attack makes them, and their support counts are subtracted from the
    server's. If β~ is only noise, nothing is subtracted. No report is flagged.

    assumed : the distribution of the fakes' reports that the server assumes: that of MGA
    ("crafted"),
        RIA ("honest") or RPA ("random"); it knows their targets.
    compared : the number of items, drawn at random, whose bits are compared.
    """

    asks_twice: ClassVar[bool] = True

    assumed: Literal["crafted", "honest", "random"] = "crafted"
    compared: Annotated[int, COMPARED] = 2
    kind: Literal["ldpguard"] = "ldpguard"

    def check(self, known: ServerKnowledge) -> None:
        if self.compared > known.domain_size:
            rule = f"must be at most the number of items, {known.domain_size}"
            raise ScenarioError(f"{rule}, {got(self.compared)}", key="compared")

    def reads(self, protocol: Mechanism) -> str | None:
        if is_a(protocol, Memoising):
            return "a protocol whose users keep an answer and repeat it"
        why = "whose reports of one user are not compared"
        return lacking(protocol, (GRR, IndependentBits, LocalHashing), "coincide", why)

    def memory(self, load: Load) -> int:
        return load.users

    def deviation(self, protocol: Mechanism, r: int, users: int) -> float:
        """The standard deviation of the estimated share of fakes β~ if there is no attack; infinite
        if P1 = P2.

        r : the number of targets. users : N.
        """
        honest, fake = self.chances(protocol, r)
        if math.isclose(honest, fake, rel_tol=1e-12):
            return math.inf
        deviation = math.sqrt(honest * (1 - honest) / users) / abs(honest - fake)
        # Of few enough digits that its mean over trials, which all have the same, is that number.
        return float(np.float32(deviation))

    def chances(self, protocol: Mechanism, r: int) -> tuple[float, float]:
        """(P1, P2): the probabilities that two reports of an honest and of a fake user coincide;
        equal without targets.

        r : the number of targets.
        """
        honest = coincidence(protocol, Sender(self.compared))
        if not r and self.assumed != "random":
            return honest, honest
        return honest, coincidence(protocol, Sender(self.compared, self.assumed, r))

    def doubts(self, protocol: Mechanism, r: int, users: int) -> tuple[str, ...]:
        """A warning if the estimated share of fakes β~ is lost in noise, else (). r : the number of
        targets.
        """
        deviation = self.deviation(protocol, r, users)
        if deviation < NOISE:
            return ()
        reason = (
            f"LDPGuard's estimate of the share of fakes is only noise, with a standard deviation "
            f"of {deviation:.2g} for a share between 0 and 1; nothing is taken out"
        )
        if math.isinf(deviation):
            reason = (
                "LDPGuard cannot estimate the share of fakes: their two reports coincide as often "
                "as those of genuine users; nothing is taken out"
            )
        return (reason,)

    def sift(self, received: TrialReports) -> Verdict:
        protocol, users = received.protocol, received.users
        assert received.again is not None
        r = received.targets.size
        deviation = self.deviation(protocol, r, users)
        if deviation >= NOISE:
            return Verdict(share_noise=deviation if math.isfinite(deviation) else math.nan)
        items = received.rng.choice(protocol.domain_size, self.compared, replace=False)
        pair = Twice(received.reports, received.again, items)
        coinciding = int(find_coincidences(protocol, pair).sum())
        honest, fake = self.chances(protocol, r)
        share = (honest - coinciding / users) / (honest - fake)
        fakes = 2 * round(users * min(max(share, 0.0), 1.0))
        removed = self._draw_counts(protocol, received, fakes)
        return Verdict(share=share, share_noise=deviation, removed=removed, fewer=fakes)

    def _draw_counts(self, protocol: Exchangeable, received: TrialReports, fakes: int) -> Counts:
        """int64[d]: support counts of this many reports of the assumed attack."""
        count, rng = np.array([fakes]), received.rng
        if self.assumed != "honest":
            law = protocol.find_law(Ask(self.assumed, received.targets))
            return np.asarray(law.counts(count, rng)[0])
        return np.asarray(
            protocol.sample_counts(_draw_holders(protocol, received, count, rng), rng)[0]
        )


def _draw_holders(
    protocol: Exchangeable, received: TrialReports, count: Counts, rng: Rng
) -> Counts:
    """int64[1, d]: the fakes who pretend to hold each item, a random target each."""
    held = np.zeros((1, protocol.domain_size), dtype=np.int64)
    r = received.targets.size
    held[:, received.targets] = multinomial(count, np.full(r, 1 / r), rng)
    return held


# Two reports of one user.


@dataclass(frozen=True, eq=False)
class Twice:
    """The first and second reports of n users, and int64[compared], the items on which reports of
    many bits are compared.
    """

    first: Reports
    second: Reports
    items: Items


@dataclass(frozen=True)
class Sender:
    """The kind of user who sends two reports: genuine, or fake with a distribution of reports.

    law : of a fake's reports: "random"; "honest" of one of r targets, drawn afresh for each report;
        or "crafted". None for a genuine user.
    compared : the number of items that are compared, drawn at random.
    """

    compared: int
    law: LawName | None = None
    r: int = 1


@singledispatch
def find_coincidences(protocol: Mechanism, pair: Twice) -> BoolArray:  # noqa: ARG001
    """bool[n]: whether both reports of a user coincide, on the compared items if reports have many
    bits.
    """
    return np.asarray(pair.first == pair.second)


@find_coincidences.register
def _(protocol: IndependentBits, pair: Twice) -> BoolArray:
    differ = protocol.supports_of(pair.first ^ pair.second, pair.items)
    return np.asarray(~differ.any(axis=1))


@singledispatch
def coincidence(protocol: Any, sender: Sender) -> float:
    """The probability that both reports of a user coincide."""
    r, d = sender.r, protocol.domain_size
    match sender.law:
        case "random":
            return float(1 / d)
        case "crafted":
            return 1 / r
        case None:
            return float(protocol.p**2 + (d - 1) * protocol.q**2)
    target = protocol.p / r + (1 - 1 / r) * protocol.q
    return float(r * target**2 + (d - r) * protocol.q**2)


@coincidence.register
def _(protocol: LocalHashing, sender: Sender) -> float:
    match sender.law:
        case "crafted":
            return 1.0  # the best bucket of a hash function stays the best
        case "random":
            return protocol.q
    honest = protocol.p**2 + (1 - protocol.p) ** 2 / (protocol.hash_range - 1)
    return honest if sender.law is None else honest / sender.r + (1 - 1 / sender.r) * protocol.q


@coincidence.register
def _(protocol: IndependentBits, sender: Sender) -> float:
    compared, r, d = sender.compared, sender.r, protocol.domain_size
    if sender.law == "random":
        return 0.5**compared
    if sender.law is None:
        never, _, twice = _equal_bits(protocol)
        own = compared / d
        return own * twice * never ** (compared - 1) + (1 - own) * never**compared
    each = _padding_coincidence if sender.law == "crafted" else _holder_coincidence
    hit, chance = hypergeometric_law(d, r, compared)
    return float(
        sum(p * each(protocol, r, int(j), compared) for j, p in zip(hit, chance, strict=True))
    )


def _equal_bits(protocol: IndependentBits) -> tuple[float, float, float]:
    """Probability that a bit is the same twice: of the own item never, once and twice."""
    p, q = protocol.p, protocol.q
    return q**2 + (1 - q) ** 2, p * q + (1 - p) * (1 - q), p**2 + (1 - p) ** 2


def _padding_coincidence(protocol: IndependentBits, r: int, j: int, compared: int) -> float:
    """Two crafted reports, j of the compared items being targets: the padding alone."""
    room, rest = protocol.domain_size - r, compared - j
    law = hypergeometric_law(room, rest, min(protocol.padding(r), room))
    return float(sum(p**2 / math.comb(rest, int(s)) for s, p in zip(*law, strict=True)))


def _holder_coincidence(protocol: IndependentBits, r: int, j: int, compared: int) -> float:
    """Two honest reports of a random target each, j of the compared items being targets."""
    never, once, twice = _equal_bits(protocol)
    same, apart = j / r**2, j * (j - 1) / r**2
    return (
        same * twice * never ** (compared - 1)
        + (apart * once**2 * never ** (compared - 2) if compared > 1 else 0.0)
        + 2 * j * (r - j) / r**2 * once * never ** (compared - 1)
        + (1 - j / r) ** 2 * never**compared
    )
