"""The cells of files of reports: CSV, JSON, NumPy, Parquet and Arrow."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any, Final

import numpy as np

from ..base.errors import ContentError, FileError, ScenarioError, got, one_line, reason_of
from ..base.files import Format, Source, check_file
from ..base.tables import Batch, Columns, line_blocks, place_of, spot, text_file
from .arrow import BATCH, arrow_cells

WHOLE: Final = 1 << 30
"""Bytes of an array of JSON, which is held whole, at most."""


def csv_cells(path: Source, names: Mapping[str, str]) -> Iterator[Batch]:
    """Yields the cells of CSV columns as texts, in batches; raises LdpError."""
    return Columns(path, [*names], "reports", keys=names).read(lambda batch: batch)


def json_line_cells(path: Source, names: Mapping[str, str]) -> Iterator[Batch]:
    """Yields the cells of columns in JSON lines, in batches; raises LdpError."""
    first = 1
    with text_file(path, "JSON lines") as file:
        for block in line_blocks(file, BATCH):
            yield pick_cells(path, first, _json_values(block), names)
            first += len(block)


def _json_values(block: list[str]) -> list[Any]:
    """The values of lines of JSON; the text itself of a line that is none."""
    with suppress(ValueError, RecursionError):  # all at once, a third of the time
        rows: list[Any] = json.loads(f"[{','.join(block)}]")
        if len(rows) == len(block):
            return rows
    rows = []
    for line in block:
        try:
            rows.append(json.loads(line))
        except (ValueError, RecursionError):
            rows.append(line.strip())
    return rows


def json_array_cells(path: Source, names: Mapping[str, str]) -> Iterator[Batch]:
    """Yields the cells of columns in one JSON array, which is loaded whole; raises LdpError."""
    with text_file(path, "JSON", WHOLE) as file:
        try:
            rows = json.load(file)
        except (ValueError, RecursionError) as error:
            raise ContentError(f"{path} is not JSON: {error}") from error
    if not isinstance(rows, list):
        raise ContentError(f"{path} must be a JSON array of reports, {got(rows)}")
    for at in range(0, len(rows), BATCH):
        yield pick_cells(path, at + 1, rows[at : at + BATCH], names)


def pick_cells(path: Source, first: int, rows: list[Any], names: Mapping[str, str]) -> Batch:
    """The cells of rows that are objects; or the rows themselves, if they have one column or
    `names` is empty.

    first : the number of the first row. Raises ScenarioError for the first invalid row.
    """
    if not names or (len(names) == 1 and not any(isinstance(row, dict) for row in rows)):
        return Batch(range(first, first + len(rows)), [rows])
    for at, row in enumerate(rows):
        if not (isinstance(row, dict) and all(name in row for name in names)):
            rule = f"must be an object with {' and '.join(names)}, {got(row)}"
            raise ScenarioError(f"{spot(path, first + at)} {rule}")
    return Batch(range(first, first + len(rows)), [[row[name] for row in rows] for name in names])


def load_arrays(path: Source) -> Any:
    """The array in a NumPy file, or a dict of several arrays; raises LdpError."""
    try:
        check_file(path)
        with path.open("rb") as file:
            arrays: Any = np.load(file, allow_pickle=False)
            if hasattr(arrays, "files"):
                arrays = dict(arrays)
            for each in arrays.values() if isinstance(arrays, dict) else [arrays]:
                if each.dtype.kind == "U":
                    each.tolist()  # raises where its letters are none
            return arrays
    except FileError:
        raise
    except OSError as error:
        raise FileError(f"{path} cannot be read: {reason_of(error)}") from error
    except Exception as error:  # NumPy evaluates a head, and says in many ways what is wrong
        reason = one_line(str(error)) or type(error).__name__
        raise ContentError(f"{path} is no array of NumPy, or damaged: {reason}") from error


def numpy_cells(path: Source, names: Mapping[str, str]) -> Iterator[Batch]:
    """Yields the cells of columns in one or several NumPy arrays, in batches; raises LdpError."""
    return array_cells(path, load_arrays(path), names)


def array_cells(path: Source, arrays: Any, names: Mapping[str, str]) -> Iterator[Batch]:
    """Yields the cells of columns of an array or arrays that `load_arrays` returned; raises
    LdpError.
    """
    heads = list(arrays) if isinstance(arrays, dict) else list(arrays.dtype.names or ())
    if len(names) == 1 and len(heads) <= 1:  # the reports alone, whatever they are called
        columns = [arrays[heads[0]] if heads else arrays]
    else:
        columns = [arrays[heads[place_of(name, heads, path, key)]] for name, key in names.items()]
    if len({column.shape[:1] for column in columns} | {()}) != 2:
        raise ContentError(f"{path} must have arrays of as many rows each")
    for at in range(0, len(columns[0]), BATCH):
        cells = [column[at : at + BATCH].tolist() for column in columns]
        yield Batch(range(at + 1, at + 1 + len(cells[0])), cells)


CELLS: Final[dict[Format, Callable[[Source, Mapping[str, str]], Iterator[Batch]]]] = {
    "csv": csv_cells,
    "jsonl": json_line_cells,
    "json": json_array_cells,
    "npy": numpy_cells,
    "parquet": arrow_cells,
    "arrow": arrow_cells,
}
"""The readers of the cells of columns, by format; columns have the key of messages about them."""
