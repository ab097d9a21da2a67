"""New drafts from a draft: typed, saved, or with one key set by a form."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ldptui.core.base.errors import ScenarioError

from .checking import checked
from .looking import sweep_of
from .state import Draft
from .text import rewritten


def read_on(draft: Draft) -> Draft:
    """The draft after its large population was read."""
    return checked(draft, draft.text)


def draft_of(
    text: str, folder: Path, path: Path | None = None, saved_text: str | None = None
) -> Draft:
    """A draft of TOML text; `saved_text` is what its file holds (default: the text itself)."""
    saved = text if saved_text is None else saved_text
    return checked(Draft(text, folder, path, None, None, (), saved), text)


def retyped(draft: Draft, text: str) -> Draft:
    """The draft with another text: the script was edited by hand."""
    return draft if text == draft.text else checked(draft, text)


def saved(draft: Draft, path: Path) -> Draft:
    """The draft after its text was written to `path`."""
    kept = dataclasses.replace(draft, path=path, folder=path.parent, saved_text=draft.text)
    return kept if path.parent == draft.folder else checked(kept, kept.text)


def edited(draft: Draft, key: str, value: Any) -> Draft:
    """The draft with one dotted key set by a form (None: removed); comments and layout stay.

    The key's sweep stays. A new `kind` drops the keys that it does not know, remembers them, and
    gets sensible values for those that it needs. `sweep.KEY` sets or removes one swept key. While
    the text does not parse there is nothing to set: the draft comes back unchanged.
    """
    if not draft.parses or draft.document is None:
        return draft
    document, remembered = dict(draft.document), dict(draft.remembered)
    if key == "attack.targets.items":
        value = _as_labels(draft, value)
    from .changing import changed

    try:
        document = changed(draft, document, remembered, key, value)
    except ScenarioError:
        return draft  # a part that a list does not have stays away
    text = rewritten(draft.text, draft.document, document)
    return checked(dataclasses.replace(draft, remembered=remembered), text)


def rekeyed(draft: Draft, edits: Sequence[tuple[str, Any]], sweeps_stay: bool = False) -> Draft:
    """The draft with several keys set, in order; what was swept of them is swept no longer.

    sweeps_stay : their sweeps stay.
    """
    for key, value in edits:
        if key in sweep_of(draft) and not sweeps_stay:
            draft = edited(draft, f"sweep.{key}", None)
        draft = edited(draft, key, value)
    return draft


def _as_labels(draft: Draft, items: Any) -> Any:
    """Numbers typed as targets are labels where the population has labels like them.

    (In a scenario file an int is always an index.)
    """
    labels = draft.cell.population.labels if draft.cell is not None else None
    if labels is None or not isinstance(items, list):
        return items
    known = set(labels)
    return [str(item) if isinstance(item, int) and str(item) in known else item for item in items]
