"""Tables of people as scenarios: a column of items, and one of the number of people with each."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from shlex import quote
from typing import Final

from ..base.errors import ContentError
from ..base.files import Source
from ..base.frames import FRAMES
from ..base.number_column import as_number
from ..base.tables import table_rows, whole_number
from .toml_writing import to_toml

TABLES: Final = (".csv", ".csv.gz", *FRAMES)
"""The ends of the names of tables."""
COUNTS: Final = ("count", "counts", "n", "users", "people", "number", "frequency", "total")
"""Names of a column that says how many people have an item."""
FIRST_ROWS: Final = 1000
"""The rows in which the words of a header are looked for."""
PARTS: Final = ("report", "cohort", "row", "seed")
"""Names of columns of reports: a table with one of them has reports in it, and no people."""


def is_table(path: Path) -> bool:
    """Whether a file's name is that of a table."""
    return path.name.lower().endswith(TABLES)


def find_columns(path: Source) -> tuple[str, str] | None:
    """The names of a table's columns of items and of counts, "" if they are not clear; None if it
    is a table of reports.

    Raises ContentError, also for a table without rows, or whose first line looks like data. Raises
    FileError.
    """
    with table_rows(path) as rows:
        names = next(rows, [])
        if {*PARTS} & {*names}:
            return None
        first = [row for row in islice(rows, FIRST_ROWS) if any(row)]
    if not first:
        raise ContentError(f"{path} is empty: it has no rows below the names of its columns")
    numbers = [name for name, cell in zip(names, first[0], strict=False) if _is_number(cell)]
    if names == numbers[:1]:
        return None
    if not any(map(_is_number, names)) and looks_like_data(names, first):
        line = f"its first line ({', '.join(names)}) looks like data"
        raise ContentError(f"{path}: {line}; write a line above it that names the columns")
    counts = [name for name in names if name.strip().casefold() in COUNTS] or numbers
    items = [name for name in names if name not in (counts if len(names) < 3 else numbers)]
    is_plain = len(items) == 1 and len(counts) <= 1 and not any(map(_is_number, names))
    return (items[0], next(iter(counts), "")) if is_plain else ("", "")


def looks_like_data(names: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """True if each name of a header is a number, or a value of its column in these rows."""
    return bool(names and rows) and all(
        as_number(name) is not None or any(row[at : at + 1] == [name] for row in rows)
        for at, name in enumerate(names)
    )


def _is_number(text: str) -> bool:
    """True for the digits of a whole number."""
    return whole_number(text.strip()) is not None


def write_scenario(path: Path) -> str:
    """The text of a scenario whose population is the table of people at `path`.

    If the column of items is not clear, its name is left empty. Raises ContentError if the table is
    not of people, FileError if it cannot be read.
    """
    columns = find_columns(path)
    if columns is None:
        raise ContentError(
            f"{path} has no people in it: ldptui estimate {quote(str(path))} says what it has"
        )
    population = {"kind": "csv", "path": path.name, "column": columns[0]}
    return to_toml({
        "format": 1,
        "title": f"The people of {path.name}",
        "seed": 0,
        "trials": 20,
        "population": population | ({"count": columns[1]} if columns[1] else {}),
        "protocol": {"kind": "oue", "epsilon": 1.0},
        "attack": {
            "kind": "mga", "share": 0.05, "targets": {"pick": "least-frequent", "count": 1},
        },
        "sweep": {"attack.share": {"from": 0.0, "to": 0.2, "points": 21}},
    })  # fmt: skip
