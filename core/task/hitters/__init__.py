"""The task of heavy hitters: which items are the most frequent of a domain too large to list."""

from __future__ import annotations

from .hunt import Hunt
from .task import PEM, HeavyHitters

TASKS = (HeavyHitters,)
