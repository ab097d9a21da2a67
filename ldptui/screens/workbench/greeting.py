"""The greeting of a first start: the sweep plays once, as soon as its first preview is there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .desk import Desk

if TYPE_CHECKING:
    from ...session.snapshot import Snapshot

PLAYS: Final = "any key stops the sweep"
OFFER: Final = "M opens your own deployment"


class Greeting:
    """Plays the sweep of the quickstart once; any key stops it, or comes before it.

    due : nothing was kept before this start, and nothing was asked for. Textual's own setting
    TEXTUAL_ANIMATIONS=none leaves it out.
    """

    def __init__(self, desk: Desk, *, due: bool) -> None:
        self._desk, self._due = desk, due

    def hear(self, key: str) -> None:
        """Stop at a key; before the first preview, do without."""
        self._due = False
        charts = self._desk.charts
        charts.sweep.hush(key, here=charts.has_focus_within)

    def heard(self, snapshot: Snapshot) -> None:
        """Begin, once the first preview is done."""
        app = self._desk.app
        if self._due and snapshot.status == "done":
            self._due = False
            if app.is_headless:  # nobody sees it
                return
            plays = app.animation_level != "none"
            if plays:
                self._desk.charts.play(unasked=True)
            self._desk.note(" · ".join([PLAYS] * plays + [OFFER]))
