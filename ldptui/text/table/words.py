"""Heads of columns, and values of parameters in few words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ldptui.core.base.errors import one_line
from ldptui.core.cell import Cell

from ...catalogue import key_words
from .. import format as text


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
