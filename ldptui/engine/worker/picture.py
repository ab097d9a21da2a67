"""The first cell of a run in detail, besides its metrics: estimates, bits, rounds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ldptui.core.base.arms import Arm
from ldptui.core.base.pulse import Pulse
from ldptui.core.base.sampling import Floats
from ldptui.core.cell import Cell
from ldptui.core.metrics.results import CellResults

from .columns import MAX_ITEMS, bit_columns, frequency_columns, sigmas

if TYPE_CHECKING:
    from .rounds import Expected


def estimates_of(cell: Cell, measured: CellResults) -> dict[str, Any]:
    """The columns of `Frequencies` of a cell, all of them; none for other tasks."""
    columns: dict[str, Any] = {}
    for some in frequency_columns(cell, measured, True, sigmas(cell)):
        columns |= some
    return columns


class Picture:
    """The first cell of the part "base": its closed forms, its bits, and how much of it was sent.

    sigmas : σ of each item's estimate in one trial, in the arms that have a closed form. bits,
    detection, by_trial : the columns of `BitCounts`, of `Detection` and of `TrialEstimates`, until
    they are sent. rounds : the closed forms of a campaign's rounds.
    """

    def __init__(self) -> None:
        self.sigmas: Mapping[Arm, Floats] = {}
        self.bits: dict[str, Any] | None = None
        self.detection: dict[str, Any] | None = None
        self.by_trial: dict[str, Any] | None = None
        self.rounds: Expected | None = None
        self._reckoned = self._drawn = self._judged = self._listed = False
        self._sent = self._sent_rounds = self._sent_frequencies_of_rounds = 0  # up to which trial

    def reckon(self, cell: Cell) -> None:
        """The closed forms, once; may be left at any point, and taken up again."""
        if self._reckoned:
            return
        self.sigmas = sigmas(cell)
        if cell.rounds:
            from .rounds import Expected

            self.rounds = Expected.of(cell)
        self._reckoned = True

    def draw(self, cell: Cell, pulse: Pulse) -> None:
        """The bit counts of the first trial, once; may be left at any point, and taken up again."""
        if not self._drawn:
            self.bits = bit_columns(cell.first, pulse)
            self._drawn = True

    def judge(self, cell: Cell, pulse: Pulse) -> None:
        """The verdict on each report of the first trial, once, as `draw`."""
        if not self._judged:
            from .judging import detection_columns

            self.detection = detection_columns(cell.first, pulse)
            self._judged = True

    def list_trials(self, cell: Cell, pulse: Pulse) -> None:
        """The estimates of single trials, once, as `draw`."""
        if not self._listed:
            from .trials import trial_columns

            self.by_trial = trial_columns(cell, pulse)
            self._listed = True

    def changes(self, cell: Cell, measured: CellResults, ended: bool) -> Iterator[dict[str, Any]]:
        """The inside of the lines that tell what changed since the last call.

        ended : the run is over, no more trials will come.
        """
        if measured.trials > self._sent and measured.arms:
            first = self._sent == 0
            self._sent = measured.trials
            yield from self.estimates(cell, measured, first)
            if self.bits is not None:
                yield {"bits": self.bits}
                self.bits = None  # once is enough
        if self.detection is not None:
            yield {"detection": self.detection}
            self.detection = None
        if self.by_trial is not None:
            yield {"by_trial": self.by_trial}
            self.by_trial = None
        if self.rounds is not None and measured.rounds is not None:
            yield from self._changed_rounds(cell, measured, self.rounds, ended)

    def estimates(self, cell: Cell, measured: CellResults, first: bool) -> Iterator[dict[str, Any]]:
        """The frequencies, and what the task measured besides. first : they are the first sent."""
        for columns in frequency_columns(cell, measured, first, self.sigmas):
            yield {"frequencies": columns}
        details = cell.task.details(cell, measured.arms)
        if details:
            users = {"users": cell.users, "malicious": cell.malicious}
            yield {"followed": {"trials": measured.trials, **users, **details}}

    def _changed_rounds(
        self, cell: Cell, measured: CellResults, expected: Expected, ended: bool
    ) -> Iterator[dict[str, Any]]:
        """The results of a campaign's rounds. The frequencies of each round, which are many, are
        sent only after the first trials and after the last ones.
        """
        from .rounds import round_columns, round_result, rounds_sent

        trials = measured.trials
        if trials > self._sent_rounds:
            self._sent_rounds = trials
            yield {"rounds": round_columns(cell, measured, expected)}
        last = ended or trials == cell.trials
        sent = self._sent_frequencies_of_rounds
        if sent and not (last and trials > sent):
            return
        self._sent_frequencies_of_rounds = trials
        for number in rounds_sent(cell, MAX_ITEMS):
            single, results = round_result(cell, measured, number)
            columns: dict[str, Any] = {}
            for chunk in frequency_columns(single, results, True, expected.sigmas[single.round]):
                columns |= chunk
            yield {"round": single.round, "frequencies": columns}
