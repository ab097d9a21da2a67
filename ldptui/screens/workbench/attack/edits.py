"""Edits of the scenario for choices in the form of an attack that stand for many keys.

Such a choice is an edit of the table that the keys are in.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from ....catalogue import key_words
from ....session.draft import value_of
from ....session.draft.attack_script import ramped
from ....session.draft.rearranging import Table
from ....session.draft.starting import starting

if TYPE_CHECKING:
    from ....session.draft import Draft

GIVEN: Final = "given"
"""No goal: the share is given."""
SHARED: Final = "shared"
"""No targets of its own: of a part or a phase those of the attack, of an attack those of them."""


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


def aimed(draft: Draft, metric: str) -> tuple[str, Any]:
    """A goal takes the place of the share; back, the share is the one that it took.

    The key to edit, and its value.
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


def drifting(draft: Draft, kind: str) -> Table | None:
    """The population to mix in, as wide and in the middle as the domain asks for."""
    if kind == "none":
        return None
    return {"kind": kind, **{key: starting(draft, f"population.{key}") for key in drifts()[kind]}}


def picked(draft: Draft, table: str, how: str) -> Table | None:
    """Picked or listed: the targets are one table either way, so the whole of it is set."""
    targets = value_of(draft, table)
    before = targets if isinstance(targets, dict) else {}
    if how == SHARED:
        return None
    if how == "listed":
        return {"items": targets_now(draft)}
    items = before.get("items")
    many = len(items) if isinstance(items, list) else 10
    return {"pick": how, "count": before.get("count", max(1, many))}


def ramp_of(draft: Draft, stage: str, shape: str) -> Any:
    """The share of a phase, the table `stage`, in another form."""
    rounds = value_of(draft, f"{stage}.rounds")
    return ramped(
        value_of(draft, f"{stage}.share"), shape, rounds if isinstance(rounds, int) else 2
    )


def targets_now(draft: Draft) -> list[int | str]:
    """The targets of the last valid scenario, as a list would name them."""
    cell = draft.cell
    if cell is None or not cell.targets.size:
        return [0]
    indices = [int(item) for item in cell.targets[:100]]
    labels = cell.population.labels
    return [labels[item] for item in indices] if labels is not None else list(indices)
