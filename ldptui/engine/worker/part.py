"""A part of a run, and the lines that tell of its cells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from ldptui.core.cell import Cell
from ldptui.core.experiment import Experiment
from ldptui.core.metrics.results import CellResults, Tally
from ldptui.core.theory import compared

from ...text import format as text
from .columns import MAX_ITEMS
from .lines import encode, finite

LINE_BYTES: Final = 1 << 15
"""A line of cells is cut here, so that decoding it does not hold up the app."""

LONG_LIST: Final = 100
"""Lists among a cell's parameters that are longer are sent as their length, in words."""


class PartSoFar:
    """One part of a run: its cells, what they measured, and how much of it was sent."""

    def __init__(self, name: str, experiment: Experiment, swept: list[str]) -> None:
        self.name, self.experiment, self.swept = name, experiment, swept
        self.keys: list[str] = []
        """The keys of the cells; empty where the part belongs to no whole."""
        self.measured: list[CellResults] = [Tally().results] * len(experiment.cells)
        self._sent = [0] * len(experiment.cells)
        self._theories: dict[int, dict[str, float | None]] = {}
        described = [described_cell(cell) for cell in experiment.cells]
        first = described[0]
        same = [key for key in first if all(cell.get(key) == first[key] for cell in described)]
        self._shared = {key: first[key] for key in same}
        self._own = [{k: v for k, v in cell.items() if k not in self._shared} for cell in described]

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
            if measured.trials and index not in self._theories:
                cell = self.experiment.cells[index]
                expected = cell.task.expected(cell)
                self._theories[index] = {name: finite(expected[name]) for name in cell.metrics}

    def words(self, cell: Cell) -> str:
        """The swept parameters of a cell, in words: "oue, epsilon 1.5, share 0.05"."""
        words = []
        for key in self.swept:
            value, leaf = cell.parameters.get(key), key.rpartition(".")[2]
            if value is not None:
                number = text.chosen(value) if isinstance(value, float) else str(value)
                words.append(number if leaf == "kind" else f"{leaf} {number}")
        return ", ".join(words)

    def changes(self) -> Iterator[bytes]:
        """The inside of the lines that tell what changed since the last call."""
        changed = [
            index for index, cell in enumerate(self.measured) if cell.trials != self._sent[index]
        ]
        if changed and not any(self._sent):
            yield b'"shared":%b' % encode(self._shared)
        entries, size = list[bytes](), 0
        for index in changed:
            entry = encode(self._entry(index))
            self._sent[index] = self.measured[index].trials
            if entries and size + len(entry) > LINE_BYTES:
                yield b'"cells":[%b]' % b",".join(entries)
                entries, size = [], 0
            entries.append(entry)
            size += len(entry) + 1
        if entries:
            yield b'"cells":[%b]' % b",".join(entries)

    def _entry(self, index: int) -> list[Any]:
        description, theory = None, None
        cell, measured = self.experiment.cells[index], self.measured[index]
        # Without closed forms where the run was left meanwhile.
        expected = self._theories.get(index, dict.fromkeys(cell.metrics))
        if not self._sent[index]:
            description, theory = self._own[index], [*expected.values()]
        estimates = [compared(cell, measured, name, expected) for name in cell.metrics]
        metrics = [
            [finite(each.mean), finite(each.standard_error), *([each.doubt] if each.doubt else [])]
            for each in estimates
        ]
        return [index, description, theory, measured.trials, metrics]


def described_cell(cell: Cell) -> dict[str, Any]:
    """A cell as one flat table: the fields of a `CellView`, and its parameters under ":key"."""
    from ldptui.core.export import cell_fields, rappor_fields

    parameters = {f":{key}": brief(value) for key, value in cell.parameters.items()}
    return {
        "metrics": cell.metrics,
        **cell_fields(cell),
        "wanted": cell.trials,
        "targets": cell.targets[:MAX_ITEMS].tolist(),
        "answer": answered(cell),
        "rappor": None if cell.noise is None else rappor_fields(cell, cell.noise),
        **parameters,
    }


def answered(cell: Cell) -> dict[str, Any] | None:
    """The number of fakes that reach a cell's goal; None for a cell without a goal."""
    if cell.goal is None or cell.answer is None:
        return None
    answer = {
        name: finite(v) if isinstance(v, float) else v for name, v in vars(cell.answer).items()
    }
    return {"metric": cell.goal.metric, "at_least": cell.goal.at_least, **answer}


def brief(value: Any) -> Any:
    """A parameter as it is sent: a long list as its length, in words."""
    if isinstance(value, float):
        return finite(value)
    long = isinstance(value, list | tuple) and len(value) > LONG_LIST
    return f"{text.count(len(value))} values" if long else value
