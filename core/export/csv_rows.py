"""Results as CSV in two shapes: a row for each trial, or a row for each cell."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from ..base.errors import RunError, ScenarioError, got
from ..cell import Cell
from ..metrics import plain
from ..metrics.goal import GoalAnswer
from ..metrics.results import CellResults
from ..running.runner import RunResults
from ..theory import expected_metrics, privacy_spent
from ..theory.campaign import round_theories
from ..view.cells import measured_names
from .json_document import cell_documents
from .pivot import ALL, TableChoice, pivot


def to_csv(results: RunResults, choice: TableChoice = ALL) -> str:
    """One row per trial: cell, trial, the parameters, the metrics, then their closed forms.

    choice : the metrics to write; if it has row or column keys, the result is that of `pivot_csv`.

    METRIC_theory is the cell's, for each metric that has one in some cell; a single trial has no
    standard error, and so no z. Campaigns add columns: `round`, filled in the rows that follow a
    trial's row and empty in that row, which pools all rounds; after the parameters `malicious` and
    `epsilon_spent`; and at the end `entry_round`, the trial's.
    """
    return pivot_csv(results, choice) if choice.is_pivot else "".join(csv_lines(results, choice))


def csv_lines(results: RunResults, choice: TableChoice = ALL) -> Iterator[str]:
    """Yields the rows of `to_csv`, one at a time, for results too large for one string."""
    names, rows = trial_rows(results, choice.metrics)
    yield _line(names)
    yield from map(_line, rows)


def trial_rows(
    results: RunResults, chosen: Sequence[str] = ()
) -> tuple[list[str], Iterator[list[Any]]]:
    """The columns of `to_csv`, and its rows; a value is None if its metric is undefined."""
    cells = results.experiment.cells
    names = parameter_names([cell.parameters for cell in cells])
    answers = ANSWER if any(cell.answer for cell in cells) else ()
    repeated = any(cell.rounds for cell in cells)
    metrics = list(chosen) or measured_names(cells)
    expected = [expected_metrics(cell) for cell in cells]
    known = {name for each in expected for name, theory in each.items() if theory is not None}
    compared = [name for name in metrics if name in known]
    columns = [
        *("cell", "trial"),
        *(["round"] if repeated else []),
        *names,
        *(f"answer.{name}" for name in answers),
        *(["malicious", "epsilon_spent"] if repeated else []),
        *metrics,
        *(f"{name}_theory" for name in compared),
        *(["entry_round"] if repeated else []),
    ]

    def rows() -> Iterator[list[Any]]:
        for cell, measured, theory in zip(cells, results.cells, expected, strict=True):
            answer = {} if cell.answer is None else dataclasses.asdict(cell.answer)
            shown = [*_parameters(cell, names), *(answer.get(name) for name in answers)]
            if repeated:
                yield from _round_rows(cell, measured, theory, shown, metrics, compared)
                continue
            closed = [theory.get(name) for name in compared]
            for trial, row in enumerate(plain(measured.metrics, metrics).tolist()):
                yield [cell.index, trial, *shown, *_blank(row), *closed]

    return columns, rows()


ANSWER: Final = [field.name for field in dataclasses.fields(GoalAnswer) if field.name != "trials"]
"""The columns of a row that hold the answer to a goal."""

ENDS: Final = {"": "mean", "_standard_error": "standard_error", "_theory": "theory", "_z": "z"}
"""The ends of a metric's columns where a row is a cell, and what they hold of its summary."""


def _round_rows(
    cell: Cell,
    measured: CellResults,
    theory: Mapping[str, float | None],
    shown: list[Any],
    metrics: list[str],
    compared: list[str],
) -> Iterator[list[Any]]:
    """The row of each trial of a campaign, and after it those of its rounds."""
    rounds, r = measured.rounds, cell.targets.size
    if rounds is None:
        return
    spent = privacy_spent(cell)
    closed = [theory.get(name) for name in compared]
    each = [[theory.get(name) for name in compared] for theory in round_theories(cell)]
    entries = rounds.entries(r) if r else np.full(measured.trials, np.nan)
    by_round = plain(rounds.metrics, metrics)
    for trial, row in enumerate(plain(measured.metrics, metrics).tolist()):
        head = [cell.index, trial]
        entry = None if np.isnan(entries[trial]) else int(entries[trial])
        yield [*head, None, *shown, cell.malicious, spent[-1], *_blank(row), *closed, entry]
        for collection, so_far, expected in zip(cell.rounds, spent, each, strict=True):
            number = collection.round
            values = [*_blank(by_round[trial, number].tolist()), *expected]
            yield [*head, number, *shown, collection.malicious, so_far, *values, None]


def cells_csv(documents: Sequence[Mapping[str, Any]]) -> str:
    """One row per cell of the JSON document: the parameters, then the metrics.

    Columns: `cell`, `trials_done`, the parameters by their dotted names, `answer.*` where there is
    a goal, and for each metric METRIC, METRIC_standard_error, METRIC_theory and METRIC_z; empty for
    null. Campaigns add `round`, filled in the rows that follow a cell's row and empty in that row,
    which pools all rounds; after the parameters `malicious` and `epsilon_spent`; and at the end
    `entry_round` with its standard error and `entry_round_reached`, the number of trials.
    """
    metrics = dict.fromkeys(name for cell in documents for name in cell["metrics"])
    repeated = any("rounds" in cell for cell in documents)
    columns = [
        *_settings(documents),
        *(f"{name}{end}" for name in metrics for end in ENDS),
        *(ENTRY if repeated else []),
    ]
    rows = (own | _summaries(found) for cell in documents for own, found in _collections(cell))
    lines = "".join(_line([row.get(name) for name in columns]) for row in rows)
    return f"{_line(columns)}{lines}"


def results_cells_csv(results: RunResults, choice: TableChoice = ALL) -> str:
    """The results as a CSV with one row per cell.

    choice : the metrics; if it has row or column keys, the result is that of `pivot_csv`.
    """
    if choice.is_pivot:
        return pivot_csv(results, choice)
    return cells_csv(cell_documents(results, metrics=choice.metrics))


def pivot_csv(results: RunResults, choice: TableChoice) -> str:
    """The results as a CSV with one row for each value of the row keys, with the columns of
    `Pivot.records`.
    """
    records = pivot(results, choice).records()
    lines = (_line([parameter_text(value) for value in record.values()]) for record in records)
    return "".join([_line([*records[0]]), *lines])


def metric_rows(results: RunResults) -> list[dict[str, Any]]:
    """One row per cell and metric, as dicts (tidy data).

    The columns of `cells_csv` up to the metrics, without `trials_done`, then `metric`, `trials`,
    `mean`, `standard_error`, `theory` and `z`; None if undefined.
    """
    documents = cell_documents(results)
    settings = [name for name in _settings(documents) if name != "trials_done"]
    return [
        {**{key: own.get(key) for key in settings}, "metric": name, "trials": cell["trials"],
         **{part: summary[part] for part in ENDS.values()}}
        for cell in documents
        for own, found in _collections(cell)
        for name, summary in found.items()
    ]  # fmt: skip


ENTRY: Final = {
    "entry_round": "mean",
    "entry_round_standard_error": "standard_error",
    "entry_round_reached": "reached",
}
"""The columns of the entry round of a campaign, and what they hold of its summary."""


def _settings(documents: Sequence[Mapping[str, Any]]) -> list[str]:
    """The columns of cells before those of their metrics."""
    repeated = any("rounds" in cell for cell in documents)
    return [
        *("cell", "trials_done"),
        *(["round"] if repeated else []),
        *parameter_names([cell["parameters"] for cell in documents]),
        *(f"answer.{name}" for name in ANSWER if any("answer" in cell for cell in documents)),
        *(["malicious", "epsilon_spent"] if repeated else []),
    ]


def _collections(
    cell: Mapping[str, Any],
) -> Iterator[tuple[dict[str, Any], Mapping[str, Mapping[str, float | None]]]]:
    """The columns of a cell but for its metrics, and these; then those of each of its rounds."""
    own = {
        "cell": cell["index"],
        "trials_done": cell["trials"],
        "malicious": cell["malicious"],
        **{name: parameter_text(value) for name, value in cell["parameters"].items()},
        **{f"answer.{name}": value for name, value in cell.get("answer", {}).items()},
    }
    rounds, entry = cell.get("rounds", ()), cell.get("entry_round", {})
    spent = rounds[-1]["epsilon_spent"] if rounds else None
    entered = {column: entry.get(part) for column, part in ENTRY.items()}
    yield {**own, "epsilon_spent": spent, **entered}, cell["metrics"]
    for collection in rounds:
        own |= {name: collection[name] for name in ("round", "malicious", "epsilon_spent")}
        yield own, collection["metrics"]


def parameter_names(cells: Sequence[Mapping[str, object]]) -> list[str]:
    """The parameters that get a column: scalars, and lists that differ between cells."""
    texts: dict[str, set[str]] = {}
    scalars = set()
    for parameters in cells:
        for name, value in parameters.items():
            texts.setdefault(name, set()).add(repr(value))
            if _is_scalar(value):
                scalars.add(name)
    return [name for name, values in texts.items() if name in scalars or len(values) > 1]


def parameter_text(value: object) -> object:
    """The value of a parameter in a column: a scalar unchanged, a list as JSON."""
    return value if value is None or _is_scalar(value) else json.dumps(value, ensure_ascii=False)


def of_one_type(values: list[Any]) -> list[Any]:
    """The values of a column converted to one type, all numbers or all texts; None stays None."""
    if len({isinstance(value, str) for value in values if value is not None}) > 1:
        return [None if value is None else str(value) for value in values]
    return values


def _summaries(metrics: Mapping[str, Mapping[str, float | None]]) -> dict[str, float | None]:
    return {
        f"{name}{end}": summary[part]
        for name, summary in metrics.items()
        for end, part in ENDS.items()
    }


def _parameters(cell: Cell, names: Iterable[str]) -> list[object]:
    """The parameters of these names, None where they are none of this cell."""
    return [
        parameter_text(cell.parameters[name]) if name in cell.parameters else None for name in names
    ]


def _blank(row: Iterable[float]) -> list[float | None]:
    return [None if math.isnan(x) else x for x in row]


def _is_scalar(value: object) -> bool:
    return isinstance(value, str | int | float | np.number)


def _line(values: list[Any]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerow(values)
    return buffer.getvalue()


def make_frame(rows: list[dict[str, Any]], library: str | None) -> Any:
    """Rows as a polars or pandas data frame.

    library : "polars", "pandas", or None for the first that is installed. Raises ScenarioError for
    another name, RunError if it is not installed.
    """
    libraries = ("polars", "pandas")
    if library is not None and (not isinstance(library, str) or library not in libraries):
        raise ScenarioError(f'must be "polars" or "pandas", {got(library)}', key="library")
    columns = {name: of_one_type([row[name] for row in rows]) for name in (rows[0] if rows else ())}
    for name in libraries if library is None else (library,):
        try:
            module: Any = __import__(name)
        except ImportError:
            continue
        return module.DataFrame(columns)
    wanted = library or "polars or pandas"
    raise RunError(f"a frame needs {wanted}: pip install {library or 'polars'}; rows() needs none")
