"""The lines that the gain of an attack is held against, along an axis."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from core import theory
from core.attacks import malicious_users
from core.bounds.programme import hidden_gain
from core.capabilities import foretells, places
from core.population import Population
from core.protocols import ProtocolSpec
from core.pure import Items, is_pure
from core.scenario import Point, Scenario, value_at

from ...session.draft import base, drawn
from .closed import NO_VALUE, Curve, Draw, Varied, gain_curve, grid_of, resolver, varied
from .documents import gain_document, points_of
from .parts import SIMULATED
from .variables import Variable, own_values

PLACED_ITEMS: Final = 2**12
"""MGA has a line up to this many items where a report depends on which items are targets."""

LISTED: Final = 2**17
"""Entries of a matrix of reports over which the undetectable gain is optimised: 0.3 s a point."""

FEW: Final = 7
"""Points of that line, besides those that are simulated where they are no more."""

POINTS: Final = 33


def gain_lines(
    scenario: Scenario,
    axis: Variable,
    points: int = POINTS,
    *,
    log: bool | None = None,
    draw: Draw = drawn,
    listed: bool = True,
) -> tuple[Curve, ...]:
    """The lines of the scenario's own protocol along the axis; none of one that is not pure.

    listed : whether the undetectable gain is optimised over every report where there is no closed
    form, which takes some seconds. What `draw` raises besides errors of a scenario, this does too.
    """
    cell = _shown(scenario)
    if cell is None:
        return ()
    setting_at = _settings(cell, scenario.folder, draw)
    few = grid_of(cell, axis, points, log)
    simulated = own_values(scenario, axis.key) or axis.grid(SIMULATED)
    grid = tuple(sorted({*few, *simulated})) if len(simulated) <= points else few
    settings = [setting_at(varied(cell, axis.key, x)) for x in grid]
    lines = [{} if setting is None else setting.lines() for setting in settings]
    made = [(key, grid, [at.get(key, math.nan) for at in lines]) for key in theory.LINES]
    if listed and not any("undetectable" in at for at in lines):
        marked = simulated if len(simulated) <= FEW else axis.grid(FEW, log=log)
        hidden = [_listed(setting_at(varied(cell, axis.key, x))) for x in marked]
        made.append(("undetectable", tuple(marked), hidden))
    return tuple(
        Curve(theory.LINES[key], axis.key, cell.parameters, xs, tuple(ys), (math.nan,) * len(ys),
              line=key)
        for key, xs, ys in made
        if any(map(math.isfinite, ys))
    )  # fmt: skip


def gain_and_lines(
    scenario: Scenario,
    axis: Variable,
    *,
    log: bool | None = None,
    draw: Draw = drawn,
    listed: bool = True,
) -> tuple[Curve, ...]:
    """The curves of a gain chart, and the lines that they are held against."""
    curves = gain_curve(scenario, axis, log=log, draw=draw)
    if not curves:
        return curves
    return curves + gain_lines(scenario, axis, log=log, draw=draw, listed=listed)


def lists_more(curves: Sequence[Curve]) -> bool:
    """Return whether the curves may have one more line if reports are listed."""
    keys = {curve.line for curve in curves}
    return "verified" in keys and "undetectable" not in keys


@dataclass(frozen=True, eq=False)
class _Setting:
    """A point of the axis: a pure protocol, its users, and a share of fakes with targets."""

    protocol: Any
    population: Population
    targets: Items
    share: float

    def lines(self) -> Mapping[str, float]:
        known = not places(self.protocol) or self.protocol.domain_size <= PLACED_ITEMS
        try:
            return theory.gain_lines(
                self.protocol, self.population, self.targets, self.share, crafted=known
            )
        except NO_VALUE:
            return {}


def _listed(setting: _Setting | None) -> float:
    """The undetectable gain by a linear programme; NaN where the reports are too many."""
    if setting is None:
        return math.nan
    items = setting.protocol.domain_size
    law = setting.protocol.enumerate_reports() if items**2 <= LISTED else None
    if law is None or law.probabilities.size > LISTED:
        return math.nan
    frequencies = setting.population.frequencies
    try:
        return hidden_gain(law.probabilities, frequencies, setting.targets, setting.share)
    except NO_VALUE:
        return math.nan


def _shown(scenario: Scenario) -> Point | None:
    """The point of a gain chart that has the scenario's own protocol; None without an attack."""
    cells = points_of(gain_document(scenario), scenario)
    kind = value_at(base(scenario).document, "protocol.kind")
    of_kind = (cell for cell in cells if cell.protocol.kind == kind)
    return next(of_kind, next(iter(cells), None))


def _settings(cell: Point, folder: Path, draw: Draw) -> Callable[[Varied], _Setting | None]:
    """The subject of a point of the axis; None where it has no lines."""
    protocols: dict[tuple[ProtocolSpec, int], Any] = {}
    targets_of = resolver(cell.seed)

    def found(specs: Varied) -> _Setting | None:
        spec, protocol_spec, attack = specs
        if not hasattr(attack, "share") or getattr(attack, "targets", None) is None:
            return None  # of phases every round has lines of its own
        try:
            population = draw(spec, cell.seed, folder)
            key = protocol_spec, population.domain_size
            if key not in protocols:
                protocols[key] = protocol_spec.bind(population.domain_size)
            protocol = protocols[key]
            if not is_pure(protocol) or foretells(protocol):
                return None
            targets = targets_of(attack.targets, population)
        except NO_VALUE:
            return None
        fakes = malicious_users(population.users, attack.share)
        return _Setting(protocol, population, targets, fakes / (population.users + fakes))

    return found
