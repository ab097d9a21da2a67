"""The formulas of the current protocol and attack with the current numbers put in.

Every value is the one that `core` computes with; the text beside it says from what.
"""

from __future__ import annotations

from .cell import live_equations
from .formula import Live

__all__ = ["Live", "live_equations"]
