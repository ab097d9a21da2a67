"""What the charts of a run are drawn from."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from ..session.cell_table import Cells
from ..session.snapshot import Overlay, Snapshot

if TYPE_CHECKING:
    from ldptui.core.scenario import Scenario
    from ldptui.core.view import BitCounts, CellView, FrequencySummary, RoundSummary, TrialEstimates

    from .curves import ClosedForms

NO_CELLS: Final = Cells()


class ChartData(Struct, frozen=True, eq=False):
    """A scenario, its run and overlaid runs, with the round or cell at the cursor.

    round : of the campaign, from 0; None if all rounds are pooled.
    cell_words : the name of the cell at a cursor, if it is shown in place of the base: "OUE β
        0.05"; "" for the base.
    has_curves : False while the closed forms between the cells are not to be drawn.
    """

    scenario: Scenario | None = None
    run: Snapshot | None = None
    overlays: tuple[Overlay, ...] = ()
    round: int | None = None
    cell_words: str = ""
    has_curves: bool = True

    @property
    def forms(self) -> ClosedForms | None:
        """The closed forms of the scenario."""
        if self.scenario is None:
            return None
        from .curves import closed_forms

        return closed_forms(self.scenario)

    @property
    def table(self) -> Cells:
        """The cells of the run."""
        return self.run.table if self.run is not None else NO_CELLS

    @property
    def base(self) -> CellView | None:
        """The cell whose frequencies the charts show; None before its first trial."""
        return self.table.base

    @property
    def frequencies(self) -> FrequencySummary | None:
        """The frequencies, pooled over all rounds; None before the first trial."""
        return _frequencies(self.run)

    @property
    def bits(self) -> BitCounts | None:
        return self.run.bits if self.run is not None else None

    @property
    def rounds(self) -> RoundSummary | None:
        return self.run.rounds if self.run is not None else None

    @property
    def by_trial(self) -> TrialEstimates | None:
        """The estimates of single trials, for the cell at the cursor if there is one; None if
        unavailable.
        """
        if self.run is not None and self.run.at_cell is not None and self.cell_words:
            return self.run.at_cell.by_trial
        return self.run.by_trial if self.run is not None else None

    @property
    def tables_over(self) -> tuple[tuple[str, Cells], ...]:
        """The cells of the overlaid runs, by the runs' names."""
        return tuple((overlay.label, overlay.snapshot.table) for overlay in self.overlays)

    def at_cursor(self) -> tuple[FrequencySummary | None, str]:
        """The frequencies of the round or cell at the cursor, and its name."""
        at_cell = self.run.at_cell if self.run is not None else None
        if self.round is None and at_cell is not None and self.cell_words:
            return at_cell, self.cell_words
        return _at_round(self.run, self.round)

    def overlays_at_cursor(self) -> tuple[Overlay, ...]:
        """The overlaid runs at the same round as the cursor; pooled if the cursor's data are
        pooled.

        Empty if a cell at the cursor is shown, as the overlaid runs have other cells.
        """
        if self.round is None:
            return () if self.cell_words else self.overlays
        rounds = [(overlay, _at_round(overlay.snapshot, self.round)) for overlay in self.overlays]
        return tuple(
            replace(overlay, snapshot=replace(overlay.snapshot, frequencies=frequencies))
            for overlay, (frequencies, words) in rounds
            if words
        )

    def answers(self, of: Iterable[Scenario]) -> tuple[CellView, ...]:
        """The cells of these scenarios for which the run has found the smallest attack
        of the goal.
        """
        if self.scenario is None or not any(cell.answer is not None for cell in self.table):
            return ()
        from .curves import points_of

        points = (point for each in of for point in points_of(each.document, self.scenario))
        cells = (self.table.at(point.parameters) for point in points)
        return tuple(cell for cell in cells if cell is not None and cell.answer is not None)


def _frequencies(snapshot: Snapshot | None) -> FrequencySummary | None:
    frequencies = snapshot.frequencies if snapshot is not None else None
    return frequencies if frequencies is not None and frequencies.trials > 0 else None


def _at_round(snapshot: Snapshot | None, at: int | None) -> tuple[FrequencySummary | None, str]:
    """The frequencies of a round, and its name; if that round is not stored, those of the last
    stored round before it.
    """
    pooled = _frequencies(snapshot)
    if snapshot is None or at is None or not snapshot.round_frequencies:
        return pooled, ""
    kept = max((number for number in snapshot.round_frequencies if number <= at), default=None)
    count = len(snapshot.rounds) if snapshot.rounds is not None else 0
    if kept is None or kept >= count:
        return pooled, ""
    return snapshot.round_frequencies[kept], f"round {kept} of 0–{count - 1}"
