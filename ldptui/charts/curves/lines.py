"""The lines that the gain of an attack is held against, along an axis."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from core import theory
from core.attacks import malicious_users
from core.capabilities import foretells, places
from core.protocols import ProtocolSpec
from core.pure import is_pure
from core.scenario import Point, Scenario, value_at

from ...session.draft import base, drawn
from .closed import NO_VALUE, Curve, Draw, Varied, gain_curve, grid_of, resolver, varied
from .documents import gain_document, points_of
from .parts import SIMULATED
from .variables import Variable, own_values

PLACED_ITEMS: Final = 2**12
"""Where a report depends on which items the targets are, MGA has a line up to this many items."""

POINTS: Final = 33


def gain_lines(
    scenario: Scenario,
    axis: Variable,
    points: int = POINTS,
    *,
    log: bool | None = None,
    draw: Draw = drawn,
) -> tuple[Curve, ...]:
    """The lines of the scenario's own protocol along the axis; none of one that is not pure.

    What `draw` raises besides errors of a scenario, this does too.
    """
    cell = _shown(scenario)
    if cell is None:
        return ()
    law = _lines_at(cell, scenario.folder, draw)
    few = grid_of(cell, axis, points, log)
    simulated = own_values(scenario, axis.key) or axis.grid(SIMULATED)
    grid = tuple(sorted({*few, *simulated})) if len(simulated) <= points else few
    lines = [_lines(law, varied(cell, axis.key, x)) for x in grid]
    return tuple(
        Curve(name, axis.key, cell.parameters, tuple(grid), ys, (math.nan,) * len(ys), line=key)
        for key, name in theory.LINES.items()
        if any(map(math.isfinite, ys := tuple(at.get(key, math.nan) for at in lines)))
    )


def gain_and_lines(
    scenario: Scenario, axis: Variable, *, log: bool | None = None, draw: Draw = drawn
) -> tuple[Curve, ...]:
    """The curves of a gain chart, and the lines that they are held against."""
    curves = gain_curve(scenario, axis, log=log, draw=draw)
    return curves + (gain_lines(scenario, axis, log=log, draw=draw) if curves else ())


def _shown(scenario: Scenario) -> Point | None:
    """The point of a gain chart that has the scenario's own protocol; None without an attack."""
    cells = points_of(gain_document(scenario), scenario)
    kind = value_at(base(scenario).document, "protocol.kind")
    of_kind = (cell for cell in cells if cell.protocol.kind == kind)
    return next(of_kind, next(iter(cells), None))


def _lines(law: Callable[[Varied], Mapping[str, float]], specs: Varied) -> Mapping[str, float]:
    try:
        return law(specs)
    except NO_VALUE:
        return {}


def _lines_at(cell: Point, folder: Path, draw: Draw) -> Callable[[Varied], Mapping[str, float]]:
    protocols: dict[tuple[ProtocolSpec, int], Any] = {}
    targets_of = resolver(cell.seed)

    def law(specs: Varied) -> Mapping[str, float]:
        spec, protocol_spec, attack = specs
        if not hasattr(attack, "share") or getattr(attack, "targets", None) is None:
            return {}  # of phases every round has lines of its own
        population = draw(spec, cell.seed, folder)
        key = protocol_spec, population.domain_size
        if key not in protocols:
            protocols[key] = protocol_spec.bind(population.domain_size)
        protocol = protocols[key]
        if not is_pure(protocol) or foretells(protocol):
            return {}
        targets = targets_of(attack.targets, population)
        fakes = malicious_users(population.users, attack.share)
        share = fakes / (population.users + fakes)
        known = not places(protocol) or population.domain_size <= PLACED_ITEMS
        return theory.gain_lines(protocol, population, targets, share, crafted=known)

    return law
