"""What an edit of one key makes of a draft's document, and the values that keys start with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ldptui.core.base.errors import ScenarioError
from ldptui.core.protocols import RapporSpec
from ldptui.core.scenario import (
    is_required,
    names_for,
    set_key,
    set_sweep,
    value_at,
    with_sweep,
    with_value,
)

from ...catalogue import start_of
from .looking import Draft, keys_of, sweep_of, value_of

FEW: Final = 32
"""Items whose counts a form lists one by one, at most."""


def starting(draft: Draft, key: str) -> Any:
    """A sensible first value of a key; None if there is none."""
    return start_of(key, _numbers(draft))


def _numbers(draft: Draft) -> dict[str, Any]:
    """The numbers of a draft that start values follow, by name."""
    items = start_of("population.items")
    if draft.cell is None:
        return {"items": items, "last item": items - 1, "targets": 0}
    cell, population = draft.cell, draft.cell.population
    numbers: dict[str, Any] = {"targets": cell.targets.size}
    if population is not None:
        items = population.domain_size
        numbers["users"] = population.users
        if items <= FEW:
            numbers["counts"] = population.histogram.tolist()
    if (one := cell.protocol.facts().get("epsilon_one")) is not None:
        numbers["epsilon"] = short(one)
    return {**numbers, "items": items, "last item": items - 1}


def short(value: float) -> float:
    """A budget, rounded as a form writes it."""
    return float(f"{value:.3g}")


def change_document(
    draft: Draft, document: dict[str, Any], remembered: dict[str, Any], key: str, value: Any
) -> dict[str, Any]:
    """The document after one dotted key is set, with the changes that follow from it."""
    table, _, leaf = key.rpartition(".")
    if key == "sweep" or key.startswith("sweep."):
        return _with_sweep(draft, document, key.removeprefix("sweep").removeprefix("."), value)
    if leaf == "kind" and isinstance(value, str):
        return set_kind(draft, document, remembered, table, value)
    document = set_key(document, key, value)
    if key == "protocol.form":
        document["protocol"] = usable(document["protocol"])
    return document


def _with_sweep(draft: Draft, document: dict[str, Any], key: str, value: Any) -> dict[str, Any]:
    """The document with one swept key set; without a key, with the whole table of sweeps set."""
    if not key:
        document = with_sweep(document, None)
        for name, values in (value or {}).items():
            document = set_sweep(document, name, values)
        return document
    place, _, leaf = key.rpartition(".")
    if leaf == "kind" and "." not in place and isinstance(value, list):
        document = fit_kinds(draft, document, {**sweep_of(draft), key: value}, place, value)
    document = set_sweep(document, key, value)
    kept = None if value_at(document, key) is not None else value_of(draft, key)
    if value is None and kept is not None:
        document = set_key(document, key, kept)
    return document


def fit_kinds(
    draft: Draft, document: dict[str, Any], sweep: Mapping[str, Any], table: str, kinds: list[Any]
) -> dict[str, Any]:
    """The document after its table has the keys that the swept kinds need, and only keys that they
    know.
    """
    named = [kind for kind in kinds if isinstance(kind, str)]
    known = {name for kind in named for name in keys_of(table, kind)}
    before = value_at(document, table)
    if not isinstance(before, Mapping):
        document = set_key(document, table, {})
    elif known:
        after = {name: value for name, value in before.items() if name in {"kind", *known}}
        document = set_key(document, table, after)
    for kind in named:
        document = _begun(draft, document, sweep, {}, table, kind)
    if value_at(document, f"{table}.epsilon") is not None:
        document = set_key(document, f"{table}.f", None)  # all of them have the budget
    return document


def set_kind(
    draft: Draft, document: dict[str, Any], remembered: dict[str, Any], table: str, kind: str
) -> dict[str, Any]:
    """The document after a table has a new kind, the keys that the kind needs, and no unknown keys.

    remembered : a dict to which the values of removed keys are added.
    """
    sweep, known = sweep_of(draft), names_for(document, table, kind)
    before = value_at(document, table)
    document = set_key(document, f"{table}.kind", kind)
    after = value_at(document, table)
    gone = before.keys() - after.keys() if isinstance(before, Mapping) else ()
    remembered.update({f"{table}.{name}": before[name] for name in gone})
    document = _begun(draft, document, sweep, remembered, table, kind)
    if {"f", "epsilon"} <= {*keys_of(table.partition(".")[0], kind)}:
        document = set_key(document, table, usable(value_at(document, table)))
    left = {
        key: values for key, values in sweep.items()
        if not key.startswith(f"{table}.")
        or key.removeprefix(f"{table}.").split(".")[0] in known
    }  # fmt: skip
    return document if left == sweep else with_sweep(document, left)


def _begun(
    draft: Draft, document: dict[str, Any], sweep: Mapping[str, Any],
    remembered: Mapping[str, Any], table: str, kind: str,
) -> dict[str, Any]:  # fmt: skip
    """The document whose table has what a kind needs: the remembered value of a key, or a first
    value.

    A part of a mixture has no share of its own, and may have its own targets.
    """
    top, _, below = table.partition(".")
    for name in keys_of(top, kind):
        key = f"{table}.{name}"
        there = value_at(document, key) is not None or key in sweep
        shared = name == "share" or (name == "targets" and key not in remembered)
        if not there and not (below and shared):
            start = remembered.get(key, _starting(draft, kind, f"{top}.{name}"))
            document = document if start is None else with_value(document, key, start)
    return document


def usable(table: dict[str, Any]) -> dict[str, Any]:
    """A RAPPOR table with exactly one noise: f or a budget, else f = 0.5.

    If the table has both, f stays if it gives the budget: the values were remembered from before
    another protocol was chosen.
    """
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
    if not is_required(key, kind):
        return None
    if key == "attack.share" and "goal" in (draft.document or {}):
        return None  # it is what the goal takes
    return starting(draft, key)
