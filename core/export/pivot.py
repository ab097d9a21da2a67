"""Tables of chosen metrics, with swept keys as rows and columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from ..base.errors import ScenarioError, got, suggest
from ..base.summary import Estimate
from ..experiment import Experiment
from ..running.runner import RunResults
from ..scenario.dotted_document import with_part_number
from ..theory import compare_with_theory, expected_metrics
from ..view.cells import measured_names

NO_ESTIMATE: Final = Estimate(None, None, None)


@dataclass(frozen=True)
class TableChoice:
    """The metrics, row keys and column keys of a table; empty fields mean all of them, in the usual
    order.

    metrics : the names of the metrics. rows, columns : swept keys whose values make the rows, and
    the columns. wrap : the largest number of characters in a line in LaTeX, beyond which a table is
    split; None for no limit.
    """

    metrics: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    wrap: int | None = field(default=None, compare=False)

    @property
    def is_pivot(self) -> bool:
        """Whether the table has row keys or column keys, so that a row is no longer one cell."""
        return bool(self.rows or self.columns)


ALL: Final = TableChoice()
"""Everything, as it usually stands."""


@dataclass(frozen=True)
class Pivot:
    """Metrics in a table over two sets of swept keys, of the rows and of the columns.

    keys, across : the swept keys of the rows and of the columns. rows, columns : their values, in
    the order of the sweep. estimates : for each metric, by the values of a row and a column;
    without an entry if no cell has both.
    """

    keys: tuple[str, ...]
    across: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    columns: tuple[tuple[Any, ...], ...]
    estimates: dict[str, dict[tuple[Any, Any], Estimate]] = field(repr=False)

    def column(self, metric: str, above: tuple[Any, ...] = ()) -> list[Estimate]:
        """The estimates of a metric at given values of the column keys, from the first row to the
        last.
        """
        known = self.estimates[metric]
        return [known.get((row, above), NO_ESTIMATE) for row in self.rows]

    def records(self) -> list[dict[str, Any]]:
        """A dict for each row: its keys, then each column's mean and standard error.

        A column is named by its values and the metric, as `oue gain`, and that of its standard
        error ends in `_standard_error`.
        """
        made = [dict(zip(self.keys, row, strict=True)) for row in self.rows]
        for above in self.columns:
            for metric in self.estimates:
                name = " ".join([*map(str, above), metric])
                for record, estimate in zip(made, self.column(metric, above), strict=True):
                    record[name] = estimate.mean
                    record[f"{name}_standard_error"] = estimate.standard_error
        return made


def check_choice(experiment: Experiment, choice: TableChoice) -> TableChoice:
    """The choice with empty fields filled in.

    Raises ScenarioError, at `metrics`, `rows` or `columns`, for an unknown or repeated name, or if
    a swept key is missing.
    """
    known = measured_names(experiment.cells)
    for metric in choice.metrics:
        if metric not in known:
            rule = f"must be metrics of this run ({', '.join(known)}), {got(metric)}"
            rule += suggest(metric, known)
            raise ScenarioError(rule, key="metrics")
    if not choice.is_pivot:
        return choice
    sweep, document = experiment.scenario.sweep, experiment.scenario.document
    choice = replace(
        choice,
        rows=tuple(with_part_number(document, key) for key in choice.rows),
        columns=tuple(with_part_number(document, key) for key in choice.columns),
    )
    for name, keys in (("rows", choice.rows), ("columns", choice.columns)):
        for key in keys:
            if key not in sweep:
                rule = f"must be swept keys ({', '.join(sweep) or 'there are none'}), {got(key)}"
                raise ScenarioError(rule, key=name)
        if len({*keys}) < len(keys) or {*choice.rows} & {*choice.columns}:
            raise ScenarioError(f"must name a key once, {got(','.join(keys))}", key=name)
    rows = choice.rows or tuple(key for key in sweep if key not in choice.columns)
    left = [key for key in sweep if key not in (*rows, *choice.columns) and len(sweep[key]) > 1]
    if left:
        rule = f"must name every swept key that has several values: {left[0]} is in neither"
        raise ScenarioError(rule, key="columns" if choice.rows else "rows")
    return replace(choice, metrics=choice.metrics or _usual(experiment, known), rows=rows)


def _usual(experiment: Experiment, metrics: Sequence[str]) -> tuple[str, ...]:
    """The metric of a table of rows and columns where none is chosen: the first with a theory."""
    expected = [expected_metrics(cell) for cell in experiment.cells]
    known = (name for name in metrics if any(each.get(name) is not None for each in expected))
    return (next(known, metrics[0]),)


def pivot(results: RunResults, choice: TableChoice) -> Pivot:
    """The metrics of a checked choice by the values of its keys."""
    keys, across = choice.rows, choice.columns
    values: dict[str, dict[tuple[Any, Any], Estimate]] = {name: {} for name in choice.metrics}
    rows, columns = dict[tuple[Any, ...], None](), dict[tuple[Any, ...], None]()
    for cell, measured in zip(results.experiment.cells, results.cells, strict=True):
        row, above = (_values(cell.parameters, names) for names in (keys, across))
        rows[row] = columns[above] = None
        if measured.trials:
            theory = expected_metrics(cell)
            for metric in choice.metrics:
                values[metric][row, above] = compare_with_theory(cell, measured, metric, theory)
    sweep = results.experiment.scenario.sweep
    return Pivot(
        keys, across, _in_order(rows, keys, sweep), _in_order(columns, across, sweep), values
    )


def _in_order(
    combinations: Iterable[tuple[Any, ...]], keys: Sequence[str], sweep: Mapping[str, list[Any]]
) -> tuple[tuple[Any, ...], ...]:
    """Combinations of values as they are swept, the last key's fastest; without a key first."""
    places = [{_as_key(value): at for at, value in enumerate(sweep[key])} for key in keys]

    def place(values: tuple[Any, ...]) -> list[int]:
        return [known.get(value, -1) for known, value in zip(places, values, strict=True)]

    return tuple(sorted(combinations, key=place))


def _values(parameters: Any, keys: Sequence[str]) -> tuple[Any, ...]:
    return tuple(_as_key(parameters.get(key)) for key in keys)


def _as_key(value: Any) -> Any:
    """A swept value as part of a key; lists of items are tuples there."""
    return tuple(value) if isinstance(value, list) else value
