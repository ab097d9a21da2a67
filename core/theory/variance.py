"""The variance of a pure protocol's estimates, and the protocol with the least.

W17: Wang, Blocki, Li, Jha, USENIX Security 2017.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Final, Literal

import numpy as np

from ..base.sampling import Floats
from ..cell import Cell
from ..law.longitudinal import Memoising
from ..law.pure import PlacedItems, PureProtocol, Supporting, item_variance
from ..protocols.subset import SubsetSelection, best_size
from .gains import arriving, collection_parameters, meetings


def count_variance(protocol: Supporting) -> float:
    """Var*/n of the estimated count of an item without users: q(1-q)/(p-q)². W17 theorem 2.

    Parameters
    ----------
    protocol
        A protocol that supports items with its p and q.

    Examples
    --------
    >>> import ldptui
    >>> round(ldptui.theory.count_variance(ldptui.protocol("oue", items=16, epsilon=1.0)), 4)
    3.6827
    """
    return float(item_variance(protocol, 1))


def frequency_std(protocol: Supporting, users: int, frequency: float = 0.0) -> float:
    """Standard deviation of one estimated frequency; √(Var*/n) at frequency 0.

    Parameters
    ----------
    protocol
        A protocol that supports items with its p and q.
    users
        n, the number of reports.
    frequency
        The true frequency of the item, from 0 to 1.

    Examples
    --------
    >>> import ldptui
    >>> oue = ldptui.protocol("oue", items=16, epsilon=1.0)
    >>> round(ldptui.theory.frequency_std(oue, 10_000), 5)
    0.01919
    """
    return math.sqrt(item_variance(protocol, users, frequency))


def recommended_protocol(domain_size: int, epsilon: float) -> Literal["grr", "oue"]:
    """The protocol with the least Var*: GRR if d < 3e^ε + 2, else OUE (or OLH). W17 section 5.

    Parameters
    ----------
    domain_size
        d, the number of items.
    epsilon
        The budget, in nats.

    Examples
    --------
    >>> import ldptui
    >>> ldptui.theory.recommended_protocol(10, 1.0), ldptui.theory.recommended_protocol(11, 1.0)
    ('grr', 'oue')
    """
    return "grr" if domain_size < 3 * math.exp(epsilon) + 2 else "oue"


def exact_border(epsilon: float) -> float:
    """The domain size from which OUE has a smaller mean squared error than GRR.

    `recommended_protocol` compares Var*, the variance of an item without users. The mean over all
    items adds (1-p-q)/(d (p-q)), which is more for GRR, (d-2)/(d (e^ε - 1)), than for OUE, 1/d.
    Both are equal if d² - (2e^ε + 3) d - (e^2ε - 1) = 0 (our derivation).

    Parameters
    ----------
    epsilon
        The budget, in nats.

    Examples
    --------
    >>> import ldptui
    >>> round(ldptui.theory.exact_border(1.0), 2)
    9.14
    """
    e = math.exp(epsilon)
    half = e + 1.5
    return half + math.sqrt(half**2 + e**2 - 1)


def least_error(domain_size: int, epsilon: float) -> Literal["grr", "oue"]:
    """The protocol with the least mean squared error: GRR below `exact_border`, else OUE (or OLH).

    OLH has the error of OUE except for the rounding of its hash range.

    Parameters
    ----------
    domain_size
        d, the number of items.
    epsilon
        The budget, in nats.

    Examples
    --------
    >>> import ldptui
    >>> ldptui.theory.least_error(9, 1.0), ldptui.theory.least_error(10, 1.0)
    ('grr', 'oue')
    """
    return "grr" if domain_size < exact_border(epsilon) else "oue"


def least_of_all(domain_size: int, epsilon: float) -> PureProtocol:
    """The pure protocol with the least mean squared error: subset selection of the best size.

    A report names about w = d/(e^ε + 1) items, which is too long a report for large domains. Ye,
    Barg 2018.

    Parameters
    ----------
    domain_size
        d, the number of items.
    epsilon
        The budget, in nats.

    Examples
    --------
    >>> import ldptui
    >>> ldptui.theory.least_of_all(1024, 1.0).subset_size
    275
    """
    return SubsetSelection(domain_size, epsilon, best_size(domain_size, epsilon))


def item_variances(protocol: Supporting, users: float, frequencies: Floats) -> Floats:
    """Variance of each estimated frequency, given the true frequencies of all items: float64[d].

    Parameters
    ----------
    protocol
        A protocol that supports items with its p and q.
    users
        n, the number of reports.
    frequencies
        float64[d], the true ones.

    Examples
    --------
    >>> import numpy as np
    >>> import ldptui
    >>> grr = ldptui.protocol("grr", items=2, epsilon=1.0)
    >>> ldptui.theory.item_variances(grr, 1000, np.array([0.5, 0.5])).round(6)
    array([0.000921, 0.000921])
    """
    if isinstance(protocol, PlacedItems):
        return protocol.placed_variances(frequencies) / users
    return np.asarray(item_variance(protocol, users, frequencies))


def clean_variance(cell: Cell) -> Floats:
    """Variance of the estimate of each item before an attack, in one trial: float64[d].

    Memoised answers make it larger over several rounds. With p₁ and q₁ the probabilities that a
    memoised answer supports the user's item and another one, every user and every two rounds that
    the user takes part in add 2 p₁(1-p₁) / ((p₁-q₁) n)² to the user's item, and to every other item
    the same with q₁.

    Parameters
    ----------
    cell
        A cell of an experiment, of a pure protocol.

    Examples
    --------
    >>> import ldptui
    >>> cell = ldptui.compile("quickstart").cells[5]  # β = 0.05
    >>> round(float(ldptui.theory.clean_variance(cell).mean()), 7)
    3.69e-05
    """
    spread = item_variances(cell.pure, cell.users, cell.population.frequencies)
    met, protocol = meetings(cell), cell.protocol
    if not isinstance(protocol, Memoising) or met is None:
        return spread
    p, q = protocol.kept_probabilities
    shared = p * (1 - p) * met + q * (1 - q) * (met.sum() - met)
    return np.asarray(spread + 2 * shared / ((p - q) * cell.users) ** 2)


def attacked_variance(cell: Cell) -> Floats | None:
    """Variance of the attacked estimate of each item in one trial: float64[d]; None if not known.

    Fakes of one kind support item v independently with probability s_v, so that
    Var = [Σ_genuine support variances + Σ_kinds m s_v (1 - s_v)] / ((n+m) (p-q))².

    Parameters
    ----------
    cell
        A cell of an experiment, of a pure protocol.

    Examples
    --------
    >>> import ldptui
    >>> cell = ldptui.compile("quickstart").cells[5]  # β = 0.05
    >>> round(float(ldptui.theory.attacked_variance(cell)[40]), 7)  # a target
    3.33e-05
    """
    protocol, spread = cell.pure, clean_variance(cell)
    if any(fakes.sent < 1 for fakes in cell.fakes):
        return _with_drop_out(cell, spread)
    everyone, fake = cell.users + cell.malicious, np.zeros(spread.size)
    for count, supported in collection_parameters(cell).fakes:
        if supported is None:
            return None
        fake += count * supported.variances / (everyone * (protocol.p - protocol.q)) ** 2
    return np.asarray((1 - cell.share) ** 2 * spread + fake)


def _with_drop_out(cell: Cell, clean: Floats) -> Floats | None:
    """The attacked variance where each fake sends a report by chance: total variance, given M.

    The M of m fakes who do are any of them, so that the kinds among them vary as well.
    """
    protocol, m = cell.pure, cell.malicious
    laws = collection_parameters(cell).fakes
    known = [(count, supported) for count, supported in laws if supported is not None]
    if len(known) < len(laws) or not m:
        return None if m else clean
    mean = sum((count * law.rates for count, law in known), np.zeros(clean.size)) / m
    own = sum((count * law.variances for count, law in known), np.zeros(clean.size)) / m
    kinds = sum((count * (law.rates - mean) ** 2 for count, law in known), np.zeros(clean.size))
    senders, law = arriving(m, cell.fakes[0].sent)
    everyone = cell.users + senders
    share = senders / everyone
    spread = float(law @ (share - law @ share) ** 2)
    mixed = float(law @ (senders * (m - senders) / everyone**2)) / (m * max(m - 1, 1))
    fake = float(law @ (senders / everyone**2)) * own + mixed * kinds
    gap = protocol.p - protocol.q
    shift = (mean - protocol.q) / gap - cell.population.frequencies
    return np.asarray(
        float(law @ (cell.users / everyone) ** 2) * clean + fake / gap**2 + spread * shift**2
    )


# Intervals of all items at once, and what they tell of ranks.
#
# Normal intervals that all cover together with probability C: Šidák 1967, whatever their
# dependence, for two-sided intervals of normal estimates. Where every interval covers, an item
# whose interval lies above those of d - k others is among the k most frequent ones, so that naming
# all such items is right with probability C at least: the confidence sets of ranks of Mogstad,
# Romano, Shaikh and Wilhelm (Review of Economic Studies 2024), from simultaneous intervals of the
# values.

_NORMAL: Final = NormalDist()

TINY: Final = 1e-300
"""In the place of a standard deviation of 0."""


def simultaneous_width(items: int, confidence: float) -> float:
    """The half-width, in standard deviations, of intervals that all cover with this probability.

    Parameters
    ----------
    items
        The number of intervals.
    confidence
        The probability, between 0 and 1, that all of them cover.

    Examples
    --------
    >>> import ldptui
    >>> round(ldptui.theory.simultaneous_width(500, 0.95), 2)
    3.88
    """
    each = -math.expm1(math.log(confidence) / items)  # the chance that one interval misses
    return -_NORMAL.inv_cdf(each / 2)


def simultaneous_confidence(items: int, width: float) -> float:
    """The probability that all intervals of this half-width cover; the inverse of the width.

    Parameters
    ----------
    items
        The number of intervals.
    width
        Their half-width, in standard deviations.

    Examples
    --------
    >>> import ldptui
    >>> round(ldptui.theory.simultaneous_confidence(1, 1.96), 3)
    0.95
    """
    if width <= 0:
        return 0.0
    return math.exp(items * math.log1p(-2 * _NORMAL.cdf(-width)))


def top_confidence(estimates: Floats, deviations: Floats, k: int) -> Floats:
    """float64[d]: the confidence that each item is among the k most frequent ones.

    The largest confidence of simultaneous intervals at which the item's interval lies above those
    of d - k others; 0 if there is none. To name all items with confidence C or more is right with
    probability C.

    Parameters
    ----------
    estimates
        float64[d], unbiased.
    deviations
        float64[d], their standard deviations.
    k
        The number of items to name.

    Examples
    --------
    >>> import numpy as np
    >>> import ldptui
    >>> ldptui.theory.top_confidence(np.array([0.6, 0.3, 0.1]), np.full(3, 0.03), 1).round(3)
    array([1., 0., 0.])
    """
    d = estimates.size
    if k >= d:
        return np.ones(d)
    confidences = np.zeros(d)
    for item in np.argsort(-estimates, kind="stable")[:k].tolist():
        apart = (estimates[item] - estimates) / np.maximum(deviations[item] + deviations, TINY)
        apart[item] = np.inf
        width = float(np.partition(apart, k - 1)[k - 1])  # d - k others are at least so far below
        confidences[item] = simultaneous_confidence(d, width)
    return confidences
