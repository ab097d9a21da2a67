"""The edits of a session: those that can be taken back, and the draft's recovery file.

A start takes the file away before it reads it, so that a draft which brings the program down does
so once; under its other name its author still finds it.
"""

from __future__ import annotations

import json
import math
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.structs import replace

from ldptui.core.base.errors import FileError
from ldptui.core.base.files import is_file, write_atomically

from ..terminal import places
from .draft import draft_of, edit_text

if TYPE_CHECKING:
    from .draft import Draft


MOST: Final = 200
"""Edits that are remembered; the oldest are forgotten."""
REST_S: Final = 1.5
"""Seconds without an edit after which the next one of the same key is taken back by itself."""

WHOLE: Final = "the scenario"
"""The name of an edit that puts another scenario in place of all of it."""


class Edits(Struct, frozen=True):
    """past : what was edited, with the draft before it, oldest first. future : what was taken
    back, with the draft after it, the one to be made again first at the end. last_s : the time of
    the last edit.
    """

    past: tuple[tuple[str, Draft], ...] = ()
    future: tuple[tuple[str, Draft], ...] = ()
    last_s: float = -math.inf

    def with_edit(self, key: str, before: Draft, now_s: float) -> Edits:
        """Edits of one key in a row, without a rest between them, are taken back as one.

        An edit ends what can be made again. now_s : the time in seconds.
        """
        goes_on = self.past and self.past[-1][0] == key and not self.future
        if goes_on and key != WHOLE and now_s - self.last_s < REST_S:
            return replace(self, last_s=now_s)
        return Edits((*self.past[1 - MOST :], (key, before)), (), now_s)

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
    return edit_text(now, draft.text) if same else draft


VERSION: Final = 1
_DRAFT: Final = "draft.json"
_TAKEN: Final = "draft.taken.json"


def save_draft(draft: Draft) -> str:
    """Keep the draft for the next start; a sentence on what went wrong, "" when all is well."""
    kept = {
        "version": VERSION,
        "text": draft.text,
        "folder": str(draft.folder.absolute()),
        "path": None if draft.path is None else str(draft.path.absolute()),
        "saved_text": draft.saved_text,
    }
    try:
        # ASCII: any string can be written, even one that UTF-8 has no bytes for.
        write_atomically(places.state_dir() / _DRAFT, json.dumps(kept) + "\n")
    except (FileError, OSError) as error:
        return f"the draft is not kept for the next start: {error}"
    return ""


def kept_at() -> str:
    """The time of day at which the draft was kept, as 08:48; "" where there is none."""
    try:
        when = (places.state_dir() / _DRAFT).stat().st_mtime
    except OSError:
        return ""
    return time.strftime("%H:%M", time.localtime(when))


def load_draft() -> Draft | None:
    """The draft that was being edited last time, or None. Takes the file away; never raises.

    A draft without changes is read from its own file, which may be newer.
    """
    try:
        kept = _take()
        return None if kept is None else revive_draft(kept)
    except Exception:  # whatever is in that file, the workbench opens
        return None


def _take() -> dict[str, Any] | None:
    """The kept values; their file has another name from here on, until the next is taken."""
    taken = places.state_dir() / _TAKEN
    try:
        taken.with_name(_DRAFT).replace(taken)
    except FileNotFoundError:
        return None
    kept = json.loads(taken.read_text(encoding="utf-8"))
    known = isinstance(kept, dict) and kept.get("version") == VERSION
    return kept if known and isinstance(kept.get("text"), str) else None


def revive_draft(kept: dict[str, Any]) -> Draft:
    text, before = str(kept["text"]), kept.get("saved_text")
    path = None if kept.get("path") is None else Path(kept["path"])
    folder = Path(kept.get("folder") or ".")
    if path is not None and text == before and is_file(path):
        text = before = path.read_text(encoding="utf-8").replace("\r\n", "\n")
    draft = draft_of(text, folder, path)
    return replace(draft, saved_text=before)
