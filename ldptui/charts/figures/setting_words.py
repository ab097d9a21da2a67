"""Swept values in words, as titles and notes of charts say them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from ldptui.core.scenario import Scenario, value_at
from ldptui.core.view import CellView

from ...catalogue import key_words
from ...session.draft import base
from ...text import format as fmt

NUMBER: Final = 7
"""Cells that a whole number takes at most."""


def value_words(value: Any) -> str:
    """The value of a swept key: a number in few digits, or a word."""
    if value is None:
        return fmt.MISSING
    if isinstance(value, int) and not isinstance(value, bool):
        return fmt.count(value, NUMBER)
    return fmt.short(value) if isinstance(value, float) else str(value)


def layer_words(layer: Mapping[str, Any]) -> str:
    """The values of the swept keys of a map's layer in words: `n 20000, protocol oue`."""
    return ", ".join(f"{key_words(key).short} {value_words(value)}" for key, value in layer.items())


def words_of_arm(words: str, cells: Iterable[CellView]) -> str:
    """The words about a metric, without "attacked" or "clean" where no cell has an attack."""
    if any(cell.parameters.get("attack.kind") != "none" for cell in cells):
        return words
    return words.replace(", attacked", "").replace(", clean", "")


def base_words(scenario: Scenario | None) -> str:
    """The swept values of the cell whose items are shown, in words: `protocol oue, β 0.1`."""
    if scenario is None:
        return ""
    document = base(scenario).document
    values = {key: value_at(document, key) for key in scenario.sweep}
    return layer_words({key: value for key, value in values.items() if value is not None})


def curve_words(scenario: Scenario | None, curves: Sequence[Mapping[str, Any]], axis: str) -> str:
    """Words for the swept values that all curves share, and for those without a curve.

    curves : the parameters of each curve.
    """
    same: dict[str, Any] = {}
    words: list[str] = []
    for key, values in scenario.sweep.items() if scenario is not None else ():
        known = [parameters[key] for parameters in curves if key in parameters]
        if key == axis or not known:
            continue
        if all(value == known[0] for value in known):
            same[key] = known[0]
        elif left := [str(value) for value in values if value not in known]:
            words.append(f"not drawn: {key_words(key).short} {', '.join(left)}")
    return "; ".join(filter(None, [layer_words(same), *words]))
