"""The output of the lab: JSON without infinite numbers, tables with their sources."""

from __future__ import annotations

import json
import math
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from typing import Any, Final

from ldptui.core.base.errors import ScenarioError

from ..explain.formula import Formula
from ..explain.formula import cited as papers_of
from ..terminal.output import width, write_out
from ..text import format as text
from ..text import table
from .answer import Answer

Row = tuple[str, str, str, str]
QUANTITIES: Final = ("quantity", "value", "formula", "source")
"""The columns of most tables."""
OMITTED: Final = {"omitted": True}
"""The metadata of a field that JSON does not have where it is None."""


def show(answer: Answer, form: str, hint: str = "") -> None:
    """Print the values of an answer as JSON, or its table. What is unbounded is null in JSON."""
    if form == "json":
        data = json.dumps(plain(answer.values), indent=2, ensure_ascii=False, allow_nan=False)
        write_out(data + "\n", exactly=True)
        return
    notes = [*answer.notes, *([hint] if hint else [])]
    if sys.stdout.isatty():  # whole lines for a program
        wrap = textwrap.TextWrapper(width(), subsequent_indent="  ", break_on_hyphens=False)
        notes = [line for note in notes for line in wrap.wrap(note)]
    if tuple(column.name for column in answer.table.columns) != QUANTITIES:
        write_out(_columns(answer, notes))
        return
    rows: Any = [
        tuple(str(value).strip() if at == 1 else value for at, value in enumerate(row))
        for row in answer.table.rows
    ]
    notes = [*notes, *([""] if notes else []), *answer.sources]
    write_out(table.theory_table(answer.table.title, rows, notes))


def _columns(answer: Answer, notes: Sequence[str]) -> str:
    """A table of other columns, between its title and the notes: numbers stand to the right."""
    heads = [column.name for column in answer.table.columns]
    rows = [[str(value) for value in line] for line in answer.table.rows]
    below = [*notes, *([""] if answer.sources else []), *answer.sources]
    return "\n".join([answer.table.title, "", table.plain_table(heads, rows), *below, ""])


def plain(value: Any) -> Any:
    """The same for JSON, without infinite numbers."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if is_dataclass(value):
        return {
            field.name: plain(held)
            for field in fields(value)
            if (held := getattr(value, field.name)) is not None or not field.metadata
        }
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def row(quantity: str, value: float | str, formula: str, source: str = "", digits: int = 5) -> Row:
    """One line of a table."""
    shown = value if isinstance(value, str) else text.short(value, digits)
    return quantity, shown, formula, source


def told(quantity: str, formula: Formula) -> Row:
    """The line of a formula that a kind tells of itself."""
    source = formula.source if formula.entry is None else formula.entry.source
    return quantity, formula.result, formula.brief, source


def cited(rows: Sequence[Row]) -> list[str]:
    """The full names of the sources of these rows."""
    return papers_of({row[3].split(" ")[0] for row in rows})


def needed(option: str, value: Any) -> Any:
    """An option that has to be given; raises ScenarioError."""
    if value is None:
        raise ScenarioError("is required", key=option)
    return value


def joined(names: Sequence[str]) -> str:
    """Names in a row: a, b and c."""
    if not names:
        return text.MISSING
    return ", ".join(names[:-1]) + (" and " if len(names) > 1 else "") + names[-1]
