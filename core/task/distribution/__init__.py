"""The task of a distribution: how the numbers of the users spread over a range."""

from __future__ import annotations

from .task import Distribution

__all__ = ["Distribution"]
