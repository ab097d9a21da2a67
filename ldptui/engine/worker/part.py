"""A part of a run: its cells, what they measured, and their views."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from msgspec.structs import replace

from ldptui.core.cell import Cell
from ldptui.core.experiment import Experiment
from ldptui.core.metrics.results import NOTHING, CellResults
from ldptui.core.view import CellView
from ldptui.core.view.cells import cell_view, closed_forms, measurements
from ldptui.core.view.estimated import MAX_ITEMS

from ...catalogue import swept_kinds
from ...text import format as text

LONG_LIST: Final = 100
"""Lists among a cell's parameters that are longer are told as their length, in words."""


class PartSoFar:
    """One part of a run: its cells, what they measured, and the views of those with trials.

    keys : those of the cells; empty where the part belongs to no whole. views : by a cell's index.
    """

    def __init__(self, name: str, experiment: Experiment, swept: list[str]) -> None:
        self.name, self.experiment, self.swept = name, experiment, swept
        self.keys: list[str] = []
        self.measured: list[CellResults] = [NOTHING] * len(experiment.cells)
        self.views: dict[int, CellView] = {}
        self._known: dict[int, tuple[dict[str, float | None], CellView]] = {}

    @property
    def trials(self) -> int:
        return sum(cell.trials for cell in self.measured)

    def update(self, cells: Iterable[CellResults]) -> None:
        """Take in newer results; a cell keeps what it has where they hold less."""
        for index, cell in enumerate(cells):
            if cell.trials > self.measured[index].trials:
                self.measured[index] = cell

    def reckon(self) -> None:
        """The closed forms of the cells with trials; may be left at any point, and taken up."""
        for index, measured in enumerate(self.measured):
            if measured.trials and index not in self._known:
                cell = self.experiment.cells[index]
                expected = closed_forms(cell)
                # A verdict compares one cell with others, and a page an answer.
                alone = len(self.experiment.cells) == 1 or cell.answer is not None
                beside = swept_kinds("protocol", "") if alone else ()
                view = cell_view(cell, NOTHING, expected, beside)
                self._known[index] = expected, brief(view)

    def words(self, cell: Cell) -> str:
        """The swept parameters of a cell, in words: "oue, epsilon 1.5, share 0.05"."""
        words = []
        for key in self.swept:
            value, leaf = cell.parameters.get(key), key.rpartition(".")[2]
            if value is not None:
                number = text.chosen_value(value) if isinstance(value, float) else str(value)
                words.append(number if leaf == "kind" else f"{leaf} {number}")
        return ", ".join(words)

    def news(self) -> tuple[CellView, ...]:
        """The views of the cells that changed since the last call."""
        changed = tuple(
            self._viewed(index)
            for index, measured in enumerate(self.measured)
            if measured.trials != (self.views[index].trials if index in self.views else 0)
        )
        self.views |= {view.index: view for view in changed}
        return changed

    def _viewed(self, index: int) -> CellView:
        cell, measured = self.experiment.cells[index], self.measured[index]
        if index not in self._known:  # the run was left meanwhile
            return brief(cell_view(cell, measured, dict.fromkeys(cell.metrics)))
        expected, view = self._known[index]
        metrics = measurements(cell, measured, expected)
        return replace(view, trials=measured.trials, metrics=metrics)


def brief(view: CellView) -> CellView:
    """A view as the app shows it: without the lists that are very long."""
    parameters = {key: _in_words(value) for key, value in view.parameters.items()}
    return replace(view, parameters=parameters, targets=view.targets[:MAX_ITEMS])


def _in_words(value: Any) -> Any:
    """A parameter; a long list as its length."""
    long = isinstance(value, list | tuple) and len(value) > LONG_LIST
    return f"{text.count(len(value))} values" if long else value
