"""The expectations of a cell with any protocol: its estimates and their variances.

Those of a protocol with its own closed forms are the protocol's; those of a pure protocol follow
from (p, q) and from the support of the fakes' reports. Other protocols have none. For RAPPOR the
counts of bits before decoding are expected too.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ..base.sampling import Floats
from ..cell import Cell
from ..law.moments import EstimateMoments, Moments
from ..protocols.rappor import Rappor
from .gains import collection_parameters, fake_support, sent_share
from .variance import attacked_variance, clean_variance


@lru_cache(maxsize=4)
def arm_means(cell: Cell) -> Moments | None:
    """The expected estimates before and after the attack, float64[d] each; None without a closed
    form.
    """
    if isinstance(cell.protocol, EstimateMoments):
        return cell.protocol.means(collection_parameters(cell))
    if not cell.is_pure:
        return None
    truth = cell.population.frequencies
    if cell.attack is None:
        return truth, truth
    p, q = cell.pure.p, cell.pure.q
    supported = fake_support(cell)
    if supported is None:
        return truth, None
    return truth, np.asarray(truth + sent_share(cell) * ((supported.rates - q) / (p - q) - truth))


@lru_cache(maxsize=4)
def arm_variances(cell: Cell) -> Moments | None:
    """The variances of the estimates of one trial before and after the attack, float64[d] each;
    None without a closed form.
    """
    if isinstance(cell.protocol, EstimateMoments):
        return cell.protocol.variances(collection_parameters(cell))
    return (clean_variance(cell), attacked_variance(cell)) if cell.is_pure else None


def expected_estimate(cell: Cell) -> Floats | None:
    """Expectation of the attacked estimate: float64[d]; the true frequencies without an attack.

    None without a closed form, as when a lasso selects among candidates, and if the distribution of
    the fakes' reports is not known.

    Parameters
    ----------
    cell
        A cell of an experiment.

    Examples
    --------
    >>> import ldptui
    >>> cell = ldptui.compile("quickstart").cells[5]  # β = 0.05
    >>> round(float(ldptui.theory.expected_estimate(cell)[40]), 2)  # a target
    0.16
    """
    means = arm_means(cell)
    return None if means is None else means[1]


def estimate_variances(cell: Cell) -> tuple[Floats, Floats] | None:
    """Variance of each item's estimate in one trial, before and after the attack: float64[d] each.

    None without a closed form, as for Bloom filters, or if the fakes' reports have none.

    Parameters
    ----------
    cell
        A cell of an experiment.

    Examples
    --------
    >>> import ldptui
    >>> before, after = ldptui.theory.estimate_variances(ldptui.compile("quickstart").cells[5])
    >>> bool(after[40] < before[40])  # the fakes' reports of a target are all alike
    True
    """
    variances = arm_variances(cell)
    if variances is None or variances[1] is None:
        return None
    return variances[0], variances[1]


def expected_error(cell: Cell, attacked: bool) -> float | None:
    """The expected mean squared error over the items: bias² + variance; None if unknown."""
    means, variances = arm_means(cell), arm_variances(cell)
    if means is None or variances is None:
        return None
    mean, variance = means[attacked], variances[attacked]
    return None if mean is None or variance is None else mean_square(cell, mean, variance)


def mean_square(cell: Cell, estimate: Floats, variance: Floats) -> float:
    """The mean squared error over the items.

    estimate, variance : float64[d], the expectation and the variance of each item's estimate.
    """
    squares = (estimate - cell.population.frequencies) ** 2 + variance
    return float(np.average(squares, weights=cell.population.weights))


def expected_mse(cell: Cell) -> float | None:
    """Expected mean squared error of the attacked estimate, over the items: bias² + variance.

    None if the support of the fakes' reports is not known.

    Parameters
    ----------
    cell
        A cell of an experiment.

    Examples
    --------
    >>> import ldptui
    >>> round(ldptui.theory.expected_mse(ldptui.compile("quickstart").cells[5]), 5)
    0.00065
    """
    return expected_error(cell, True)


def bit_gain(cell: Cell) -> float | None:
    """The expected gain of the targets before RAPPOR's decoding; None without an attack or if
    unknown.

    Parameters
    ----------
    cell
        A cell of an experiment, of RAPPOR.

    Examples
    --------
    >>> import ldptui
    >>> ldptui.theory.bit_gain(ldptui.compile("rappor-attack").cells[0]) is None
    False
    """
    protocol = cell.protocol
    return (
        protocol.bit_gain(collection_parameters(cell), cell.targets)
        if isinstance(protocol, Rappor)
        else None
    )


def expected_bit_counts(cell: Cell) -> Floats | None:
    """float64[m, k + 1]: the expected bit counts of a trial, fakes included; None except for
    RAPPOR.

    Parameters
    ----------
    cell
        A cell of an experiment, of RAPPOR.

    Examples
    --------
    >>> import ldptui
    >>> ldptui.theory.expected_bit_counts(ldptui.compile("rappor-attack").cells[0]).ndim
    2
    """
    return (
        cell.protocol.bit_counts(collection_parameters(cell))
        if isinstance(cell.protocol, Rappor)
        else None
    )


def bit_count_variances(cell: Cell) -> Floats | None:
    """float64[m, k + 1]: the variances of the counts of `expected_bit_counts`; None except for
    RAPPOR.

    Parameters
    ----------
    cell
        A cell of an experiment, of RAPPOR.

    Examples
    --------
    >>> import ldptui
    >>> ldptui.theory.bit_count_variances(ldptui.compile("rappor-attack").cells[0]).ndim
    2
    """
    protocol = cell.protocol
    return (
        protocol.bit_count_variances(collection_parameters(cell))
        if isinstance(protocol, Rappor)
        else None
    )
