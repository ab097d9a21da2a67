"""Defences: what the server does about fake users.

A correction changes the estimated frequencies, and knows of the users only what is in `Known`. A
new one is a frozen dataclass with `kind`, `check` and `correct`, and a row of DEFENCES.
"""

from __future__ import annotations

from .correction import Correction, Known, known
from .kinds import DEFENCES, corrected
from .simplex import project

__all__ = ["DEFENCES", "Correction", "Known", "corrected", "known", "project"]
