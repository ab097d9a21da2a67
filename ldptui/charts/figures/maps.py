"""The map: one metric over two swept keys, a number for each pair of values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from ldptui.core.base.errors import ScenarioError
from ldptui.core.base.sampling import Floats
from ldptui.core.bounds.game import solve_game
from ldptui.core.view import CellView

from ...catalogue import key_words, metric_words
from ...session.cells import same_value
from ...text import format as fmt
from ...text.interval import with_reach
from ..series import Grid
from .table import Column, Table

FIRST: Final = ("gain_after", "gain", "mse_after", "mse")
"""The metrics that a map begins with, where it has them."""
IN_TOP: Final = "targets_in_top_k"
TOP: Final = 20
"""k where a scenario does not say it."""
NUMBER: Final = 7
"""Cells that a whole number at a side takes at most."""
ALL: Final = 0.98
"""All targets are in the top k where this share of them is, as in a search for a goal."""


def mapped_metrics(cells: Sequence[CellView]) -> tuple[str, ...]:
    """The metrics that any of these cells has, those of `FIRST` first."""
    known = {
        name: None
        for cell in cells
        for name, measured in cell.metrics.items()
        if measured.mean is not None
    }
    return (*(name for name in FIRST if name in known), *(n for n in known if n not in FIRST))


def of_layer(cells: Sequence[CellView], layer: Mapping[str, Any]) -> list[CellView]:
    """The cells of one map, those that have these values of the other swept keys."""
    return [
        cell
        for cell in cells
        if all(same_value(cell.parameters.get(key), value) for key, value in layer.items())
    ]


def layer_words(layer: Mapping[str, Any]) -> str:
    """`n 20000, protocol oue`."""
    return ", ".join(f"{key_words(key).short} {_text(value)}" for key, value in layer.items())


def map_grid(cells: Sequence[CellView], keys: Sequence[str], metric: str, note: str = "") -> Grid:
    """The means of a metric; the key with more values stands down the side.

    Its line runs around the cells whose targets are all in the top k, after the defences where
    the metric is.
    """
    down, across = _sides(cells, keys)
    rows, columns = _values(cells, down), _values(cells, across)
    means: dict[tuple[str, str], float | None] = {}
    inside: dict[tuple[str, str], bool] = {}
    for cell in cells:
        measured = cell.metrics.get(metric)
        place = _text(cell.parameters.get(down)), _text(cell.parameters.get(across))
        if measured is not None:
            means[place] = measured.mean
        inside[place] = _all_in_top(cell, metric)
    line, no_line = _line_words(cells, metric, list(inside.values()))
    trials = min((cell.trials for cell in cells), default=0)
    return Grid(
        metric_words(metric).title,
        key_words(down).short,
        key_words(across).short,
        rows,
        columns,
        tuple(tuple(means.get((row, column)) for column in columns) for row in rows),
        "; ".join(filter(None, [no_line, f"mean of {fmt.count(trials)} trials", note])),
        inside=tuple(tuple(inside.get((row, each), False) for each in columns) for row in rows),
        line=line,
        nouns=(key_words(down).noun, key_words(across).noun),
    )


def _in_top(cell: CellView, metric: str) -> tuple[float, int, int] | None:
    """The mean number of targets in the top k, the most there can be, and k; None if unknown."""
    name = f"{IN_TOP}_after" if metric.endswith("_after") else IN_TOP
    measured = cell.metrics.get(name) or cell.metrics.get(IN_TOP)
    top = min(int(cell.parameters.get("simulate.top_k", TOP)), cell.domain_size)
    most = min(len(cell.targets), top)
    if measured is None or measured.mean is None or not most:
        return None
    return measured.mean, most, top


def _all_in_top(cell: CellView, metric: str) -> bool:
    counts = _in_top(cell, metric)
    return counts is not None and counts[0] >= ALL * counts[1]


def _line_words(cells: Sequence[CellView], metric: str, inside: Sequence[bool]) -> tuple[str, str]:
    """The meaning of the line, and a note in its place where all cells lie on one side of it."""
    found = [seen for cell in cells if (seen := _in_top(cell, metric)) is not None]
    if not found:
        return "", ""
    counts, tops = {most for _, most, _ in found}, {top for *_, top in found}
    many, top = (str(min(each)) if len(each) == 1 else "" for each in (counts, tops))
    words = f"all {many} targets".replace("all 1 targets", "the target").replace("  ", " ")
    words += f" in the top {top or 'k'}"
    if any(inside) and not all(inside):
        return words, ""
    return "", f"{words}: {'everywhere' if all(inside) else 'nowhere'}"


def attack_down(cells: Sequence[CellView], keys: Sequence[str]) -> bool:
    """True where the attack's key stands down the side of the map."""
    return _sides(cells, keys)[0].startswith("attack.")


def place_of(cell: CellView, cells: Sequence[CellView], keys: Sequence[str]) -> tuple[str, str]:
    """The row and the column of a cell in the map of these cells."""
    down, across = (_text(cell.parameters.get(key)) for key in _sides(cells, keys))
    return down, across


def cell_words(cell: CellView, keys: Sequence[str], metric: str) -> tuple[str, ...]:
    """The numbers of one cell: `ε 1`, `β 0.1`, `gain 0.948 ± 0.012`, `closed form 0.947`, …"""
    places = [f"{key_words(key).short} {_text(cell.parameters.get(key))}" for key in keys]
    measured = cell.metrics.get(metric)
    if measured is None or measured.mean is None:
        return (*places, "no value")
    mean, error, theory = measured.mean, measured.standard_error, measured.theory
    words = [*places, f"{metric_words(metric).name} {fmt.estimate(mean, error)}"]
    if theory is not None:
        words.append(f"closed form {fmt.short(theory)}")
        words += [] if measured.z is None else [f"z {measured.z:+.2f}"]
    if (seen := _in_top(cell, metric)) is not None and not metric.startswith(IN_TOP):
        words.append(f"top {seen[2]}: {fmt.short(seen[0], 3)} of {seen[1]}")
    return (*words, f"{fmt.count(cell.trials)} trials")


def map_table(cells: Sequence[CellView], keys: Sequence[str], metric: str) -> Table:
    """The same numbers as a list, with standard errors and closed forms."""
    rows = []
    for cell in cells:
        measured = cell.metrics.get(metric)
        place = tuple(_text(cell.parameters.get(key)) for key in keys)
        numbers: tuple[float | None, ...] = (None, None, None)
        if measured is not None:
            numbers = measured.mean, measured.standard_error, measured.theory
        rows.append((*place, *numbers))
    heads = [Column(key_words(key).short) for key in keys]
    heads += [Column("measured"), Column("± error"), Column("closed form")]
    title = with_reach(metric_words(metric).title, [cell.trials for cell in cells])
    return Table(title, tuple(heads), tuple(rows))


def _sides(cells: Sequence[CellView], keys: Sequence[str]) -> tuple[str, str]:
    first, second = keys[:2]
    if len(_values(cells, first)) >= len(_values(cells, second)):
        return first, second
    return second, first


def _values(cells: Sequence[CellView], key: str) -> tuple[str, ...]:
    """The values of a key in the order of the cells, as texts."""
    return tuple(dict.fromkeys(_text(cell.parameters.get(key)) for cell in cells))


def _text(value: Any) -> str:
    if value is None:
        return fmt.MISSING
    if isinstance(value, int) and not isinstance(value, bool):
        return fmt.count(value, NUMBER)
    return fmt.short(value) if isinstance(value, float) else str(value)


GAMES: Final = ("gain_after", "gain", "mse_after", "mse")
"""The metrics of which the attacker wants much and the server little."""
LEAST: Final = 5e-4
"""A choice that is played less often is not named."""


def is_game(keys: Sequence[str], metric: str) -> bool:
    """True where one key is the attack's, the other the defence's, and the metric is played for."""
    sides = {key.partition(".")[0] for key in keys}
    return len(keys) == 2 and sides == {"attack", "defence"} and metric in GAMES


def game_words(grid: Grid, attack_down: bool) -> str:
    """The value and both mixtures; "" where a number is missing.

    attack_down : whether the attacks stand down the side.
    """
    values = [[math.nan if value is None else value for value in row] for row in grid.values]
    matrix = np.array(values if attack_down else [*zip(*values, strict=True)])
    names = (grid.rows, grid.columns) if attack_down else (grid.columns, grid.rows)
    try:
        game = solve_game(matrix)
    except ScenarioError:
        return ""
    attacks, defences = _mixture(names[0], game.rows), _mixture(names[1], game.columns)
    return f"as a game: value {fmt.short(game.value)}; attack {attacks}; defence {defences}"


def _mixture(names: Sequence[str], law: Floats) -> str:
    often = sorted(zip(law, names, strict=True), key=lambda pair: -pair[0])
    return ", ".join(f"{name} {fmt.percent(float(p))}" for p, name in often if p > LEAST)
