"""The reasons for which trials cannot be compared with a closed form by their standard error.

If trials differ by rounding alone, or by far less than the closed form expects, the standard
error over the trials is not that of the mean, and a z computed from it means nothing.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import numpy as np

from ..base.summary import Estimate
from ..cell import Cell
from ..metrics import METRICS, Measures, column
from ..metrics.results import CellResults, estimate_of, mean_of
from .closed_forms import closed_form

ROUNDINGS: Final = 8
"""Roundings of one estimate and of what is made of it, each of one part in 2^52."""

UNLIKELY: Final = 4.265
"""Normal deviations of one side that are exceeded once in 10^5 times."""

LEAST_TRIALS: Final = 5
"""Fewer trials may lie close together by chance."""


def compare_with_theory(
    cell: Cell, measured: CellResults, metric: str, theory: Mapping[str, float | None]
) -> Estimate:
    """A metric over the trials with its closed form, and the reason why its z may mislead.

    Parameters
    ----------
    cell
        The cell that was measured.
    measured
        The results of its trials.
    metric
        The name of the metric.
    theory
        The closed forms by the names of the metrics, as `expected_metrics` has them.

    Examples
    --------
    >>> import ldptui
    >>> results = ldptui.run("survey")
    >>> cell, measured = results.cells[4], results.measured.cells[4]
    >>> expected = ldptui.theory.expected_metrics(cell)
    >>> abs(ldptui.theory.compare_with_theory(cell, measured, "gain", expected).z) < 6
    True
    """
    estimate = estimate_of(column(measured.metrics, metric), theory.get(metric))
    return annotate_estimate(cell, measured.metrics, metric, estimate)


def normal_score(z: float, trials: int) -> float:
    """The standard normal |z| with the tail probability of this t statistic of a mean of trials.

    Such a z follows Student's t with trials - 1 degrees of freedom: 71 at 2 trials is 2.6. At most
    37.5, as a double holds no smaller tail.

    Parameters
    ----------
    z
        The difference in standard errors.
    trials
        The number of trials, at least 2.

    Examples
    --------
    >>> import ldptui
    >>> round(ldptui.theory.normal_score(71.0, 2), 1)
    2.6
    """
    from scipy.special import ndtri, stdtr

    tail = max(float(stdtr(trials - 1, -abs(z))), sys.float_info.min)
    return float(-ndtri(tail))


def annotate_estimate(cell: Cell, measures: Measures, metric: str, estimate: Estimate) -> Estimate:
    """An estimate over the trials of a cell, with the reason, if any, why its z may mislead.

    If trials differ by rounding alone, the standard error is 0, and a mean within rounding of 0 is
    0. A normalised gain is doubted like the gain that it is computed from.

    Parameters
    ----------
    cell
        The cell that was measured.
    measures
        A structured array with a row for each trial.
    metric
        The name of the metric.
    estimate
        Its mean, standard error and closed form.

    Examples
    --------
    >>> import ldptui
    >>> results = ldptui.run("survey")
    >>> cell, measures = results.cells[4], results.measured.cells[4].metrics
    >>> estimate = results.estimate("gain", 4)
    >>> ldptui.theory.annotate_estimate(cell, measures, "gain", estimate).doubt is None
    True
    """
    if estimate.mean is None or estimate.standard_error is None:
        return estimate
    mean, error, theory = estimate.mean, estimate.standard_error, estimate.theory
    if metric == "normalised_gain":
        metric, held = "gain", float(cell.population.frequencies[cell.targets].sum())
        mean, error = (mean - 1) * held, error * held
        theory = None if theory is None else (theory - 1) * held
    trials, rounding = len(measures), _rounding(cell, measures, metric)
    spread = error * math.sqrt(trials)
    if spread <= rounding and np.ptp(column(measures, metric)):
        estimate = replace(estimate, standard_error=0.0)
        if theory is None:
            return replace(estimate, mean=0.0) if abs(mean) <= rounding else estimate
        if abs(mean - theory) <= rounding:
            exact = estimate.mean if estimate.theory else 0.0
            estimate = replace(estimate, mean=exact, doubt="rounding")
    if theory is None:
        return estimate
    form = closed_form(cell, metric)
    if estimate.doubt or form is None:
        return estimate
    expected = form.std(cell) if trials >= LEAST_TRIALS else None
    if expected is not None and spread < _far_below(trials) * expected:
        return replace(estimate, doubt="rare")
    if form.is_skewed(cell, column(measures, metric)):
        return replace(estimate, doubt="skewed")
    return estimate


def _far_below(trials: int) -> float:
    """Trials that spread by less than this share of what is expected have missed rare events.

    Where the measures are about normal, they do so once in 10^5 runs: χ² of trials - 1 degrees of
    freedom by Wilson and Hilferty's cube, and of few trials, where that fails, 0.05.
    """
    part = 2 / (9 * (trials - 1))
    cube = max(0.0, 1 - part - UNLIKELY * math.sqrt(part))
    return max(0.05, math.sqrt(cube) ** 3)


def _rounding(cell: Cell, measures: Measures, metric: str) -> float:
    """The error of a metric by rounding: of a sum over the targets, or of a mean square.

    That of the collateral is of the mean square from which the other one is taken away; that of
    the removed share is of the gains by whose least it is divided. 0 for a metric of code.
    """
    if metric not in METRICS:
        return 0.0
    error = mean_of(measures["max_error"]) or 0.0
    rounding = ROUNDINGS * np.finfo(float).eps * (1 + error)
    if METRICS[metric].targets:
        least = np.abs(measures["gain"]).min() if metric == "recovered" else 1.0
        return float(rounding * cell.targets.size / least) if least else 0.0
    square = "mse_clean" if metric == "collateral" else metric
    return float(rounding * math.sqrt(abs(mean_of(measures[square]) or 0.0)))
