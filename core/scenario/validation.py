"""Validation: the point of a document without sweeps, or all its errors, in our words."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pydantic import ValidationError

from ..base.errors import ScenarioError, got, suggest
from .campaign_tables import MixtureSpec, PhasesSpec
from .dotted_document import Document, quote_empty_key, value_at
from .key_table import TABLES, keys_of, kinds_at, names_kind, pattern, rule_of
from .point import FORMAT, KINDS, POINT, Point


def validate(
    document: Document, sweep: Mapping[str, Any]
) -> tuple[list[ScenarioError], Point | None]:
    """The errors of a document without sweeps, and its point; the point is None if there are
    errors.

    sweep : the swept keys with their values, one of which the document has.
    """
    if not document:
        return [ScenarioError(f"is empty: a scenario begins with format = {FORMAT}")], None
    if "format" not in document:
        return [ScenarioError(f"is required: write format = {FORMAT}", key="format")], None
    if document["format"] != FORMAT or document["format"] is True:
        rule = f"must be {FORMAT}, {got(document['format'])}"
        return [ScenarioError(rule, key="format")], None
    try:
        # JSON in strict mode: tables and lists are taken as such, and "5" is no number.
        return [], POINT.validate_json(json.dumps(document, default=str))
    except ValidationError as error:
        return _problems(document, error, sweep), None
    except RecursionError:
        return [ScenarioError("is nested too deeply")], None
    except ValueError as error:
        return [ScenarioError(f"holds a value that is out of range: {error}")], None


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


def _problems(
    document: Document, error: ValidationError, sweep: Mapping[str, Any]
) -> list[ScenarioError]:
    """pydantic's errors in our words, one for each key."""
    unknown: dict[str, ScenarioError] = {}  # first: a misspelt key explains a missing one
    others: dict[str, ScenarioError] = {}
    for mistake in error.errors(include_url=False):
        kind, loc = mistake["type"], mistake["loc"]
        if kind == "json_invalid":
            return [ScenarioError("holds text that is not valid Unicode")]
        if member := next((part for part in loc if part in _TARGETS), None):
            _, targets = _key_of_location(document, loc[: loc.index(member)])
            listed = isinstance(targets, dict) and "items" in targets
            if member != _TARGETS[listed]:
                continue  # the union's other member
        problem = _problem(document, kind, loc, mistake.get("ctx", {}).get("error"), sweep)
        (unknown if kind in _UNKNOWN_KEY else others).setdefault(problem.key, problem)
    return [*unknown.values(), *others.values()]


_TARGETS: Final = ("PickTargets", "ListedTargets")
_UNKNOWN_KEY: Final = ("extra_forbidden", "unexpected_keyword_argument")
_MISSING_KEY: Final = ("missing", "missing_argument")


def _problem(
    document: Document,
    kind: str,
    loc: Sequence[int | str],
    inner: object,
    sweep: Mapping[str, Any],
) -> ScenarioError:
    """One of pydantic's errors in our words. inner : what a dataclass raised."""
    absent = kind in _MISSING_KEY or kind in _UNKNOWN_KEY
    key, place = _key_of_location(document, loc, absent)
    if isinstance(inner, ScenarioError):
        return inner.within(key) if key else inner
    if kind.startswith("union_tag") and isinstance(place, dict):
        return _without_kind(key, place)
    if kind in _MISSING_KEY:
        hint = ', as { pick = "random", count = 1 }' * (key == "attack.targets")
        return ScenarioError(f"is required{hint}", key=key)
    if kind in _UNKNOWN_KEY:
        table = key.rpartition(".")[0]
        known = _known_here(document, table)
        if table.endswith("targets") and loc[-1] in ("pick", "count", "items"):
            rule = "must be left out: targets are picked, or listed as items"
            return ScenarioError(rule, key=key)
        meant = suggest(str(loc[-1]), known)
        swept = sweep.get(f"{table}.kind")
        if not meant and isinstance(swept, list | tuple) and swept:
            rule = f"is no key of any kind that is swept: {', '.join(map(str, swept))}"
            return ScenarioError(rule, key=key)
        meant = meant or f", only {', '.join(known)}"
        return ScenarioError(f"is not a known key{meant}", key=quote_empty_key(key))
    if allowed := rule_of(key):
        return ScenarioError(f"must be {allowed}, {got(place)}", key=key)
    if kind == "tuple_type":
        form = f", [[{key}]] each" * ("." not in key)
        return ScenarioError(f"must be a list of tables{form}, {got(place)}", key=key)
    form = ": write { items = [1, 2] }" * (key == "attack.targets")
    return ScenarioError(f"must be a table, {got(place)}{form}", key=key)


def _key_of_location(
    document: Document, loc: Sequence[int | str], absent: bool = False
) -> tuple[str, Any]:
    """The dotted key of a location, and what is there; `absent`: its last part is not there.

    A location holds the unions' tags as well: only what is in the document is a key.
    """
    key = ""
    place: Any = document
    for step, part in enumerate(loc):
        if step == 1 and loc[0] in KINDS and isinstance(part, str):
            continue  # the kind, which may be called like a key: counts
        last = step == len(loc) - 1 and absent
        if isinstance(place, dict) and (part in place or last):
            key = f"{key}.{part}" if key else str(part)
            place = place.get(part)
        elif isinstance(place, list) and isinstance(part, int) and part < len(place):
            place = place[part]
            key = f"{key}.{part}" if isinstance(place, dict) else key
    return key, place


def _known_here(document: Document, name: str) -> list[str]:
    """The keys that a table of the document may have."""
    table = value_at(document, name)
    table = table if isinstance(table, dict) else {}
    kind, kinds = table.get("kind"), kinds_at(name)
    if names_kind(kind, kinds) and not (name == "attack" and table.keys() & {"mix", "phase"}):
        return sorted(keys_of(kinds[kind]))
    if name == "attack":
        return sorted(keys_of(PhasesSpec if "phase" in table else MixtureSpec))
    if name.endswith(".targets"):
        return ["items"] if "items" in table else ["pick", "count"]
    keys = {key for owner in TABLES.get(pattern(name), ()) for key in keys_of(owner)}
    return sorted(keys if name else {*keys, "sweep"})
