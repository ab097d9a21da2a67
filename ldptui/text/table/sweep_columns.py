"""A sweep: one row for each cell, the swept keys, then each metric's columns."""

from __future__ import annotations

from functools import partial
from typing import Final

from msgspec import Struct

from ldptui.core.base.summary import Estimate
from ldptui.core.cell import Cell
from ldptui.core.metrics import column
from ldptui.core.metrics.results import CellResults, estimate_of
from ldptui.core.running.runner import RunResults
from ldptui.core.theory import compare_with_theory
from ldptui.core.theory.campaign import entry_of

from ...catalogue import metric_words
from .cell_columns import python_groups
from .layout import (
    ColumnGroup,
    TextColumn,
)
from .number_columns import (
    beside_theory,
    common_power,
    heads,
    key_column,
    side_by_side,
    with_errors,
)

Finished = tuple[Cell, CellResults, dict[str, float | None]]


def sweep_groups(results: RunResults, finished: list[Finished]) -> list[ColumnGroup]:
    """The columns of a sweep's table, those of the swept keys first."""
    cells = [cell for cell, _, _ in finished]
    code = python_groups(cells, partial(_estimates, finished=finished))
    return [_keys(results, finished), *_groups(finished), *code]


def _keys(results: RunResults, finished: list[Finished]) -> ColumnGroup:
    """The columns of the swept keys; f_T if the targets vary, and the trials if the run
    is partial.
    """
    swept = list(results.experiment.scenario.sweep)
    columns = [
        key_column(name, [cell.parameters.get(key) for cell, _, _ in finished])
        for key, name in zip(swept, heads(swept), strict=True)
    ]
    held = [cell.target_frequency if cell.attack else None for cell, _, _ in finished]
    if any(key.startswith("attack.targets.") for key in swept) and len(set(held)) > 1:
        columns.append(key_column("f_T", held))
    if not results.complete:
        done = (f"{measured.trials}/{cell.trials}" for cell, measured, _ in finished)
        columns.append(TextColumn("trials", tuple(done)))
    return ColumnGroup("", tuple(columns))


class _Row(Struct, frozen=True):
    """A group of columns that a sweep may have.

    columns : metrics with the heads of their columns; a metric without a head is shown beside its
        closed form.
    when : the words of `_facts` that must hold.
    needs : metrics of which at least one cell must have a value.
    """

    title: str
    columns: dict[str, str]
    when: str = ""
    needs: tuple[str, ...] = ()


_FLAGGED = {"recall": "fakes", "false_positive_rate": "genuine"}
_ALARM = {"alarm_rate": "attacked", "false_alarm_rate": "clean"}
_OF_TARGETS = {"target_frequency_clean": "before", "target_frequency": "after"}
# Metrics that share columns, or that only some cells have; another one has columns of its own.
_ROWS: Final = (
    _Row("gain", {"gain": ""}, "attacked frequencies"),
    _Row("target frequency", _OF_TARGETS, "attacked frequencies"),
    _Row("mean squared error", {"mse": ""}, "frequencies"),
    _Row("mean squared error, clean", {"mse_clean": ""}, "attacked frequencies"),
    _Row("errors", {"max_error": "largest", "l1_error": "sum (L1)"}, "honest frequencies"),
    _Row("targets", {"targets_in_top_k": "in top {}"}, "attacked frequencies"),
    _Row("targets named", {"targets_in_top_k": ""}, "attacked hitters"),
    _Row("recall of hitters", {"hitter_recall": ""}, "hitters"),
    _Row("without attack", {"hitter_recall_clean": "recall", "ncr_clean": "NCR"}, "hitters"),
    _Row("defended gain", {"gain_after": ""}, "attacked defended foretold"),
    _Row("defended", {"gain_after": "gain"}, "attacked defended unforetold"),
    _Row("defended error", {"mse_clean_after": "before", "mse_after": "after"}, "defended"),
    _Row("flagged", _FLAGGED, needs=(*_FLAGGED,)),
    _Row("alarm", _ALARM, needs=(*_ALARM,)),
    _Row("estimated share of fakes", {"share_estimate": ""}, needs=("share_estimate_std",)),
    _Row("its deviation", {"share_estimate_std": "in one trial"}, needs=("share_estimate_std",)),
    _Row("all in top k from", {}, "attacked rounds"),
    _Row("targets", {"target_levels": "levels"}, "attacked hitters"),
    _Row("detected", {"detected": "items", "false_detected": "false"}, needs=("detected",)),
)


def _groups(finished: list[Finished]) -> list[ColumnGroup]:
    """The columns of each metric that the table shows."""
    facts, known = _facts(finished), partial(has_values, finished=finished)
    listed = facts & {"frequencies", "hitters"}
    placed = {name for row in _ROWS for name in row.columns} if listed else set()
    names = dict.fromkeys(name for cell, _, _ in finished for name in cell.metrics)
    others = (
        _Row(metric_words(name).name, {name: ""}, needs=(name,))
        for name in names
        if name not in placed and not (listed and metric_words(name).aside)
    )
    return [
        _group(row, finished)
        for row in (*(_ROWS if listed else ()), *others)
        if facts.issuperset(row.when.split()) and (not row.needs or any(map(known, row.needs)))
    ]


def _facts(finished: list[Finished]) -> set[str]:
    """The words that hold for the cells, for the field `when` of a row."""
    cells = [cell for cell, _, _ in finished]
    facts = {"attacked" if any(cell.attack is not None for cell in cells) else "honest"}
    if all("mse" not in cell.metrics for cell in cells):
        named = any("hitter_recall" in cell.metrics for cell in cells)
        return {*facts, "hitters"} if named else facts
    foretold = any(theory.get("gain_after") is not None for _, _, theory in finished)
    facts |= {"frequencies", "foretold" if foretold else "unforetold"}
    facts |= {"defended"} if any(cell.defences for cell in cells) else set()
    return facts | ({"rounds"} if any(cell.rounds for cell in cells) else set())


def has_values(metric: str, finished: list[Finished]) -> bool:
    """True if a cell has a value of the metric."""
    columns = (column(measured.metrics, metric) for _, measured, _ in finished)
    return any(estimate_of(values).mean is not None for values in columns)


def _group(row: _Row, finished: list[Finished]) -> ColumnGroup:
    """The columns of a row: measured and expected, or measured columns side by side in one unit."""
    if not row.columns:
        return _entries(row.title, finished)
    if "" in row.columns.values():
        (metric,) = row.columns
        return beside_theory(row.title, [
            compare_with_theory(cell, measured, metric, theory)
            for cell, measured, theory in finished
        ])  # fmt: skip
    tops = {cell.top_k for cell, _, _ in finished}
    top = str(tops.pop()) if len(tops) == 1 else "k"
    columns = {head.format(top): _estimates(name, finished) for name, head in row.columns.items()}
    return side_by_side(row.title, columns)


def _entries(title: str, finished: list[Finished]) -> ColumnGroup:
    """The round in which all targets entered the top k, and the trials in which they did."""
    entries = [(entry_of(cell, measured), measured.trials) for cell, measured, _ in finished]
    when = [Estimate(entry.mean, entry.standard_error, None) for entry, _ in entries]
    trials = tuple(f"{entry.reached}/{count}" for entry, count in entries)
    columns = (
        TextColumn("round", with_errors(when, common_power(when))),
        TextColumn("trials", trials),
    )
    return ColumnGroup(title, columns)


def _estimates(metric: str, finished: list[Finished]) -> list[Estimate]:
    """The estimates of a metric, one for each cell, without a closed form."""
    return [
        compare_with_theory(cell, measured, metric, {metric: None})
        for cell, measured, _ in finished
    ]


def breaks(results: RunResults, finished: list[Finished]) -> set[int]:
    """The rows before which a long table has an empty line, since the keys but the last change."""
    swept = list(results.experiment.scenario.sweep)
    if len(swept) < 2 or len(results.experiment.scenario.sweep[swept[-1]]) < 3:
        return set()
    outer = [str([cell.parameters.get(key) for key in swept[:-1]]) for cell, _, _ in finished]
    return {row for row in range(1, len(outer)) if outer[row] != outer[row - 1]}
