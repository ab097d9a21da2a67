"""The way to the privacy lab: its screen is made when it is first asked for, and kept."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from .desk import Desk

if TYPE_CHECKING:
    from ...engine import Engine
    from ..lab.screen import LabScreen


class LabDoor:
    """Opens the lab, and tells it of the draft and the runs while it is open."""

    def __init__(self, desk: Desk, engine: type[Engine]) -> None:
        self._desk, self._engine = desk, engine
        self._lab: LabScreen | None = None

    def open(self) -> None:
        if self._lab is None:
            from ..lab.screen import LabScreen

            self._lab = LabScreen(self._engine)
            self._desk.app.install_screen(self._lab, "lab")
        self._lab.follow(self._desk.draft, self._desk.shelf.runs)
        self._desk.app.push_screen("lab")

    def follow(self) -> None:
        """Tell the lab what is worked on now, if it is what is seen."""
        if self._lab is not None and self._lab.is_current:
            self._lab.follow(self._desk.draft, self._desk.shelf.runs)

    def closings(self) -> list[Coroutine[Any, Any, None]]:
        """The work that is left to do at the end of the app."""
        return [self._lab.shut_down()] if self._lab is not None else []
