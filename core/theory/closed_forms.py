"""The closed forms of metrics: one table by conclusion and metric, with the reasons to doubt each.

The robust metrics, of what can be concluded although reports may be fake, have a closed form if a
normal distribution is exact enough. A robust end is a function of the number of reports that
support its item. That number is about normal, and the mean of the end is a sum over nodes: exact
except for clipping at 0 and 1, and for rounding of the sum. The share that overturns the lead of
the first item is linear in the supports, and exact if the first two items are certain. The coverage
of the intervals and the proved number of fakes have no closed form: a normal distribution is not
exact enough in its tails.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Final, TypeAlias

import numpy as np

from ..attacks import Fakes, HeldItem
from ..base.sampling import Floats
from ..bounds.robust import ballot_of, robust_intervals, skewed_at
from ..cell import Cell
from ..defences import Guard
from ..defences.guard import Sender, coincidence
from ..law.moments import Moments
from ..law.support import round_to_zero
from ..metrics import METRICS, Conclusion, FrequencyConclusion
from ..metrics.conclusions.number_conclusions import MeanConclusion
from ..protocols.curators import Stability
from .defended import defended_error, defended_estimates, keeps_estimates
from .expected import arm_means, estimate_variances, expected_error
from .gains import cell_gain, fake_support, std_of_gain, target_sum_variance
from .mean_theory import (
    defended_biases,
    expected_second_moment,
    mean_biases,
    mean_square_error,
    true_mean,
)

CHI_SQUARES: Final = 200
"""The squares whose mean is skewed by less than 0.2."""


@dataclass(frozen=True)
class ClosedForm:
    """The closed form of one metric of a cell.

    expectation : the mean over trials; None without a closed form. std : the standard deviation
    over trials, at least; None if it is not known. is_skewed : whether the mean of float64[trials]
    is far from normal, or the closed form wrongly takes it to be normal.
    """

    expectation: Callable[[Cell], float | None]
    std: Callable[[Cell], float | None] = lambda _: None
    is_skewed: Callable[[Cell, Floats], bool] = lambda *_: False


# The targets.

Totals: TypeAlias = tuple[float | None, float | None, float | None]


def _totals(cell: Cell, means: Moments | None) -> Totals:
    """The targets' total before and after the attack, and the gain; None where it is not known."""
    if means is None or not cell.targets.size:
        return None, None, None
    held, after = means[0][cell.targets], means[1]
    before = float(held.sum())
    if after is None:
        return before, None, None
    reached = after[cell.targets]
    size = float(np.abs(held).sum() + np.abs(reached).sum())
    return before, float(reached.sum()), round_to_zero(float(reached.sum()) - before, size)


@lru_cache(maxsize=4)
def _target_totals(cell: Cell) -> Totals:
    """The same of the estimates without a defence; of a pure protocol the gain is linear."""
    before, after, gained = _totals(cell, arm_means(cell))
    supported = fake_support(cell) if cell.is_pure and gained is not None else None
    if supported is None:
        return before, after, gained
    gained = cell_gain(cell, supported)
    return before, cell.target_frequency + gained, gained


def _normalised_gain(cell: Cell) -> float | None:
    gained, held = _target_totals(cell)[2], cell.target_frequency
    return None if gained is None or held <= 0 else (gained + held) / held


def _total_spread(cell: Cell) -> float | None:
    """n times the variance of the targets' total before the attack; None where it is not known."""
    if not cell.is_pure or not cell.targets.size or cell.rounds:
        return None
    return target_sum_variance(cell.pure, cell.targets, cell.population.frequencies, cell.users)


def _gain_std(cell: Cell) -> float | None:
    spread, supported = _total_spread(cell), fake_support(cell)
    if spread is None or supported is None:
        return None
    return std_of_gain(cell.pure, spread, supported.variance, cell.users, cell.malicious)


def _clean_total_std(cell: Cell) -> float | None:
    spread = _total_spread(cell)
    return None if spread is None else math.sqrt(spread / cell.users)


# The error over all items.


def _error_std(cell: Cell, attacked: bool) -> float | None:
    """√(2 Σ(wσ²)²) at least, where σ² are the items' variances and w their weights in the mean.

    More where estimates are biased, depend on each other or have long tails. Bins that are
    withheld, or released, only now and then have a closed form of their own.
    """
    variances = estimate_variances(cell)
    if variances is None:
        return None
    each = variances[attacked]
    weights = cell.population.weights
    weighted = each / each.size if weights is None else each * weights
    spread = math.sqrt(2 * float((weighted**2).sum()))
    if isinstance(cell.protocol, Stability):
        reports = cell.users + cell.malicious * attacked
        bins = cell.protocol.error_spread(cell.population.histogram)
        spread = max(spread, math.sqrt(float(bins.sum())) / reports**2 / each.size)
    return spread


# The defended estimates.


def _defended_totals(cell: Cell) -> Totals:
    return _totals(cell, defended_estimates(cell))


def _recovered_part(cell: Cell) -> float | None:
    """0 where the defence changes nothing; else the mean of a ratio, which is not known."""
    kept = keeps_estimates(cell) and _defended_totals(cell)[2] is not None
    return 0.0 if kept and _target_totals(cell)[2] else None


def _collateral(cell: Cell) -> float | None:
    error, without = defended_error(cell, False), expected_error(cell, False)
    return None if error is None or without is None else round_to_zero(error - without, error)


# The share of fakes that reports asked for twice tell (LDPGuard).


@lru_cache(maxsize=4)
def _told_share(cell: Cell) -> tuple[float | None, float | None]:
    """The expectation of the estimated share, and of its standard deviation.

    Reports of fakes who are not those that the server assumes coincide with another probability,
    and the estimate is off in proportion.
    """
    step = next((each for each in cell.filters if isinstance(each, Guard)), None)
    if step is None:
        return None, None
    protocol = cell.sifted_cell.protocol
    everyone, r = cell.users + cell.malicious, cell.targets.size
    deviation = step.deviation(protocol, r, everyone)
    if math.isinf(deviation):
        return None, None
    if step.doubts(protocol, r, everyone) or not all(map(_is_uniform, cell.fakes)):
        return None, deviation
    honest, assumed = step.chances(protocol, r)
    beyond = 0.0
    for fakes in cell.fakes:
        sender = Sender(step.compared, fakes.strategy.report_law, fakes.targets.size)
        beyond += fakes.count / everyone * (honest - coincidence(protocol, sender))
    return beyond / (honest - assumed), deviation


def _is_uniform(fakes: Fakes) -> bool:
    """Return whether their law is one of those known, all targets alike."""
    strategy = fakes.strategy
    if strategy.reacts or strategy.report_law not in ("random", "honest", "crafted"):
        return False
    if not isinstance(strategy, HeldItem):
        return True
    weights = strategy.weights(fakes.targets.size)
    return weights is None or bool(np.ptp(weights) == 0)


# What is still concluded if as many reports may be fake as are.

NODES: Final = np.linspace(-8.0, 8.0, 1601)
"""The nodes of a standard normal law."""
WEIGHTS: Final = np.exp(-(NODES**2) / 2) / np.exp(-(NODES**2) / 2).sum()

CERTAIN: Final = 7.0
"""Standard deviations of two estimates together from which on their order is certain."""


def _supports(cell: Cell) -> tuple[Floats, Floats] | None:
    """The means of what reports say of each item, and their standard deviations: float64[d]."""
    if not cell.is_pure or cell.rounds:
        return None
    means, variances = arm_means(cell), estimate_variances(cell)
    if means is None or means[1] is None or variances is None:
        return None
    ballot = ballot_of(cell.pure)
    return ballot.means(means[1]), ballot.gap * np.sqrt(variances[1])


@lru_cache(maxsize=4)
def _robust_ends(cell: Cell) -> tuple[float | None, float | None]:
    supports = _supports(cell) if cell.targets.size else None
    if supports is None:
        return None, None
    protocol, reports = cell.pure, cell.users + cell.malicious
    said, spread = (each[cell.targets] for each in supports)
    means = np.clip(said + NODES[:, None] * spread, protocol.least_support, 1.0)
    low, high = robust_intervals(protocol, means, reports, cell.malicious / reports)
    return float((WEIGHTS @ low).mean()), float((WEIGHTS @ high).mean())


def _overturning_share(cell: Cell) -> float | None:
    supports = _supports(cell)
    if supports is None:
        return None
    said, spread = supports
    first = np.argsort(-said, kind="stable")[:3]
    gaps, wide = -np.diff(said[first]), spread[first]
    clear = gaps.size and (gaps > CERTAIN * (wide[:-1] + wide[1:])).all()
    return float(gaps[0] / ballot_of(cell.pure).reach) if clear else None


def _are_ends_skewed(cell: Cell, ends: Floats) -> bool:
    """True where ends are cut at 0 and 1, or few reports support an item."""
    if not cell.is_pure:
        return False
    held = cell.population.frequencies[cell.targets]
    means = cell.pure.q + (cell.pure.p - cell.pure.q) * held
    skewed = skewed_at(means, cell.users + cell.malicious)
    return bool((ends <= 0).any() or (ends >= 1).any() or skewed.any())


# The mean of numbers.


def _is_square_skewed(cell: Cell, values: Floats) -> bool:  # noqa: ARG001
    """The squared error of one number has the law of χ² with one degree: a mean of T of them has a
    skewness of √(8/T)."""
    return values.size < CHI_SQUARES


def _mean_forms(
    biases: Callable[[Cell], tuple[float, float | None] | None], end: str = ""
) -> dict[str, ClosedForm]:
    """The closed forms of the mean, its error and its shift, from both biases of a cell."""

    def error(cell: Cell, attacked: bool) -> float | None:
        pair = biases(cell)
        return None if pair is None else pair[attacked]

    def estimate(cell: Cell, attacked: bool) -> float | None:
        bias = error(cell, attacked)
        return None if bias is None else true_mean(cell) + bias

    def shift(cell: Cell) -> float | None:
        before, after = error(cell, False), error(cell, True)
        return None if before is None or after is None or not cell.attack else after - before

    rows = {f"mean_shift{end}": ClosedForm(shift)}
    for middle, attacked in (("", True), ("_clean", False)):
        rows[f"mean_estimate{middle}{end}"] = ClosedForm(partial(estimate, attacked=attacked))
        rows[f"mean_error{middle}{end}"] = ClosedForm(partial(error, attacked=attacked))
    return rows


_squared = partial(ClosedForm, is_skewed=_is_square_skewed)

CLOSED_FORMS: Final[dict[type[Conclusion], dict[str, ClosedForm]]] = {
    FrequencyConclusion: {
        "gain": ClosedForm(lambda cell: _target_totals(cell)[2], _gain_std),
        "normalised_gain": ClosedForm(_normalised_gain),
        "target_frequency": ClosedForm(lambda cell: _target_totals(cell)[1]),
        "target_frequency_clean": ClosedForm(lambda cell: _target_totals(cell)[0],
                                             _clean_total_std),
        "mse": ClosedForm(partial(expected_error, attacked=True),
                          partial(_error_std, attacked=True)),
        "mse_clean": ClosedForm(partial(expected_error, attacked=False),
                                partial(_error_std, attacked=False)),
        "gain_after": ClosedForm(lambda cell: _defended_totals(cell)[2]),
        "target_frequency_after": ClosedForm(lambda cell: _defended_totals(cell)[1]),
        "mse_after": ClosedForm(partial(defended_error, attacked=True)),
        "mse_clean_after": ClosedForm(partial(defended_error, attacked=False)),
        "recovered": ClosedForm(_recovered_part),
        "collateral": ClosedForm(_collateral),
        "share_estimate": ClosedForm(lambda cell: _told_share(cell)[0]),
        "share_estimate_std": ClosedForm(lambda cell: _told_share(cell)[1]),
        "robust_low": ClosedForm(lambda cell: _robust_ends(cell)[0], is_skewed=_are_ends_skewed),
        "robust_high": ClosedForm(lambda cell: _robust_ends(cell)[1], is_skewed=_are_ends_skewed),
        "overturning_share": ClosedForm(_overturning_share),
    },
    MeanConclusion: {
        **_mean_forms(mean_biases),
        **_mean_forms(defended_biases, "_after"),
        "mean_squared_error": _squared(partial(mean_square_error, attacked=True)),
        "mean_squared_error_clean": _squared(partial(mean_square_error, attacked=False)),
        "second_moment": ClosedForm(partial(expected_second_moment, attacked=True)),
        "second_moment_clean": ClosedForm(partial(expected_second_moment, attacked=False)),
    },
}  # fmt: skip
"""The closed forms by the class of conclusions and the name of the metric.

Distributions and heavy hitters have none: no fit is linear in the reports, and which prefixes
survive is decided level by level.
"""


def closed_form(cell: Cell, metric: str) -> ClosedForm | None:
    """The closed form of a metric of a cell; None if there is none."""
    return CLOSED_FORMS.get(cell.task.concludes, {}).get(metric)


def expected_metric(cell: Cell, metric: str) -> float | None:
    """The expectation of one metric of a cell; None without a closed form."""
    form = closed_form(cell, metric)
    return None if form is None else form.expectation(cell)


def expected_metrics(cell: Cell) -> dict[str, float | None]:
    """The expectation of each metric of a cell, by its name; None without a closed form.

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
    return {name: expected_metric(cell, name) for name in [*METRICS, *cell.metrics]}
