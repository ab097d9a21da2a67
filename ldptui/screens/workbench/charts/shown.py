"""The values that all charts are drawn from: the pane hands them down, as one frozen value."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, TypeVar

from ....catalogue import key_words
from ....session.claim import claim_of
from ....text.format import count, short

if TYPE_CHECKING:
    from core.scenario import Scenario

    from ....charts.figures import Table
    from ....charts.series import Bars, Plot
    from ....session.draft import Draft
    from ....session.snapshot import (
        BitCounts,
        CellView,
        Detection,
        Frequencies,
        Overlay,
        Rounds,
        Snapshot,
    )
    from ....session.trials import TrialEstimates

LOADING: Final = "loading …"
NO_ESTIMATE: Final = "no estimate yet: {} runs the scenario"
INVALID: Final = "this scenario is not valid yet: the line at the foot says what is wrong"
OTHER: Final = "not the present settings"


@dataclass(frozen=True)
class Shown:
    """A draft, the run shown with others over it, and the round that is looked at.

    cursor : a round of the campaign, from 0; None: all rounds pooled. marked : whether the
    estimates are marked as those of other settings than the draft's. run_key : what runs it.
    """

    draft: Draft | None = None
    snapshot: Snapshot | None = None
    overlays: tuple[Overlay, ...] = ()
    cursor: int | None = None
    marked: bool = False
    run_key: str = "^r"

    @property
    def scenario(self) -> Scenario | None:
        return self.draft.scenario if self.draft is not None else None

    @property
    def frequencies(self) -> Frequencies | None:
        """Those of all rounds pooled; None before the first trial."""
        return _frequencies(self.snapshot)

    @property
    def bits(self) -> BitCounts | None:
        return self.snapshot.bits if self.snapshot is not None else None

    @property
    def detection(self) -> Detection | None:
        return self.snapshot.detection if self.snapshot is not None else None

    @property
    def by_trial(self) -> TrialEstimates | None:
        return self.snapshot.by_trial if self.snapshot is not None else None

    @property
    def followed(self) -> Mapping[str, Any] | None:
        """The levels and items of heavy hitters; None before the first trial."""
        followed = self.snapshot.followed if self.snapshot is not None else None
        return followed if followed and followed["levels"] else None

    @property
    def rounds(self) -> Rounds | None:
        return self.snapshot.rounds if self.snapshot is not None else None

    @property
    def base(self) -> CellView | None:
        """The cell whose frequencies are shown."""
        return next(iter(self.cells("base")), None)

    def cells(self, part: str) -> tuple[CellView, ...]:
        return _cells(self.snapshot, part)

    def overlaid(self, part: str) -> tuple[tuple[str, tuple[CellView, ...]], ...]:
        """The cells of the runs laid over, by their names."""
        return tuple((overlay.label, _cells(overlay.snapshot, part)) for overlay in self.overlays)

    def at_cursor(self) -> tuple[Frequencies | None, str]:
        """The frequencies of the round at the cursor, and which round that is, in words."""
        return _at_round(self.snapshot, self.cursor)

    def overlays_at_cursor(self) -> tuple[Overlay, ...]:
        """The runs laid over, at the same round; while all are pooled, as they are."""
        if self.cursor is None:
            return self.overlays
        rounds = [(overlay, _at_round(overlay.snapshot, self.cursor)) for overlay in self.overlays]
        return tuple(
            replace(overlay, snapshot=replace(overlay.snapshot, frequencies=frequencies))
            for overlay, (frequencies, words) in rounds
            if words
        )

    @property
    def stale(self) -> bool:
        """True if the run has other settings than the draft."""
        cell = self.draft.cell if self.draft is not None else None
        if cell is None or self.base is None:
            return False
        from ....charts.figures import same_settings

        return not same_settings(self.base.parameters, cell.parameters)

    @property
    def result(self) -> str:
        """The name of this result: the run, its sweep and its trials; "" before there is any."""
        run, base = self.snapshot, self.base
        if run is None or base is None or not base.trials:
            return ""
        name = f"run {run.kept}" if run.kept is not None else "run" if run.full else "live"
        trials = f"{count(base.trials)} trial{'s' * (base.trials != 1)}"
        if self.marked:
            return f"STALE: {name}, other settings · {trials}"
        cells = [cell for part in run.parts.values() for cell in part]
        sweep = self.scenario.sweep if self.scenario is not None else {}
        if not run.full or len(cells) < 2 or not sweep:
            return f"{name} · {trials}"
        swept = " × ".join(f"{key_words(key).short} {ends(sweep[key])}" for key in sweep)
        many = math.prod(map(len, sweep.values()))
        return f"{name} · {swept} · {many} × {trials}"

    @property
    def claim(self) -> str:
        """The claim of the scenario's file; "" where it claims nothing."""
        return claim_of(self.draft.text) if self.draft is not None else ""

    @property
    def note(self) -> str:
        """The note of charts whose estimates belong to other settings; "" for the draft's."""
        return OTHER if self.marked else ""

    @property
    def warnings(self) -> tuple[str, ...]:
        """The reasons to doubt the results, a sentence each."""
        if self.base is None or self.base.rappor is None or self.stale:
            return ()
        return tuple(self.base.rappor.get("warnings", ()))

    @property
    def empty(self) -> str:
        """Why there is no chart of a run yet, and what to press."""
        snapshot = self.snapshot
        if snapshot is not None and snapshot.status == "failed":
            return snapshot.error or "the run failed"
        if snapshot is not None and snapshot.status == "running":
            return "waiting for the first trials …"
        if self.draft is None or self.draft.unread is not None:
            return LOADING
        return INVALID if self.scenario is None else NO_ESTIMATE.format(self.run_key)


def ends(values: Sequence[object]) -> str:
    """The values of a sweep: numbers by their ends, few words each, many by their number."""
    numbers = [value for value in values if isinstance(value, int | float)]
    if len(numbers) == len(values):
        return "…".join(dict.fromkeys(short(float(end)) for end in (numbers[0], numbers[-1])))
    words = [str(value) for value in values]
    return " ".join(words) if len(words) <= 3 else f"{len(words)} kinds"


def _cells(snapshot: Snapshot | None, part: str) -> tuple[CellView, ...]:
    return snapshot.parts.get(part, ()) if snapshot is not None else ()


def _frequencies(snapshot: Snapshot | None) -> Frequencies | None:
    frequencies = snapshot.frequencies if snapshot is not None else None
    return frequencies if frequencies is not None and frequencies.trials > 0 else None


def _at_round(snapshot: Snapshot | None, cursor: int | None) -> tuple[Frequencies | None, str]:
    """The frequencies of a round, and which one it is; of very many rounds some are not kept:
    then those of the one before.
    """
    pooled = _frequencies(snapshot)
    if snapshot is None or cursor is None or not snapshot.round_frequencies:
        return pooled, ""
    from ....charts.figures.rounds import kept

    at = kept(snapshot.round_frequencies, cursor)
    count = len(snapshot.rounds) if snapshot.rounds is not None else 0
    if at is None or at >= count:
        return pooled, ""
    return snapshot.round_frequencies[at], f"round {at} of 0–{count - 1}"


Titled = TypeVar("Titled", "Plot", "Bars", "Table")


def of_round(titled: Titled, round_words: str) -> Titled:
    """A chart or a table, with the round it is of in its title."""
    return replace(titled, title=f"{titled.title}, {round_words}") if round_words else titled
