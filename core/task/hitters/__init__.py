"""The task of heavy hitters: which items are the most frequent of a domain too large to list."""

from __future__ import annotations

from .hitter_cell import HitterCell
from .hitters_task import PEM, HeavyHitters

TASKS = (HeavyHitters,)
