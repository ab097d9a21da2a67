"""Results as Parquet: a row for each trial, columns with their types and meanings."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from ldptui.core.base.errors import FileError
from ldptui.core.base.files import whole_file
from ldptui.core.export import ALL, Choice, of_one_type, trial_rows
from ldptui.core.running.runner import Results
from ldptui.core.view.cells import metric_names

from .dictionary import dictionary


def columns(results: Results, metrics: Sequence[str] = ()) -> dict[str, list[Any]]:
    """The columns of CSV, and each trial's fingerprint; None where a value is not defined."""
    names, rows = trial_rows(results, metrics)
    by_name: dict[str, list[Any]] = {name: [] for name in names}
    for row in rows:
        for values, value in zip(by_name.values(), row, strict=True):
            values.append(value)
    marks = [cell.fingerprints.tolist() for cell in results.cells]
    trials = zip(by_name["cell"], by_name["trial"], strict=True)
    prints = {"fingerprint": [f"{marks[cell][trial]:016x}" for cell, trial in trials]}
    first = {name: by_name.pop(name) for name in ("cell", "trial")}
    return {name: of_one_type(values) for name, values in (first | prints | by_name).items()}


def write_parquet(
    out: Path, results: Results, about: Mapping[str, Any], choice: Choice = ALL
) -> None:
    """Write a row for each trial, with what it is of and the meanings of its columns.

    about : the run. choice : the metrics to write. Raises FileError.
    """
    check_pyarrow(out)
    pyarrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    data = columns(results, choice.metrics)
    meanings = {
        name: meaning
        for name, _, meaning in dictionary([*data], metric_names(results.experiment.cells))
    }
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
