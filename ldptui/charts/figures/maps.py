"""The map: one metric over two swept keys, a number for each pair of values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ...catalogue import key_words, metric_words
from ...session.snapshot import CellView
from ...text import format as fmt
from ...text.interval import with_reach
from ..series import Grid
from .table import Column, Table

FIRST: Final = ("gain_after", "gain", "mse_after", "mse")
"""The metrics that a map begins with, where it has them."""


def mapped_metrics(cells: Sequence[CellView]) -> tuple[str, ...]:
    """The metrics that any of these cells has, those of `FIRST` first."""
    known = {
        name: None
        for cell in cells
        for name, measured in cell.metrics.items()
        if measured.mean is not None
    }
    return (*(name for name in FIRST if name in known), *(n for n in known if n not in FIRST))


def map_grid(cells: Sequence[CellView], keys: Sequence[str], metric: str, note: str = "") -> Grid:
    """The means of a metric; the key with more values stands down the side."""
    down, across = _sides(cells, keys)
    rows, columns = _values(cells, down), _values(cells, across)
    means: dict[tuple[str, str], float | None] = {}
    for cell in cells:
        measured = cell.metrics.get(metric)
        if measured is not None:
            place = _text(cell.parameters.get(down)), _text(cell.parameters.get(across))
            means[place] = measured.mean
    trials = min((cell.trials for cell in cells), default=0)
    words = metric_words(metric)
    return Grid(
        f"{words.name[:1].upper()}{words.name[1:]}",
        key_words(down).short,
        key_words(across).short,
        rows,
        columns,
        tuple(tuple(means.get((row, column)) for column in columns) for row in rows),
        "; ".join(filter(None, [f"mean of {fmt.count(trials)} trials", note])),
    )


def attack_down(cells: Sequence[CellView], keys: Sequence[str]) -> bool:
    """True where the attack's key stands down the side of the map."""
    return _sides(cells, keys)[0].startswith("attack.")


def place_of(cell: CellView, cells: Sequence[CellView], keys: Sequence[str]) -> tuple[str, str]:
    """The row and the column of a cell in the map of these cells."""
    down, across = (_text(cell.parameters.get(key)) for key in _sides(cells, keys))
    return down, across


def cell_words(cell: CellView, keys: Sequence[str], metric: str) -> str:
    """The numbers of one cell in a line: `ε 1  β 0.1  gain 0.948 ± 0.012  closed form 0.947`."""
    places = [f"{key_words(key).short} {_text(cell.parameters.get(key))}" for key in keys]
    measured = cell.metrics.get(metric)
    if measured is None or measured.mean is None:
        return "  ".join((*places, "no value"))
    mean, error, theory = measured.mean, measured.standard_error, measured.theory
    words = [*places, f"{metric_words(metric).name} {fmt.estimate(mean, error)}"]
    if theory is not None:
        words.append(f"closed form {fmt.short(theory)}")
        words += [f"z {(mean - theory) / error:+.2f}"] if error else []
    return "  ".join((*words, f"{fmt.count(cell.trials)} trials"))


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
    heads = (*(Column(key) for key in keys), Column(metric), Column("±"), Column("theory"))
    title = with_reach(metric_words(metric).name, [cell.trials for cell in cells])
    return Table(title, heads, tuple(rows))


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
    return fmt.short(value) if isinstance(value, float) else str(value)
