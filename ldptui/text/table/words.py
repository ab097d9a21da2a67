"""Heads of columns, and values of parameters in few words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from ldptui.core.base.errors import one_line
from ldptui.core.cell import Cell
from ldptui.core.export import Choice, Pivot, pivot
from ldptui.core.running.runner import Results

from ...catalogue import key_words, metric_words
from .. import format as text
from .layout import Column, Group, aligned_on, words_column
from .numbers import beside_theory, side_by_side


def heads(keys: Sequence[str]) -> list[str]:
    """Swept keys as heads of columns: a word each, the whole key where two would be alike."""
    words = [key_words(key).column for key in keys]
    return [key if words.count(word) > 1 else word for key, word in zip(keys, words, strict=True)]


def present(cells: Sequence[Cell], key: str) -> list[object]:
    return [cell.parameters[key] for cell in cells if key in cell.parameters]


def range_over(values: Iterable[object]) -> str:
    """A parameter over all cells: its value, its range, or its few words."""
    distinct = list(dict.fromkeys(values))
    if len(distinct) > 1 and all(isinstance(value, int | float) for value in distinct):
        numbers: list[Any] = distinct
        return f"{value_text(min(numbers))} … {value_text(max(numbers))}"
    return ", ".join(value_text(value) for value in distinct)


def value_text(value: object) -> str:
    """One parameter as text: a number, a word, or a shortened list."""
    if value is None:
        return text.MISSING
    if isinstance(value, int):
        return str(value) if isinstance(value, bool) else text.count(value)
    if isinstance(value, float):
        return text.short(value)
    if isinstance(value, list):
        return _shortened(value)
    return one_line(str(value))


def _shortened(items: Sequence[object]) -> str:
    """A list in a column: whole if it is short, else its ends and how long it is."""
    whole = ", ".join(one_line(str(item)) for item in items)
    if len(whole) <= 16:
        return whole
    return f"{one_line(str(items[0]))[:12]}, … ({len(items)})"


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
