"""Tables that get another kind: which keys go, and what those that come start with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ldptui.core.base.errors import ScenarioError

from .looking import keys_of, sweep_of
from .starting import short, starting
from .state import Draft
from .tables import placed


def fit_kinds(
    draft: Draft, document: dict[str, Any], sweep: Mapping[str, Any], table: str, kinds: list[Any]
) -> dict[str, Any]:
    """The document whose table has what the kinds swept in it need, and only what they know."""
    before = document.get(table)
    after = dict(before) if isinstance(before, Mapping) else {}
    named = [kind for kind in kinds if isinstance(kind, str)]
    known = {name for kind in named for name in keys_of(table, kind)}
    if known:
        after = {name: value for name, value in after.items() if name in {"kind", *known}}
    for kind in named:
        for name in keys_of(table, kind):
            if name not in after and f"{table}.{name}" not in sweep:
                after = placed(after, name, _starting(draft, kind, f"{table}.{name}"))
    if "epsilon" in after:
        after.pop("f", None)  # all of them have the budget
    return {**document, table: after}


def set_kind(
    draft: Draft, document: dict[str, Any], remembered: dict[str, Any], table: str, kind: str
) -> dict[str, Any]:
    """The document whose table has a kind, the keys that it needs and none that it does not know.

    A part of a mixture is a table of the attack's kinds too, without a share of its own. What goes
    is put into `remembered`.
    """
    from ldptui.core.scenario import value_at

    top, _, below = table.partition(".")
    table_before = value_at(document, table)
    before = dict(table_before) if isinstance(table_before, Mapping) else {}
    before.pop("kind", None)
    sweep = sweep_of(draft)
    listed = sweep.get(f"{table}.kind")
    kinds = [kind, *(listed if isinstance(listed, list) else ())]
    known = {name for kind in kinds if isinstance(kind, str) for name in keys_of(top, kind)}
    if below:
        known = known - {"share"} | {"weight", "targets"}
    elif table == "attack" and kind == "none":
        known |= {"share", "targets"}  # "none" ignores them: so an attack is soon back
    remembered.update({f"{table}.{name}": before[name] for name in before if name not in known})
    after = {"kind": kind, **{name: before[name] for name in before if name in known}}
    for name in keys_of(top, kind):
        key = f"{table}.{name}"
        if name in known - after.keys() and key not in sweep and not (below and name == "targets"):
            start = remembered.get(key, _starting(draft, kind, f"{top}.{name}"))
            after = placed(after, name, start)
    if {"f", "epsilon"} <= set(keys_of(top, kind)):
        after = usable(after)
    document = placed(document, table, after)
    gone = [
        key for key in sweep
        if key.startswith(f"{table}.")
        and key.removeprefix(f"{table}.").split(".")[0] not in {"kind", *known}
    ]  # fmt: skip
    if gone:
        left = {key: values for key, values in sweep.items() if key not in gone}
        document = placed(document, "sweep", left or None)
    return document


def usable(table: dict[str, Any]) -> dict[str, Any]:
    """RAPPOR with one noise that its form can have: f or the budget, else an f of 0.5.

    Where it has both, f is taken if it gives the budget: RAPPOR is back from another protocol.
    """
    from ldptui.core.protocols import RapporSpec

    try:
        if table.keys() >= {"f", "epsilon"}:
            by_f = {name: value for name, value in table.items() if name != "epsilon"}
            same = short(RapporSpec(**by_f).epsilon_one) == short(table["epsilon"])
            table = by_f if same else {n: value for n, value in table.items() if n != "f"}
        RapporSpec(**table)
    except ScenarioError as error:
        if error.key in ("f", "epsilon"):
            kept = {name: value for name, value in table.items() if name != "epsilon"}
            return {**kept, "f": 0.5}
    except (TypeError, ValueError):
        pass  # a key that it does not know, or no number: the check says what is wrong
    return table


def _starting(draft: Draft, kind: str, key: str) -> Any:
    """A sensible first value for a key that a newly chosen kind needs; None: leave it out."""
    from ldptui.core.scenario import is_required

    if not is_required(key, kind):
        return None
    if key == "attack.share" and "goal" in (draft.document or {}):
        return None  # it is what the goal takes
    return starting(draft, key)
