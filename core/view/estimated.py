"""The estimated frequencies of a cell's items, by arm."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from .. import theory
from ..base.arms import ATTACKED, UNDEFENDED, Arm
from ..base.sampling import Floats
from ..cell import Cell
from ..law.pure import Items
from ..metrics.results import CellResults, Moments
from ..population import Population
from ..theory.evidence import of_cell
from . import Ends, EstimateSummary, FrequencySummary

MAX_ITEMS = 4096
"""The number of items at most where not all are shown, and of targets of a cell."""

LINEAR = "mse"
"""The metric of tasks whose estimates of items are linear in reports, and are drawn again alone."""

LEADING = 10
"""The number of items, those with the largest estimates, of which intervals are told."""

CONFIDENCE = 0.95
"""The confidence of these intervals."""

LONGEST_LABEL = 64
"""Characters of an item's name."""


def frequencies(
    cell: Cell, measured: CellResults, sigmas: Mapping[Arm, Floats], most: int | None = None
) -> FrequencySummary | None:
    """The estimates of a cell, summarised; None for a task without a list of items.

    sigmas : the standard deviations of one trial's estimates, in arms with a closed form. most :
    the largest number of items to show, with short names; None for all.
    """
    arms, truth = measured.arms, cell.task.truth(cell)
    if truth is None:
        return None
    d, targets = truth.size, cell.targets
    label = cell.population.label if most is None else partial(short_label, cell.population)
    items = np.arange(d)
    if most is not None and d > most:
        # Without σ, the errors themselves say what is far from the truth.
        items = chosen_items(
            targets,
            (truth, *(moments.mean for arm, moments in arms.items() if arm.attacked)),
            tuple(
                (moments.mean - truth) / np.maximum(sigmas.get(arm, np.ones(d)), 1e-300)
                for arm, moments in arms.items()
            ),
            most,
        )
    detected = measured.detected
    return FrequencySummary(
        domain_size=d,
        items=tuple(items.tolist()),
        labels=tuple(map(label, items.tolist())),
        targets=tuple(targets[:most].tolist()),
        trials=measured.trials,
        true=tuple(truth[items].tolist()),
        arms={
            arm.name: _estimates(moments, items, sigmas.get(arm)) for arm, moments in arms.items()
        },
        detected=None if detected is None else tuple((detected[items] / measured.trials).tolist()),
        ends=_ends(cell, arms[ATTACKED].mean, truth, label) if arms and cell.has_evidence else None,
    )


def _ends(cell: Cell, mean: Floats, truth: Floats, label: Callable[[int], str]) -> Ends:
    """The intervals of one collection around the mean estimates of the largest items."""
    evidence = of_cell(cell, mean)
    order = np.argsort(-mean, kind="stable")[: LEADING + 1]
    share = cell.malicious / evidence.reports
    half = evidence.halves(CONFIDENCE)
    low, high = evidence.intervals(share, CONFIDENCE, False)
    leads = evidence.ballot.gap * -np.diff(mean[order]) / evidence.ballot.reach
    first = order[:LEADING]

    def of(column: Floats) -> tuple[float, ...]:
        return tuple(column[first].tolist())

    return Ends(
        evidence.reports, share, tuple(map(label, first.tolist())), of(truth), of(mean),
        of(mean - half), of(mean + half), of(low), of(high), (*leads.tolist(), None)[: first.size],
    )  # fmt: skip


def _estimates(moments: Moments, items: Items, sigma: Floats | None) -> EstimateSummary:
    """One arm. Without a closed form σ is the deviation over the trials, 0 before two of them."""
    mean = tuple(moments.mean[items].tolist())
    std = None if moments.std is None else tuple(moments.std[items].tolist())
    if sigma is None:
        return EstimateSummary(mean, std, std or (0.0,) * len(mean))
    return EstimateSummary(mean, std, tuple(sigma[items].tolist()))


def closed_sigmas(cell: Cell) -> dict[Arm, Floats]:
    """float64[d] by arm: the standard deviation σ of one trial's estimates, for arms with a closed
    form.
    """
    linear = LINEAR in cell.metrics and cell.task.truth(cell) is not None
    variances = theory.estimate_variances(cell) if linear else None
    if variances is None:
        return {}
    return {
        arm: np.sqrt(np.maximum(each, 0)) for arm, each in zip(UNDEFENDED, variances, strict=True)
    }


def chosen_items(
    targets: Items, levels: tuple[Floats, ...], residuals: tuple[Floats, ...], most: int
) -> Items:
    """At most `most` items of a large domain to show, ascending.

    All targets (thinned evenly if they are more than half of `most`), the items with the largest of
    each of `levels`, those with the largest |residual| of each of `residuals`, and items at even
    distances.

    Parameters
    ----------
    targets : int64[r]. levels, residuals : float64[d] each, d > most.
    """
    half, d = most // 2, levels[0].size
    if targets.size > half:
        targets = targets[evenly(targets.size, half)]
    ranked = [*levels, *(np.abs(residual) for residual in residuals)]
    share = most // 4 // len(ranked)
    largest = [np.argpartition(values, d - share)[d - share :] for values in ranked]
    chosen = np.union1d(targets, np.concatenate(largest))
    return np.union1d(chosen, evenly(d, most - chosen.size))


def evenly(size: int, count: int) -> Items:
    """int64[count]: indices spread evenly over [0, size), both ends included."""
    return np.linspace(0, size - 1, count).round().astype(np.int64)


def short_label(population: Population, item: int) -> str:
    """An item's name, shortened if it is very long."""
    label = population.label(item)
    return label if len(label) <= LONGEST_LABEL else f"{label[: LONGEST_LABEL - 1]}…"
