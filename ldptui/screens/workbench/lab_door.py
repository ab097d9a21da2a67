"""The way to the privacy lab: its screen is made when it is first asked for, and kept."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from .desk import Desk

if TYPE_CHECKING:
    from ...engine import Engine
    from ...lab.questions.collected import Collection
    from ..lab.screen import LabScreen


class LabDoor:
    """Opens the lab, and tells it of the draft and the runs while it is open."""

    def __init__(
        self, desk: Desk, engine: type[Engine], collection: Collection | None = None
    ) -> None:
        self._desk, self._engine, self._collection = desk, engine, collection
        self._lab: LabScreen | None = None

    def begin(self) -> None:
        """Show the reports that the workbench was started with, if it was."""
        if self._collection is not None:
            self.open(reports=True)

    def open(self, *, reports: bool = False) -> None:
        """Show the lab. reports : on a tab of the reports that are opened."""
        if self._lab is None:
            from ..lab.screen import LabScreen

            self._lab = LabScreen(self._engine, self._collection)
            self._desk.app.install_screen(self._lab, "lab")
        self._lab.follow(self._desk.draft, self._desk.shelf.runs)
        if reports:
            self._lab.open()
        self._desk.app.push_screen("lab")

    def follow(self) -> None:
        """Tell the lab what is worked on now, if it is what is seen."""
        if self._lab is not None and self._lab.is_current:
            self._lab.follow(self._desk.draft, self._desk.shelf.runs)

    def closings(self) -> list[Coroutine[Any, Any, None]]:
        """The work that is left to do at the end of the app."""
        return [self._lab.shut_down()] if self._lab is not None else []
