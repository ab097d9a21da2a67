"""The metrics of trials as columns.

Measures are structured arrays: `measures["gain"]` is float64[trials], or float64[trials, R] over
the rounds of a campaign. NaN says that a metric is not defined, or was not measured.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

from ..base.arms import CLEAN, Arm
from ..base.sampling import Floats
from .answers import Identification
from .python import PythonMetric
from .table import FREQUENCIES, HITTERS, METRICS, Outcome

Measures: TypeAlias = np.ndarray[Any, np.dtype[np.void]]
"""A structured array with a float64 field for each of METRICS, then one for each column of code."""


def measure(outcome: Outcome, python: Sequence[PythonMetric] = ()) -> Measures:
    """All METRICS of frequencies in each trial, [trials], and those in Python.

    Raises MetricError for what somebody's code does wrong.
    """
    columns = {
        column: (metric, arm)
        for metric in python
        for column, arm in metric.columns(outcome.estimates).items()
    }
    measures = unmeasured(len(outcome.estimates[CLEAN].frequencies), others=columns)
    for name, row in METRICS.items():
        if FREQUENCIES in row.tasks and row.defined(outcome):
            measures[name] = row.function(outcome)
    for column, (metric, arm) in columns.items():
        measures[column] = metric.values(outcome, arm)
    return measures


def identified(outcome: Identification) -> Measures:
    """All METRICS of heavy hitters in each trial, [trials]."""
    measures = unmeasured(len(outcome.answers[CLEAN].survived))
    for name, metric in METRICS.items():
        known = outcome.targets.size or not metric.targets
        if HITTERS in metric.tasks and known and (outcome.claims or not metric.flags):
            measures[name] = metric.function(outcome)
    return measures


def metrics_of(arms: Iterable[Arm], task: str = FREQUENCIES) -> list[str]:
    """The names of the metrics that can be defined in a task with these arms, in order."""
    present = set(arms)
    return [
        name
        for name, metric in METRICS.items()
        if task in metric.tasks and present.issuperset(metric.arms)
    ]


# Measures as plain arrays.


def unmeasured(*shape: int, others: Iterable[str] = ()) -> Measures:
    """Measures of this shape, all of them NaN. others : the names of columns after METRICS."""
    names = (*METRICS, *others)
    return np.full((*shape, len(names)), np.nan).view(_measures_dtype(*names))[..., 0]


@lru_cache(maxsize=16)
def _measures_dtype(*names: str) -> np.dtype[np.void]:
    return np.dtype([(name, np.float64) for name in names])


def names_of(measures: Measures) -> tuple[str, ...]:
    """The names of the columns: METRICS, then those of code."""
    return measures.dtype.names or ()


def others_of(measures: Measures) -> list[str]:
    """The names of the columns of code."""
    return [name for name in names_of(measures) if name not in METRICS]


def column(measures: Measures, name: str) -> Floats:
    """float64[trials] or [trials, R]: one metric; NaN where these measures have no such column."""
    if name in names_of(measures):
        return np.asarray(measures[name])
    return np.full(measures.shape, np.nan)


def joined(parts: Sequence[Measures]) -> Measures:
    """Measures [trials] one after the other, with the columns of all of them.

    NumPy alone would compare all names for each part.
    """
    if not parts:
        return unmeasured(0)
    if any(names_of(part) != names_of(parts[0]) for part in parts):
        every = list(dict.fromkeys(name for part in parts for name in names_of(part)))
        parts = [named(every, plain(part, every)) for part in parts]
    flat = np.concatenate([np.ascontiguousarray(part).view(np.float64) for part in parts])
    return flat.view(parts[0].dtype)


def plain(measures: Measures, names: Iterable[str] | None = None) -> Floats:
    """float64[…, names]: the columns of these names, or all that there are."""
    asked = names_of(measures) if names is None else names
    return np.stack([column(measures, name) for name in asked], axis=-1)


def named(names: Sequence[str], values: Floats) -> Measures:
    """Measures from float64[…, names]."""
    others = [name for name in names if name not in METRICS]
    measures = unmeasured(*values.shape[:-1], others=others)
    for at, name in enumerate(names):
        measures[name] = values[..., at]
    return measures
