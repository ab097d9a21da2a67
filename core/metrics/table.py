"""The table of metrics: numbers of each trial, in columns by their names."""

from __future__ import annotations

from operator import itemgetter
from typing import Final

from ..base.named import entries_in
from .conclusion import Metric

METRICS: Final[dict[str, Metric]] = {
    row.name: row
    for _, rows in sorted(entries_in(f"{__package__}.conclusions", "COLUMNS"), key=itemgetter(0))
    for row in rows
}
"""The metrics by name, in the order of columns: each file says at which place its columns are."""
