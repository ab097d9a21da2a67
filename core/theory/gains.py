"""The gain of an attack: one formula in the support of its fake reports.

CJG: Cao, Jia, Gong, USENIX Security 2021.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

import numpy as np

from ..attacks import Fakes
from ..base.sampling import Counts, Floats, binomial_law
from ..cell import Cell
from ..law.law import BitLaw
from ..law.longitudinal import Memoising
from ..law.moments import Collection
from ..law.pure import Items, PlacedItems, Supporting, Total
from ..law.support import ItemSupport, Support, linear_gain
from ..protocols.attributes import SeveralAttributes
from ..protocols.rappor import Rappor


@lru_cache(maxsize=4)
def collection_parameters(cell: Cell) -> Collection:
    """The parameters of a cell's collection that closed forms need.

    Parameters
    ----------
    cell
        A cell of an experiment.

    Examples
    --------
    >>> import ldptui
    >>> collection = ldptui.theory.collection_parameters(ldptui.compile("quickstart").cells[5])
    >>> [count for count, law in collection.fakes]
    [5263]
    """
    rounds = tuple(_collect_round(part) for part in cell.rounds)
    return replace(_collect_round(cell), rounds=rounds, meetings=meetings(cell))


def meetings(cell: Cell) -> Floats | None:
    """float64[d]: see `Collection.meetings`; None without memoised answers."""
    if not isinstance(cell.protocol, Memoising) or not cell.rounds:
        return None
    met = np.zeros(cell.population.domain_size)
    earlier = np.zeros_like(met)
    for before, now in pairwise(cell.rounds):
        held = before.population.histogram
        assert now.left is not None
        earlier = (earlier + held) * (1 - now.left / np.maximum(held, 1))
        met += earlier
    return met


def _collect_round(cell: Cell) -> Collection:
    fakes = tuple((fakes.count, _law_of(cell, fakes)) for fakes in cell.fakes)
    return Collection(cell.population.histogram, fakes)


def _law_of(cell: Cell, fakes: Fakes) -> ItemSupport | BitLaw | None:
    """The law of one fake's report, as the protocol knows it; None where it is not known."""
    if not is_aim_known(cell, fakes):
        return None
    protocol = cell.protocol
    if isinstance(protocol, Rappor):
        return fakes.strategy.bits(protocol, fakes.targets)
    if isinstance(protocol, Supporting | SeveralAttributes):
        return fakes.item_support(protocol, cell.targets)
    return None


def is_aim_known(cell: Cell, fakes: Fakes) -> bool:
    """Whether the targets of these fakes are known; those of reactive fakes in round 0 only."""
    return not fakes.strategy.reacts or (cell.round == 0 and len(cell.rounds) < 2)


@lru_cache(maxsize=64)
def arriving(fakes: int, sent: float) -> tuple[Counts, Floats]:
    """The distribution of the number of fakes who send a report, each with probability `sent`."""
    return binomial_law(fakes, sent)


def sent_share(cell: Cell) -> float:
    """β if all fakes send a report, else E[M/(n + M)] over the number M who do.

    Parameters
    ----------
    cell
        A cell of an experiment.

    Examples
    --------
    >>> import ldptui
    >>> round(ldptui.theory.sent_share(ldptui.compile("quickstart").cells[5]), 4)
    0.05
    """
    sent = min((fakes.sent for fakes in cell.fakes), default=1.0)
    if sent == 1:
        return cell.share
    senders, law = arriving(cell.malicious, sent)
    return float(law @ (senders / (cell.users + senders)))


def fake_support(cell: Cell) -> ItemSupport | None:
    """The mean support of each item by one fake report; None if unknown.

    The number of fakes of each kind is fixed, so that their variances add up.

    Parameters
    ----------
    cell
        A cell of an experiment.

    Examples
    --------
    >>> import ldptui
    >>> supported = ldptui.theory.fake_support(ldptui.compile("quickstart").cells[5])
    >>> float(supported.rates[40])  # MGA on OUE sets the bit of each target
    1.0
    """
    if not isinstance(cell.protocol, Supporting) or not all(
        is_aim_known(cell, fakes) for fakes in cell.fakes
    ):
        return None
    return support_of(cell.protocol, cell.fakes, cell.targets)


def support_of(protocol: Supporting, fakes: Sequence[Fakes], counted: Items) -> ItemSupport | None:
    """The mean support of each item by one report of these fakes; None if unknown.

    Parameters
    ----------
    protocol
        A protocol that supports items with its p and q.
    fakes
        The fakes of each kind, as `cell.fakes` has them.
    counted
        int64[r], the targets whose supported number has the variance that is given.

    Examples
    --------
    >>> import ldptui
    >>> cell = ldptui.compile("quickstart").cells[5]
    >>> ldptui.theory.support_of(cell.pure, cell.fakes, cell.targets).variance
    0.0
    """
    rates, variance, malicious = np.zeros(protocol.domain_size), 0.0, sum(f.count for f in fakes)
    for group in fakes:
        supported = group.item_support(protocol, counted)
        if supported is None:
            return None
        weight = group.count / malicious if malicious else 1 / len(fakes)
        rates += weight * supported.rates
        variance += weight * supported.variance
    return ItemSupport(rates, variance)


def item_shift(protocol: Supporting, rate: float, share: float, frequency: float) -> float:
    """Expected change of one item's estimate when fakes support it with probability `rate`.

    Parameters
    ----------
    protocol
        A protocol that supports items with its p and q.
    rate
        The probability that a fake's report supports the item.
    share
        β, the share of the fakes among all users.
    frequency
        The true frequency of the item.

    Examples
    --------
    >>> import ldptui
    >>> oue = ldptui.protocol("oue", items=16, epsilon=1.0)
    >>> round(ldptui.theory.item_shift(oue, 1.0, 0.05, 0.01), 4)
    0.1577
    """
    return linear_gain(rate, 1.0, frequency, share, protocol.p, protocol.q)


def gain(
    protocol: Supporting,
    support: Support,
    r: int,
    share: float,
    target_frequency: float,
) -> float:
    """G = β[(S - rq)/(p - q) - f_T], S the targets that one fake supports. CJG equation 7.

    With a curator p = 1 and q = 0, S = r/d for RPA and 1 for RIA and MGA: G = β(S - f_T). That is
    for a release that withholds nothing; for the stability mechanism see `expected_metrics`.

    Parameters
    ----------
    protocol
        A protocol that supports items with its p and q.
    support
        The support of one fake's report; `support.target` is S/r.
    r
        The number of targets.
    share
        β, the share of the fakes among all users.
    target_frequency
        f_T, the true frequency of all targets together.

    Examples
    --------
    >>> import math
    >>> import ldptui
    >>> from ldptui.core.law.support import Support
    >>> grr = ldptui.protocol("grr", items=4, epsilon=math.log(3))
    >>> mga = Support(1.0, 0.0, 0.0, 0.0, 0.0)  # the one target, always
    >>> round(ldptui.theory.gain(grr, mga, 1, 50 / 1050, 0.1), 4)
    0.1143
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

    Parameters
    ----------
    protocol
        A protocol that supports items with its p and q.
    support
        What one fake's report supports; `support.variance` is that of the number of targets.
    r
        The number of targets.
    users
        n, the number of genuine users.
    malicious
        m, the number of fakes.
    target_frequency
        f_T, the true frequency of all targets together.

    Examples
    --------
    >>> import math
    >>> import ldptui
    >>> from ldptui.core.law.support import Support
    >>> grr = ldptui.protocol("grr", items=4, epsilon=math.log(3))
    >>> mga = Support(1.0, 0.0, 0.0, 0.0, 0.0)  # the one target, always
    >>> round(ldptui.theory.gain_std(grr, mga, 1, 1000, 50, 0.1), 5)
    0.00175
    """
    spread = protocol.total_variance(Total(r, target_frequency, users))
    return std_of_gain(protocol, spread, support.variance, users, malicious)


def std_of_gain(
    protocol: Supporting, spread: float, fake_spread: float, users: int, malicious: int
) -> float:
    """`gain_std`, from n times Var[Σ_T f~] and the variance of one fake's number of targets.

    Parameters
    ----------
    protocol
        A protocol that supports items with its p and q.
    spread
        n Var[Σ_T f~], as `target_sum_variance` has it.
    fake_spread
        The variance of the number of targets that one fake's report supports.
    users
        n, the number of genuine users.
    malicious
        m, the number of fakes.

    Examples
    --------
    >>> import math
    >>> import ldptui
    >>> grr = ldptui.protocol("grr", items=4, epsilon=math.log(3))
    >>> round(ldptui.theory.std_of_gain(grr, 1.0, 0.0, 1000, 50), 5)
    0.00151
    """
    everyone = users + malicious
    genuine = (malicious / everyone) ** 2 * spread / users
    fake = malicious * fake_spread / (everyone * (protocol.p - protocol.q)) ** 2
    return math.sqrt(genuine + fake)


def target_sum_variance(
    protocol: Supporting, targets: Items, frequencies: Floats, users: int
) -> float:
    """n times the variance of the sum of these targets' estimates.

    Parameters
    ----------
    protocol
        A protocol that supports items with its p and q.
    targets
        int64[r], the items.
    frequencies
        float64[d], the true ones.
    users
        n, the number of reports.

    Examples
    --------
    >>> import numpy as np
    >>> import ldptui
    >>> oue, even = ldptui.protocol("oue", items=4, epsilon=1.0), np.full(4, 0.25)
    >>> round(ldptui.theory.target_sum_variance(oue, np.array([0, 1]), even, 1000), 3)
    7.865
    """
    if isinstance(protocol, PlacedItems):
        return protocol.placed_sum_variance(frequencies, targets)
    return protocol.total_variance(Total(targets.size, float(frequencies[targets].sum()), users))


def cell_gain(cell: Cell, supported: ItemSupport) -> float:
    """The expected gain of a cell, from the mean support of each item by one fake report.

    Parameters
    ----------
    cell
        A cell of an experiment, of a pure protocol.
    supported
        What `fake_support` knows of the cell.

    Examples
    --------
    >>> import ldptui
    >>> cell = ldptui.compile("quickstart").cells[5]  # β = 0.05
    >>> round(ldptui.theory.cell_gain(cell, ldptui.theory.fake_support(cell)), 4)
    0.4742
    """
    share = sent_share(cell)
    return rates_gain(cell.pure, supported, cell.targets, share, cell.target_frequency)


def rates_gain(
    protocol: Supporting,
    supported: ItemSupport,
    targets: Items,
    share: float,
    target_frequency: float,
) -> float:
    """G = Σ_T β[(s_t - q)/(p - q) - f_t], s_t the probability that a fake supports t.

    Parameters
    ----------
    protocol
        A protocol that supports items with its p and q.
    supported
        `supported.rates`, float64[d], are the rates s.
    targets
        int64[r], the items.
    share
        β, the share of the fakes among all users.
    target_frequency
        f_T, the true frequency of all targets together.

    Examples
    --------
    >>> import ldptui
    >>> cell = ldptui.compile("quickstart").cells[5]  # β = 0.05
    >>> supported = ldptui.theory.fake_support(cell)
    >>> round(ldptui.theory.rates_gain(cell.pure, supported, cell.targets, 0.05, 0.00723), 4)
    0.4742
    """
    r, hit = targets.size, float(supported.rates[targets].sum())
    return r * item_shift(protocol, hit / r, share, target_frequency / r)


def safer_domain_size(r: int, epsilon: float) -> float:
    """The number of items above which OUE and OLH gain less from MGA than GRR. CJG theorem 2.

    Parameters
    ----------
    r
        The number of targets.
    epsilon
        The budget, in nats.

    Examples
    --------
    >>> import ldptui
    >>> round(ldptui.theory.safer_domain_size(1, 1.0), 2)
    4.72
    """
    return (2 * r - 1) * (math.exp(epsilon) - 1) + 3 * r
