"""The metrics: numbers of each trial, in columns by their names."""

from __future__ import annotations

from .measuring import (
    Measures,
    column,
    identified,
    joined,
    measure,
    metrics_of,
    named,
    names_of,
    others_of,
    plain,
    unmeasured,
)
from .python import Facts, PythonMetric, columns_asked, measured_trials
from .ranking import in_top
from .table import FREQUENCIES, HITTERS, METRICS, Metric, Outcome

__all__ = [
    "FREQUENCIES",
    "HITTERS",
    "METRICS",
    "Facts",
    "Measures",
    "Metric",
    "Outcome",
    "PythonMetric",
    "column",
    "columns_asked",
    "identified",
    "in_top",
    "joined",
    "measure",
    "measured_trials",
    "metrics_of",
    "named",
    "names_of",
    "others_of",
    "plain",
    "unmeasured",
]
