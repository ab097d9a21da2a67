"""A sweep: one row for each cell, the swept keys, then each metric's columns."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from ldptui.core.base.summary import Estimate
from ldptui.core.cell import Cell
from ldptui.core.metrics import column
from ldptui.core.metrics.results import CellResults, estimate_of
from ldptui.core.running.runner import Results
from ldptui.core.theory import compared
from ldptui.core.theory.campaign import entry_of

from ...catalogue import metric_words
from .layout import (
    Column,
    Group,
    Style,
    aligned_on,
    block_lines,
    in_blocks,
    number_column,
    words_column,
)
from .numbers import beside_theory, common_power, side_by_side, with_errors
from .python import python_groups
from .words import heads, value_text

Finished = tuple[Cell, CellResults, dict[str, float | None]]


def sweep_lines(
    results: Results, finished: list[Finished], groups: list[Group], width: int, style: Style
) -> list[str]:
    """The groups with one row for each cell, in as many blocks as the width asks for."""
    breaks = _breaks(results, finished)
    lines: list[str] = []
    keys, *others = groups
    for block in in_blocks(keys, others, width):
        lines += [*([""] if lines else []), *block_lines(block, style, breaks)]
    return lines


def sweep_groups(results: Results, finished: list[Finished]) -> list[Group]:
    """All columns of a sweep: those of its keys first."""
    cells = [cell for cell, _, _ in finished]
    code = python_groups(cells, partial(_estimates, finished=finished))
    return [_keys(results, finished), *_groups(finished), *code]


def _keys(results: Results, finished: list[Finished]) -> Group:
    """The swept keys, and what helps to read them: f_T where targets vary, trials if partial."""
    swept = list(results.experiment.scenario.sweep)
    columns = []
    for key, name in zip(swept, heads(swept), strict=True):
        values = [cell.parameters.get(key) for cell, _, _ in finished]
        if any(isinstance(value, str | list) for value in values):
            columns.append(
                Column(name, words_column(value_text(value) for value in values), words=True)
            )
        else:
            columns.append(Column(name, aligned_on([value_text(value) for value in values], ".")))
    held = [cell.target_frequency if cell.attack else None for cell, _, _ in finished]
    if any(key.startswith("attack.targets.") for key in swept) and len(set(held)) > 1:
        columns.append(Column("f_T", aligned_on([value_text(value) for value in held], ".")))
    if not results.complete:
        done = [f"{measured.trials}/{cell.trials}" for cell, measured, _ in finished]
        columns.append(Column("trials", number_column(done)))
    return Group("", tuple(columns))


def _groups(finished: list[Finished]) -> list[Group]:
    """The columns of each metric that the table shows."""
    if all("mse" not in cell.metrics for cell, _, _ in finished):
        named = any("hitter_recall" in cell.metrics for cell, _, _ in finished)
        return _of_hitters(finished) if named else _of_each_metric(finished)
    tested = any(measured.estimate("detected").mean is not None for _, measured, _ in finished)
    two = {"detected": "items", "false_detected": "false"}
    detected = [_measured("detected", two, finished)] if tested else []
    defended = any(cell.defences for cell, _, _ in finished)
    errors = {"mse_clean_after": "before", "mse_after": "after"}
    defended_error = [_measured("defended error", errors, finished)] if defended else []
    if all(cell.attack is None for cell, _, _ in finished):
        return [
            _compared("mean squared error", "mse", finished),
            _measured("errors", {"max_error": "largest", "l1_error": "sum (L1)"}, finished),
            *defended_error,
            *_claims(finished),
            *detected,
        ]
    tops = {cell.top_k for cell, _, _ in finished}
    top = str(tops.pop()) if len(tops) == 1 else "k"
    return [
        _compared("gain", "gain", finished),
        _measured(
            "target frequency",
            {"target_frequency_clean": "before", "target_frequency": "after"},
            finished,
        ),
        _compared("mean squared error", "mse", finished),
        _compared("mean squared error, clean", "mse_clean", finished),
        _measured("targets", {"targets_in_top_k": f"in top {top}"}, finished),
        *([_defended_gain(finished)] if defended else []),
        *defended_error,
        *_claims(finished),
        *([_entries(finished)] if any(cell.rounds for cell, _, _ in finished) else []),
        *detected,
    ]


def _of_hitters(finished: list[Finished]) -> list[Group]:
    """The columns of cells that look for heavy hitters."""
    clean = {"hitter_recall_clean": "recall", "ncr_clean": "NCR"}
    groups = [
        _compared("recall of hitters", "hitter_recall", finished),
        _measured("without attack", clean, finished),
        *_claims(finished),
    ]
    if any(cell.attack is not None for cell, _, _ in finished):
        named = _compared("targets named", "targets_in_top_k", finished)
        return [named, *groups, _measured("targets", {"target_levels": "levels"}, finished)]
    return groups


def _of_each_metric(finished: list[Finished]) -> list[Group]:
    """The columns of every metric that some cell has a value of."""
    names = dict.fromkeys(metric for cell, _, _ in finished for metric in cell.metrics)
    return [
        _compared(metric_words(name).name, name, finished)
        for name in names
        if _any([name], finished)
    ]


def _claims(finished: list[Finished]) -> list[Group]:
    """The claims of defences: users that they flag, alarms, and the share of fakes."""
    claims = [
        ("flagged", {"recall": "fakes", "false_positive_rate": "genuine"}),
        ("alarm", {"alarm_rate": "attacked", "false_alarm_rate": "clean"}),
    ]
    groups = [
        _measured(title, metrics, finished) for title, metrics in claims if _any(metrics, finished)
    ]
    if _any(["share_estimate_std"], finished):
        noise = {"share_estimate_std": "in one trial"}
        groups += [
            _compared("estimated share of fakes", "share_estimate", finished),
            _measured("its deviation", noise, finished),
        ]
    return groups


def _any(metrics: Iterable[str], finished: list[Finished]) -> bool:
    """Return whether any cell has a value of any of the metrics."""
    return any(
        measured.estimate(metric).mean is not None
        for _, measured, _ in finished
        for metric in metrics
    )


def _defended_gain(finished: list[Finished]) -> Group:
    """The gain in spite of the defence, beside theory where a cell has it."""
    if any(theory["gain_after"] is not None for _, _, theory in finished):
        return _compared("defended gain", "gain_after", finished)
    return _measured("defended", {"gain_after": "gain"}, finished)


def _entries(finished: list[Finished]) -> Group:
    """The round in which all targets entered the top k, and the trials in which they did."""
    entries = [(entry_of(cell, measured), measured.trials) for cell, measured, _ in finished]
    when = [Estimate(entry.mean, entry.standard_error, None) for entry, _ in entries]
    trials = number_column(f"{entry.reached}/{count}" for entry, count in entries)
    columns = Column("round", with_errors(when, common_power(when))), Column("trials", trials)
    return Group("all in top k from", columns)


def _compared(title: str, metric: str, finished: list[Finished]) -> Group:
    """A metric, measured and expected."""
    return beside_theory(
        title, [compared(cell, measured, metric, theory) for cell, measured, theory in finished]
    )


def _measured(title: str, metrics: dict[str, str], finished: list[Finished]) -> Group:
    """Metrics without their theory, side by side in one unit."""
    columns = {head: _estimates(metric, finished) for metric, head in metrics.items()}
    return side_by_side(title, columns)


def _estimates(metric: str, finished: list[Finished]) -> list[Estimate]:
    """The estimates of a metric, one for each cell."""
    return [estimate_of(column(measured.metrics, metric)) for _, measured, _ in finished]


def _breaks(results: Results, finished: list[Finished]) -> set[int]:
    """The rows before which the keys but the last one change, where groups of rows are long."""
    swept = list(results.experiment.scenario.sweep)
    if len(swept) < 2 or len(results.experiment.scenario.sweep[swept[-1]]) < 3:
        return set()
    outer = [str([cell.parameters.get(key) for key in swept[:-1]]) for cell, _, _ in finished]
    return {row for row in range(1, len(outer)) if outer[row] != outer[row - 1]}
