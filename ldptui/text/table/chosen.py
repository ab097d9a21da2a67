"""The columns of a table that was asked for: chosen metrics, and swept keys down and across."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from ldptui.core.export import Choice, Pivot, pivot
from ldptui.core.running.runner import Results

from ...catalogue import key_words, metric_words
from .layout import Column, Group, aligned_on, words_column
from .numbers import beside_theory, side_by_side
from .words import heads, value_text


def chosen_groups(results: Results, choice: Choice) -> list[Group]:
    """The columns of a table over rows and columns of swept keys, or of a sweep's chosen metrics.

    Beside each metric stand its closed form and z where no key is above the columns.
    """
    if not choice.turned:
        swept = tuple(results.experiment.scenario.sweep)
        choice = Choice(choice.metrics, swept)
    made = pivot(results, choice)
    return [_keys(made), *(_group(made, metric) for metric in choice.metrics)]


def _keys(made: Pivot) -> Group:
    columns = []
    for at, head in enumerate(heads(made.keys)):
        values = [row[at] for row in made.rows]
        words = any(isinstance(value, str | tuple) for value in values)
        write = words_column if words else partial(aligned_on, mark=".")
        columns.append(Column(head, write([value_text(_listed(each)) for each in values]), words))
    return Group("", tuple(columns))


def _group(made: Pivot, metric: str) -> Group:
    """A metric: beside its closed form, or a column for the values above each."""
    name = metric_words(metric).name
    if not made.across:
        return beside_theory(name, made.column(metric))
    return side_by_side(
        name, {_head(made.across, above): made.column(metric, above) for above in made.columns}
    )


def _head(keys: Sequence[str], values: Sequence[Any]) -> str:
    """The values above a column, numbers with the symbols of their keys."""
    words = []
    for key, value in zip(keys, values, strict=True):
        written = value_text(_listed(value))
        symbol = "" if isinstance(value, str | tuple) else f"{key_words(key).column} = "
        words.append(f"{symbol}{written}")
    return ", ".join(words)


def _listed(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
