"""Reports in Parquet and Arrow, by pyarrow: a batch of rows is written and read at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal, TypeAlias

import numpy as np

from ..base.errors import ScenarioError
from ..base.files import Source
from ..base.frames import as_texts, frame_file, pyarrow_for
from ..base.tables import Batch, place_of
from ..law.pure import Reports
from .layout import Column, parts_of

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
    columns: Sequence[Column],
    more: Sequence[str],
) -> Iterator[Write]:
    """What writes batches to a file of pyarrow."""
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


def _rows(column: Column, part: Reports) -> list[Any]:
    flat = np.ascontiguousarray(part).reshape(-1, column.size)
    return [row.tobytes() for row in flat] if column.holds == "bytes" else flat.tolist()


def arrow_cells(path: Source, columns: Sequence[Column], by: str | None) -> Iterator[Batch]:
    """The cells of the reports of a file, and of one more column; raises LdpError."""
    types, names, first = pyarrow_for(path).types, [column.name for column in columns], 1
    with frame_file(path) as (schema, batches):
        places = [place_of(name, schema.names, path, "reports") for name in names]
        for column, place in zip(columns, places, strict=True):
            _check_type(path, column, schema.field(place).type, types)
        more = [] if by is None else [by]
        for name in more:
            place_of(name, schema.names, path, "by")
        for batch in batches([*names, *more], BATCH):
            lines = range(first, first + batch.num_rows)
            cells = [batch.column(name).to_pylist() for name in names]
            yield Batch(
                lines, [*cells, *(as_texts(batch.column(name), name, path) for name in more)]
            )
            first += batch.num_rows


def _check_type(path: Source, column: Column, held: Any, types: Any) -> None:
    """Refuse a column whose cells are no reports, whatever they hold; raises ScenarioError."""
    if types.is_dictionary(held):
        held = held.value_type
    texts = types.is_string(held) or types.is_large_string(held)
    fits = {
        "number": types.is_integer(held),
        "bytes": types.is_binary(held)
        or types.is_large_binary(held)
        or types.is_fixed_size_binary(held),
        "numbers": any(
            is_list(held)
            and (types.is_floating(held.value_type) or types.is_integer(held.value_type))
            for is_list in (types.is_list, types.is_large_list, types.is_fixed_size_list)
        ),
    }
    if not texts and not fits[column.holds]:
        wanted = {"number": "whole numbers", "bytes": "bytes", "numbers": "lists of numbers"}
        rule = f"must hold {wanted[column.holds]} in {path}, got {held}"
        raise ScenarioError(rule, key=f"column {column.name}")
