"""What the fields of the attack's form show, and what a choice that stands for many keys edits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from ....catalogue import key_words
from ....session.draft import attack_script as script
from ....session.draft import input_of, keys_of, used_keys, value_of
from ....session.draft.attack_script import Table, ramped
from ....session.draft.changing import starting
from ..form_pane import Shown, names_in, own

if TYPE_CHECKING:
    from ....session.draft import Draft

GIVEN: Final = "given"
"""No goal: the share is given."""
SHARED: Final = "shared"
"""No targets of its own: of a part or a phase those of the attack, of an attack those of them."""
CONSTANT: Final = "constant"
"""No ramp: the share of a phase is one number."""


def keys_of_kind(kind: object) -> frozenset[str]:
    """The keys that a kind of attack has."""
    return frozenset(keys_of("attack", kind)) if isinstance(kind, str) else frozenset()


def attack_of(draft: Draft | None) -> Mapping[str, Any]:
    """The attack of a draft as its text has it; empty where it has none."""
    attack = ((draft.document if draft is not None else None) or {}).get("attack")
    return attack if isinstance(attack, Mapping) else {}


def own_names() -> list[str]:
    """The names of the keys that kinds of attacks have, but for the share and the targets."""
    return [name for name in names_in("attack") if name not in ("share", "shape")]


def shown(draft: Draft, stage: str, part: str) -> dict[str, Shown]:
    """The fields that are shown, by their names.

    stage : the table with the share, the targets and the mixture.
    part : the table with a kind and its keys.
    """
    shape, single = script.shape_of(attack_of(draft)), part == "attack"
    kind = value_of(draft, f"{part}.kind") or "none"
    keys = keys_of_kind(kind)
    fields = {"kind" if single else "part-kind": Shown(f"{part}.kind", kind)}
    if shape != "one":
        fields["weight"] = own(draft, f"{part}.weight")
        if script.parts_of(value_of(draft, stage) or {}):
            fields |= _targets(draft, "own", f"{part}.targets", "those above")
    for name in own_names():
        if name in keys and (name != "cohort" or "cohorts" in used_keys(draft, "protocol")):
            fields[name] = own(draft, f"{part}.{name}")
    return fields | _campaign(draft, stage) | _share(draft, stage, keys)


def _campaign(draft: Draft, stage: str) -> dict[str, Shown]:
    """The fields of the rounds: of all of them, and of the chosen phase."""
    phased = stage != "attack"
    if not phased and value_of(draft, "campaign") is None:
        return {}
    drift = value_of(draft, "campaign.drift")
    drift = drift if isinstance(drift, Mapping) else {}
    kinds = [(kind, kind) for kind in drifts()]
    fields = {key: own(draft, key) for key in ("campaign.rounds", "campaign.churn")}
    fields["campaign.drift"] = Shown("campaign.drift", drift.get("kind", "none"), kinds)
    fields |= {(key := f"campaign.drift.{name}"): own(draft, key) for name in drift}
    if phased:
        fields |= {"length": own(draft, f"{stage}.rounds"), "ramp": _ramp(draft, stage)}
        fields |= _targets(draft, "phase", f"{stage}.targets", "the attack's")
    return fields


def _ramp(draft: Draft, stage: str) -> Shown:
    """The form of a phase's share: one number, or a ramp."""
    share = value_of(draft, f"{stage}.share")
    shape = share.get("shape", "linear") if isinstance(share, Mapping) else CONSTANT
    options = [(CONSTANT, CONSTANT), *_choices("attack.phase.*.share.shape")]
    return Shown(f"{stage}.share.shape", shape, options)


def _share(draft: Draft, stage: str, keys: frozenset[str]) -> dict[str, Shown]:
    """The fields of the share of fakes, or of a goal in its place, and of the targets."""
    fields: dict[str, Shown] = {}
    shape, goal = script.shape_of(attack_of(draft)), None
    if shape != "phases" and (shape == "mixture" or "share" in keys):
        goal = value_of(draft, "goal.metric")
        options = [(GIVEN, "none"), *_choices("goal.metric")]
        fields["goal.metric"] = Shown("goal.metric", goal or GIVEN, options)
    share = value_of(draft, f"{stage}.share")
    if goal is not None:
        fields |= {key: own(draft, key) for key in ("goal.at_least", "goal.over")}
    elif shape != "one" or "share" in keys:
        start = ".from" * isinstance(share, Mapping)
        fields["attack.share"] = own(draft, f"{stage}.share{start}")
    if isinstance(share, Mapping):
        fields["to"] = own(draft, f"{stage}.share.to")
        if share.get("shape") == "step":
            fields["jump"] = own(draft, f"{stage}.share.at")
    if shape != "one" or "targets" in keys:
        leave = {"one": "", "mixture": "of each part", "phases": "of each phase"}[shape]
        fields |= _targets(draft, "targets", "attack.targets", leave)
    return fields


def _targets(draft: Draft, name: str, table: str, leave: str) -> Iterator[tuple[str, Shown]]:
    """The fields of targets: how they are picked, and how many or which.

    leave : what it means to have none here, where that may be.
    """
    targets = value_of(draft, table)
    listed = isinstance(targets, dict) and "items" in targets
    left = bool(leave) and targets is None
    how = "listed" if listed else SHARED if left else value_of(draft, f"{table}.pick")
    options = [(SHARED, leave)] * bool(leave)
    options += [*_choices("attack.targets.pick"), ("listed", "listed")]
    yield f"{name}-pick", Shown(f"{table}.pick", how, options)
    if not left:
        leaf = "items" if listed else "count"
        yield f"{name}-{leaf}", own(draft, f"{table}.{leaf}")


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
    if leaf == "shape" and table.endswith(".share"):
        rounds = value_of(draft, f"{table.removesuffix('.share')}.rounds")
        return table, ramped(
            value_of(draft, table), value, rounds if isinstance(rounds, int) else 2
        )
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
