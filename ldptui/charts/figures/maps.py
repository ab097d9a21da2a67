"""The map: one metric over two swept keys, a number for each pair of values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import product
from typing import Any, Final

import numpy as np
from msgspec.structs import replace

from ldptui.core.base.errors import ScenarioError
from ldptui.core.base.sampling import Floats
from ldptui.core.bounds.game import solve_game
from ldptui.core.view import CellView

from ...catalogue import key_words, metric_words
from ...session.cell_table import same_value
from ...text import format as fmt
from ...text.interval import with_reach
from ..chart_data import ChartData
from ..curves import map_keys, map_layers, middle_layer
from ..series import Grid
from .frame import Frame, FrameView, chosen_option
from .setting_words import layer_words, value_words, words_of_arm
from .table import ChartTable, TableColumn, Value

FIRST: Final = ("gain_after", "gain", "mse_after", "mse")
"""The metrics that a map begins with, where it has them."""
IN_TOP: Final = "targets_in_top_k"
TOP: Final = 20
"""k where a scenario does not say it."""
ALL: Final = 0.98
"""All targets are in the top k where this share of them is, as in a search for a goal."""


def frame(data: ChartData, chosen: Mapping[str, str]) -> Frame | str:
    """The maps of metrics over two swept keys, at one layer of other swept keys."""
    scenario = data.scenario
    if scenario is None or len(keys := map_keys(scenario)) < 2:
        return ""
    layers = map_layers(scenario)
    layer = chosen_option({str(at): layer_words(each) for at, each in enumerate(layers)},
                          chosen.get("layer"), str(middle_layer(scenario)))  # fmt: skip
    held = layers[int(layer.chosen)]
    sides = {key: scenario.sweep[key] for key in keys}
    cells = _in_order(data.table.grid(sides, held), sides)
    metrics = mapped_metrics(cells)
    if not metrics:
        return ""
    down, across = _sides(cells, keys)
    by_place = {place_of(cell, (down, across)): cell for cell in cells}
    pairs = math.prod(len(scenario.sweep[key]) for key in keys)
    stops = [*product(_values(cells, down), _values(cells, across))]

    def view_of(metric: str) -> FrameView:
        @cache
        def grid() -> Grid:
            made = map_grid(cells, keys, metric)
            is_whole = len(made.rows) * len(made.columns) == pairs
            game = is_whole and is_game(keys, metric)
            words = game_words(made, down.startswith("attack.")) if game else ""
            return replace(made, note="; ".join(filter(None, (made.note, layer.words, words))))

        def read(at: tuple[str, str]) -> ChartTable | None:
            cell = by_place.get(at)
            return None if cell is None else cell_table(cell, (down, across), metric)

        name = words_of_arm(metric_words(metric).name, cells)
        return FrameView(name, lambda at, _: replace(grid(), cursor=at), stops, read,
                         lambda place, _: (place, 0))  # fmt: skip

    def settings(at: tuple[str, str], _: int) -> list[tuple[str, Any]]:
        cell = by_place.get(at)
        own = {} if cell is None else cell.parameters
        sides = [(key, own[key]) for key in keys if key in own]
        return [*sides, *held.items()] if sides else []

    views = {metric: view_of(metric) for metric in metrics}
    metric = chosen_option(dict.fromkeys(metrics, ""), chosen.get("view")).chosen
    whole = data.table.grid(scenario.sweep, {})
    table = map_table(whole, [*dict.fromkeys((*keys, *held))], metric)
    options = {"layer": layer} if len(layers) > 1 else {}
    return Frame(table, views, options, settings, stride=len(_values(cells, across)), column=0)


def _in_order(cells: Sequence[CellView], sides: Mapping[str, Sequence[Any]]) -> list[CellView]:
    """The cells in the order of the values of both sides, those without a key first."""

    def place(cell: CellView) -> list[list[int]]:
        own = [(cell.parameters.get(key), values) for key, values in sides.items()]
        return [[at for at, value in enumerate(values) if same_value(known, value)]
                for known, values in own]  # fmt: skip

    return sorted(cells, key=place)


def mapped_metrics(cells: Sequence[CellView]) -> tuple[str, ...]:
    """The metrics that at least one of these cells has, those of `FIRST` first."""
    known = {
        name: None
        for cell in cells
        for name, measured in cell.metrics.items()
        if measured.mean is not None
    }
    return (*(name for name in FIRST if name in known), *(n for n in known if n not in FIRST))


def place_of(cell: CellView, keys: Sequence[str]) -> tuple[str, str]:
    """The names of a cell's row and column in a map over two keys."""
    down, across = (value_words(cell.parameters.get(key)) for key in keys)
    return down, across


def map_grid(cells: Sequence[CellView], keys: Sequence[str], metric: str) -> Grid:
    """The means of a metric over two swept keys as a heat map; the key with more values runs down
    the side.

    Its outline surrounds the cells whose targets are all in the top k; after defences if the metric
    is after defences.
    """
    down, across = _sides(cells, keys)
    rows, columns = _values(cells, down), _values(cells, across)
    means: dict[tuple[str, str], float | None] = {}
    inside: dict[tuple[str, str], bool] = {}
    for cell in cells:
        measured = cell.metrics.get(metric)
        place = place_of(cell, (down, across))
        if measured is not None:
            means[place] = measured.mean
        inside[place] = _all_in_top(cell, metric)
    line, no_line = _line_words(cells, metric, list(inside.values()))
    trials = min((cell.trials for cell in cells), default=0)
    many = "one trial" if trials == 1 else f"mean of {fmt.count(trials)} trials"
    name = words_of_arm(metric_words(metric).name, cells)
    return Grid(
        f"{name[:1].upper()}{name[1:]}",
        key_words(down).short,
        key_words(across).short,
        rows,
        columns,
        tuple(tuple(means.get((row, column)) for column in columns) for row in rows),
        "; ".join(filter(None, [no_line, many])),
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
    """The meaning of the outline, and a note instead if all cells are on one side of it."""
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


def cell_table(cell: CellView, keys: Sequence[str], metric: str) -> ChartTable:
    """The table of one cell: the metric with its closed form, the targets in the top k."""
    measured, seen = cell.metrics.get(metric), _in_top(cell, metric)
    numbers: tuple[float | None, ...] = (None,) * 4
    if measured is not None:
        numbers = measured.theory, measured.mean, measured.standard_error, measured.z
    row: list[Value] = [value_words(cell.parameters.get(key)) for key in keys]
    row += [metric_words(metric).name, *numbers, cell.trials]
    heads = [*(TableColumn(key_words(key).short) for key in keys), TableColumn("metric")]
    heads += [TableColumn("closed form"), TableColumn("measured"), TableColumn("± error")]
    heads += [TableColumn("z", 2, sign=True), TableColumn("trials")]
    if seen is not None and not metric.startswith(IN_TOP):
        heads.append(TableColumn(f"in top {seen[2]} of {seen[1]}", 3))
        row.append(seen[0])
    return ChartTable("", tuple(heads), (tuple(row),))


def map_table(cells: Sequence[CellView], keys: Sequence[str], metric: str) -> ChartTable:
    """The numbers of the map as a table, with standard errors and closed forms."""
    rows = []
    for cell in cells:
        measured = cell.metrics.get(metric)
        place = tuple(value_words(cell.parameters.get(key)) for key in keys)
        numbers: tuple[float | None, ...] = (None, None, None)
        if measured is not None:
            numbers = measured.mean, measured.standard_error, measured.theory
        rows.append((*place, *numbers))
    heads = [TableColumn(key_words(key).short) for key in keys]
    heads += [TableColumn("measured"), TableColumn("± error"), TableColumn("closed form")]
    title = with_reach(metric_words(metric).title, [cell.trials for cell in cells])
    return ChartTable(title, tuple(heads), tuple(rows))


def _sides(cells: Sequence[CellView], keys: Sequence[str]) -> tuple[str, str]:
    first, second = keys[:2]
    if len(_values(cells, first)) >= len(_values(cells, second)):
        return first, second
    return second, first


def _values(cells: Sequence[CellView], key: str) -> tuple[str, ...]:
    """The values of a key in the order of the cells, as texts."""
    return tuple(dict.fromkeys(value_words(cell.parameters.get(key)) for cell in cells))


GAMES: Final = ("gain_after", "gain", "mse_after", "mse")
"""The metrics of which the attacker wants much and the server little."""
MOST_PAIRS: Final = 200
"""Pairs of choices of a game that is solved while a hand waits."""
LEAST: Final = 5e-4
"""A choice that is played less often is not named."""


def is_game(keys: Sequence[str], metric: str) -> bool:
    """True if one key is the attack's, the other the defence's, and the metric is a game's
    payoff.
    """
    sides = {key.partition(".")[0] for key in keys}
    return len(keys) == 2 and sides == {"attack", "defence"} and metric in GAMES


def game_words(grid: Grid, attack_down: bool) -> str:
    """The value and both mixed strategies of a map's matrix game; "" if a number is missing or it
    is too large.

    attack_down : True if the rows are attacks.
    """
    if len(grid.rows) * len(grid.columns) > MOST_PAIRS:
        return ""
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
