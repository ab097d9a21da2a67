"""LDPGuard: two reports of every user, by which the share of fakes is estimated and taken out.

"LDPGuard: Defenses Against Data Poisoning Attacks to Local Differential Privacy Protocols", IEEE
Transactions on Knowledge and Data Engineering 36, 2024. Both reports of a genuine user coincide
with probability P1, those of a fake of the assumed attack with P2, so that the share of users whose
reports coincide tells the share of fakes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, cast

import numpy as np

from ..base.errors import ScenarioError, got
from ..base.ranges import Range
from ..base.sampling import Counts, multinomial
from ..law.capabilities import lacking, memoises
from ..law.pure import Mechanism, Rng, SeedSearch
from ..law.twice import AsksTwice, Sender, Twice
from .filter import Load, Received, Verdict
from .step import Known, Step

COMPARED = Range(1, 64)

NOISE = 0.25
"""The standard deviation from which β~ is only noise: two of them to either side are wider than all
shares from no fakes to fakes alone."""


@dataclass(frozen=True)
class Guard(Step):
    """Estimate the share of fakes from two reports of each user, and take their counts out.

    Every report has half the budget. β~ = (P1 - coinciding/N) / (P1 - P2); reports of Nβ~ fakes are
    drawn as the assumed attack makes them, and their support counts are taken out of the server's.
    Where β~ is only noise, nothing is. It tells no fake user.

    assumed : the fakes' reports that the server believes in, by the law of those of MGA, of RIA and
        of RPA; it knows their targets.
    compared : items whose bits are compared, drawn at random, where a report has a bit for each.
    """

    asks_twice: ClassVar[bool] = True

    assumed: Literal["crafted", "honest", "random"] = "crafted"
    compared: Annotated[int, COMPARED] = 2
    kind: Literal["ldpguard"] = "ldpguard"

    def check(self, known: Known) -> None:
        if self.compared > known.domain_size:
            rule = f"must be at most the number of items, {known.domain_size}"
            raise ScenarioError(f"{rule}, {got(self.compared)}", key="compared")

    def reads(self, protocol: Mechanism) -> str | None:
        if memoises(protocol):
            return "a protocol whose users keep an answer and repeat it"
        return lacking(protocol, "coincide", "whose reports of one user are not compared")

    def memory(self, load: Load) -> int:
        return load.users

    def deviation(self, protocol: Mechanism, r: int, users: int) -> float:
        """The standard deviation of β~ where nobody attacks; infinite where P1 = P2."""
        honest, fake = self.chances(protocol, r)
        if math.isclose(honest, fake, rel_tol=1e-12):
            return math.inf
        deviation = math.sqrt(honest * (1 - honest) / users) / abs(honest - fake)
        # Of few enough digits that its mean over trials, which all have the same, is that number.
        return float(np.float32(deviation))

    def chances(self, protocol: Mechanism, r: int) -> tuple[float, float]:
        """(P1, P2). Without targets the fakes of an attack on some are no different: P1 = P2."""
        asked = cast("AsksTwice", protocol)
        honest = asked.coincidence(Sender(self.compared))
        if not r and self.assumed != "random":
            return honest, honest
        return honest, asked.coincidence(Sender(self.compared, self.assumed, r))

    def doubts(self, protocol: Mechanism, r: int, users: int) -> str | None:
        """A sentence where β~ is only noise; None where it says something."""
        deviation = self.deviation(protocol, r, users)
        if deviation < NOISE:
            return None
        if math.isinf(deviation):
            return (
                "LDPGuard cannot estimate the share of fakes: their two reports coincide as often "
                "as those of genuine users; nothing is taken out"
            )
        return (
            f"LDPGuard's estimate of the share of fakes is only noise, with a standard deviation "
            f"of {deviation:.2g} for a share between 0 and 1; nothing is taken out"
        )

    def sift(self, received: Received) -> Verdict:
        protocol, users = cast("AsksTwice", received.protocol), received.users
        assert received.again is not None
        r = received.targets.size
        deviation = self.deviation(protocol, r, users)
        if deviation >= NOISE:
            return Verdict(share_noise=deviation if math.isfinite(deviation) else math.nan)
        items = received.rng.choice(protocol.domain_size, self.compared, replace=False)
        pair = Twice(received.reports, received.again, items)
        coinciding = int(protocol.coincide(pair).sum())
        honest, fake = self.chances(protocol, r)
        share = (honest - coinciding / users) / (honest - fake)
        fakes = 2 * round(users * min(max(share, 0.0), 1.0))
        removed = self._drawn(protocol, received, fakes)
        return Verdict(share=share, share_noise=deviation, removed=removed, fewer=fakes)

    def _drawn(self, protocol: AsksTwice, received: Received, fakes: int) -> Counts:
        """int64[d]: support counts of this many reports of the assumed attack."""
        count, targets, rng = np.array([fakes]), received.targets, received.rng
        if self.assumed == "random":
            return np.asarray(protocol.random_counts(count, rng)[0])
        if self.assumed == "crafted":
            return np.asarray(protocol.craft_counts(targets, count, SeedSearch(), rng)[0])
        return np.asarray(protocol.sample_counts(_held(protocol, received, count, rng), rng)[0])


def _held(protocol: AsksTwice, received: Received, count: Counts, rng: Rng) -> Counts:
    """int64[1, d]: the fakes who pretend to hold each item, a random target each."""
    held = np.zeros((1, protocol.domain_size), dtype=np.int64)
    r = received.targets.size
    held[:, received.targets] = multinomial(count, np.full(r, 1 / r), rng)
    return held
