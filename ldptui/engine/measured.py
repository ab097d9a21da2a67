"""What a run has measured, as charts read it: its cells, and one of them in detail."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from msgspec.structs import replace

from ldptui.core.base.arms import Arm
from ldptui.core.base.sampling import Floats
from ldptui.core.cell import Cell
from ldptui.core.experiment import Experiment
from ldptui.core.metrics.results import NOTHING, CellResults
from ldptui.core.running.runner import RunResults
from ldptui.core.scenario import Scenario
from ldptui.core.view import CellView
from ldptui.core.view.cells import cell_view, closed_forms, measurements
from ldptui.core.view.estimated import MAX_ITEMS, closed_sigmas, frequencies
from ldptui.core.view.redrawn import bit_counts, single_trials, verdicts
from ldptui.core.view.round_view import (
    RoundExpectations,
    round_frequencies,
    rounds_shown,
    rounds_view,
)

from ..catalogue import swept_kinds
from ..session.cell_table import address_of, shorten_list
from ..session.draft import base
from ..session.snapshot import Snapshot, Status
from ..text import format as text


class CellsSoFar:
    """The cells of an experiment with their results so far, and their views for the charts.

    numbers : the index of each cell in the request.
    detailed : the cells whose views also have the gain under other protocols, as the verdict names
        them.
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
        """The address of each cell in the app's table of cells."""
        return [address_of(cell.parameters) for cell in self.experiment.cells]

    @property
    def trials(self) -> int:
        return sum(cell.trials for cell in self.measured)

    def update(self, cells: Iterable[CellResults]) -> None:
        """Replace the results of cells by newer ones with more trials."""
        for index, cell in enumerate(cells):
            if cell.trials > self.measured[index].trials:
                self.measured[index] = cell

    def reckon(self) -> None:
        """Compute the closed forms of cells with trials; can be interrupted and resumed."""
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
        """A cell as the app shows it: without very long lists."""
        cell, measured = self.experiment.cells[index], self.measured[index]
        if index in self._known:
            expected, view = self._known[index]
            measures = measurements(cell, measured, expected)
            view = replace(view, trials=measured.trials, metrics=measures)
        else:  # the run was left meanwhile
            view = cell_view(cell, measured, dict.fromkeys(cell.metrics))
        parameters = {key: shorten_list(value) for key, value in view.parameters.items()}
        targets = view.targets[:MAX_ITEMS]
        return replace(view, index=self.numbers[index], parameters=parameters, targets=targets)


class Picture:
    """The detailed data of one cell (estimates, bits, rounds), and which of them were
    sent already.
    """

    def __init__(self) -> None:
        self._sigmas: Mapping[Arm, Floats] | None = None
        self._rounds: RoundExpectations | None = None
        self._drawn: dict[str, Any] = {}
        self._trials = self._trials_of_rounds = 0  # up to which trial all was told

    def reckon(self, cell: Cell) -> None:
        """Compute the closed forms of the cell once; an interrupt can be resumed."""
        if self._sigmas is None:
            self._rounds = RoundExpectations.of(cell) if cell.rounds else None
            self._sigmas = closed_sigmas(cell)

    def draw(self, cell: Cell, *, judged: bool, listed: bool) -> None:
        """Compute the details of single trials, each once; an interrupt can be resumed.

        judged : with the filters' verdict on each report.
        listed : with the estimates of each trial.
        """
        if "bits" not in self._drawn:
            self._drawn["bits"] = bit_counts(cell.first)
        if judged and "detection" not in self._drawn:
            self._drawn["detection"] = verdicts(cell.first)
        if listed and "by_trial" not in self._drawn:
            self._drawn["by_trial"] = single_trials(cell)

    def news(self, cell: Cell, measured: CellResults, ended: bool) -> Iterator[dict[str, Any]]:
        """Yields the fields of a snapshot that changed since the last call, a few at a time.

        ended : True if no more trials will come.
        """
        trials = measured.trials
        if trials > self._trials:
            self._trials = trials
            yield self._estimates(cell, measured)
        yield self._drawn
        self._drawn = dict.fromkeys(self._drawn)  # once is enough
        # The frequencies of each round, which are many, come after the first and the last trials.
        last = ended or trials == cell.trials
        if trials > self._trials_of_rounds and (last or not self._trials_of_rounds):
            self._trials_of_rounds = trials
            yield from ({"round_frequencies": each} for each in self._of_rounds(cell, measured))

    def conclusion(self, cell: Cell, measured: CellResults) -> dict[str, Any]:
        """The fields of a snapshot that summarise all trials of the cell, except its metrics."""
        rounds = {at: each for some in self._of_rounds(cell, measured) for at, each in some.items()}
        return {**self._estimates(cell, measured), "round_frequencies": rounds}

    def _estimates(self, cell: Cell, measured: CellResults) -> dict[str, Any]:
        """The frequencies, the task's further results, and the rounds."""
        fields: dict[str, Any] = {}
        if measured.arms:
            fields["frequencies"] = frequencies(cell, measured, self._sigmas or {}, MAX_ITEMS)
            details = cell.task.details(cell, measured.arms)
            if details:
                users = {"users": cell.users, "malicious": cell.malicious}
                fields["followed"] = {"trials": measured.trials, **users, **details}
        if self._rounds is not None and measured.rounds is not None and measured.rounds.arms:
            fields["rounds"] = rounds_view(cell, measured, self._rounds)
        return fields

    def _of_rounds(self, cell: Cell, measured: CellResults) -> Iterator[dict[int, Any]]:
        """The frequencies of each round that is shown, by its number."""
        if self._rounds is None or measured.rounds is None or not measured.rounds.arms:
            return
        for number in rounds_shown(cell, MAX_ITEMS):
            shown = round_frequencies(cell, measured, number, self._rounds, MAX_ITEMS)
            if shown is not None:
                yield {number: shown}


class MeasuredRun:
    """The cells of a run with cached closed forms, one of them in detail."""

    def __init__(self, experiment: Experiment) -> None:
        cells = experiment.cells
        self._experiment, self._base = experiment, base_position(experiment.scenario, cells)
        self._cells = CellsSoFar(experiment, range(len(cells)), detailed=(self._base,))
        self._picture = Picture()

    def snapshot(self, key: int, status: Status, cells: Sequence[CellResults]) -> Snapshot:
        """The snapshot for charts of a run with these results."""
        self._cells.measured = [*cells]
        self._cells.reckon()
        self._cells.news()
        base, measured, details = self._experiment.cells[self._base], cells[self._base], {}
        if measured.trials:
            self._picture.reckon(base)
            details = self._picture.conclusion(base, measured)
        views = (self._cells.views[at] for at in range(len(cells)) if cells[at].trials)
        address = address_of(base.parameters)
        return Snapshot(key, status, full=True, cells=tuple(views), base=address, **details)


def snapshot_of(results: RunResults) -> Snapshot:
    """The results of a run as a snapshot for charts."""
    experiment = results.experiment
    status: Status = "done" if results.complete else "partial"
    return replace(
        MeasuredRun(experiment).snapshot(0, status, results.cells),
        done=results.trials,
        total=experiment.trials,
        digest=results.digest if results.complete else "",
        numpy=np.__version__,
    )


def base_position(scenario: Scenario, cells: Sequence[Cell]) -> int:
    """The index of the base among the cells, or of the cell that is most like it."""
    wanted = next(base(scenario).points()).parameters
    own = address_of(wanted)

    def likeness(position: int) -> tuple[bool, int]:
        known = cells[position].parameters
        same = sum(known.get(key) == value for key, value in wanted.items())
        return address_of(known) == own, same

    return max(range(len(cells)), key=likeness)


def swept_words(cell: Cell, sweep: Mapping[str, Any]) -> str:
    """The swept parameters of a cell, in words: "oue, epsilon 1.5, share 0.05"."""
    words = []
    for key in sweep:
        value, leaf = cell.parameters.get(key), key.rpartition(".")[2]
        if value is not None:
            number = text.chosen_value(value) if isinstance(value, float) else str(value)
            words.append(number if leaf == "kind" else f"{leaf} {number}")
    return ", ".join(words)
