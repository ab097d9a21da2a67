"""Descriptions of files of reports whose protocol is not known."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from shlex import quote
from typing import Any, Final

from ..base.errors import (
    ContentError,
    LdpError,
    format_number,
    format_value,
    one_line,
    shorten_name,
)
from ..base.files import Source, StdinFile
from ..base.frames import frame_file, pyarrow_for
from ..base.tables import Batch, table_rows, text_file, whole_number
from ..scenario import find_columns, is_table
from .arrow import is_readable
from .column_layout import digits_of
from .file_cells import CELLS, array_cells, load_arrays, pick_cells
from .report_counts import END
from .sources import format_of, unpack_name

LOOKED_AT: Final = 200_000
"""Reports of a file whose cells are looked at; all are counted."""

SHOWN: Final = 3
"""Cells that stand for a column."""


@dataclass(frozen=True)
class Holding:
    """The type of the cells of a column.

    kind : "numbers", "bits", "bytes", "words" or "nothing". size : the number of bits or bytes in a
    cell; of numbers the largest. words : the type in words. examples : the first cells.
    """

    name: str
    kind: str
    size: int
    words: str
    examples: tuple[str, ...]


@dataclass(frozen=True)
class Description:
    """The content of a file: its rows, its columns and the options that read it.

    rows : their number. advice : the file's likely protocol, and the options to read it.
    is_of_counts : whether it is a table of items with their counts, and not of reports.
    """

    source: str
    rows: int
    columns: tuple[Holding, ...]
    advice: str
    is_of_counts: bool = False

    @property
    def sentence(self) -> str:
        """A sentence on the content of the file and the options that read it."""
        if self.is_of_counts:
            return self.advice
        alone = f" of {self.columns[0].words}" if len(self.columns) == 1 else ""
        return f"{self.source} has {format_number(self.rows)} reports{alone}: {self.advice}"


def describe_file(source: Source) -> Description:
    """The columns of a file, and the options that would read it; raises LdpError."""
    if source.suffix == END:
        return _describe_counts(source)
    heads, batches = _open_columns(source)
    rows, cells = 0, {name: list[Any]() for name in heads}
    for batch in batches:
        rows += len(batch.lines)
        for name, held in zip(heads, batch.cells, strict=True):
            cells[name] += held[: LOOKED_AT - len(cells[name])]
    columns = tuple(_holding_of(name, held) for name, held in cells.items())
    if words := fault_of_counts(source):
        return Description(str(source), rows, columns, words, is_of_counts=True)
    return Description(str(source), rows, columns, _advice_for(columns))


def fault_of_counts(source: Source) -> str:
    """The sentence on a table of items and their counts, which has no reports; "" for any other
    file.
    """
    if isinstance(source, StdinFile) or not is_table(source):
        return ""
    try:
        if not (find_columns(source) or ("", ""))[1]:
            return ""
    except LdpError:  # whoever reads the file says what is wrong with it
        return ""
    doors = f"ldptui {quote(str(source))} opens it as a population, as ^o in the workbench does"
    return f"{source} has counts of people and no reports: {doors}"


def _open_columns(source: Source) -> tuple[list[str], Iterator[Batch]]:
    """The names of the columns, "report" where there are none, and their cells; raises LdpError.

    An array is read once: it is held whole.
    """
    kind = format_of(unpack_name(source))
    if kind in ("json", "jsonl"):
        batches = CELLS[kind](source, {})
        begin = next(batches, Batch(range(0), [[]]))
        first = next(iter(begin.cells[0]), None)
        heads = list(first) if isinstance(first, dict) else ["report"]
        names = dict.fromkeys(heads, "reports")
        read = (each for each in chain([begin], batches) if each.lines)
        return heads, (pick_cells(source, each.lines[0], [*each.cells[0]], names) for each in read)
    if kind == "npy":
        arrays = load_arrays(source)
        heads = list(arrays if isinstance(arrays, dict) else arrays.dtype.names or ["report"])
        return heads, array_cells(source, arrays, dict.fromkeys(heads, "reports"))
    if kind == "csv":
        with table_rows(source) as table:
            heads = next(iter(table), [])
    else:
        with frame_file(source) as (schema, _):
            types = pyarrow_for(source).types
            heads = [each.name for each in schema if is_readable(each.type, types)]
    return heads, CELLS[kind](source, dict.fromkeys(heads, "reports"))


def _holding_of(name: str, cells: list[Any]) -> Holding:
    """What the first cells of a column are."""
    name, *texts = map(one_line, (shorten_name(name), *map(format_value, cells[:SHOWN])))

    def holding(kind: str, size: int, words: str) -> Holding:
        return Holding(name, kind, size, words, tuple(texts))

    if not cells or all(cell is None or cell == "" for cell in cells):
        return holding("nothing", 0, "nothing")
    lists = [_bits_of(cell) for cell in cells]
    sizes = {len(each) for each in lists if each is not None}
    if None not in lists and len(sizes) == 1 and (size := sizes.pop()) > 1:
        return holding("bits", size, f"{size} bits")
    numbers = [whole_number(str(cell).strip().removeprefix("-")) for cell in cells]
    if None not in numbers:
        largest = max(number for number in numbers if number is not None)
        negative = any(str(cell).strip().startswith("-") for cell in cells)
        words = f"whole numbers up to {format_number(largest)}" + ", some negative" * negative
        return holding("numbers", largest, words)
    whole = {_size_of(cell) for cell in cells}
    if None not in whole and len(whole) == 1:
        size = whole.pop() or 0
        return holding("bytes", size, f"{size} bytes, of {8 * size - 7} to {8 * size} bits")
    return holding("words", 0, "words")


def _bits_of(cell: Any) -> Sequence[Any] | None:
    """The bits of a cell that is a list of them, or has a digit for each; else None."""
    if isinstance(cell, str):
        text = cell.strip()
        if len(text) > 1 and not text.strip("01"):
            return text
        try:
            cell = digits_of(text) if " " in text or "," in text else None
        except ValueError:
            return None
    if not isinstance(cell, list):
        return None
    return cell if all(each in (0, 1) for each in cell) else None


def _size_of(cell: Any) -> int | None:
    """The bytes of a cell, also of hexadecimal digits; None where it is something else."""
    try:
        return len(cell if isinstance(cell, bytes) else bytes.fromhex(cell.removeprefix("0x")))
    except (ValueError, TypeError, AttributeError):
        return None


def _advice_for(columns: Sequence[Holding]) -> str:
    """What reports with such columns may be, and the options that are missing."""
    by_name = {column.name: column for column in columns}
    report = by_name.get("report", columns[0] if len(columns) == 1 else None)
    for names, words in ADVICE.items():
        if {*names} <= by_name.keys():
            largest = by_name[names[-1]].size
            return words.format(largest, largest + 1)
    if report is None:
        known = ", ".join(by_name) or "none"
        return f"no protocol has these columns ({known}): reports have a column report"
    words = ADVICE_OF_KIND[report.kind].format(report.size, report.size + 1)
    if report.name != "report" and len(columns) == 1:
        words += f"; call the column report, not {report.name}"
    return words


ADVICE: Final = {
    ("seed", "value"): "local hashing into {1} buckets or more: say --protocol olh|blh|lh|loloha, "
    "--epsilon and --items or --domain",
    ("row", "column", "odd"): "HCMS: say --protocol hcms, --epsilon and --items or --domain",
    ("row", "bits"): "CMS: say --protocol cms, --epsilon and --items or --domain",
    ("cohort", "bits"): "RAPPOR: say --protocol rappor, --f, --p, --q and --domain",
    ("cohort", "irr"): "RAPPOR of google/rappor: say --program rappor, --protocol rappor, --f, "
    "--p, --q and --domain",
}
"""What a file is whose columns have these names; {1} : one more than the last one's largest."""

ADVICE_OF_KIND: Final = {
    "bits": "unary: say --protocol oue|sue, --epsilon and --items {0}",
    "bytes": "unary, bits packed: say --protocol oue|sue, --epsilon and --items or --domain",
    "numbers": "items, or messages about them: say --protocol grr|hr, --epsilon and --items {1} or "
    "more; of users' numbers --protocol sw|pm|hm, --epsilon, --low and --high",
    "words": "no protocol sends words: these may be the users' own items (ldptui perturb)",
    "nothing": "there are no reports",
}  # fmt: skip


def _describe_counts(source: Source) -> Description:
    """The protocol that a file of counts names."""
    with text_file(source, "a file of counts") as file:
        try:
            held = json.loads(file.readline())
            rows, kind = held["reports"], held["protocol"]
        except (ValueError, RecursionError, KeyError, TypeError) as error:
            raise ContentError(f"{source} is not a file of counts: {error}") from error
    known = ", ".join(f"{key} {format_value(held[key])}" for key in ("epsilon", "domain_size")
                      if key in held)  # fmt: skip
    return Description(str(source), rows, (), f"counts of {kind}: {known}")
