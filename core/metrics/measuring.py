"""The metrics of trials as columns.

Measures are structured arrays: `measures["gain"]` is float64[trials], or float64[trials, R] over
the rounds of a campaign. NaN means that a metric is not defined, or was not measured.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any, Final, TypeAlias

import numpy as np

from ..base.arms import Arm
from ..base.named import entries_in
from ..base.sampling import Floats
from .conclusion import Conclusion, Metric
from .conclusions.frequency_conclusion import FrequencyConclusion

# The table of metrics: numbers of each trial, in columns by their names.

METRICS: Final[dict[str, Metric]] = {
    row.name: row
    for _, rows in sorted(entries_in(f"{__package__}.conclusions", "COLUMNS"), key=itemgetter(0))
    for row in rows
}
"""The metrics by name, in the order of columns: each file says at which place its columns are."""


Measures: TypeAlias = np.ndarray[Any, np.dtype[np.void]]
"""A structured array with a float64 field for each of METRICS, then one for each column of code."""


def measure(conclusion: Conclusion, others: Mapping[str, Floats] | None = None) -> Measures:
    """The values of all metrics of a conclusion, for each trial.

    others : the columns of metrics in Python, float64[trials], by name.
    """
    columns = {} if others is None else others
    measures = empty_measures(conclusion.trials, others=columns)
    for row in _told_in(type(conclusion), frozenset(conclusion.arms), tuple(METRICS)):
        if row.is_defined(conclusion):
            measures[row.name] = row.function(conclusion)
    for name, values in columns.items():
        measures[name] = values
    return measures


@lru_cache(maxsize=64)
def _told_in(
    concluded: type[Conclusion], arms: frozenset[Arm], names: tuple[str, ...]
) -> list[Metric]:
    """The metrics of these names that conclusions of a class can tell in these arms."""
    rows = [METRICS[name] for name in names]
    return [row for row in rows if row.told_by(concluded) and arms.issuperset(row.arms)]


def metrics_of(arms: Iterable[Arm], concluded: type[Conclusion] = FrequencyConclusion) -> list[str]:
    """The names of the metrics that conclusions of a class can have in these arms, in order."""
    return [row.name for row in _told_in(concluded, frozenset(arms), tuple(METRICS))]


# Measures as plain arrays.


def empty_measures(*shape: int, others: Iterable[str] = ()) -> Measures:
    """An array of measures of this shape, all NaN.

    others : the names of columns after METRICS.
    """
    names = (*METRICS, *others)
    return np.full((*shape, len(names)), np.nan).view(_measures_dtype(*names))[..., 0]


@lru_cache(maxsize=16)
def _measures_dtype(*names: str) -> np.dtype[np.void]:
    return np.dtype([(name, np.float64) for name in names])


def names_of(measures: Measures) -> tuple[str, ...]:
    """The names of the columns: METRICS, then those of the metrics in Python."""
    return measures.dtype.names or ()


def column(measures: Measures, name: str) -> Floats:
    """float64[trials] or [trials, R]: the values of one metric; NaN if there is no such column."""
    if name in names_of(measures):
        return np.asarray(measures[name])
    return np.full(measures.shape, np.nan)


def join_measures(parts: Sequence[Measures]) -> Measures:
    """The measures of several parts, one after the other along the trials, with the columns of all
    parts.
    """
    if not parts:
        return empty_measures(0)
    if any(names_of(part) != names_of(parts[0]) for part in parts):
        every = list(dict.fromkeys(name for part in parts for name in names_of(part)))
        parts = [measures_from_columns(every, plain(part, every)) for part in parts]
    flat = np.concatenate([np.ascontiguousarray(part).view(np.float64) for part in parts])
    return flat.view(parts[0].dtype)


def plain(measures: Measures, names: Iterable[str] | None = None) -> Floats:
    """float64[…, names]: the columns with these names, or all columns if `names` is None."""
    columns = names_of(measures) if names is None else names
    return np.stack([column(measures, name) for name in columns], axis=-1)


def measures_from_columns(names: Sequence[str], values: Floats) -> Measures:
    """Measures from float64[…, names], a column for each name."""
    others = [name for name in names if name not in METRICS]
    measures = empty_measures(*values.shape[:-1], others=others)
    for at, name in enumerate(names):
        measures[name] = values[..., at]
    return measures
