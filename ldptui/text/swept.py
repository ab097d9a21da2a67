"""Verdicts over a sweep: the least and the greatest value, and where they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ldptui.core.base.code import PLUGIN, kind_of_table
from ldptui.core.view import CellView

from ..catalogue import key_words, leading_metrics, metric_words
from .format import chosen_value, count
from .verdict import VerdictCell, verdict


def run_verdict(topics: Sequence[VerdictCell], swept: Sequence[str]) -> tuple[str, ...]:
    """The sentences about a whole run: of its one cell, or of its sweep.

    topics : its cells with trials.
    swept : the swept keys.
    """
    if len(topics) == 1:
        return verdict(topics[0])
    return sweep_verdict([each.cell for each in topics], swept)


def sweep_verdict(cells: Sequence[CellView], swept: Sequence[str]) -> tuple[str, ...]:
    """The sentence about a sweep: the smallest and the largest value, and where they are.

    swept : the swept keys. Empty unless two cells have trials.
    """
    done = [cell for cell in cells if cell.trials]
    answered = [cell for cell in done if cell.answer is not None]
    if len(answered) > 1:
        return answer_sentence(answered, swept)
    # The first metric that the cells have and that is not 0 in all.
    found = next((row for name in leading_metrics() if (row := metric_values(done, name))), [])
    if len(found) < 2:
        return ()
    name = found[0][0]
    (_, low, least), (_, high, most) = min(found, key=_value), max(found, key=_value)
    what = metric_words(name).name
    what += "," * ("," in what)  # the gain, defended, goes up
    if low == high:
        same = VerdictCell(least).interval(name)
        return (f"The {what} is {same} in each of {count(len(found))} settings of the sweep.",)
    where, there = where_words(least.parameters, swept), where_words(most.parameters, swept)
    ends = [VerdictCell(least).interval(name), VerdictCell(most).interval(name)]
    return (f"The {what} goes up to {ends[1]} at {there} and down to {ends[0]} at {where}.",)


def metric_values(cells: Sequence[CellView], name: str) -> list[tuple[str, float, CellView]]:
    """The values of a metric with their cells; empty if all are 0."""
    rows = [
        (name, found.mean, cell)
        for cell in cells
        if (found := cell.metrics.get(name)) is not None and found.mean is not None
    ]
    return rows if any(value for _, value, _ in rows) else []


def _value(row: tuple[str, float, CellView]) -> float:
    return row[1]


def answer_sentence(cells: Sequence[CellView], swept: Sequence[str]) -> tuple[str, ...]:
    """The sentence about the goals of a sweep: where the fewest and the most fakes are needed."""
    reached = sorted(
        (
            (cell.answer["malicious"], cell)
            for cell in cells
            if cell.answer and cell.answer["reached"]
        ),
        key=lambda row: row[0],
    )
    beyond = len(cells) - len(reached)
    none = f"; in {count(beyond)} of {count(len(cells))} settings no number does" * bool(beyond)
    if not reached:
        return (
            f"No number of fake users reaches the goal in any of {count(len(cells))} settings.",
        )
    (least, low), (most, high) = reached[0], reached[-1]
    if least == most:
        return (f"It takes {count(least)} fake users{none}.",)
    where, there = where_words(low.parameters, swept), where_words(high.parameters, swept)
    return (
        f"It takes from {count(least)} fake users at {where} to {count(most)} at {there}{none}.",
    )


def where_words(parameters: Mapping[str, Any], swept: Sequence[str]) -> str:
    """The swept settings of a cell in words: `OUE, β 0.05`."""
    keys = sorted(swept, key=lambda key: not key.endswith(".kind"))
    return ", ".join(setting_words(parameters, keys)) or "one setting"


def setting_words(parameters: Mapping[str, Any], keys: Iterable[str]) -> Iterator[str]:
    """Yields the value of each key in a few words: `OUE`, `norm-sub`, `β 0.05`."""
    keys = [*keys]
    for key in keys:
        value = parameters.get(key)
        if value is None or (_names_code(parameters, key) and _kind_key(key) in keys):
            continue
        if key.endswith(".kind") or _names_code(parameters, key):
            yield setting_word(parameters, key)
        else:
            number = chosen_value(value, 4) if isinstance(value, float) else str(value)
            yield f"{key_words(key).short} {number}"


def setting_word(parameters: Mapping[str, Any], key: str) -> str:
    """The value of a key without its symbol, as in a legend: `OUE`, `norm-sub`, `0.05`."""
    if not key.endswith(".kind"):
        return str(parameters.get(key, ""))
    kind = kind_of_table(parameters, key.removesuffix(".kind"))
    usual = key in ("protocol.kind", "attack.kind") and kind == parameters.get(key)
    return kind.upper() if usual else kind


def _names_code(parameters: Mapping[str, Any], key: str) -> bool:
    """Return whether a key is the name of plug-in code."""
    return key.endswith(".name") and PLUGIN in str(parameters.get(_kind_key(key)))


def _kind_key(key: str) -> str:
    """The key of the kind of a key's table."""
    return f"{key.rpartition('.')[0]}.kind"
