"""The table of metrics: numbers of each trial, in columns by their names."""

from __future__ import annotations

from typing import Final

from . import distribution, frequencies, hitters, mean, robust
from .conclusion import Metric

METRICS: Final[dict[str, Metric]] = {
    row.name: row
    for row in (
        *frequencies.METRICS,
        *hitters.METRICS,
        *frequencies.RANK_METRICS,
        *mean.METRICS,
        *robust.METRICS,
        *distribution.METRICS,
    )
}
"""The metrics by name, in the order of columns."""
