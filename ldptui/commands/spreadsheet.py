"""Rows as CSV whose cells do no harm to who opens them in a spreadsheet."""

from __future__ import annotations

import csv
import io
from typing import Any

from ldptui.core.base.numbers import as_number


def as_csv(rows: list[dict[str, Any]]) -> str:
    """Rows as CSV, their words as cells that do no harm."""
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    for row in rows:
        words = {name: _cell(cell) for name, cell in row.items() if isinstance(cell, str)}
        writer.writerow(row | words)
    return buffer.getvalue()


def _cell(label: str) -> str:
    """A label as a cell that steers no terminal and is no formula of a spreadsheet."""
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in label)
    formula = shown.startswith(("=", "+", "-", "@")) and as_number(shown) is None
    return f"'{shown}" if formula else shown
