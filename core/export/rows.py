"""CSV in two shapes: a row for each trial, and a row for each cell with its summaries."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from ..cell import Cell
from ..goal import Answer
from ..metrics import METRICS, plain
from ..running.runner import Results
from ..theory import privacy_spent
from .document import cell_documents


def to_csv(results: Results) -> str:
    """One row per trial: cell, trial, the parameters, then the metrics.

    Campaigns add columns: `round`, filled in the rows that follow a trial's row and empty in that
    row, which sums up all rounds; after the parameters `malicious` and `epsilon_spent`; and at the
    end `entry_round`, the trial's.
    """
    return "".join(csv_lines(results))


def csv_lines(results: Results) -> Iterator[str]:
    """The rows of `to_csv`, one at a time, for results too large for one string."""
    names = parameter_names([cell.parameters for cell in results.experiment.cells])
    if any(cell.rounds for cell in results.experiment.cells):
        yield from _campaign_lines(results, names)
        return
    answers = ANSWER if any(cell.answer for cell in results.experiment.cells) else ()
    metrics = _metrics(results)
    yield _line(["cell", "trial", *names, *(f"answer.{name}" for name in answers), *metrics])
    for cell, measured in zip(results.experiment.cells, results.cells, strict=True):
        answer = {} if cell.answer is None else dataclasses.asdict(cell.answer)
        shown = [*_parameters(cell, names), *(answer.get(name) for name in answers)]
        for trial, row in enumerate(plain(measured.metrics, metrics).tolist()):
            yield _line([cell.index, trial, *shown, *_blank(row)])


ANSWER: Final = [field.name for field in dataclasses.fields(Answer) if field.name != "trials"]
"""The columns of a row that hold the answer to a goal."""

ENDS: Final = {"": "mean", "_standard_error": "standard_error", "_theory": "theory", "_z": "z"}
"""The ends of a metric's columns where a row is a cell, and what they hold of its summary."""


def _campaign_lines(results: Results, names: list[str]) -> Iterator[str]:
    metrics = _metrics(results)
    yield _line(["cell", "trial", "round", *names, "malicious", "epsilon_spent", *metrics,
                 "entry_round"])  # fmt: skip
    for cell, measured in zip(results.experiment.cells, results.cells, strict=True):
        rounds, r = measured.rounds, cell.targets.size
        if rounds is None:
            continue
        shown, spent = _parameters(cell, names), privacy_spent(cell)
        entries = rounds.entries(r) if r else np.full(measured.trials, np.nan)
        by_round = plain(rounds.metrics, metrics)
        for trial, row in enumerate(plain(measured.metrics, metrics).tolist()):
            head = [cell.index, trial]
            entry = "" if np.isnan(entries[trial]) else int(entries[trial])
            pool = [*shown, cell.malicious, spent[-1], *_blank(row), entry]
            yield _line([*head, "", *pool])
            for collection, so_far in zip(cell.rounds, spent, strict=True):
                number = collection.round
                values = _blank(by_round[trial, number].tolist())
                yield _line([*head, number, *shown, collection.malicious, so_far, *values, ""])


def cells_csv(documents: Sequence[Mapping[str, Any]]) -> str:
    """One row per cell of the JSON document: its part, the parameters, then the metrics.

    Columns: `part` where the cells have one, `cell`, `trials_done`, the parameters by their dotted
    names, `answer.*` where there is a goal, and for each metric METRIC, METRIC_standard_error,
    METRIC_theory and METRIC_z; empty for null. Campaigns add `round`, filled in the rows that
    follow a cell's row and empty in that row, which pools all rounds; after the parameters
    `malicious` and `epsilon_spent`; and at the end `entry_round` with its standard error and
    `entry_round_reached`, the number of trials.
    """
    names = parameter_names([cell["parameters"] for cell in documents])
    metrics = dict.fromkeys(name for cell in documents for name in cell["metrics"])
    answers = ANSWER if any("answer" in cell for cell in documents) else ()
    repeated = any("rounds" in cell for cell in documents)
    columns = [
        *(["part"] if any("part" in cell for cell in documents) else []),
        *("cell", "trials_done"),
        *(["round"] if repeated else []),
        *names,
        *(f"answer.{name}" for name in answers),
        *(["malicious", "epsilon_spent"] if repeated else []),
        *(f"{name}{end}" for name in metrics for end in ENDS),
        *(["entry_round", "entry_round_standard_error", "entry_round_reached"] if repeated else []),
    ]
    rows = (row for cell in documents for row in _cell_rows(cell))
    lines = "".join(_line([row.get(name) for name in columns]) for row in rows)
    return f"{_line(columns)}{lines}"


def results_cells_csv(results: Results) -> str:
    """The cells of results as `cells_csv` writes them."""
    return cells_csv(cell_documents(results))


def _cell_rows(cell: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The row of a cell, and of each of its rounds, by the names of the columns."""
    own = {
        "part": cell.get("part"),
        "cell": cell["index"],
        "trials_done": cell["trials"],
        "malicious": cell["malicious"],
        **{name: parameter_text(value) for name, value in cell["parameters"].items()},
        **{f"answer.{name}": value for name, value in cell.get("answer", {}).items()},
    }
    rounds = cell.get("rounds", ())
    spent = rounds[-1]["epsilon_spent"] if rounds else None
    entry = cell.get("entry_round") or {"mean": None, "standard_error": None, "reached": None}
    yield {
        **own,
        "epsilon_spent": spent,
        **_summary_columns(cell["metrics"]),
        "entry_round": entry["mean"],
        "entry_round_standard_error": entry["standard_error"],
        "entry_round_reached": entry["reached"],
    }
    for collection in rounds:
        own |= {name: collection[name] for name in ("round", "malicious", "epsilon_spent")}
        yield {**own, **_summary_columns(collection["metrics"])}


def parameter_names(cells: Sequence[Mapping[str, object]]) -> list[str]:
    """The parameters of cells that have a column: scalars, and lists that differ between cells."""
    texts: dict[str, set[str]] = {}
    scalars = set()
    for parameters in cells:
        for name, value in parameters.items():
            texts.setdefault(name, set()).add(repr(value))
            if _is_scalar(value):
                scalars.add(name)
    return [name for name, values in texts.items() if name in scalars or len(values) > 1]


def parameter_text(value: object) -> object:
    """The value of a parameter in a column: a scalar as it is, a list as JSON."""
    return value if _is_scalar(value) else json.dumps(value, ensure_ascii=False)


def of_one_type(values: list[Any]) -> list[Any]:
    """The values of a column as numbers, or all of them as words; None stays."""
    if len({isinstance(value, str) for value in values if value is not None}) > 1:
        return [None if value is None else str(value) for value in values]
    return values


def _summary_columns(metrics: Mapping[str, Mapping[str, float | None]]) -> dict[str, float | None]:
    return {
        f"{name}{end}": summary[part]
        for name, summary in metrics.items()
        for end, part in ENDS.items()
    }


def _metrics(results: Results) -> list[str]:
    """The names of the metrics that some cell has."""
    some = {name for cell in results.experiment.cells for name in cell.metrics}
    return [name for name in METRICS if name in some]


def _parameters(cell: Cell, names: Iterable[str]) -> list[object]:
    """The parameters of these names, "" where they are none of this cell."""
    return [parameter_text(cell.parameters.get(name, "")) for name in names]


def _blank(row: Iterable[float]) -> list[float | str]:
    return ["" if math.isnan(x) else x for x in row]


def _is_scalar(value: object) -> bool:
    return isinstance(value, str | int | float | np.number)


def _line(values: list[Any]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerow(values)
    return buffer.getvalue()
