"""Cells that are run together: what they measured so far, and their views."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import Any

from msgspec.structs import replace

from ldptui.core.cell import Cell
from ldptui.core.experiment import Experiment
from ldptui.core.metrics.results import NOTHING, CellResults
from ldptui.core.view import CellView
from ldptui.core.view.cells import cell_view, closed_forms, measurements
from ldptui.core.view.estimated import MAX_ITEMS

from ...catalogue import swept_kinds
from ...session.cells import address_of, shorten_list
from ...text import format as text


class CellsSoFar:
    """The cells of an experiment, what they measured, and the views of those with trials.

    numbers : of the cells in the request. detailed : the cells whose gains under other protocols
    are told as well: a verdict is about them.
    """

    def __init__(
        self, experiment: Experiment, numbers: Iterable[int], *, detailed: Container[int] = ()
    ) -> None:
        self.experiment, self.numbers, self._detailed = experiment, [*numbers], detailed
        self.measured: list[CellResults] = [NOTHING] * len(experiment.cells)
        self.views: dict[int, CellView] = {}
        self._known: dict[int, tuple[dict[str, float | None], CellView]] = {}

    @property
    def addresses(self) -> list[str]:
        """The address of each cell in the table of the app."""
        return [address_of(cell.parameters) for cell in self.experiment.cells]

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
                is_compared = index in self._detailed or cell.answer is not None
                beside = swept_kinds("protocol", "") if is_compared else ()
                self._known[index] = expected, cell_view(cell, NOTHING, expected, beside)

    def news(self) -> tuple[CellView, ...]:
        """The views of the cells that changed since the last call."""
        changed = {
            index: self._view(index)
            for index, measured in enumerate(self.measured)
            if measured.trials != (self.views[index].trials if index in self.views else 0)
        }
        self.views |= changed
        return tuple(changed.values())

    def _view(self, index: int) -> CellView:
        """A cell as the app shows it: without the lists that are very long."""
        cell, measured = self.experiment.cells[index], self.measured[index]
        if index in self._known:
            expected, view = self._known[index]
            view = replace(
                view, trials=measured.trials, metrics=measurements(cell, measured, expected)
            )
        else:  # the run was left meanwhile
            view = cell_view(cell, measured, dict.fromkeys(cell.metrics))
        parameters = {key: shorten_list(value) for key, value in view.parameters.items()}
        return replace(
            view, index=self.numbers[index], parameters=parameters,
            targets=view.targets[:MAX_ITEMS],
        )  # fmt: skip


def swept_words(cell: Cell, sweep: Mapping[str, Any]) -> str:
    """The swept parameters of a cell, in words: "oue, epsilon 1.5, share 0.05"."""
    words = []
    for key in sweep:
        value, leaf = cell.parameters.get(key), key.rpartition(".")[2]
        if value is not None:
            number = text.chosen_value(value) if isinstance(value, float) else str(value)
            words.append(number if leaf == "kind" else f"{leaf} {number}")
    return ", ".join(words)
