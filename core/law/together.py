"""The number of items that one honest report supports together, and a test of pairs of items.

S_u and S_v are the support of one report for two items; own = P(both) if its user has one of them,
other = P(both) if not; and λ = (own - other) / (p - q). Then

    Z = S_u S_v - λ (S_u + S_v) + 2 λ q - other

has mean 0 for every item of the user, since the user's item adds as much to the first term as to
the second. T = Σ Z over N independent honest reports therefore has mean 0 whatever the frequencies,
which need not be estimated. If items are supported independently, Z = (S_u - q)(S_v - q). The
variance of T is N v0 + (n_u + n_v)(v1 - v0), where n_v is the number of users of item v, and v0 and
v1 are the variances of Z if the user has neither item, and one of them.
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
    """Whether the joint probabilities of one report's support of several items are known."""
    return is_exchangeable(protocol) and protocol.lists_items


@dataclass(frozen=True)
class PairLaw:
    """The joint distribution of an honest report's support of a pair of items.

    p, q : as of a pure protocol. own, other : P(both are supported) if the user has one of the
    items, and if not.
    """

    p: float
    q: float
    own: float
    other: float

    @classmethod
    def of(cls, protocol: Exchangeable) -> PairLaw:
        """The joint distribution of a protocol's honest reports for any pair of items."""
        own, other = (float(numbers(protocol, 2, held)[2]) for held in (True, False))
        return cls(protocol.p, protocol.q, own, other)

    @property
    def slope(self) -> float:
        """λ = (own - other) / (p - q), the coefficient of S_u + S_v in the score Z."""
        return (self.own - self.other) / (self.p - self.q)

    @property
    def values(self) -> Floats:
        """float64[3]: the score Z of a pair for a report that supports neither item, one of them,
        and both.
        """
        none = 2 * self.slope * self.q - self.other
        return np.array([none, none - self.slope, none - 2 * self.slope + 1])

    def moments(self, either: float, both: float) -> tuple[float, float]:
        """The mean and variance of the pair's score Z.

        either : E[S_u + S_v]. both : P(both are supported).
        """
        law = np.array([1 - either + both, either - 2 * both, both])
        mean = float(law @ self.values)
        return mean, float(law @ (self.values - mean) ** 2)

    @property
    def variances(self) -> tuple[float, float]:
        """v0 and v1: the variance of the pair's score Z if the user has neither item, and if the
        user has one of them.
        """
        nobody = self.moments(2 * self.q, self.other)[1]
        return nobody, self.moments(self.p + self.q, self.own)[1]

    def variance(self, users: float, held: Floats | float) -> Floats | float:
        """The variance of T, the sum of the scores Z of N = `users` honest reports.

        held : n_u + n_v, the number of users of either item.
        """
        nobody, holder = self.variances
        return users * nobody + held * (holder - nobody)

    def excess(self, single: Counts, together: Counts, users: int) -> Floats:
        """float64[k, k]: the statistic T of each pair of k items, the excess of reports that
        support both.

        single : int64[k], the reports that support each item. together : int64[k, k], the reports
        that support both items of a pair.
        """
        either = single[:, None] + single
        return np.asarray(together - self.slope * either + self.values[0] * users)

    def estimate_users(self, single: Counts, users: int) -> Floats:
        """float64[k]: the estimated number of users of each item, clipped to [0, N], from support
        counts int64[k].
        """
        return np.clip((single - users * self.q) / (self.p - self.q), 0, users)

    def limits(self, single: Counts | Floats, users: int, chance: float, d: int) -> Floats:
        """float64[k, k]: limits that T of an honest collection exceeds, for any pair of d items,
        with probability `chance` at most.

        Bernstein's inequality for all d (d - 1) / 2 pairs, with 9/10 of `chance`. Its variance
        takes the largest n_v that the counts allow, by the lower Chernoff bound P(C ≤ E - √(2 E L))
        ≤ e^-L for all d counts C with mean E, with 1/10 of `chance`.
        """
        log = math.log(d * (d - 1) / 2 / (0.9 * chance))
        at_most = math.log(d / (0.1 * chance))
        expected = single + at_most + np.sqrt(at_most**2 + 2 * at_most * single)
        held = np.maximum(expected - users * self.q, 0) / (self.p - self.q)
        nobody, holder = self.variances
        more = max(holder - nobody, 0.0) * np.minimum(held[:, None] + held, users)
        linear = float(self.values.max()) * log / 3
        return np.asarray(linear + np.sqrt(linear**2 + 2 * (users * nobody + more) * log))
