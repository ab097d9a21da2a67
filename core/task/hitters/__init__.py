"""The task of heavy hitters: which items are the most frequent of a domain too large to list."""

from __future__ import annotations

from .hitters_task import PEM, HeavyHitters
from .hunt import HitterCell

TASKS = (HeavyHitters,)
