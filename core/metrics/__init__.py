"""The metrics: numbers of each trial, in columns by their names."""

from __future__ import annotations

from .conclusion import Conclusion, Metric
from .conclusions.frequencies import FrequencyConclusion
from .conclusions.hitters import HitterConclusion
from .measuring import (
    Measures,
    column,
    joined,
    measure,
    metrics_of,
    named,
    names_of,
    others_of,
    plain,
    unmeasured,
)
from .python import Facts, PythonMetric, columns_asked, measured_columns, measured_trials
from .ranking import in_top
from .table import METRICS
