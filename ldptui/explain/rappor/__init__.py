"""RAPPOR in all its forms: its story, and what its numbers buy (`privacy`)."""

from __future__ import annotations

from typing import Final

from ..story import Story
from .formulas import BRIEF, FIELDS, SYMBOLS, TABLE, formulas, notes
from .privacy import panel
from .report import reports

STORY: Final = Story(
    formulas,
    reports,
    table=TABLE,
    fields=FIELDS,
    brief=BRIEF,
    remark=lambda _: "reverse of Wang's p, q",
    symbols=SYMBOLS,
    notes=notes,
    kept=panel,
)
