"""New drafts from a draft: typed, saved, or with one key set by a form."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from .attack_script import moved, shape_of
from .checking import checked
from .looking import sweep_of, value_of
from .state import Draft
from .switching import fit_kinds, set_kind, usable
from .tables import placed
from .text import rewritten

_EITHER: Final = (
    ("protocol.f", "protocol.epsilon"),
    ("task.groups", "task.extension"),
    ("goal", "attack.share"),
)
_INSTEAD: Final[Mapping[str, str]] = dict((*_EITHER, *((two, one) for one, two in _EITHER)))
"""Keys of which a scenario has one or the other: setting one drops the other."""


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
    table, _, leaf = key.rpartition(".")
    if key == "sweep" or key.startswith("sweep."):
        document = _with_sweep(draft, document, key.removeprefix("sweep").removeprefix("."), value)
    elif leaf == "kind" and isinstance(value, str):
        document = set_kind(draft, document, remembered, table, value)
        if (key, value) == ("attack.kind", "none") and "goal" in document:
            document = _without(draft, document, "goal")
    else:
        document = placed(document, key, value)
        if value is not None and key in _INSTEAD:
            document = _without(draft, document, _INSTEAD[key])
        if key == "protocol.form":
            document["protocol"] = usable(document["protocol"])
        if key == "attack":
            document = _follow_shape(draft, document)
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


def _without(draft: Draft, document: dict[str, Any], key: str) -> dict[str, Any]:
    """The document without a key or a table, and without the sweeps of it."""
    document, swept = placed(document, key, None), sweep_of(draft)
    left = {name: values for name, values in swept.items() if not f"{name}.".startswith(f"{key}.")}
    return placed(document, "sweep", left or None) if left != swept else document


def _follow_shape(draft: Draft, document: dict[str, Any]) -> dict[str, Any]:
    """The document whose sweep follows what an attack of another shape has moved or left out."""
    attacks = (draft.document or {}).get("attack"), document.get("attack")
    before, after = (attack if isinstance(attack, Mapping) else {} for attack in attacks)
    shape = shape_of(after)
    if shape == shape_of(before):
        return document
    swept = {moved(key, shape): values for key, values in sweep_of(draft).items()}
    if "goal" in document:  # of one collection, and in place of a share
        if shape == "phases":
            del document["goal"]
            swept = {key: swept[key] for key in swept if key and not key.startswith("goal.")}
        else:
            document["attack"] = {key: after[key] for key in after if key != "share"}
    left = {key: values for key, values in swept.items() if key is not None}
    return placed(document, "sweep", left or None)


def _as_labels(draft: Draft, items: Any) -> Any:
    """Numbers typed as targets are labels where the population has labels like them.

    (In a scenario file an int is always an index.)
    """
    labels = draft.cell.population.labels if draft.cell is not None else None
    if labels is None or not isinstance(items, list):
        return items
    known = set(labels)
    return [str(item) if isinstance(item, int) and str(item) in known else item for item in items]


def _with_sweep(draft: Draft, document: dict[str, Any], key: str, value: Any) -> dict[str, Any]:
    """The document with one swept key set, or with no key the whole table."""
    from ldptui.core.scenario import value_at

    table = {**sweep_of(draft), key: value} if key else value
    place, _, leaf = key.rpartition(".")
    if leaf == "kind" and "." not in place and isinstance(value, list):
        document = fit_kinds(draft, document, table, place, value)
    for other in {_INSTEAD[name] for name in table or () if name in _INSTEAD and table[name]}:
        table.pop(other, None)
        document = placed(document, other, None)
    if key and value is None:
        del table[key]
        if value_at(document, key) is None and (kept := value_of(draft, key)) is not None:
            document = placed(document, key, kept)
    return placed(document, "sweep", table or None)
