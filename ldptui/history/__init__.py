"""The runs that are kept: how they are recorded, shown, replayed, shared and compared."""

from __future__ import annotations

from .actions import runs
from .comparing import Difference, compare, difference, pairs
from .exporting import COLUMNS, columns, dictionary
from .listing import runs_table
from .playing import replay
from .recording import measure, record, resume

__all__ = [
    "COLUMNS",
    "Difference",
    "columns",
    "compare",
    "dictionary",
    "difference",
    "measure",
    "pairs",
    "record",
    "replay",
    "resume",
    "runs",
    "runs_table",
]
