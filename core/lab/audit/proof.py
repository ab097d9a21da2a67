"""The privacy of a mechanism proved: every report's probability under every pair of inputs."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from ...errors import ScenarioError
from ...protocols import GRR, LocalHashing, Rappor, Unary
from ...protocols.curators import Geometric
from ...sampling import Floats

CELLS: Final = 1 << 22
"""Probabilities of a law at most: 32 MB of doubles, well under a second."""


@dataclass(frozen=True, eq=False)
class ReportLaw:
    """Pr[y | v]: float64[inputs, reports], with a name for each input and each report."""

    probabilities: Floats
    input_name: Callable[[int], str]
    report_name: Callable[[int], str]


@dataclass(frozen=True)
class Check:
    """What enumeration found.

    claimed, epsilon : as promised, and ln of the largest ratio Pr[y|first] / Pr[y|second].
    first, second, report : where it is reached; with the two probabilities.
    inputs, reports : how many there are.
    """

    claimed: float
    epsilon: float
    first: str
    second: str
    report: str
    first_probability: float
    second_probability: float
    inputs: int
    reports: int

    @property
    def holds(self) -> bool:
        """Whether no ratio exceeds e^ε, to rounding."""
        return self.epsilon <= self.claimed + 1e-9 * max(1.0, self.claimed)

    @property
    def tight(self) -> bool:
        """Whether the claim is reached."""
        return self.holds and self.epsilon >= self.claimed - 1e-9 * max(1.0, self.claimed)


def law_of(mechanism: object) -> ReportLaw | None:
    """The law of every report, where there are few enough of them; None where there are not.

    Local hashing is enumerated over all functions from items to buckets, as an ideal hash family
    draws them; RAPPOR over all cohorts and all Bloom filters; the geometric mechanism over all
    pairs of counts, those far out taken together.
    """
    match mechanism:
        case GRR():
            return _direct(mechanism)
        case Unary():
            return _unary(mechanism)
        case LocalHashing():
            return _hashing(mechanism)
        case Rappor():
            return _bloom(mechanism)
        case Geometric():
            return _geometric(mechanism)
    return None


def _direct(protocol: GRR) -> ReportLaw | None:
    d = protocol.domain_size
    if d * d > CELLS:
        return None
    law = np.full((d, d), protocol.q)
    np.fill_diagonal(law, protocol.p)
    return ReportLaw(law, _item, _item)


def _unary(protocol: Unary) -> ReportLaw | None:
    d = protocol.domain_size
    if d > 20 or d << d > CELLS:
        return None
    rates = np.full((d, d), protocol.q)
    np.fill_diagonal(rates, protocol.p)
    return ReportLaw(_independent_bits(rates), _item, lambda y: f"bits {_bits(y, d)}")


def _hashing(protocol: LocalHashing) -> ReportLaw | None:
    d, g = protocol.domain_size, protocol.hash_range
    if d * math.log(g) > 40 or d * g * g**d > CELLS:
        return None
    functions = np.indices((g,) * d).reshape(d, -1)  # [item, function]
    own = functions[:, :, None] == np.arange(g)
    other = (1 - protocol.p) / (g - 1)
    law = np.where(own, protocol.p, other).reshape(d, -1) / functions.shape[1]

    def name(y: int) -> str:
        hashed = ", ".join(str(bucket) for bucket in functions[:, y // g].tolist())
        return f"hash function ({hashed}), bucket {y % g}"

    return ReportLaw(law, _item, name)


def _bloom(protocol: Rappor) -> ReportLaw | None:
    d, k, m = protocol.domain_size, protocol.bits, protocol.cohorts
    if k > 20 or d * m << k > CELLS:
        return None
    noise, parts = protocol.noise, []
    for cohort in range(m):
        filters = protocol.encode(np.arange(d), np.full(d, cohort))
        parts.append(_independent_bits(np.where(filters, noise.q_star, noise.p_star)) / m)
    return ReportLaw(
        np.concatenate(parts, axis=1),
        _item,
        lambda y: f"cohort {y >> k}, bits {_bits(y & (1 << k) - 1, k)}",
    )


def _geometric(mechanism: Geometric) -> ReportLaw:
    """One user is in the first of two bins or in the second; or in one bin or nowhere."""
    reach = 20
    noise = np.arange(-reach, reach + 1)

    def bin_of(count: int) -> Floats:
        law = mechanism.probability(noise - count)
        # Everything beyond the ends, as geometric series.
        law[0] /= mechanism.stop
        law[-1] /= mechanism.stop
        return law

    if mechanism.neighbours == "add-remove":
        law = np.array([bin_of(1), bin_of(0)])
        return ReportLaw(law, lambda v: ("one user", "no user")[v], lambda y: f"count {y - reach}")
    law = np.array([np.outer(bin_of(a), bin_of(1 - a)).ravel() for a in (1, 0)])
    width = noise.size
    return ReportLaw(
        law,
        lambda v: ("counts 1, 0", "counts 0, 1")[v],
        lambda y: f"counts {y // width - reach}, {y % width - reach}",
    )


def _independent_bits(rates: Floats) -> Floats:
    """float64[inputs, 2^k]: the law of k independent bits, the first in the highest place."""
    law = np.ones((len(rates), 1))
    for rate in rates.T:
        law = (law[:, :, None] * np.stack([1 - rate, rate], axis=1)[:, None, :]).reshape(
            len(rates), -1
        )
    return law


def _item(item: int) -> str:
    return f"item {item}"


def _bits(number: int, width: int) -> str:
    return f"{number:0{width}b}"


def check(law: ReportLaw, claimed: float) -> Check:
    """Compare every report's probability under every pair of inputs with e^ε.

    Raises ScenarioError where a row is not a law.
    """
    chances = law.probabilities
    if (chances < 0).any() or not np.allclose(chances.sum(axis=1), 1, rtol=0, atol=1e-9):
        raise ScenarioError("must add up to 1 over the reports of each input", key="probabilities")
    high, low = chances.max(axis=0), chances.min(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(high > 0, np.log(high) - np.log(low), -math.inf)
    # Of the reports that are equally bad, to rounding, the likeliest; of the inputs, the first.
    at = int(np.where(ratio >= ratio.max() - 1e-9, high, -1.0).argmax())
    first = int((chances[:, at] >= high[at] * (1 - 1e-12)).argmax())
    second = int((chances[:, at] <= low[at] * (1 + 1e-12)).argmax())
    return Check(
        claimed,
        float(ratio[at]),
        law.input_name(first),
        law.input_name(second),
        law.report_name(at),
        float(chances[first, at]),
        float(chances[second, at]),
        *chances.shape,
    )
