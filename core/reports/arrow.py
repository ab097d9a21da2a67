"""Files of reports in Parquet and Arrow, written and read by pyarrow a batch of rows at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal, TypeAlias

import numpy as np

from ..base.errors import ScenarioError
from ..base.files import Source
from ..base.frames import as_texts, frame_file, pyarrow_for
from ..base.tables import Batch, place_of
from ..law.pure import Reports
from .column_layout import ReportColumn, parts_of

BATCH: Final = 1 << 16
"""Reports that are handled at once."""

Kind = Literal["parquet", "arrow"]

Write: TypeAlias = Callable[[Reports, Sequence[Sequence[str]]], None]
"""Writes a batch, and the cells of the columns beside it."""


@contextmanager
def arrow_writer(
    kind: Kind,
    path: Path,
    file: BinaryIO,
    columns: Sequence[ReportColumn],
    more: Sequence[str],
) -> Iterator[Write]:
    """A context manager of a function that writes batches to a Parquet or Arrow file.

    columns : of the reports. more : the names of further columns of text.
    """
    pyarrow = pyarrow_for(path)
    types = {
        "number": lambda column: pyarrow.from_numpy_dtype(column.dtype),
        "bytes": lambda column: pyarrow.binary(column.size),
        "numbers": lambda column: pyarrow.list_(pyarrow.from_numpy_dtype(column.dtype)),
    }
    fields = [(column.name, types[column.holds](column)) for column in columns]
    schema = pyarrow.schema([*fields, *((name, pyarrow.string()) for name in more)])

    def write(batch: Reports, beside: Sequence[Sequence[str]]) -> None:
        arrays = []
        for column, part in parts_of(columns, batch):
            values = part.tolist() if column.holds == "number" else _rows(column, part)
            arrays.append(pyarrow.array(values, types[column.holds](column)))
        arrays += [pyarrow.array(held, pyarrow.string()) for held in beside]
        writer.write_table(pyarrow.Table.from_arrays(arrays, schema=schema))

    new = pyarrow.parquet.ParquetWriter if kind == "parquet" else pyarrow.ipc.new_file
    with new(file, schema) as writer:
        yield write


def _rows(column: ReportColumn, part: Reports) -> list[Any]:
    flat = np.ascontiguousarray(part).reshape(-1, column.size)
    return [row.tobytes() for row in flat] if column.holds == "bytes" else flat.tolist()


def arrow_cells(path: Source, names: Mapping[str, str]) -> Iterator[Batch]:
    """Yields the cells of columns of a Parquet or Arrow file, in batches; raises LdpError.

    names : the columns, each with the key that error messages name.
    """
    types, first = pyarrow_for(path).types, 1
    with frame_file(path) as (schema, batches):
        for name, key in names.items():
            held = schema.field(place_of(name, schema.names, path, key)).type
            if key == "reports" and not is_readable(held, types):
                rule = f"must hold numbers, bits or text in {path}, got {held}"
                raise ScenarioError(rule, key=f"column {name}")
        for batch in batches([*names], BATCH):
            lines = range(first, first + batch.num_rows)
            cells = [
                as_texts(batch.column(name), name, path) if key == "by"
                else batch.column(name).to_pylist()
                for name, key in names.items()
            ]  # fmt: skip
            yield Batch(lines, cells)
            first += batch.num_rows


def is_readable(held: Any, types: Any) -> bool:
    """Whether cells of a pyarrow type, or lists of such cells, may be reports."""
    if types.is_dictionary(held) or "list" in str(held):
        held = getattr(held, "value_type", held)
    known = "integer floating boolean string large_string binary large_binary fixed_size_binary"
    return any(getattr(types, f"is_{kind}")(held) for kind in known.split())
