"""New drafts: opened, typed, saved, with one key set; and sweeps that a form begins."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from ldptui.core.base.errors import LdpError, ScenarioError
from ldptui.core.base.files import is_folder, is_there

from ... import scenarios
from ...catalogue import key_words, listed_keys, swept_kinds
from ...terminal.places import current_dir
from .checking import check_text
from .looking import Draft, base, keys_of, kind_of, sweep_of, used_keys, value_of
from .populations import UnreadError, ready


def read_on(draft: Draft) -> Draft:
    """The draft, checked again after its large population was read."""
    return check_text(draft, draft.text)


def draft_of(
    text: str, folder: Path, path: Path | None = None, saved_text: str | None = None
) -> Draft:
    """A draft of TOML text; `saved_text` is the text of its file, by default the same."""
    saved = text if saved_text is None else saved_text
    return check_text(Draft(text, folder, path, None, None, (), saved), text)


def edit_text(draft: Draft, text: str) -> Draft:
    """The draft with another text: the script was edited by the user."""
    return draft if text == draft.text else check_text(draft, text)


def mark_saved(draft: Draft, path: Path) -> Draft:
    """The draft after its text was written to `path`."""
    kept = replace(draft, path=path, folder=path.parent, saved_text=draft.text)
    return kept if path.parent == draft.folder else check_text(kept, kept.text)


def edit_key(draft: Draft, key: str, value: Any) -> Draft:
    """The draft with one dotted key set by a form (None: removed); comments and layout stay.

    The key's sweep stays. A new `kind` drops the keys that it does not know, remembers them, and
    gets sensible values for those that it needs. `sweep.KEY` sets or removes one swept key. If the
    text does not parse, the draft is returned unchanged.
    """
    if not draft.parses or draft.document is None:
        return draft
    document, remembered = dict(draft.document), dict(draft.remembered)
    if key.endswith("targets.items"):
        value = _as_labels(draft, value)
    from ldptui.core.scenario import update_toml, value_at

    from .changing import change_document

    listed = re.match(r"(.*?)\.\d+(\.|$)", key)
    if listed is not None and value_at(document, listed[1]) is None:
        return draft  # a field of a phase that was there a moment ago
    try:
        document = change_document(draft, document, remembered, key, value)
    except ScenarioError:
        return draft  # a part that a list does not have stays away
    text = update_toml(draft.text, document)
    if key.endswith(".path") and not is_there(draft.folder / str(value)):
        bundled = draft.folder == scenarios.path("quickstart").parent
        draft = replace(draft, folder=current_dir()) if bundled else draft
    return check_text(replace(draft, remembered=remembered), text)


def edit_keys(draft: Draft, edits: Sequence[tuple[str, Any]], sweeps_stay: bool = False) -> Draft:
    """The draft with several keys set in order; their sweeps are removed.

    sweeps_stay : their sweeps are not removed.
    """
    for key, value in edits:
        if key in sweep_of(draft) and not sweeps_stay:
            draft = edit_key(draft, f"sweep.{key}", None)
        draft = edit_key(draft, key, value)
    return draft


def _as_labels(draft: Draft, items: Any) -> Any:
    """Targets typed as numbers, converted to labels if the population has labels like them.

    In a scenario file an int is always an index.
    """
    labels = draft.cell.population.labels if draft.cell is not None else None
    if labels is None or not isinstance(items, list):
        return items
    known = set(labels)
    return [str(item) if isinstance(item, int) and str(item) in known else item for item in items]


def open_draft(path: Path) -> Draft:
    """The draft of a file; raises LdpError.

    A bundled scenario becomes a copy without a file; a table of people becomes a scenario about
    them, in a new file beside the table.
    """
    from ldptui.core.scenario import is_table, read_scenario

    text = read_scenario(path)
    if is_table(path):
        return draft_of(text, path.parent, path.with_suffix(".toml"), "")
    if path.parent != scenarios.path("quickstart").parent:
        return draft_of(text, path.parent, path)
    # A bundled scenario is in the folder where one started, unless it names files beside it.
    names_files = re.search(r'\bpath\s*=\s*"|kind\s*=\s*"plugin"', text)
    return draft_of(text, path.parent if names_files else current_dir())


def reopen_draft(document: Mapping[str, Any], source: str) -> Draft:
    """The draft of a stored scenario document, in the folder of its original file, if any."""
    from ldptui.core.scenario import to_toml

    folder = Path(source).parent if source else current_dir()
    return draft_of(to_toml(document), folder if is_folder(folder) else current_dir())


def pointed_at(draft: Draft, values: Mapping[str, Any]) -> Draft | None:
    """The draft of one cell, without sweep; the text stays.

    None if there is no such cell, or if binding it would block the screen.
    """
    from ldptui.core.experiment import experiment

    if draft.scenario is None or draft.unread is not None:
        return None
    try:
        single = base(draft.scenario, values)
        point = next(single.points())
        drawn = ready(point.population, point.seed, single.folder)
        cell = experiment.bind(0, point, drawn, point.sifts)
    except (LdpError, UnreadError):
        return None
    return replace(draft, scenario=single, cell=cell)


_FIRST: Final = ("attack.share", "protocol.kind")

TRIED: Final = 6
"""The keys that are tried before the first is proposed though it is refused."""


def sweepable(draft: Draft) -> list[str]:
    """The keys that a form can sweep with the kinds of a draft, the most usual first."""
    return [key for key in listed_keys() if _new(draft, key) and _applies(draft, key)]


def new_sweep(draft: Draft, key: str) -> Any:
    """The first values of a new sweep of a key: a list, or a range.

    Targets never outnumber the items, and ε stays below the largest that the protocol can have.
    """
    values, cell = _new(draft, key), draft.cell
    if key == "attack.targets.count" and cell is not None:
        most = min(values["to"], cell.population.domain_size)
        return {"from": 1, "to": most, "points": most}
    if key == "protocol.epsilon" and cell is not None and cell.protocol.most_epsilon < math.inf:
        most = float(f"{0.9 * cell.protocol.most_epsilon:.2g}")
        return values | {"from": min(0.5, most / 4), "to": min(4.0, most)}
    return values


def first_free(draft: Draft) -> str | None:
    """The key that a form sweeps next: the share of fakes, the protocol, then the most usual
    unswept key.

    Keys whose sweep the scenario refuses come last; None if every key is swept.
    """
    swept = sweep_of(draft)
    free = [key for key in sweepable(draft) if key not in swept]
    free.sort(key=lambda key: _FIRST.index(key) if key in _FIRST else len(_FIRST))
    tried = (
        key for key in free[:TRIED]
        if not edit_key(draft, f"sweep.{key}", new_sweep(draft, key)).problems
    )  # fmt: skip
    return next(tried, next(iter(free), None))


def dropped_sweeps(before: Draft, after: Draft) -> str:
    """The keys whose sweep an edit has dropped, in words; "" if there are none."""
    left = sweep_of(after)
    gone = [key_words(key).noun for key in sweep_of(before) if after.parses and key not in left]
    return " and ".join(gone)


def _new(draft: Draft, key: str) -> Any:
    """The first values of a new sweep: all kinds, or those of the catalogue; None without any."""
    from ldptui.core.scenario import KINDS, choices_of

    table, _, leaf = key.partition(".")
    if leaf == "kind":
        kinds = swept_kinds(table, kind_of(draft, table))
        return [kind for kind in kinds if table != "trust" or _trusts(draft, kind)] or None
    values = key_words(key).sweep
    if values is None and table in KINDS:
        values = list(choices_of(key)) or None
    return values


def _trusts(draft: Draft, kind: str) -> bool:
    """True where a kind of trust makes sense for the task of the draft."""
    from ldptui.core.protocols.trust import TRUSTS
    from ldptui.core.task import Frequencies

    every: bool = TRUSTS[kind].every_task
    return every or kind_of(draft, "task") in ("", Frequencies().kind)


def swept_words(draft: Draft, key: str) -> list[str]:
    """The words in the sweep of a key; empty if it is not swept."""
    swept = sweep_of(draft).get(key)
    return [name for name in swept if isinstance(name, str)] if isinstance(swept, list) else []


def _applies(draft: Draft, key: str) -> bool:
    """True where a kind that the draft has, or sweeps, uses the key."""
    from ldptui.core.scenario import KINDS

    table, _, leaf = key.partition(".")
    name = leaf.partition(".")[0]
    if table not in KINDS:
        return True
    kind = kind_of(draft, table)
    if table == "trust" and name == "kind":
        from ldptui.core.protocols import CENTRAL

        return not {kind_of(draft, "protocol"), *swept_words(draft, "protocol.kind")} & {*CENTRAL}
    if name == "targets" and isinstance(listed := value_of(draft, "attack.targets"), Mapping):
        return "items" not in listed  # those that are listed are neither picked nor counted
    if name == "kind":
        return kind != "none"
    kinds = swept_words(draft, f"{table}.kind") or [kind]
    if not any(name in keys_of(table, known) for known in kinds):
        return False
    used = used_keys(draft, "protocol")
    if table == "protocol" and len(kinds) == 1:
        return name in used  # some forms ignore some
    return key != "attack.cohort" or "cohorts" in used
