"""A run as a file, and what its columns mean: ldptui runs export and dictionary."""

from __future__ import annotations

import csv
import dataclasses
import json
import math
from argparse import Namespace
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from core.errors import FileError
from core.export import ENDS, parameter_text, results_cells_csv, to_csv
from core.files import whole_file, write_atomically
from core.metrics import METRICS
from core.recording import write_recording
from core.runner import Results
from core.scenario import range_of, sweepable_keys, type_of
from core.store import Run

from ... import exits
from ...catalogue import has_words, key_words, metric_words
from ...terminal import output
from ...text import table
from ...text.prose import wrapped
from .. import reporting
from .opening import number_of, opened
from .written import as_json, csv_text, results_json

WIDTH: Final = 80
"""Cells of a meaning in the table of columns."""

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
}
"""The parts of a metric's summary in words."""


def _ending(name: str) -> tuple[str, str]:
    """A column's name without its end, and that end; "" for none."""
    end = next((end for end in ENDS if end and name.endswith(end)), "")
    return name.removesuffix(end), end


def dictionary(names: Sequence[str] = ()) -> list[tuple[str, str, str]]:
    """Column, type and meaning, of these columns or of all that are known."""
    rows = []
    keys = [key for key in sweepable_keys() if "*" not in key and type_of(key) in _TYPES]
    for name in names or [*COLUMNS, *keys, *METRICS]:
        metric, end = _ending(name)
        if name in METRICS:
            words = metric_words(name)
            kind, meaning = "integer" if METRICS[name].whole else "number", words.column
            meaning = meaning or words.name
        elif metric in METRICS:
            kind, meaning = "number", _PARTS[ENDS[end]].format(metric)
        elif name in COLUMNS:
            kind, meaning = COLUMNS[name]
        elif has_words(name):
            key = key_words(name)
            kind, meaning = _types(name), f"{key.noun}. {key.meaning}".strip()
        else:
            kind, meaning = "", f"the scenario's key {name}"
        rows.append((name, kind, meaning))
    return rows


_TYPES: Final = {int: "integer", float: "number", str: "text", bool: "yes or no"}


def _types(key: str) -> str:
    """The types of a key in words: `integer`, `integer or text` for a number or the rule for it."""
    kind = _TYPES.get(type_of(key), "")
    return f"integer or {kind}" if range_of(key) and kind == "text" else kind


def show_dictionary(options: Namespace) -> int:
    output.write_out(_written_dictionary(dictionary(), options.format), exactly=True)
    return exits.DONE


def _written_dictionary(rows: Sequence[tuple[str, str, str]], form: str) -> str:
    heads = ("column", "type", "meaning")
    if form == "json":
        return json.dumps([dict(zip(heads, row, strict=True)) for row in rows], indent=2,
                          ensure_ascii=False) + "\n"  # fmt: skip
    if form == "csv":
        return csv_text([heads, *rows])
    lines = [
        (name if at == 0 else "", kind if at == 0 else "", line)
        for name, kind, meaning in rows
        for at, line in enumerate(wrapped(meaning, WIDTH))
    ]
    return table.plain_table(heads, lines)


def export(options: Namespace) -> int:
    out = reporting.check_output(options, usual="recording")
    assert out is not None
    kind = options.format
    with opened(options) as store:
        run = store.run(number_of(store, options.run))
        if kind == "recording":
            write_recording(store, run.id, out)
            names: list[str] = ["fingerprint", *METRICS]
        else:
            results = store.results(run.id)
            write = results_cells_csv if kind == "csv-cells" else to_csv
            written = write(results)
            names = next(csv.reader([written[: written.index("\n")]]))
            if kind == "parquet":
                names = ["cell", "trial", "fingerprint", *names[2:]]
                _write_parquet(out, results, names, run)
            elif kind == "json":
                write_atomically(out, results_json(run, results, options.frequencies))
            else:
                write_atomically(out, written)
    if options.dictionary:
        place = Path(options.dictionary)
        form = "json" if place.suffix.lower() == ".json" else "csv"
        write_atomically(place, _written_dictionary(dictionary(names), form))
    output.note(f"wrote {out}")
    return exits.DONE


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
    # A column has one type: numbers, or else words.
    for name, values in by_name.items():
        if len({isinstance(value, str) for value in values if value is not None}) > 1:
            by_name[name] = [None if value is None else str(value) for value in values]
    return by_name


def _write_parquet(out: Path, results: Results, names: Sequence[str], run: Run) -> None:
    try:
        pyarrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        raise FileError(
            f"{out} cannot be written: Parquet needs pyarrow (pip install ldptui[parquet])"
        ) from None
    data = columns(results, names)
    meanings = {name: meaning for name, _, meaning in dictionary(names)}
    made = pyarrow.table(data)
    fields = [field.with_metadata({"description": meanings[field.name]}) for field in made.schema]
    about = {"ldptui": json.dumps(as_json(run), default=str), "digest": results.digest}
    schema = pyarrow.schema(fields, metadata=about)
    with whole_file(out) as file:
        parquet.write_table(made.cast(schema), file)
