"""The attack and what the server does about it as rows of a form, and what their choices edit.

The parts of a mixture, the phases of a campaign and the defences are lists of tables: `place_of`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from ...catalogue import kind_words, listed_kinds, title_of
from ...session.draft import attack_script as script
from ...session.draft import input_of, keys_of, kind_of, sweep_of, used_keys, value_of
from ...session.draft.attack_script import MUTED, Table, tables_in
from ...text.format import MISSING, count, short
from ...widgets.form import FormRow, own_row, remark

if TYPE_CHECKING:
    from ...session.draft import Draft


MORE: Final = "more: goal, phases"
GIVEN: Final = "given"
"""No goal: the share is given."""
OF_PARTS: Final = "of each part"
"""No targets of the attack: each part of a mixture, or each phase, has its own."""
OF_ATTACK: Final = "of the attack"
"""No targets of a phase: those of the attack."""
PHASES: Final = "attack.phase"
NARROWEST: Final = 38
"""Cells that words in the form have where all panes stand on one screen."""
HASHED: Final = ("seeds", "scoring")
"""Keys that mean something where users hash their items: an attacker searches for seeds."""


def attack_rows(draft: Draft, is_open: bool = False) -> Iterator[FormRow]:
    """Yields the rows of the attack: its kind and keys, its share and its targets; of a mixture
    those of its parts, of a campaign those of its phases.

    is_open : include the rows of a goal, a mixture and phases, which few scenarios have.
    """
    attack = attack_of(draft)
    shape = script.shape_of(attack)
    kind = value_of(draft, "attack.kind") or "none"
    is_open = is_open or shape != "one" or value_of(draft, "goal.metric") is not None
    keys = frozenset(keys_of("attack", kind)) if shape == "one" and isinstance(kind, str) else ()
    if shape == "one":
        kinds = [(kind, kind) for kind in listed_kinds("attack")]
        yield FormRow("attack.kind", kind, label="", options=kinds)
        yield remark("reason", kind_words("attack", str(kind)).reason)
    yield from _campaign(draft, script.phases_of(attack))
    if shape == "mixture" or "share" in keys:
        yield from _share(draft, is_open)
    if shape != "one" or "targets" in keys:
        yield from _targets(draft, "attack.targets", OF_PARTS if shape != "one" else "")
    yield from _parts(draft, "attack.mix", script.parts_of(attack))
    for name in keys_of("attack", str(kind)) if shape == "one" else ():
        if name not in ("share", "targets") and _means_something(draft, name):
            yield own_row(draft, f"attack.{name}", optional=True)
    if is_open:
        yield remark("facts", facts(draft))
        yield from _phases(draft, script.phases_of(attack))
    else:
        yield FormRow(PHASES, slot="more", remark=f"▸ {MORE}")


def _phases(draft: Draft, phases: Sequence[Table]) -> Iterator[FormRow]:
    """Yields the rows of the phases, and the row that adds a phase."""
    for at, phase in enumerate(phases):
        table = f"{PHASES}.{at}"
        first = f"phase {at + 1}{' (off)' * is_off(phase)}: rounds"
        yield own_row(draft, f"{table}.rounds", label=first)
        yield _inner(draft, f"{table}.share", type="share")
        yield from _parts(draft, f"{table}.mix", script.parts_of(phase))
        yield from _targets(draft, f"{table}.targets", OF_ATTACK)
    words = "a phase more" if phases else "phases, for a campaign of rounds"
    yield FormRow(PHASES, slot="phase", remark=f"+ {words}")


def _parts(draft: Draft, table: str, parts: Sequence[Table]) -> Iterator[FormRow]:
    """Yields the kind of each part of a mixture, its weight if there are several, and its other
    keys.
    """
    choices = input_of(f"{table}.0.kind")[1] or []
    for at, part in enumerate(parts):
        key, many = f"{table}.{at}", len(parts) > 1
        label = f"  part {at + 1}" if many else None
        yield _inner(draft, f"{key}.kind", label=label, options=choices)
        for name in ("weight",) * many + tuple(keys_of("attack", step_kind(part))):
            if name in part and name != "targets":
                yield _inner(draft, f"{key}.{name}", optional=name != "weight")


def _inner(draft: Draft, key: str, label: str | None = None, **more: Any) -> FormRow:
    """The row of a key of a phase or a part, indented."""
    return own_row(draft, key, label=f"  {title_of(key)}" if label is None else label, **more)


def attack_of(draft: Draft | None) -> Mapping[str, Any]:
    """The table `[attack]` of a draft's text; empty if the draft has no attack."""
    attack = ((draft.document if draft is not None else None) or {}).get("attack")
    return attack if isinstance(attack, Mapping) else {}


def _means_something(draft: Draft, name: str) -> bool:
    if name == "cohort":
        return "cohorts" in used_keys(draft, "protocol")
    return name not in HASHED or hashes(draft)


def hashes(draft: Draft) -> bool:
    """True if the protocol's users hash their items, so that an attacker searches for
    hash seeds.
    """
    values = sweep_of(draft).get("protocol.kind")
    kinds = values if isinstance(values, list) else [kind_of(draft, "protocol")]
    return any(kind_words("protocol", kind).family == "hashing" for kind in map(str, kinds))


def facts(draft: Draft) -> str:
    """The numbers m, r and f_T of the attack in the last valid scenario, as words."""
    cell = draft.cell
    if cell is None or (cell.attack is None and not cell.targets.size):
        return ""
    held = MISSING if cell.population.awaited else short(cell.target_frequency, 3)
    many = "m as the goal takes" if cell.goal is not None else f"m = {count(cell.malicious)} fakes"
    if not cell.targets.size:
        return many
    first = f"{many}   r = {cell.targets.size}"
    gap = "   " if len(first) + len(held) <= NARROWEST - 9 else "\n"  # never inside a number
    return f"{first}{gap}f_T = {held}"


def _campaign(draft: Draft, phases: Sequence[Table]) -> Iterator[FormRow]:
    """Yields the rows of a campaign's rounds; its drift is only named, as it is edited in the
    script.
    """
    if phases or value_of(draft, "campaign") is not None:
        rounds = own_row(draft, "campaign.rounds", optional=True)
        if rounds.value is None and phases:
            many = sum(number for phase in phases if isinstance(number := phase.get("rounds"), int))
            rounds = replace(rounds, value=many, follows=True)
        yield rounds
        yield own_row(draft, "campaign.churn", optional=True)
        drift = value_of(draft, "campaign.drift")
        kind = drift.get("kind", "") if isinstance(drift, Mapping) else ""
        yield remark("drift", f"drifts to {kind}, as the script says" if kind else "")


def _share(draft: Draft, is_open: bool) -> Iterator[FormRow]:
    """The share of fakes, or a goal in its place."""
    goal = value_of(draft, "goal.metric")
    options = [(GIVEN, "none"), *(input_of("goal.metric")[1] or [])]
    if is_open:
        yield FormRow("goal.metric", goal or GIVEN, options=options)
    for key in ("attack.share",) if goal is None else ("goal.at_least", "goal.over"):
        yield own_row(draft, key)


def _targets(draft: Draft, table: str, none: str) -> Iterator[FormRow]:
    """Yields the row for how the targets of a table are picked, and the row for their number or
    list.

    none : the name of the table whose targets hold if this one has none; "" if targets are
    required.
    """
    targets = value_of(draft, table)
    listed = isinstance(targets, dict) and "items" in targets
    without = bool(none) and targets is None
    how = "listed" if listed else none if without else value_of(draft, f"{table}.pick")
    options = [(none, none)] * bool(none)
    options += [*(input_of(f"{table}.pick")[1] or []), ("listed", "listed")]
    label = ("  " if table.startswith(PHASES) else "") + title_of(f"{table}.pick")
    yield FormRow(f"{table}.pick", how, label=label, options=options)
    if not without:
        key = f"{table}.{'items' if listed else 'count'}"
        yield _inner(draft, key) if table.startswith(PHASES) else own_row(draft, key)


def edit_of_choice(draft: Draft, key: str, value: Any) -> tuple[str, Any] | None:
    """The edit (key and value) that a choice stands for: of its own key, or of the table that its
    keys are in.

    None if the choice edits its own key directly.
    """
    table, _, leaf = key.rpartition(".")
    if key == "goal.metric":
        return edit_of_goal(draft, value)
    if leaf == "pick":
        return table, edit_of_targets(draft, table, value)
    if key == NEW_STEP:
        return TABLE, [*steps_of(draft), _new_step(draft, value)]
    return None


def edit_of_goal(draft: Draft, metric: str) -> tuple[str, Any]:
    """The edit that puts a goal in place of the attack's share; without a metric, the one that
    restores the share.
    """
    cell = draft.cell
    if metric == GIVEN:
        share = float(f"{cell.share:.3g}") if cell is not None and cell.malicious else 0.05
        return "attack.share", share
    most = int(cell.targets.size) if cell is not None and cell.targets.size else 1
    at_least = most if metric == "targets_in_top_k" else 0.1
    goal = (draft.document or {}).get("goal")
    over = goal.get("over", "malicious") if isinstance(goal, Mapping) else "malicious"
    return "goal", {"metric": metric, "at_least": at_least, "over": over}


def edit_of_targets(draft: Draft, table: str, how: str) -> Table | None:
    """The new table `targets` after a change between picked and listed targets; None if nothing
    changes.
    """
    targets = value_of(draft, table)
    before = targets if isinstance(targets, dict) else {}
    if how in (OF_PARTS, OF_ATTACK):
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


TABLE: Final = "defence"
NEW_STEP: Final = "defence.kind"
"""The key of a choice that adds a defence."""
EMPTY: Final = "a server's defence · M compares"
MORE_STEPS: Final = "add a defence"


def defence_rows(draft: Draft) -> Iterator[FormRow]:
    """Yields the rows of the defences in order, each with its kind, the reason to use it and its
    keys; the last row adds one.
    """
    steps = steps_of(draft)
    if steps:
        yield remark("then", "then the server:")
    kinds = [(kind, kind) for kind in listed_kinds(TABLE)]
    for at, step in enumerate(steps):
        table, kind = f"{TABLE}.{at}", step_kind(step)
        label = f"step {at + 1}{' (off)' * is_off(step)}"
        yield own_row(draft, f"{table}.kind", label=label, options=kinds)
        yield remark(f"why-{at}", kind_words(TABLE, kind).reason)
        for name in keys_of(TABLE, kind):
            if name != MUTED:
                yield own_row(draft, f"{table}.{name}", optional=True)
    yield FormRow(TABLE, slot="defend", remark=f"+ {MORE_STEPS if steps else EMPTY}")


def described_steps(draft: Draft | None) -> str:
    """The defences in a few words, muted ones in brackets: `(fiad), norm-sub`; "" if there are
    none.
    """
    steps = steps_of(draft) if draft is not None and draft.parses else []
    return ", ".join(f"({step_kind(step)})" if is_off(step) else step_kind(step) for step in steps)


def steps_of(draft: Draft) -> list[dict[str, Any]]:
    """The tables `[[defence]]` of the draft's text."""
    return tables_in(value_of(draft, TABLE))


def step_kind(step: Mapping[str, Any]) -> str:
    """The kind of a defence."""
    return str(step.get("kind", "?"))


def is_off(step: Mapping[str, Any]) -> bool:
    """True if a defence is muted."""
    return step.get(MUTED) is True


def _new_step(draft: Draft, kind: str) -> Table:
    """A defence of a kind, with first values of the keys that it requires."""
    from ldptui.core.scenario import is_required

    from ...session.draft.changing import starting

    needed = [name for name in keys_of(TABLE, kind) if is_required(f"{TABLE}.{name}", kind)]
    first = {name: starting(draft, f"{TABLE}.{name}") for name in needed}
    return {"kind": kind, **{name: value for name, value in first.items() if value is not None}}


def place_of(draft: Draft, key: str) -> tuple[str, int] | None:
    """The innermost list of tables that a key is in, and the index of its table in that list.

    A mixture of one part is no list. None if the key is in no list.
    """
    for found in reversed([*re.finditer(r"\.(\d+)(?=\.)", key)]):
        table, at = key[: found.start()], int(found[1])
        tables = tables_in(value_of(draft, table))
        if at < len(tables) and (len(tables) > 1 or not table.endswith("mix")):
            return table, at
    return None


def changed_list(
    tables: Sequence[Mapping[str, Any]], what: str, at: int
) -> tuple[list[Table], int]:
    """The list of defences, phases or parts after one was removed, moved or muted, and the index of
    the one to focus.
    """
    kept = [dict(table) for table in tables]
    to = at + {"up": -1, "down": 1}.get(what, 0)
    match what:
        case "remove":
            del kept[at]
        case "mute":
            if kept[at].pop(MUTED, False) is not True:
                kept[at][MUTED] = True
        case _ if 0 <= to < len(kept):
            kept.insert(to, kept.pop(at))
    return kept, max(0, min(to, len(kept) - 1))
