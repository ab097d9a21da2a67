"""Closed forms: variance, gain, expected error, privacy, the choice of a protocol.

W17: Wang, Blocki, Li, Jha, USENIX Security 2017. CJG: Cao, Jia, Gong, USENIX Security 2021.
Everything uses the protocol's own p, q (the actual integer g) and the realised share and f_T.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from .cell import Cell
from .metrics import METRICS
from .pure import PureProtocol, Support, item_variance
from .sampling import Floats


def count_variance(protocol: PureProtocol) -> float:
    """Var*/n of the estimated count of an item that nobody holds: q(1-q)/(p-q)². W17 theorem 2."""
    return float(item_variance(protocol, 1))


def frequency_std(protocol: PureProtocol, users: int, frequency: float = 0.0) -> float:
    """Standard deviation of one estimated frequency; √(Var*/n) at frequency 0."""
    return math.sqrt(item_variance(protocol, users, frequency))


def item_shift(protocol: PureProtocol, rate: float, share: float, frequency: float) -> float:
    """Expected change of one item's estimate when fakes support it with probability `rate`."""
    return share * ((rate - protocol.q) / (protocol.p - protocol.q) - frequency)


def gain(
    protocol: PureProtocol, support: Support, r: int, share: float, target_frequency: float
) -> float:
    """G = β[(S - rq)/(p - q) - f_T], S the expected targets one fake supports. CJG equation 7."""
    return r * item_shift(protocol, support.target, share, target_frequency / r)


def gain_std(
    protocol: PureProtocol,
    support: Support,
    r: int,
    users: int,
    malicious: int,
    target_frequency: float,
) -> float:
    """Standard deviation of the gain of one run, before and after from the same genuine reports.

    β² Var[Σ_T f~] + m Var(S) / ((n+m)² (p-q)²).
    """
    everyone = users + malicious
    genuine = (
        (malicious / everyone) ** 2 * protocol.target_sum_variance(r, target_frequency) / users
    )
    fake = malicious * support.variance / (everyone * (protocol.p - protocol.q)) ** 2
    return math.sqrt(genuine + fake)


def expected_estimate(cell: Cell) -> Floats:
    """Expectation of the attacked estimate: float64[d]; the true frequencies without an attack."""
    truth = cell.population.frequencies
    if cell.attack is None:
        return truth
    p, q = cell.protocol.p, cell.protocol.q
    return np.asarray(truth + cell.share * ((_fake_rates(cell) - q) / (p - q) - truth))


def attacked_variance(cell: Cell) -> Floats:
    """Variance of the attacked estimate of each item in one trial: float64[d].

    Fakes support item v independently with probability s_v, so that
    Var = [Σ_genuine support variances + m s_v (1 - s_v)] / ((n+m) (p-q))².
    """
    protocol = cell.protocol
    spread = np.asarray(item_variance(protocol, cell.users, cell.population.frequencies))
    if cell.attack is None:
        return spread
    rate, everyone = _fake_rates(cell), cell.users + cell.malicious
    fake = cell.malicious * rate * (1 - rate) / (everyone * (protocol.p - protocol.q)) ** 2
    return np.asarray((1 - cell.share) ** 2 * spread + fake)


def _fake_rates(cell: Cell) -> Floats:
    """s_v, the probability that one fake report supports item v: float64[d]."""
    assert cell.attack is not None
    law = cell.attack.support(cell.protocol, cell.targets.size)
    rate = np.full(cell.population.domain_size, law.other)
    rate[cell.targets] = law.target
    return rate


def expected_mse(cell: Cell) -> float:
    """Expected mean squared error of the attacked estimate, over the items: bias² + variance."""
    bias = expected_estimate(cell) - cell.population.frequencies
    return float((bias**2 + attacked_variance(cell)).mean())


def expected_metrics(cell: Cell) -> dict[str, float | None]:
    """The closed form of each metric of a cell; None where there is none."""
    expected: dict[str, float | None] = dict.fromkeys(METRICS)
    spread = np.asarray(item_variance(cell.protocol, cell.users, cell.population.frequencies))
    expected["mse_clean"] = float(spread.mean())
    expected["mse"] = expected_mse(cell)
    if cell.attack is not None:
        r, held = cell.targets.size, cell.target_frequency
        law = cell.attack.support(cell.protocol, r)
        gained = gain(cell.protocol, law, r, cell.share, held)
        expected["gain"] = gained
        expected["normalised_gain"] = (gained + held) / held if held > 0 else None
        expected["target_frequency"] = held + gained
        expected["target_frequency_clean"] = held
    return expected


def recommended(domain_size: int, epsilon: float) -> Literal["grr", "oue"]:
    """The protocol with the least Var*: GRR if d < 3e^ε + 2, else OUE (or OLH). W17 section 5."""
    return "grr" if domain_size < 3 * math.exp(epsilon) + 2 else "oue"


def safer_domain_size(r: int, epsilon: float) -> float:
    """OUE and OLH gain less from MGA than GRR if d exceeds this. CJG theorem 2."""
    return (2 * r - 1) * (math.exp(epsilon) - 1) + 3 * r


def epsilon_of_unary(p: float, q: float) -> float:
    """ε = ln(p(1-q) / ((1-p)q)) of a unary encoding, in nats. W17 section 4.2."""
    return math.log(p * (1 - q) / ((1 - p) * q))


def epsilon_of_direct(p: float, q: float) -> float:
    """ε = ln(p/q) of direct encoding, in nats; also of hashing with its p' and q'."""
    return math.log(p / q)
