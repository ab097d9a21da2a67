"""The meanings of the columns of results, and results or a table of them as Parquet."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Collection, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from ldptui.core.base.files import whole_file
from ldptui.core.export import ALL, ENDS, TableChoice, of_one_type, pivot, trial_rows
from ldptui.core.metrics import METRICS
from ldptui.core.running.runner import RunResults
from ldptui.core.scenario import range_of, sweepable_keys, type_of
from ldptui.core.view.cells import metric_names

from ..catalogue import has_words, key_words, metric_words
from ..terminal.output import as_json
from ..text import table
from ..text.prose import wrap_text

COLUMNS: Final[dict[str, tuple[str, str]]] = {
    "cell": ("integer", "position in the sweep, from 0; the last swept key changes fastest"),
    "trial": ("integer", "number of the trial in its cell, from 0"),
    "trials_done": ("integer", "number of trials that the means are of"),
    "round": ("integer", "round of a campaign, from 0; empty: all rounds pooled"),
    "malicious": ("integer", "number of fake users, in the round if there is one"),
    "epsilon_spent": ("number", "budget spent so far by a user who took part in every round"),
    "entry_round": ("number", "first round with all targets in the top k"),
    "entry_round_standard_error": ("number", "standard error of the mean entry round"),
    "entry_round_reached": ("integer", "number of trials in which all targets enter the top k"),
    "fingerprint": ("text", "xxh3_64 of the trial's support counts, hexadecimal"),
    "answer.reached": ("yes or no", "whether any number of malicious users reaches the goal"),
    "answer.malicious": ("integer", "the fewest that do, else as many as come closest to it"),
    "answer.share": ("number", "their share among all users"),
    "answer.value": ("number", "the goal's metric with that number, expected or measured"),
    "answer.by": ("text", "closed form, approximation, or search by simulation"),
    "answer.low": ("integer", "of a search, malicious users that are too few"),
    "answer.confidence": ("number", "of a search, that both ends are on the side claimed"),
}
"""Columns that are neither a key of the scenario nor a metric: their types and meanings."""


_PARTS: Final = {
    "standard_error": "standard error of the mean of {}; intervals: times t of trials_done − 1",
    "theory": "closed form of {}",
    "z": "({0} − {0}_theory) / {0}_standard_error; empty where rounding alone makes the error",
}
"""The parts of a metric's summary in words."""


def _ending(name: str) -> tuple[str, str]:
    """A column's name without its end, and that end; "" for none."""
    end = next((end for end in ENDS if end and name.endswith(end)), "")
    return name.removesuffix(end), end


def dictionary(
    names: Sequence[str] = (), measured: Collection[str] = METRICS
) -> list[tuple[str, str, str]]:
    """The column name, type and meaning of these columns, or of all known columns.

    measured : the names of metrics, those in Python included.
    """
    rows = []
    keys = [key for key in sweepable_keys() if "*" not in key and type_of(key) in _TYPES]
    for name in names or [*COLUMNS, *keys, *METRICS]:
        above, _, own = name.rpartition(" ")  # the values above a column of a turned table
        metric, end = _ending(own)
        if own in METRICS:
            words = metric_words(own)
            kind = "integer" if METRICS[own].whole and not above else "number"
            meaning = words.column or words.name
        elif own in measured:
            kind, meaning = "number", f"{metric_words(own).name}, measured by code in Python"
        elif metric in measured:
            kind, meaning = "number", _PARTS[ENDS[end]].format(metric)
        elif name in COLUMNS:
            kind, meaning = COLUMNS[name]
        elif has_words(name):
            key = key_words(name)
            kind, meaning = _types(name), f"{key.noun}. {key.meaning}".strip()
        else:
            kind, meaning = "", f"the scenario's key {name}"
        rows.append((name, kind, f"{meaning}, for {above}" if above else meaning))
    return rows


_TYPES: Final = {int: "integer", float: "number", str: "text", bool: "yes or no"}


def _types(key: str) -> str:
    """The types of a key in words: `integer`, `integer or text` for a number or the rule for it."""
    kind = _TYPES.get(type_of(key), "")
    return f"integer or {kind}" if range_of(key) and kind == "text" else kind


def columns(results: RunResults, metrics: Sequence[str] = ()) -> dict[str, list[Any]]:
    """The columns of CSV with their values, None if undefined, and the digest of each trial."""
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
    out: Path, results: RunResults, about: Mapping[str, Any], choice: TableChoice = ALL
) -> None:
    """Write a Parquet file with a row for each trial, and with the meanings of its columns.

    about : facts of the run for the file's metadata.
    choice : the metrics to write, or a table to write in place of trials.
    Raises FileError if the file cannot be written, ImportError without pyarrow.
    """
    pyarrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    if choice.is_pivot:
        rows = pivot(results, choice).records()
        data = {name: of_one_type([row[name] for row in rows]) for name in rows[0]}
    else:
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


WIDTH: Final = 80
"""Cells of a meaning in the table of columns."""


def write_dictionary(rows: Sequence[tuple[str, str, str]], form: str) -> str:
    """A dictionary of columns as a table, CSV or JSON."""
    heads = ("column", "type", "meaning")
    if form == "json":
        return as_json([dict(zip(heads, row, strict=True)) for row in rows])
    if form == "csv":
        return csv_text([heads, *rows])
    lines = [
        (name if at == 0 else "", kind if at == 0 else "", line)
        for name, kind, meaning in rows
        for at, line in enumerate(wrap_text(meaning, WIDTH))
    ]
    return table.plain_table(heads, lines)


def csv_text(rows: Sequence[Sequence[object]]) -> str:
    """Rows as the text of CSV."""
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(rows)
    return buffer.getvalue()
