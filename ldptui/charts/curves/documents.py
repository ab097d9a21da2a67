"""Scenarios whose sweeps are the series of a chart: attacks or targets, or the protocols."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any, Final

from ldptui.core.base.errors import ScenarioError
from ldptui.core.defences import is_filter, is_verifier
from ldptui.core.protocols import NAMED
from ldptui.core.scenario import Point, Scenario, sweep_of, value_at

from ...catalogue import swept_kinds
from ...session.draft import base, keys_of

MOST_SERIES: Final = 36
"""More curves than this are never simulated for one chart: they stand in six panels of six."""

PROTOCOL_KEYS: Final = {
    kind: tuple(field.name for field in fields(spec) if field.name != "kind")
    for kind, spec in NAMED.items()
}
"""The protocols that an error chart may compare, with the keys that each of them knows."""


def _attacked(document: Mapping[str, Any]) -> bool:
    attack = document.get("attack", {})
    return "mix" in attack or attack.get("kind", "none") != "none"


def gain_document(scenario: Scenario) -> dict[str, Any] | None:
    """The scenario with nothing but words swept, `MOST_SERIES` cells at most; None if no attack."""
    sweep = _words(scenario)
    plain = base(scenario)
    if "attack.kind" in sweep:
        sweep["attack.kind"] = [kind for kind in sweep["attack.kind"] if kind != "none"]
        if not sweep["attack.kind"]:
            return None
    elif not _attacked(plain.document):
        return None
    room = MOST_SERIES
    for key, values in sweep.items():
        sweep[key] = some_of(values, room, value_at(plain.document, key))
        room //= len(sweep[key])
    document = series_document(scenario, sweep)
    for table, name in _tables(document):
        # A key that only a kind knows which is left out now would be refused.
        kinds = sweep.get(f"{name}.kind") or [table.get("kind")]
        named = [kind for kind in kinds if isinstance(kind, str)]
        if named:
            known = {key for kind in named for key in keys_of(name.split(".")[0], kind)}
            for key in [key for key in table if key != "kind" and key not in known]:
                del table[key]
    return document


def some_of(values: list[Any], room: int, own: Any) -> list[Any]:
    """The first values of a sweep, the scenario's own one among them, which other views show."""
    first = values[:room]
    return first if own in first or own not in values else [*first[:-1], own]


def series_document(
    scenario: Scenario, sweep: dict[str, list[Any]], axis: str = ""
) -> dict[str, Any]:
    """The scenario with a series for each of these values, every other key as in its base.

    Keys of one value are taken out of `sweep` and set; that of the axis is left alone. A goal's
    share is on the axis.
    """
    plain, kept = base(scenario), scenario
    for key, swept in scenario.sweep.items():
        if key not in (*sweep, axis):
            # The base may lack the key, if its kind does not know it but another swept kind does.
            value = value_at(plain.document, key)
            kept = kept.with_value(key, swept[len(swept) // 2] if value is None else value)
    for key, values in list(sweep.items()):
        if len(values) == 1:
            kept = kept.with_value(key, sweep.pop(key)[0])
    document = copy.deepcopy(kept.document)
    document.pop("sweep", None)
    if document.pop("goal", None) is not None:
        document["attack"]["share"] = 0.0
    return document | ({"sweep": sweep} if sweep else {})


def _tables(document: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], str]]:
    """The tables of a document whose keys depend on their kinds, with their dotted names."""
    for name in ("protocol", "attack", "defence"):
        given = document.get(name)
        if isinstance(given, dict):
            yield given, name
        elif isinstance(given, list):
            yield from ((each, f"{name}.{at}") for at, each in enumerate(given))


def error_document(scenario: Scenario) -> dict[str, Any]:
    """The scenario without attack, its protocols swept: those it sweeps, else all.

    Nor has it filters or verifiers, which take the reports of some protocols: the error is that
    before them.
    """
    document = copy.deepcopy(base(scenario).document)
    document.pop("attack", None)
    document.pop("goal", None)
    spec = _spec(scenario)
    if spec is not None and any(is_filter(step) or is_verifier(step) for step in spec.acting):
        document.pop("defence")
    kinds = error_protocols(scenario)
    protocol = document.get("protocol", {})
    known = {key for kind in kinds for key in PROTOCOL_KEYS[kind]} - {"f"}
    kept = {key: value for key, value in protocol.items() if key in known}
    # A scenario may have no budget of its own: the others get that of one report.
    document["protocol"] = {"epsilon": _epsilon(scenario), **kept}
    document["sweep"] = {"protocol.kind": list(kinds)}
    return document


def error_protocols(scenario: Scenario) -> tuple[str, ...]:
    """The protocols of an error chart: the swept ones, else a few and the chosen one."""
    swept = [kind for kind in scenario.sweep.get("protocol.kind", []) if kind in PROTOCOL_KEYS]
    if len(swept) > 1:
        return tuple(swept)
    chosen = value_at(base(scenario).document, "protocol.kind")
    return tuple(swept_kinds("protocol", str(chosen)))


def _epsilon(scenario: Scenario) -> float:
    """ε₁ where the scenario's protocol has one, with three digits; 1 of anything else."""
    spec = _spec(scenario)
    epsilon = getattr(spec.protocol, "epsilon_one", None) if spec is not None else None
    return 1.0 if epsilon is None else float(f"{epsilon:.3g}")


def _spec(scenario: Scenario) -> Point | None:
    """The cell that the charts of frequencies show; None where it is not valid."""
    return next(iter(points_of(base(scenario).document, scenario)), None)


def _words(scenario: Scenario) -> dict[str, list[Any]]:
    """The swept keys that name kinds or rules: a word among their values, not only numbers."""
    return {
        key: list(values)
        for key, values in scenario.sweep.items()
        if any(isinstance(value, str) for value in values)
    }


def sweep_entry(scenario: Scenario, key: str) -> Any:
    """The sweep of a key as the document has it, a list or a range."""
    return sweep_of(scenario.document).get(key)


def points_of(document: dict[str, Any] | None, scenario: Scenario) -> tuple[Point, ...]:
    """The points of a document; none where they are not valid."""
    if document is None:
        return ()
    try:
        return tuple(Scenario(document, scenario.name, scenario.folder).points())
    except ScenarioError:
        return ()
