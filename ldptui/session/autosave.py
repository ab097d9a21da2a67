"""The edits of a session: those that can be taken back, and the draft's recovery file.

A start takes the file away before it reads it, so that a draft which brings the program down does
so once; under its other name its author still finds it.
"""

from __future__ import annotations

import json
import math
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.structs import replace

from ldptui.core.base.errors import FileError
from ldptui.core.base.files import is_file, write_atomically
from ldptui.core.base.processes import is_another_here, process_address

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
    """The history of edits for undo and redo.

    past : the name of each edit with the draft before it, oldest first.
    future : undone edits with the draft after each, the last undone at the end.
    last_s : the time of the last edit, in seconds.
    """

    past: tuple[tuple[str, Draft], ...] = ()
    future: tuple[tuple[str, Draft], ...] = ()
    last_s: float = -math.inf

    def with_edit(self, key: str, before: Draft, now_s: float) -> Edits:
        """The history with one more edit; quick edits of one key in a row are one step.

        now_s : the time in seconds. A new edit discards the undone ones.
        """
        goes_on = self.past and self.past[-1][0] == key and not self.future
        if goes_on and key != WHOLE and now_s - self.last_s < REST_S:
            return replace(self, last_s=now_s)
        return Edits((*self.past[1 - MOST :], (key, before)), (), now_s)

    def undone(self, now: Draft) -> tuple[str, Draft, Edits]:
        """The key of the last edit, the draft before it, and the history without it."""
        key, before = self.past[-1]
        return key, _of_one_file(before, now), Edits(self.past[:-1], (*self.future, (key, now)))

    def redone(self, now: Draft) -> tuple[str, Draft, Edits]:
        """The key of the last undone edit, the draft with it, and the history with it."""
        key, after = self.future[-1]
        return key, _of_one_file(after, now), Edits((*self.past, (key, now)), self.future[:-1])


def _of_one_file(draft: Draft, now: Draft) -> Draft:
    """An earlier draft; if it has the same file as `now`, with the saved text of `now`."""
    same = (draft.path, draft.folder) == (now.path, now.folder)
    return edit_text(now, draft.text) if same else draft


VERSION: Final = 1
_TAKEN: Final = "draft.taken.json"


class KeptDraft(Struct, frozen=True):
    """The stored draft of the last session.

    draft : the draft when the program ended.
    valid : the last draft without problems, if `draft` has some.
    time : the time of day when it was stored, as 08:48.
    """

    draft: Draft
    valid: Draft | None
    time: str


def save_draft(draft: Draft, valid: Draft | None = None) -> str:
    """Store the draft for the next start; returns a sentence about an error, "" if there is none.

    valid : the last draft without problems, to which an undo after that start leads.
    """
    kept = {
        "version": VERSION,
        "owner": process_address(),
        "text": draft.text,
        "valid": None if valid is None else valid.text,
        "folder": str(draft.folder.absolute()),
        "path": None if draft.path is None else str(draft.path.absolute()),
        "saved_text": draft.saved_text,
    }
    try:
        # ASCII: any string can be written, even one that UTF-8 has no bytes for.
        write_atomically(places.state_dir() / f"draft.{os.getpid()}.json", json.dumps(kept) + "\n")
    except (FileError, OSError) as error:
        return f"the draft is not kept for the next start: {error}"
    return ""


def load_draft() -> KeptDraft | None:
    """The stored draft of the last session, whose file is removed; None if there is none. Never
    raises.

    A draft without changes is read from its own file, which may be newer.
    """
    try:
        files = [path for path in places.state_dir().glob("draft*.json") if path.name != _TAKEN]
        newest = sorted(files, key=lambda path: path.stat().st_mtime, reverse=True)
        path = next((path for path in newest if not _is_in_use(path)), None)
        return None if path is None else _take(path)
    except Exception:  # whatever is in that file, the workbench opens
        return None


def _is_in_use(path: Path) -> bool:
    """True for the draft of another process of this host that is alive."""
    try:
        owner = str(json.loads(path.read_text(encoding="utf-8"))["owner"])
    except (OSError, ValueError, LookupError, TypeError):
        return False
    return is_another_here(owner)


def _take(path: Path) -> KeptDraft | None:
    """The draft that a file stores; the file is renamed, and kept until the next draft is read."""
    when = time.strftime("%H:%M", time.localtime(path.stat().st_mtime))
    taken = path.replace(path.with_name(_TAKEN))
    kept = json.loads(taken.read_text(encoding="utf-8"))
    if kept["version"] != VERSION:
        return None
    draft = revive_draft(kept)
    valid = revive_draft({**kept, "text": kept["valid"]}) if kept.get("valid") else None
    return KeptDraft(draft, valid, when)


def revive_draft(kept: dict[str, Any]) -> Draft:
    """The draft of stored values, unchanged and in its folder."""
    text, before = kept["text"], kept.get("saved_text")
    path = None if kept.get("path") is None else Path(kept["path"])
    folder = Path(kept.get("folder") or ".")
    if path is not None and text == before and is_file(path):
        text = before = path.read_text(encoding="utf-8").replace("\r\n", "\n")
    draft = draft_of(text, folder, path)
    return replace(draft, saved_text=before)
