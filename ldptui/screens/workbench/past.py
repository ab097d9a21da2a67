"""The drafts before the present one: edits taken back and made again, a draft put aside."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...catalogue import named
from ...session.draft import dropped
from ...session.edits import WHOLE, Edits
from ...terminal.keyboard import UNDO, key_of
from .desk import Desk

if TYPE_CHECKING:
    from ...session.draft import Draft


class Past:
    """The desk works on before a playback what it works on again after it."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._edits = Edits()
        self._aside: Draft | None = None

    def remember(self, edit: str) -> None:
        """Keep the present draft, which an edit replaces now.

        Who edits a run that is played goes on with its scenario: what was put aside is an edit ago.
        """
        before, self._aside = self._aside, None
        if before is not None:
            self._edits = self._edits.with_edit(WHOLE, before)
        if self._desk.draft is not None:
            self._edits = self._edits.with_edit(edit, self._desk.draft)

    def say_dropped(self, edit: str, before: Draft | None) -> None:
        """Name the sweeps that an edit has dropped from the draft before it."""
        if before is None or self._desk.draft is None or edit.startswith("sweep"):
            return
        if lost := dropped(before, self._desk.draft):
            back = key_of(self._desk.app, *UNDO)
            self._desk.note(f"the sweep of {lost} went with that; {back} brings it back")

    @property
    def vain(self) -> Iterator[str]:
        """Those of undo and redo for which there is nothing."""
        ways = {"undo": self._edits.past, "redo": self._edits.future}
        return (way for way, edits in ways.items() if not edits)

    def undo(self) -> None:
        """Take back the last edit."""
        if self._desk.draft is None or not self._edits.past:
            self._desk.note("nothing to undo")
            return
        key, self._desk.draft, self._edits = self._edits.undone(self._desk.draft)
        self._desk.note(f"{named(key)} is as it was")

    def redo(self) -> None:
        """Make the edit again that was taken back last."""
        if self._desk.draft is None or not self._edits.future:
            self._desk.note("nothing to redo")
            return
        key, self._desk.draft, self._edits = self._edits.redone(self._desk.draft)
        self._desk.note(f"{named(key)} is edited again")

    def put_aside(self) -> None:
        """Keep the present draft until `put_back`: a run of another scenario is played."""
        self._aside = self._aside or self._desk.draft

    def put_back(self) -> None:
        """Work again on the draft that was put aside, if any."""
        draft, self._aside = self._aside, None
        if draft is not None:
            self._desk.draft = draft
