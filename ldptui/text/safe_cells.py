"""Cells of tables that other programs read."""

from __future__ import annotations

from ldptui.core.base.errors import JOINERS


def safe_cell(label: str) -> str:
    """A label without control characters, quoted so that no spreadsheet takes it for a formula."""
    kept = (c.isprintable() or c in JOINERS for c in label)
    shown = "".join(
        c if keeps else c.encode("unicode_escape").decode()
        for c, keeps in zip(label, kept, strict=True)
    )
    try:
        float(shown)
    except ValueError:
        return f"'{shown}" if shown.startswith(("=", "+", "-", "@")) else shown
    return shown
