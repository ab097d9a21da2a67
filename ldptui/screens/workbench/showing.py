"""The runs that are shown, handed to the panes: at once, or in a moment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.timer import Timer

from ...session.snapshot import Snapshot, over

if TYPE_CHECKING:
    from ...session.shelf import Shelf
    from .desk import Desk
    from .panes import Panes
    from .player import Player

PATIENCE_S: Final = 0.12
"""A preview that is over sooner is drawn once, when it is over."""


class Showing:
    """Hands the playback's frame or the run shown, and those laid over it, to the panes."""

    def __init__(self, screen: Desk, panes: Panes, player: Player) -> None:
        self._screen, self._panes, self._player = screen, panes, player
        self._patience: Timer | None = None

    def soon(self) -> None:
        """Show the screen's shelf in a moment, unless it is shown before."""
        if self._patience is None and self._screen.is_mounted:
            self._patience = self._screen.set_timer(PATIENCE_S, self._screen.show)

    def now(self, shelf: Shelf) -> Snapshot | None:
        """Show the shelf; the snapshot that the status line tells of, None where nothing is."""
        if self._patience is not None:
            self._patience.stop()
            self._patience = None
        charts, snapshot = self._panes.charts, self._player.frame
        shown = shelf.run(shelf.shown)
        charts.overlays = shelf.laid_over
        if snapshot is not None:
            charts.snapshot = snapshot
        elif (picture := shelf.picture) is not None:
            snapshot = shown.snapshot if shown is not None else None
            charts.snapshot = over(picture, charts.snapshot)
        self._panes.runs.shelf = shelf
        self._panes.peek()
        return shelf.active or snapshot
