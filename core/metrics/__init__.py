"""The metrics: numbers of each trial, in columns by their names."""

from __future__ import annotations

from .conclusion import Conclusion, Metric
from .conclusions.frequency_conclusion import FrequencyConclusion
from .conclusions.hitters import HitterConclusion
from .measuring import (
    METRICS,
    Measures,
    column,
    empty_measures,
    join_measures,
    measure,
    measures_from_columns,
    metrics_of,
    names_of,
    plain,
)
from .python_metric import Facts, PythonMetric, columns_asked, measured_columns, measured_trials
from .ranking import in_top
