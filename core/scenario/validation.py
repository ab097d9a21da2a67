"""Validation: the point of a plain document, or everything that is wrong, in our words."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pydantic import ValidationError

from ..errors import ScenarioError
from .document import Document, found, named, shown, suggest
from .keys import KNOWN, keys_of, names_kind, rule_of
from .point import FORMAT, KINDS, NESTED, POINT, Point


def validate(document: Document) -> tuple[list[ScenarioError], Point | None]:
    """The point of a plain document, or everything that is wrong with it."""
    if "format" not in document:
        return [ScenarioError(f"is required: write format = {FORMAT}", key="format")], None
    if document["format"] != FORMAT or document["format"] is True:
        rule = f"must be {FORMAT}, got {shown(document['format'])}"
        return [ScenarioError(rule, key="format")], None
    for name, kinds in (KINDS | NESTED).items():
        table = found(document, name)
        if isinstance(table, dict) and not names_kind(table.get("kind"), kinds):
            known = ", ".join(f'"{kind}"' for kind in kinds)
            rule = (
                f"must be one of {known}, got {shown(table['kind'])}"
                if "kind" in table
                else f"is required, one of {known}"
            )
            return [ScenarioError(rule, key=f"{name}.kind")], None
    try:
        # JSON in strict mode: tables and lists are taken as such, "5" is no number, 5.0 no int.
        return [], POINT.validate_json(json.dumps(document, default=str))
    except ValidationError as error:
        return _problems(document, error), None
    except RecursionError:
        return [ScenarioError("is nested too deeply")], None
    except ValueError as error:
        return [ScenarioError(f"holds a value that is out of range: {error}")], None


def _problems(document: Document, error: ValidationError) -> list[ScenarioError]:
    """pydantic's errors in our words, one for each key."""
    unknown: dict[str, ScenarioError] = {}  # first: a misspelt key explains a missing one
    others: dict[str, ScenarioError] = {}
    attack = document.get("attack")
    targets = attack.get("targets") if isinstance(attack, dict) else None
    listed = isinstance(targets, dict) and "items" in targets
    for one in error.errors(include_url=False):
        if one["type"] == "json_invalid":
            return [ScenarioError("holds text that is not valid Unicode")]
        if ("PickTargets" if listed else "ListedTargets") in one["loc"]:
            continue  # the union's other member
        problem = _problem(document, one["type"], one["loc"], one.get("input"), one.get("ctx", {}))
        (unknown if one["type"] in _UNKNOWN else others).setdefault(problem.key, problem)
    return [*unknown.values(), *others.values()]


def _problem(
    document: Document,
    kind: str,
    loc: Sequence[int | str],
    value: Any,
    context: Mapping[str, Any],
) -> ScenarioError:
    # The location holds the unions' tags as well: only what is in the document is a key.
    key = ""
    place: Any = document
    for step, part in enumerate(loc):
        if step == 1 and loc[0] in KINDS:
            continue  # the kind, which may be called like a key: counts
        last = step == len(loc) - 1 and kind in ("missing", "missing_argument", *_UNKNOWN)
        if isinstance(place, dict) and (part in place or last):
            key = f"{key}.{part}" if key else str(part)
            place = place.get(part)
        elif isinstance(place, list) and isinstance(part, int) and part < len(place):
            place = place[part]
    inner = context.get("error")
    if isinstance(inner, ScenarioError):
        return inner.within(key) if key else inner
    if kind in ("missing", "missing_argument"):
        return ScenarioError("is required", key=key)
    if kind in _UNKNOWN:
        table = key.rpartition(".")[0]
        known = [one.removeprefix(f"{table}.") for one in _known_here(document, table)]
        return ScenarioError(f"is not a known key{suggest(str(loc[-1]), known)}", key=named(key))
    allowed = rule_of(key)
    if allowed is None:
        return ScenarioError(f"must be a table, got {shown(value)}", key=key)
    return ScenarioError(f"must be {allowed}, got {shown(place)}", key=key)


_UNKNOWN: Final = ("extra_forbidden", "unexpected_keyword_argument")


def _known_here(document: Document, table: str) -> list[str]:
    kinds = (KINDS | NESTED).get(table, {})
    kind = found(document, f"{table}.kind") if kinds else None
    if names_kind(kind, kinds):
        return [f"{table}.{name}" for name in keys_of(kinds[kind])]
    if table == "attack.targets":
        return (
            [f"{table}.items"]
            if "items" in document["attack"]["targets"]
            else [f"{table}.pick", f"{table}.count"]
        )
    return [key for key in KNOWN if key.rpartition(".")[0] == table]
