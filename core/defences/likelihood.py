"""Frequencies that explain the counts best: maximum likelihood, and the iteration towards it.

A report supports item v with probability s_v = q + (p-q) f_v, so the count C_v is N s_v on average.
The corrections here start from the shares c_v = C_v/N = q + (p-q) f~_v.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final, Literal

import numpy as np

from ..base.ranges import Range
from ..base.sampling import Floats
from .fiad import BitFilter
from .itemsets import report_columns, users_in
from .step import Correction, Load, ServerKnowledge, TrialReports, Verdict

HALVINGS: Final = 60
"""Steps of the search for the multiplier: a bracket shrinks to 2^-60 of its width."""


def shares(frequencies: Floats, known: ServerKnowledge) -> Floats:
    """float64[trials, d]: the share of the reports that support each item, c = C/N, clipped to [0,
    1].
    """
    p, q = known.probabilities
    return np.clip(q + (p - q) * frequencies, 0.0, 1.0)


def single(known: ServerKnowledge) -> bool:
    """Whether every report supports exactly one item: p + (d-1) q = 1."""
    p, q = known.probabilities
    return abs(p + (known.domain_size - 1) * q - 1) < 1e-9


@dataclass(frozen=True)
class MaximumLikelihood(Correction):
    """A correction to the frequencies on the simplex under which the counts are most likely.

    If a report supports one item, the likelihood is GRR's, Σ_v C_v ln s_v. Otherwise the counts are
    taken as independent binomials, Σ_v C_v ln s_v + (N - C_v) ln(1 - s_v): exact for each count,
    and for all counts except for their dependence through the users' items. Kairouz, Bonawitz,
    Ramage, ICML 2016, section 4.
    """

    needs = "pure"
    kind: Literal["ml"] = "ml"

    def correct(self, frequencies: Floats, known: ServerKnowledge) -> Floats:
        """float64[trials, d]: the maximum-likelihood frequencies, by a bisection for the Lagrange
        multiplier μ of their sum, in O(60 d).

        The support probabilities s_v of all items with f_v > 0 have the same derivative μ of the
        log-likelihood, so that s_v falls as μ rises.
        """
        c, (p, q) = shares(frequencies, known), known.probabilities
        one_item = single(known)

        def of(multiplier: Floats) -> Floats:
            supported = _single(c, multiplier) if one_item else _independent(c, multiplier)
            return np.maximum((supported - q) / (p - q), 0)

        low, high = _bracket(c, p, q, one_item)
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            enough = of(middle).sum(axis=-1, keepdims=True) >= 1
            low, high = np.where(enough, middle, low), np.where(enough, high, middle)
        likeliest = of(low)
        return np.asarray(likeliest / likeliest.sum(axis=-1, keepdims=True))


def _single(c: Floats, multiplier: Floats) -> Floats:
    """The s with slope c/s = μ."""
    return c / multiplier


def _independent(c: Floats, multiplier: Floats) -> Floats:
    """The s in [0, 1] with slope c/s - (1-c)/(1-s) = μ: μs² - (1+μ)s + c = 0."""
    ends = 1 + multiplier
    root = np.sqrt(np.maximum(ends**2 - 4 * multiplier * c, 0))
    # The same root twice: each form is exact where the other one loses digits.
    rising = ends > 0
    return np.where(
        rising,
        2 * c / np.where(rising, ends + root, 1.0),
        (ends - root) / np.where(rising, 1.0, 2 * multiplier),
    )


def _bracket(c: Floats, p: float, q: float, one_item: bool) -> tuple[Floats, Floats]:
    """Multipliers under which the frequencies sum to one at least, and at most; [trials, 1] each.

    Slopes at f = 1 of the largest share, which is then alone enough, and at f = 1/d of the same,
    where none is more than its part.
    """
    top = c.max(axis=-1, keepdims=True)
    fair = q + (p - q) / c.shape[-1]
    if one_item:
        return top / p, top / fair
    return top / p - (1 - top) / (1 - p), top / fair - (1 - top) / (1 - fair)


@dataclass(frozen=True)
class BayesianUpdate(Correction):
    """A correction by iterative Bayesian update (IBU): the mean posterior of the users' items
    becomes the new prior.

    It starts from the uniform f. If a report supports one item, as GRR's, a step is that of
    expectation maximisation, f_u ← f_u Σ_v c_v P(v|u) / s_v with P(v|u) = p for v = u, else q; it
    approaches `MaximumLikelihood`. Otherwise each item is updated by itself: f_v ← f_v [c_v p/s_v +
    (1-c_v)(1-p)/(1-s_v)], scaled to the sum 1 after each step; its fixed point has one slope
    (1-f_v)(c_v/s_v - (1-c_v)/(1-s_v)) for all f_v > 0, which differs from that of
    `MaximumLikelihood` in 1-f_v alone. Agrawal, Aggarwal, PODS 2001; ElSalamouny, Palamidessi,
    EuroS&P 2020.

    iterations : a few steps smooth, as they stay near the uniform start. With many items the number
        that forgets the start is large: thousands for d = 1024 and ε = 1.
    """

    needs = "pure"
    iterations: Annotated[int, Range(1, 10**6)] = 200
    kind: Literal["ibu"] = "ibu"

    def correct(self, frequencies: Floats, known: ServerKnowledge) -> Floats:
        c, (p, q) = shares(frequencies, known), known.probabilities
        made = np.full_like(c, 1 / known.domain_size)
        if single(known):
            for _ in range(self.iterations):
                ratio = c / (q + (p - q) * made)
                made *= (p - q) * ratio + q * ratio.sum(axis=-1, keepdims=True)
                made /= made.sum(axis=-1, keepdims=True)
            return made
        for _ in range(self.iterations):
            supported = q + (p - q) * made
            made *= p * c / supported + (1 - p) * (1 - c) / (1 - supported)
            made /= made.sum(axis=-1, keepdims=True)
        return made


# Conditional probability: name the one target of an attack, and correct its estimate.
#
# Cao, Jia, Gong, "Data Poisoning Attacks to Local Differential Privacy Protocols", USENIX Security
# 2021, section 6.3.

TOP = Range(2, 2**20)


@dataclass(frozen=True)
class Conditional(BitFilter):
    """A correction that names the item whose supporters support a random other item least: the
    target, if r = 1.

    Fakes support their target and little else. Of the `top` items that most reports support, the
    item is named with the smallest share of supporters who also support the random item j. Its
    estimate becomes 1 less the sum of the others. No report is flagged.
    """

    top: Annotated[int, TOP] = 10
    kind: Literal["conditional"] = "conditional"

    def memory(self, load: Load) -> int:
        return load.items * (load.users // 8)

    def sift(self, received: TrialReports) -> Verdict:
        columns = report_columns(received.protocol, received.reports)
        support = np.array([users_in(column) for column in columns])
        other = int(received.rng.integers(len(columns)))
        order = np.argsort(-support, kind="stable")
        top = order[order != other][: self.top]
        both = np.array([users_in(columns[other] & columns[item]) for item in top])
        share = both / np.maximum(support[top], 1)
        named = top[[int(share.argmin())]]
        return Verdict(named=named)
