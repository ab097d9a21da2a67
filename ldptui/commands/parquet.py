"""Results as Parquet: a row for each trial, columns with their types and meanings."""

from __future__ import annotations

import csv
import dataclasses
import json
import math
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from core.errors import FileError
from core.export import csv_lines, of_one_type, parameter_text
from core.files import whole_file
from core.metrics import METRICS
from core.running.runner import Results

from .dictionary import dictionary


def trial_columns(results: Results) -> list[str]:
    """The names of the columns that results have in CSV, where a row is a trial."""
    return next(csv.reader([next(csv_lines(results))]))


def columns(results: Results, names: Sequence[str]) -> dict[str, list[Any]]:
    """A column per name, a value per trial; None where it is not defined."""
    by_name: dict[str, list[Any]] = {name: [] for name in names}
    for cell, measured in zip(results.experiment.cells, results.cells, strict=True):
        answer = {} if cell.answer is None else dataclasses.asdict(cell.answer)
        settings: dict[str, object] = {"cell": cell.index}
        settings |= {name: parameter_text(value) for name, value in cell.parameters.items()}
        settings |= {f"answer.{name}": value for name, value in answer.items()}
        for name in names:
            if name == "trial":
                values: list[Any] = list(range(measured.trials))
            elif name == "fingerprint":
                values = [f"{mark:016x}" for mark in measured.fingerprints.tolist()]
            elif name in METRICS:
                numbers = measured.metrics[name].tolist()
                values = [None if math.isnan(number) else number for number in numbers]
            else:
                values = [settings.get(name)] * measured.trials
            by_name[name] += values
    return {name: of_one_type(values) for name, values in by_name.items()}


def write_parquet(out: Path, results: Results, about: Mapping[str, Any]) -> None:
    """Write a row for each trial, with what it is of and the meanings of its columns.

    about : the run. Raises FileError.
    """
    check_pyarrow(out)
    pyarrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    names = ["cell", "trial", "fingerprint", *trial_columns(results)[2:]]
    data = columns(results, names)
    meanings = {name: meaning for name, _, meaning in dictionary(names)}
    made = pyarrow.table(data)
    fields = [field.with_metadata({"description": meanings[field.name]}) for field in made.schema]
    metadata = {"ldptui": json.dumps(about, default=str), "digest": results.digest}
    schema = pyarrow.schema(fields, metadata=metadata)
    with whole_file(out) as file:
        parquet.write_table(made.cast(schema), file)


def check_pyarrow(out: Path) -> None:
    """Raise FileError where there is none."""
    try:
        import_module("pyarrow.parquet")
    except ImportError:
        raise FileError(
            f"{out} cannot be written: Parquet needs pyarrow (pip install ldptui[parquet])"
        ) from None
