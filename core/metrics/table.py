"""The table of metrics: numbers of each trial, in columns by their names."""

from __future__ import annotations

from typing import Final

from . import distribution, frequencies, hitters, robust
from .conclusion import Metric

METRICS: Final[dict[str, Metric]] = {
    row.name: row
    for row in (
        *frequencies.METRICS,
        *hitters.METRICS,
        *frequencies.RANK_METRICS,
        *distribution.MEAN,
        *robust.METRICS,
        *distribution.METRICS,
        *distribution.METRICS_AFTER,
        *distribution.SQUARES,
    )
}
"""The metrics by name, in the order of columns."""
