"""Validation: the point of a plain document, or everything that is wrong, in our words."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, Final

from pydantic import ValidationError

from ..base.errors import ScenarioError, got, suggest
from .campaign import MixtureSpec, PhasesSpec
from .declared import KEY_TYPES, keys_of, names_kind, pattern, rule_of
from .document import Document, quote_empty_key, value_at
from .point import FORMAT, KINDS, POINT, Point, kinds_at


def validate(document: Document) -> tuple[list[ScenarioError], Point | None]:
    """The point of a plain document, or everything that is wrong with it."""
    if "format" not in document:
        return [ScenarioError(f"is required: write format = {FORMAT}", key="format")], None
    if document["format"] != FORMAT or document["format"] is True:
        rule = f"must be {FORMAT}, {got(document['format'])}"
        return [ScenarioError(rule, key="format")], None
    try:
        # JSON in strict mode: tables and lists are taken as such, and "5" is no number.
        try:
            return [], POINT.validate_json(json.dumps(document, default=str))
        except ValidationError as error:
            whole = _with_integers(document, error)
            return [], POINT.validate_json(json.dumps(whole, default=str))
    except ValidationError as error:
        return _problems(document, error), None
    except RecursionError:
        return [ScenarioError("is nested too deeply")], None
    except ValueError as error:
        return [ScenarioError(f"holds a value that is out of range: {error}")], None


def _with_integers(document: Document, error: ValidationError) -> Document:
    """The document with 1e6 as an integer wherever it has to be one."""
    changed = deepcopy(document)
    for mistake in error.errors(include_url=False):
        value = mistake.get("input")
        place: Any = changed
        if not (isinstance(value, float) and value.is_integer() and abs(value) < 2**63):
            continue
        for part in mistake["loc"]:
            held = place[part] if _has(place, part) else None
            if isinstance(held, dict | list):
                place = held
            elif held is not None and held == value:
                place[part] = int(value)
    return changed


def _has(place: Any, part: int | str) -> bool:
    """True if a table has this key, or a list this place."""
    if isinstance(place, list):
        return isinstance(part, int) and part < len(place)
    return isinstance(place, dict) and part in place


def _without_kind(name: str, table: Any) -> ScenarioError:
    """The mistake in a table that names no known kind."""
    kinds = kinds_at(name)
    known = ", ".join(kinds)
    if "kind" in table:
        meant = suggest(str(table["kind"]).lower(), kinds)
        rule = f"must be one of {known}, {got(table['kind'])}{meant}"
        return ScenarioError(rule, key=f"{name}.kind")
    for key in table:
        if meant := suggest(key, ["kind"]):
            return ScenarioError(f"is not a known key{meant}", key=f"{name}.{quote_empty_key(key)}")
    return ScenarioError(f"is required, one of {known}", key=f"{name}.kind")


def _problems(document: Document, error: ValidationError) -> list[ScenarioError]:
    """pydantic's errors in our words, one for each key."""
    unknown: dict[str, ScenarioError] = {}  # first: a misspelt key explains a missing one
    others: dict[str, ScenarioError] = {}
    for mistake in error.errors(include_url=False):
        kind, loc = mistake["type"], mistake["loc"]
        if kind == "json_invalid":
            return [ScenarioError("holds text that is not valid Unicode")]
        key, _ = _key_of_location(document, loc[: _step_of_targets(loc)])
        targets = value_at(document, key)
        listed = isinstance(targets, dict) and "items" in targets
        if ("PickTargets" if listed else "ListedTargets") in loc:
            continue  # the union's other member
        problem = _problem(document, kind, loc, mistake.get("input"), mistake.get("ctx", {}))
        (unknown if kind in _UNKNOWN_KEY else others).setdefault(problem.key, problem)
    return [*unknown.values(), *others.values()]


def _problem(
    document: Document,
    kind: str,
    loc: Sequence[int | str],
    value: Any,
    context: Mapping[str, Any],
) -> ScenarioError:
    key, place = _key_of_location(
        document, loc, missing=kind in ("missing", "missing_argument", *_UNKNOWN_KEY)
    )
    inner = context.get("error")
    if isinstance(inner, ScenarioError):
        return inner.within(key) if key else inner
    if kind in ("union_tag_invalid", "union_tag_not_found") and isinstance(value, dict):
        return _without_kind(key, value)
    if kind in ("missing", "missing_argument"):
        hint = ', as { pick = "random", count = 1 }' * (key == "attack.targets")
        return ScenarioError(f"is required{hint}", key=key)
    if kind in _UNKNOWN_KEY:
        table = key.rpartition(".")[0]
        known = _known_here(document, table)
        if table.endswith("targets") and loc[-1] in ("pick", "count", "items"):
            return ScenarioError(
                "must be left out: targets are picked, or listed as items", key=key
            )
        meant = suggest(str(loc[-1]), known) or f", only {', '.join(known)}"
        return ScenarioError(f"is not a known key{meant}", key=quote_empty_key(key))
    allowed = rule_of(key)
    if allowed is None and kind == "tuple_type":
        form = f", [[{key}]] each" * ("." not in key)
        return ScenarioError(f"must be a list of tables{form}, {got(value)}", key=key)
    if allowed is None:
        form = ": write { items = [1, 2] }" * (key == "attack.targets")
        return ScenarioError(f"must be a table, {got(value)}{form}", key=key)
    return ScenarioError(f"must be {allowed}, {got(place)}", key=key)


def _step_of_targets(loc: Sequence[int | str]) -> int:
    """The number of steps in a location that lead to the targets in it."""
    return next((step for step, part in enumerate(loc) if part in _TARGETS), len(loc))


_TARGETS: Final = ("PickTargets", "ListedTargets")


def _key_of_location(
    document: Document, loc: Sequence[int | str], missing: bool = False
) -> tuple[str, Any]:
    """The dotted key of a location, and what is there; `missing`: its last part is not there.

    A location holds the unions' tags as well: only what is in the document is a key.
    """
    key = ""
    place: Any = document
    for step, part in enumerate(loc):
        if step == 1 and loc[0] in KINDS and isinstance(part, str):
            continue  # the kind, which may be called like a key: counts
        last = step == len(loc) - 1 and missing
        if isinstance(place, dict) and (part in place or last):
            key = f"{key}.{part}" if key else str(part)
            place = place.get(part)
        elif isinstance(place, list) and isinstance(part, int) and part < len(place):
            place = place[part]
            key = f"{key}.{part}" if isinstance(place, dict) else key
    return key, place


_UNKNOWN_KEY: Final = ("extra_forbidden", "unexpected_keyword_argument")


def _known_here(document: Document, name: str) -> list[str]:
    """The keys that a table of the document may have."""
    table = value_at(document, name)
    table = table if isinstance(table, dict) else {}
    kind, kinds = table.get("kind"), kinds_at(name)
    if name == "attack" and ("phase" in table or "mix" in table or not names_kind(kind, kinds)):
        return sorted(keys_of(PhasesSpec if "phase" in table else MixtureSpec))
    if names_kind(kind, kinds):
        return sorted(keys_of(kinds[kind]))
    if name.endswith(".targets"):
        return ["items"] if "items" in table else ["pick", "count"]
    above = f"{pattern(name)}." if name else ""
    keys = [key.removeprefix(above).partition(".")[0] for key in KEY_TYPES if key.startswith(above)]
    return sorted({*keys, *([] if name else ["sweep"])})
