"""The output of the lab: JSON without infinite numbers, tables with their sources."""

from __future__ import annotations

import json
import math
import sys
import textwrap
from argparse import Namespace
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from ldptui.core.base.errors import ScenarioError

from ..explain.formula import Formula
from ..terminal.output import width, write_out
from ..text import format as text
from ..text import table

Row = tuple[str, str, str, str]


class Report(NamedTuple):
    """The results for people: rows of (quantity, value, formula, source), then sentences."""

    title: str
    rows: Sequence[Row]
    notes: Sequence[str]


SOURCES: Final = {
    "DR": "Dwork, Roth, The Algorithmic Foundations of Differential Privacy, 2014",
    "PSI": "PSI library, histogram statistic",
    "V": "Vadhan, The Complexity of Differential Privacy, 2017",
    "GRS": "Ghosh, Roughgarden, Sundararajan, STOC 2009",
    "AKMV": "Amin, Kulesza, Muñoz, Vassilvitskii, ICML 2019",
    "NS": "Norm-Sub: Wang, Lopuhaä-Zwakenberg, Li, Škorić, Li, NDSS 2020",
    "W17": "Wang, Blocki, Li, Jha, USENIX Security 2017",
    "KOV": "Kairouz, Oh, Viswanath, ICML 2015",
    "RAP": "Erlingsson, Pihur, Korolova, CCS 2014",
    "k": "Sweeney, k-anonymity, 2002",
    "l": "Machanavajjhala et al., l-diversity, ICDE 2006",
    "t": "Li, Li, Venkatasubramanian, t-closeness, ICDE 2007",
    "E": "Erdmann, Topology of Privacy, 2017",
    "plan": "we derive it from W17 theorem 2 and the gain: docs/bounds.md",
    "design": "we derive it from W17 theorem 2 and the gain: docs/bounds.md",
    "CP": "Clopper, Pearson, Biometrika 1934",
}


def show(options: Namespace, values: dict[str, Any], written: str) -> None:
    """Print the values or their table. What is unbounded or unknown is null in JSON."""
    if options.format == "json":
        data = json.dumps(plain(values), indent=2, ensure_ascii=False, allow_nan=False)
        write_out(data + "\n", exactly=True)
    else:
        write_out(written)


def plain(value: Any) -> Any:
    """The same for JSON, without infinite numbers."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
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


def laid_out(title: str, rows: Sequence[Row], notes: Sequence[str]) -> str:
    """The table of a report, with the full names of the sources on its lines.

    Notes are wrapped for a terminal, and whole lines for a program.
    """
    if sys.stdout.isatty():
        wrap = textwrap.TextWrapper(width(), subsequent_indent="  ", break_on_hyphens=False)
        notes = [line for note in notes for line in wrap.wrap(note)]
    return table.theory_table(title, rows, [*notes, *([""] if notes else []), *cited(rows)])


def cited(rows: Sequence[Row]) -> list[str]:
    """The full names of the sources of these rows."""
    short = {row[3].split(" ")[0] for row in rows}
    return [f"{mark}: {name}" for mark, name in SOURCES.items() if mark in short]


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
