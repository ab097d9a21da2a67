"""The simulations of the draft: previews that follow each edit, and the run that is asked for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from textual.message import Message

from ...engine import Engine
from ...engine.simulation import Simulation
from .background import BURST_S
from .desk import Desk

if TYPE_CHECKING:
    from textual.timer import Timer

    from ...session.snapshot import Snapshot

MakeEngine: TypeAlias = Callable[[Callable[[Message], object]], Engine]
"""Makes an engine from the function that it posts its news with."""


class Simulating:
    """Asks the engine for the numbers that the charts show.

    Parameters
    ----------
    engine : computes, and posts its news to the screen.
    store : where runs are kept, None for nowhere.
    playing : whether a playback is shown, for which nothing is simulated.
    """

    def __init__(
        self, desk: Desk, engine: Engine, store: Path | None, playing: Callable[[], bool]
    ) -> None:
        self._desk, self._engine, self._playing = desk, engine, playing
        self._simulation = Simulation(engine, store)
        self._debounce: Timer | None = None

    @property
    def pending(self) -> bool:
        """True while edits wait for their preview."""
        return self._debounce is not None

    def preview_soon(self) -> None:
        """Simulate the draft once a burst of edits is over."""
        if self._debounce is not None:
            self._debounce.stop()
        self._debounce = self._desk.set_timer(BURST_S, self.preview)

    def preview(self) -> None:
        """Simulate the draft with few trials on the counts path."""
        self._debounce = None
        draft = self._desk.draft
        if draft is None or draft.scenario is None or self._playing():
            return
        from ...charts.curves import preview_part

        parts = tuple(map(preview_part, self._desk.charts.parts(draft)))
        run = self._simulation.preview(draft, parts)
        if run is not None:
            self._desk.keep(self._desk.shelf.begun(run), soon=True)

    def run(self, resumed: int | None) -> None:
        """Run every trial of the last valid scenario and of its sweep."""
        draft = self._desk.draft
        assert draft is not None
        parts = self._desk.charts.parts(draft, with_sweep=True)
        self._desk.keep(self._desk.shelf.begun(self._simulation.run(draft, parts, resumed)))

    def cancel(self) -> None:
        """Stop the run; what is finished stays."""
        if self._desk.shelf.active is not None:
            self._engine.cancel()
        else:
            self._desk.note("nothing runs; ctrl+q quits")

    def take(self, snapshot: Snapshot) -> bool:
        """Show news of a run; whether the store's list of runs is another now."""
        running, before = snapshot.status == "running", self._desk.shelf
        self._desk.keep(before.heard(snapshot), soon=running and not snapshot.full)
        if self._simulation.heard(snapshot):
            self.preview_soon()
        return snapshot.full and not (running and self._desk.shelf.numbers == before.numbers)
