"""What the fields of the attack's form show, and what a choice that stands for many keys edits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from ....catalogue import key_words
from ....session.draft import attack_script as script
from ....session.draft import input_of, keys_of, used_keys, value_of
from ....session.draft.attack_script import Table
from ....session.draft.changing import starting
from ..form_pane import Shown, names_in, own

if TYPE_CHECKING:
    from ....session.draft import Draft

GIVEN: Final = "given"
"""No goal: the share is given."""
SHARED: Final = "of each part"
"""No targets of the attack: each part of a mixture, or each phase, has its own."""


def keys_of_kind(kind: object) -> frozenset[str]:
    """The keys that a kind of attack has."""
    return frozenset(keys_of("attack", kind)) if isinstance(kind, str) else frozenset()


def attack_of(draft: Draft | None) -> Mapping[str, Any]:
    """The attack of a draft as its text has it; empty where it has none."""
    attack = ((draft.document if draft is not None else None) or {}).get("attack")
    return attack if isinstance(attack, Mapping) else {}


def own_names() -> list[str]:
    """The names of the keys that kinds of attacks have, but for the share and the targets."""
    return [name for name in names_in("attack") if name != "share"]


def shown(draft: Draft) -> dict[str, Shown]:
    """The fields that are shown, by their names."""
    shape = script.shape_of(attack_of(draft))
    fields: dict[str, Shown] = {}
    keys: frozenset[str] = frozenset()
    if shape == "one":
        kind = value_of(draft, "attack.kind") or "none"
        keys = keys_of_kind(kind)
        fields["attack.kind"] = Shown("attack.kind", kind)
        for name in own_names():
            if name in keys and (name != "cohort" or "cohorts" in used_keys(draft, "protocol")):
                fields[name] = own(draft, f"attack.{name}")
    fields |= _campaign(draft, phased=shape == "phases")
    if shape == "mixture" or "share" in keys:
        fields |= _share(draft)
    if shape != "one" or "targets" in keys:
        fields |= _targets(draft, shared=shape != "one")
    return fields


def _campaign(draft: Draft, *, phased: bool) -> dict[str, Shown]:
    """The fields of the rounds of a campaign."""
    if not phased and value_of(draft, "campaign") is None:
        return {}
    drift = value_of(draft, "campaign.drift")
    drift = drift if isinstance(drift, Mapping) else {}
    kinds = [(kind, kind) for kind in drifts()]
    fields = {key: own(draft, key) for key in ("campaign.rounds", "campaign.churn")}
    fields["campaign.drift"] = Shown("campaign.drift", drift.get("kind", "none"), kinds)
    return fields | {(key := f"campaign.drift.{name}"): own(draft, key) for name in drift}


def _share(draft: Draft) -> dict[str, Shown]:
    """The fields of the share of fakes, or of a goal in its place."""
    goal = value_of(draft, "goal.metric")
    options = [(GIVEN, "none"), *_choices("goal.metric")]
    fields = {"goal.metric": Shown("goal.metric", goal or GIVEN, options)}
    keys = ("attack.share",) if goal is None else ("goal.at_least", "goal.over")
    return fields | {key: own(draft, key) for key in keys}


def _targets(draft: Draft, *, shared: bool) -> Iterator[tuple[str, Shown]]:
    """The fields of targets: how they are picked, and how many or which.

    shared : a mixture or phases, of which each may have targets of its own.
    """
    table = "attack.targets"
    targets = value_of(draft, table)
    listed = isinstance(targets, dict) and "items" in targets
    without = shared and targets is None
    how = "listed" if listed else SHARED if without else value_of(draft, f"{table}.pick")
    options = [(SHARED, SHARED)] * shared
    options += [*_choices(f"{table}.pick"), ("listed", "listed")]
    yield f"{table}.pick", Shown(f"{table}.pick", how, options)
    if not without:
        leaf = "items" if listed else "count"
        yield f"{table}.{leaf}", own(draft, f"{table}.{leaf}")


def _choices(key: str) -> list[tuple[Any, str]]:
    return input_of(key)[1] or []


# Choices that stand for many keys.


def meant(draft: Draft, key: str, value: Any) -> tuple[str, Any] | None:
    """The edit that a choice stands for: its key, or the table that its keys are in, and the value.

    None where the key is edited as it is.
    """
    table, _, leaf = key.rpartition(".")
    if key == "campaign.drift" and isinstance(value, str):
        return key, _drifting(draft, value)
    if key == "goal.metric":
        return _aimed(draft, value)
    if leaf == "pick":
        return table, _picked(draft, table, value)
    return None


def drifts() -> dict[str, Table]:
    """The populations that a form can mix in, with what they start with; others by the script."""
    from ldptui.core.scenario import kinds_at, names_of

    starts: dict[str, Table] = {"none": {}}
    for kind in kinds_at("campaign.drift"):
        names = [name for name in names_of("population", kind) if name not in ("items", "users")]
        starts[kind] = {name: key_words(f"population.{name}").start for name in names}
    return {
        kind: start
        for kind, start in starts.items()
        if all(isinstance(value, float) for value in start.values())
    }


def _aimed(draft: Draft, metric: str) -> tuple[str, Any]:
    """A goal takes the place of the share; back, the share is the one that it took."""
    cell = draft.cell
    if metric == GIVEN:
        share = float(f"{cell.share:.3g}") if cell is not None and cell.malicious else 0.05
        return "attack.share", share
    most = int(cell.targets.size) if cell is not None and cell.targets.size else 1
    at_least = most if metric == "targets_in_top_k" else 0.1
    goal = (draft.document or {}).get("goal")
    over = goal.get("over", "malicious") if isinstance(goal, Mapping) else "malicious"
    return "goal", {"metric": metric, "at_least": at_least, "over": over}


def _drifting(draft: Draft, kind: str) -> Table | None:
    """The population to mix in, as wide and in the middle as the domain asks for."""
    if kind == "none":
        return None
    return {"kind": kind, **{key: starting(draft, f"population.{key}") for key in drifts()[kind]}}


def _picked(draft: Draft, table: str, how: str) -> Table | None:
    """Picked or listed: the targets are one table either way, so the whole of it is set."""
    targets = value_of(draft, table)
    before = targets if isinstance(targets, dict) else {}
    if how == SHARED:
        return None
    if how == "listed":
        return {"items": _targets_now(draft)}
    items = before.get("items")
    many = len(items) if isinstance(items, list) else 10
    return {"pick": how, "count": before.get("count", max(1, many))}


def _targets_now(draft: Draft) -> list[int | str]:
    """The targets of the last valid scenario, as a list would name them."""
    cell = draft.cell
    if cell is None or not cell.targets.size:
        return [0]
    indices = [int(item) for item in cell.targets[:100]]
    labels = cell.population.labels
    return [labels[item] for item in indices] if labels is not None else list(indices)
