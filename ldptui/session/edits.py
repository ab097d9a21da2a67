"""The edits that can be taken back, and made again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from .draft import retyped

if TYPE_CHECKING:
    from .draft import Draft

MOST: Final = 200
"""Edits that are remembered; the oldest are forgotten."""

WHOLE: Final = "the scenario"
"""The name of an edit that puts another scenario in place of all of it."""


@dataclass(frozen=True)
class Edits:
    """past : what was edited, with the draft before it, oldest first. future : what was taken
    back, with the draft after it, the one to be made again first at the end.
    """

    past: tuple[tuple[str, Draft], ...] = ()
    future: tuple[tuple[str, Draft], ...] = ()

    def with_edit(self, key: str, before: Draft) -> Edits:
        """Edits of one key in a row are taken back as one; an edit ends what can be made again."""
        if key != WHOLE and self.past and self.past[-1][0] == key and not self.future:
            return self
        return Edits((*self.past[1 - MOST :], (key, before)))

    def undone(self, now: Draft) -> tuple[str, Draft, Edits]:
        """The key that was edited last, the draft before it, and the edits without it."""
        key, before = self.past[-1]
        return key, _of_one_file(before, now), Edits(self.past[:-1], (*self.future, (key, now)))

    def redone(self, now: Draft) -> tuple[str, Draft, Edits]:
        """The key that was taken back last, the draft with it, and the edits with it."""
        key, after = self.future[-1]
        return key, _of_one_file(after, now), Edits((*self.past, (key, now)), self.future[:-1])


def _of_one_file(draft: Draft, now: Draft) -> Draft:
    """A draft of before; of the same file as now, what was saved meanwhile is known."""
    same = (draft.path, draft.folder) == (now.path, now.folder)
    return retyped(now, draft.text) if same else draft
