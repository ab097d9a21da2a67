"""The options of the tab of screening: which reports."""

from __future__ import annotations

from dataclasses import dataclass

from .collected import Collection


@dataclass(frozen=True, kw_only=True)
class Options(Collection):
    """Nothing but the collection."""
