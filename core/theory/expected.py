"""The expectations of a cell, whatever its protocol: its estimate, the variances, its metrics.

A protocol that has closed forms of its own is asked for them; those of a pure one follow from its
(p, q) and from what the fakes support. Others have none. Where reports are bits that do not stand
for items, the counts before they are decoded are expected too.

What is still concluded if as many reports may be fake as are has a closed form where a normal law
is exact enough. A robust end is a function of how many reports support its item. That number is
about normal, and the mean of the end over it is a sum over nodes: exact but for what is cut off at
0 and 1, and for rounding of the sum. The share that overturns the lead of the first item is linear
in the supports, and exact where nobody doubts who the first two are. How often all of an interval's
two ends hold, and how many fakes a test proves, have no closed form: a normal law is not exact
enough in its tails.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Final

import numpy as np

from ..attacks import Fakes, HeldItem
from ..base.sampling import Floats
from ..bounds.robust import ballot_of, robust_intervals
from ..cell import Cell
from ..defences import Guard
from ..defences.guard import Sender, coincidence
from ..law.moments import EstimateMoments, Moments
from ..law.support import round_to_zero
from ..metrics import METRICS
from ..protocols.rappor import Rappor
from .defended import defended_metrics
from .gains import cell_gain, collection_parameters, fake_support, sent_share
from .variance import attacked_variance, clean_variance


@lru_cache(maxsize=4)
def _means(cell: Cell) -> Moments | None:
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
def _variances(cell: Cell) -> Moments | None:
    if isinstance(cell.protocol, EstimateMoments):
        return cell.protocol.variances(collection_parameters(cell))
    return (clean_variance(cell), attacked_variance(cell)) if cell.is_pure else None


def expected_estimate(cell: Cell) -> Floats | None:
    """Expectation of the attacked estimate: float64[d]; the true frequencies without an attack.

    None where there is no closed form, as where a lasso selects among candidates, and
    where it is not known what the fakes send.

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
    means = _means(cell)
    return None if means is None else means[1]


def estimate_variances(cell: Cell) -> tuple[Floats, Floats] | None:
    """Variance of each item's estimate in one trial, before and after the attack: float64[d] each.

    None where there is no closed form, as for Bloom filters, or none of the fakes' reports.

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
    variances = _variances(cell)
    if variances is None or variances[1] is None:
        return None
    return variances[0], variances[1]


def expected_mse(cell: Cell) -> float | None:
    """Expected mean squared error of the attacked estimate, over the items: bias² + variance.

    None where it is not known what the fakes support.

    Parameters
    ----------
    cell
        A cell of an experiment, of a pure protocol.

    Examples
    --------
    >>> import ldptui
    >>> round(ldptui.theory.expected_mse(ldptui.compile("quickstart").cells[5]), 5)
    0.00065
    """
    estimate, variance = expected_estimate(cell), attacked_variance(cell)
    if estimate is None or variance is None:
        return None
    return _mean_square(cell, estimate, variance)


def _mean_square(cell: Cell, estimate: Floats, variance: Floats) -> float:
    """The mean squared error over the items: bias² + variance."""
    return float(((estimate - cell.population.frequencies) ** 2 + variance).mean())


ROBUST: Final = ("robust_low", "robust_high", "overturning_share")
"""The metrics of what is still concluded, whose means are sums over nodes and take most time."""


def expected_metrics(cell: Cell) -> dict[str, float | None]:
    """The closed form of each metric of a cell, by its name; None where there is none.

    Parameters
    ----------
    cell
        A cell of an experiment.

    Examples
    --------
    >>> import ldptui
    >>> expected = ldptui.theory.expected_metrics(ldptui.compile("quickstart").cells[5])
    >>> round(expected["gain"], 4), expected["gain_after"]
    (0.4742, None)
    """
    return _expect_metrics(cell, robust=True)


def expected_metric(metric: str, cell: Cell) -> float | None:
    """The closed form of one metric of a cell; None where there is none."""
    return _expect_metrics(cell, robust=metric in ROBUST)[metric]


def _expect_metrics(cell: Cell, *, robust: bool) -> dict[str, float | None]:
    expected = dict.fromkeys([*METRICS, *cell.metrics]) | _undefended_metrics(cell, robust)
    expected |= defended_metrics(
        cell, expected, _means(cell.sifted_cell), _variances(cell.sifted_cell)
    )
    return expected | asked_metrics(cell)


def _undefended_metrics(cell: Cell, robust: bool) -> dict[str, float | None]:
    """The closed forms of the metrics that no defence touches."""
    if not cell.is_pure:
        return _metrics_of_estimates(cell)
    expected: dict[str, float | None] = {}
    expected["mse_clean"] = float(clean_variance(cell).mean())
    expected["mse"] = expected_mse(cell)
    supported = fake_support(cell) if cell.targets.size else None
    if supported is not None:
        gained = cell_gain(cell, supported)
        expected |= _promotion(cell, gained, cell.target_frequency + gained)
    if cell.targets.size:
        expected["target_frequency_clean"] = cell.target_frequency
    if not robust or cell.rounds:
        return expected
    estimate, variances = expected_estimate(cell), estimate_variances(cell)
    if estimate is not None and variances is not None:
        expected |= robust_metrics(cell, estimate, variances[1])
    return expected


def _promotion(cell: Cell, gained: float, reached: float) -> dict[str, float | None]:
    """The metrics of targets that gain `gained`, up to the estimate `reached`."""
    held = cell.target_frequency
    return {
        "gain": gained,
        "normalised_gain": (gained + held) / held if held > 0 else None,
        "target_frequency": reached,
    }


def _metrics_of_estimates(cell: Cell) -> dict[str, float | None]:
    """The closed forms of the metrics, from those of the estimates, which may be biased."""
    means, variances = _means(cell), _variances(cell)
    if means is None:
        return {}
    expected: dict[str, float | None] = {}
    clean, attacked = means
    if variances is not None:
        expected["mse_clean"] = _mean_square(cell, clean, variances[0])
        if attacked is not None and variances[1] is not None:
            expected["mse"] = _mean_square(cell, attacked, variances[1])
    if cell.targets.size:
        before = float(clean[cell.targets].sum())
        expected["target_frequency_clean"] = before
        if attacked is not None:
            reached = float(attacked[cell.targets].sum())
            size = float(np.abs(clean[cell.targets]).sum() + np.abs(attacked[cell.targets]).sum())
            expected |= _promotion(cell, round_to_zero(reached - before, size), reached)
    return expected


def bit_gain(cell: Cell) -> float | None:
    """The gain of the targets before decoding; None as well without an attack.

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
    """The expected counts of a trial, fakes included, of the shape that the protocol counts.

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
    """The variances of the counts that `expected_bit_counts` expects, of the same shape.

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


def asked_metrics(cell: Cell) -> dict[str, float | None]:
    """The closed forms of such a cell; none where it is another one.

    Reports of fakes who are not those that the server assumes coincide with another probability,
    and the estimate is off in proportion.
    """
    step = next((each for each in cell.filters if isinstance(each, Guard)), None)
    if step is None:
        return {}
    protocol = cell.sifted_cell.protocol
    everyone, r = cell.users + cell.malicious, cell.targets.size
    deviation = step.deviation(protocol, r, everyone)
    metrics: dict[str, float | None] = {"share_estimate_std": deviation}
    if math.isinf(deviation):
        return {}
    if step.doubts(protocol, r, everyone):
        return metrics
    honest, assumed = step.chances(protocol, r)
    beyond = 0.0
    for fakes in cell.fakes:
        if not _uniform(fakes):
            return metrics
        law = fakes.strategy.report_law
        coincide = coincidence(protocol, Sender(step.compared, law, fakes.targets.size))
        beyond += fakes.count / everyone * (honest - coincide)
    return metrics | {"share_estimate": beyond / (honest - assumed)}


def _uniform(fakes: Fakes) -> bool:
    """Return whether their law is one of those known, all targets alike."""
    strategy = fakes.strategy
    if strategy.reacts or strategy.report_law not in ("random", "honest", "crafted"):
        return False
    if not isinstance(strategy, HeldItem):
        return True
    weights = strategy.weights(fakes.targets.size)
    return weights is None or bool(np.ptp(weights) == 0)


NODES: Final = np.linspace(-8.0, 8.0, 1601)
"""The nodes of a standard normal law."""
WEIGHTS: Final = np.exp(-(NODES**2) / 2) / np.exp(-(NODES**2) / 2).sum()

CERTAIN: Final = 7.0
"""Standard deviations of two estimates together from which on their order is certain."""


def robust_metrics(cell: Cell, estimates: Floats, variances: Floats) -> dict[str, float | None]:
    """The closed forms of `ROBUST` of a pure protocol.

    estimates, variances : float64[d], of the attacked estimates.
    """
    protocol = cell.pure
    ballot, reports = ballot_of(protocol), cell.users + cell.malicious
    said, spread = ballot.means(estimates), ballot.gap * np.sqrt(variances)
    expected: dict[str, float | None] = {}
    if cell.targets.size:
        at = cell.targets
        means = np.clip(said[at] + NODES[:, None] * spread[at], protocol.least_support, 1.0)
        ends = robust_intervals(protocol, means, reports, cell.malicious / reports)
        low, high = (float((WEIGHTS @ end).mean()) for end in ends)
        expected |= {"robust_low": low, "robust_high": high}
    first = np.argsort(-said, kind="stable")[:3]
    gaps, wide = -np.diff(said[first]), spread[first]
    if (gaps > CERTAIN * (wide[:-1] + wide[1:])).all() and gaps.size:
        expected["overturning_share"] = float(gaps[0] / ballot.reach)
    return expected
