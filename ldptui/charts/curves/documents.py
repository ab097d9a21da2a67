"""Scenarios whose sweeps are the series of a chart: attacks or targets, or the protocols."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final

from ldptui.core.base.errors import ScenarioError
from ldptui.core.defences import Filter, VerifiedRandomiser
from ldptui.core.protocols import NAMED
from ldptui.core.scenario import Point, Scenario, sweep_of, value_at

from ...catalogue import swept_kinds
from ...session.draft import base
from .selections import gain_selection, select_cells

PROTOCOL_KEYS: Final = {
    kind: tuple(field.name for field in fields(spec) if field.name != "kind")
    for kind, spec in NAMED.items()
}
"""The protocols that an error chart may compare, with the keys that each of them knows."""


def gain_document(scenario: Scenario) -> Mapping[str, Any] | None:
    """The scenario with a series for each of its swept words; None without an attack."""
    selection = gain_selection(scenario)
    if selection is None:
        return None
    return select_cells(scenario, selection).document


def error_document(scenario: Scenario) -> dict[str, Any]:
    """The scenario without attack, its protocols swept: those it sweeps, else all.

    Nor has it filters or verifiers, which take the reports of some protocols: the error is that
    before them.
    """
    document = copy.deepcopy(base(scenario).document)
    document.pop("attack", None)
    document.pop("goal", None)
    spec = _spec(scenario)
    reading = Filter | VerifiedRandomiser
    if spec is not None and any(isinstance(step, reading) for step in spec.acting):
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


def sweep_entry(scenario: Scenario, key: str) -> Any:
    """The sweep of a key as the document has it, a list or a range."""
    return sweep_of(scenario.document).get(key)


def points_of(document: Mapping[str, Any] | None, scenario: Scenario) -> tuple[Point, ...]:
    """The points of a document; none where they are not valid."""
    if document is None:
        return ()
    try:
        return tuple(Scenario(dict(document), scenario.name, scenario.folder).points())
    except ScenarioError:
        return ()
