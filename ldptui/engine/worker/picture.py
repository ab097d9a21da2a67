"""The first cell of a run in detail, besides its metrics: estimates, bits, rounds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ldptui.core.base.arms import Arm
from ldptui.core.base.pulse import Pulse
from ldptui.core.base.sampling import Floats
from ldptui.core.cell import Cell
from ldptui.core.metrics.results import CellResults
from ldptui.core.view import Frequencies
from ldptui.core.view.estimated import MAX_ITEMS, closed_sigmas, frequencies
from ldptui.core.view.redrawn import bit_counts, single_trials, verdicts
from ldptui.core.view.rounds import Expected, round_frequencies, rounds_shown, rounds_view


class Picture:
    """The first cell of the part "base": its closed forms, and how much of it was told.

    sigmas : σ of each item's estimate in one trial, in the arms that have a closed form.
    rounds : the closed forms of a campaign's rounds.
    """

    def __init__(self) -> None:
        self.sigmas: Mapping[Arm, Floats] = {}
        self.rounds: Expected | None = None
        self._reckoned = False
        self._drawn: dict[str, Any] = {}
        self._trials = self._trials_of_rounds = 0  # up to which trial all was told

    def reckon(self, cell: Cell) -> None:
        """The closed forms, once; may be left at any point, and taken up again."""
        if not self._reckoned:
            self.sigmas = closed_sigmas(cell)
            self.rounds = Expected.of(cell) if cell.rounds else None
            self._reckoned = True

    def draw(self, cell: Cell, pulse: Pulse, *, judged: bool, listed: bool) -> None:
        """What single trials have drawn, each once; may be left at any point, as `reckon`.

        judged : the verdict on each report is wanted. listed : the estimates of each trial are.
        """
        if "bits" not in self._drawn:
            self._drawn["bits"] = bit_counts(cell.first, pulse)
        if judged and "detection" not in self._drawn:
            self._drawn["detection"] = verdicts(cell.first, pulse)
        if listed and "by_trial" not in self._drawn:
            self._drawn["by_trial"] = single_trials(cell, pulse)

    def news(self, cell: Cell, measured: CellResults, ended: bool) -> Iterator[dict[str, Any]]:
        """The fields of a snapshot that changed since the last call, few at a time.

        ended : the run is over, no more trials will come.
        """
        trials = measured.trials
        if trials > self._trials:
            self._trials = trials
            yield from self._estimates(cell, measured)
        yield self._drawn
        self._drawn = dict.fromkeys(self._drawn)  # once is enough
        # The frequencies of each round, which are many, come after the first and the last trials.
        last = ended or trials == cell.trials
        if trials > self._trials_of_rounds and (last or not self._trials_of_rounds):
            self._trials_of_rounds = trials
            for number, shown in self._of_rounds(cell, measured):
                yield {"round_frequencies": {number: shown}}

    def conclusion(self, cell: Cell, measured: CellResults) -> dict[str, Any]:
        """The fields of a snapshot about all that was measured of the cell but its metrics."""
        fields: dict[str, Any] = {"round_frequencies": dict(self._of_rounds(cell, measured))}
        for some in self._estimates(cell, measured):
            fields |= some
        return fields

    def _estimates(self, cell: Cell, measured: CellResults) -> Iterator[dict[str, Any]]:
        """The frequencies, what the task measured besides, and the rounds."""
        if measured.arms:
            yield {"frequencies": frequencies(cell, measured, self.sigmas, MAX_ITEMS)}
            details = cell.task.details(cell, measured.arms)
            if details:
                users = {"users": cell.users, "malicious": cell.malicious}
                yield {"followed": {"trials": measured.trials, **users, **details}}
        if self.rounds is not None and measured.rounds is not None and measured.rounds.arms:
            yield {"rounds": rounds_view(cell, measured, self.rounds)}

    def _of_rounds(self, cell: Cell, measured: CellResults) -> Iterator[tuple[int, Frequencies]]:
        """The frequencies of each round that is shown, with its number."""
        if self.rounds is None or measured.rounds is None or not measured.rounds.arms:
            return
        for number in rounds_shown(cell, MAX_ITEMS):
            shown = round_frequencies(cell, measured, number, self.rounds, MAX_ITEMS)
            if shown is not None:
                yield number, shown
