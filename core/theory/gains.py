"""The gain of an attack: one formula in the support of its fake reports.

CJG: Cao, Jia, Gong, USENIX Security 2021.
"""

from __future__ import annotations

import math
from typing import Final

from ..base.sampling import Floats
from ..cell import Cell
from ..law.capabilities import places
from ..law.pure import Items, Supporting, Total
from ..law.support import ItemSupport, Support
from .support import sent_share

CANCELLED: Final = 1e-12
"""A difference that is smaller than this share of what it is made of is rounding."""


def cancelled(difference: float, size: float) -> float:
    """A difference of terms of this size together: 0 where it is rounding, and never -0."""
    return difference + 0.0 if abs(difference) > CANCELLED * size else 0.0


def item_shift(protocol: Supporting, rate: float, share: float, frequency: float) -> float:
    """Expected change of one item's estimate when fakes support it with probability `rate`."""
    p, q = protocol.p, protocol.q
    shift = share * ((rate - q) / (p - q) - frequency)
    return cancelled(shift, share * ((rate + q) / (p - q) + frequency))


def gain(
    protocol: Supporting,
    support: Support,
    r: int,
    share: float,
    target_frequency: float,
) -> float:
    """G = β[(S - rq)/(p - q) - f_T], S the expected targets one fake supports. CJG equation 7.

    With a curator p = 1 and q = 0, S = r/d for RPA and 1 for RIA and MGA: G = β(S - f_T). That is
    of a release that withholds nothing; of the stability mechanism see `expected_metrics`.
    """
    return r * item_shift(protocol, support.target, share, target_frequency / r)


def gain_std(
    protocol: Supporting,
    support: Support | ItemSupport,
    r: int,
    users: int,
    malicious: int,
    target_frequency: float,
) -> float:
    """Standard deviation of the gain of one run, before and after from the same genuine reports.

    β² Var[Σ_T f~] + m Var(S) / ((n+m)² (p-q)²); the two releases of a curator share their noise.
    """
    spread = protocol.total_variance(Total(r, target_frequency, users))
    return std_of_gain(protocol, spread, support.variance, users, malicious)


def std_of_gain(
    protocol: Supporting, spread: float, fake_spread: float, users: int, malicious: int
) -> float:
    """`gain_std`, from n times Var[Σ_T f~] and the variance of one fake's number of targets."""
    everyone = users + malicious
    genuine = (malicious / everyone) ** 2 * spread / users
    fake = malicious * fake_spread / (everyone * (protocol.p - protocol.q)) ** 2
    return math.sqrt(genuine + fake)


def target_sum_variance(
    protocol: Supporting, targets: Items, frequencies: Floats, users: int
) -> float:
    """n times the variance of the sum of these targets' estimates, at true frequencies [d]."""
    if places(protocol):
        return protocol.placed_sum_variance(frequencies, targets)
    return protocol.total_variance(Total(targets.size, float(frequencies[targets].sum()), users))


def cell_gain(cell: Cell, supported: ItemSupport) -> float:
    """G of a cell, from what one of its fakes supports on average."""
    share = sent_share(cell)
    return rates_gain(cell.pure, supported, cell.targets, share, cell.target_frequency)


def rates_gain(
    protocol: Supporting,
    supported: ItemSupport,
    targets: Items,
    share: float,
    target_frequency: float,
) -> float:
    """G = Σ_T β[(s_t - q)/(p - q) - f_t], from the rate at which a fake supports each item."""
    r, hit = targets.size, float(supported.rates[targets].sum())
    return r * item_shift(protocol, hit / r, share, target_frequency / r)


def safer_domain_size(r: int, epsilon: float) -> float:
    """OUE and OLH gain less from MGA than GRR if d exceeds this. CJG theorem 2."""
    return (2 * r - 1) * (math.exp(epsilon) - 1) + 3 * r
