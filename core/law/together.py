"""Items that one honest report supports together: the law of their number, and a test of pairs.

With S_u and S_v the support of one report for two items, own = P(both) where its user holds one of
them, other = P(both) where not, and λ = (own - other) / (p - q),

    Z = S_u S_v - λ (S_u + S_v) + 2 λ q - other

has mean 0 whichever item the user holds: p and q cancel what the user's item adds. T = Σ Z over N
independent honest reports therefore has mean 0 whatever the frequencies are, and no frequency has
to be estimated for that. Where items are supported independently, Z = (S_u - q)(S_v - q). The
variance of T is N v0 + (n_u + n_v)(v1 - v0), with n_v the users of item v, and v0 and v1 those of Z
where the user holds none or one of both.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeGuard

import numpy as np

from ..base.sampling import Counts, Floats
from .exchangeable import Exchangeable, is_exchangeable
from .exchangeable import numbers as numbers


def tells_together(protocol: object) -> TypeGuard[Exchangeable]:
    """True if the joint probabilities of one report's support of several items are known."""
    return is_exchangeable(protocol) and protocol.lists_items


@dataclass(frozen=True)
class PairLaw:
    """The joint distribution of an honest report's support of a pair of items.

    own, other : P(both are supported) where the user holds one of them, and where not.
    """

    p: float
    q: float
    own: float
    other: float

    @classmethod
    def of(cls, protocol: Exchangeable) -> PairLaw:
        """The joint distribution of a protocol's reports for a pair of items."""
        own, other = (float(numbers(protocol, 2, held)[2]) for held in (True, False))
        return cls(protocol.p, protocol.q, own, other)

    @property
    def slope(self) -> float:
        """λ, the correction of the pair's product for each item's own support."""
        return (self.own - self.other) / (self.p - self.q)

    @property
    def values(self) -> Floats:
        """float64[3]: the score Z of a pair of items for a report that supports none, one and both
        of them.
        """
        none = 2 * self.slope * self.q - self.other
        return np.array([none, none - self.slope, none - 2 * self.slope + 1])

    def moments(self, either: float, both: float) -> tuple[float, float]:
        """The mean and variance of the pair's score Z. either : E[S_u + S_v]. both : P(both)."""
        law = np.array([1 - either + both, either - 2 * both, both])
        mean = float(law @ self.values)
        return mean, float(law @ (self.values - mean) ** 2)

    @property
    def variances(self) -> tuple[float, float]:
        """(v0, v1): the variance of the pair's score Z if the user holds neither item, and if one
        of them.
        """
        nobody = self.moments(2 * self.q, self.other)[1]
        return nobody, self.moments(self.p + self.q, self.own)[1]

    def variance(self, users: float, held: Floats | float) -> Floats | float:
        """The variance of T, the sum of N honest reports' pair scores. held : n_u + n_v, the items'
        users.
        """
        nobody, holder = self.variances
        return users * nobody + held * (holder - nobody)

    def excess(self, single: Counts, together: Counts, users: int) -> Floats:
        """float64[k, k]: the statistic T of each pair of items, the excess of reports that support
        both.

        single : int64[k], the reports that support each item. together : int64[k, k], each two.
        """
        either = single[:, None] + single
        return np.asarray(together - self.slope * either + self.values[0] * users)

    def estimate_users(self, single: Counts, users: int) -> Floats:
        """float64[k]: the estimated number of users of each item, clipped to [0, N]."""
        return np.clip((single - users * self.q) / (self.p - self.q), 0, users)

    def limits(self, single: Counts | Floats, users: int, chance: float, d: int) -> Floats:
        """float64[k, k]: limits that the statistic T of any pair of d items exceeds with this
        probability at most.

        Bernstein's inequality for all d (d - 1) / 2 pairs, with 9/10 of the chance; its variance
        has the most users n_v that the counts allow, by the lower Chernoff bound
        P(C ≤ E - √(2 E L)) ≤ e^-L of all d counts C with mean E, with 1/10 of it.
        """
        log = math.log(d * (d - 1) / 2 / (0.9 * chance))
        at_most = math.log(d / (0.1 * chance))
        expected = single + at_most + np.sqrt(at_most**2 + 2 * at_most * single)
        held = np.maximum(expected - users * self.q, 0) / (self.p - self.q)
        nobody, holder = self.variances
        more = max(holder - nobody, 0.0) * np.minimum(held[:, None] + held, users)
        linear = float(self.values.max()) * log / 3
        return np.asarray(linear + np.sqrt(linear**2 + 2 * (users * nobody + more) * log))
