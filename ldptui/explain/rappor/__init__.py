"""RAPPOR in all its forms: its story, and what its numbers buy (`privacy`)."""

from __future__ import annotations

from typing import Final

from ..story import Story
from .closed import FIELDS, SYMBOLS, TABLE, notes
from .formulas import formulas
from .report import RapporReports

STORY: Final = Story(formulas, RapporReports(), TABLE, FIELDS, SYMBOLS, notes)
