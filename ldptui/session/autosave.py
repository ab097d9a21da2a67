"""The draft's recovery file: what was being edited is there again at the next start.

A start takes the file away before it reads it, so that a draft which brings the program down does
so once; when the program has stood for a few seconds, `drop_taken` removes what was taken. A file
that was taken by a start which did not stand is kept under another name, never deleted.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ldptui.core.base.errors import FileError
from ldptui.core.base.files import write_atomically

from ..terminal import places
from .draft import draft_of

if TYPE_CHECKING:
    from .draft import Draft

VERSION: Final = 1
_DRAFT: Final = "draft.json"
_TAKEN: Final = "draft.taken.json"
_FAILED: Final = "draft.failed.json"


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
        return None if kept is None else _revived(kept)
    except Exception:  # whatever is in that file, the workbench opens
        return None


def drop_taken() -> None:
    """The program stands: the file that it started from is needed no more."""
    with contextlib.suppress(OSError):
        (places.state_dir() / _TAKEN).unlink(missing_ok=True)


def _take() -> dict[str, Any] | None:
    """The kept values; their file has another name from here on."""
    folder = places.state_dir()
    draft, taken = folder / _DRAFT, folder / _TAKEN
    if taken.exists():
        taken.replace(folder / _FAILED)
    try:
        draft.replace(taken)
    except FileNotFoundError:
        return None
    kept = json.loads(taken.read_text(encoding="utf-8"))
    known = isinstance(kept, dict) and kept.get("version") == VERSION
    return kept if known and isinstance(kept.get("text"), str) else None


def _revived(kept: dict[str, Any]) -> Draft:
    text, before = str(kept["text"]), kept.get("saved_text")
    path = None if kept.get("path") is None else Path(kept["path"])
    folder = Path(kept.get("folder") or ".")
    if path is not None and text == before and places.is_file(path):
        text = before = path.read_text(encoding="utf-8").replace("\r\n", "\n")
    draft = draft_of(text, folder, path)
    return dataclasses.replace(draft, saved_text=before)
