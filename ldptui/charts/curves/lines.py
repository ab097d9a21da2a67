"""The lines that the gain of an attack is held against, along an axis."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ldptui.core import theory
from ldptui.core.attacks import malicious_users
from ldptui.core.base.sampling import Floats
from ldptui.core.bounds.programme import optimum
from ldptui.core.law.capabilities import places
from ldptui.core.law.pure import Items, sends_reports
from ldptui.core.population import Population, known_users
from ldptui.core.protocols import ProtocolSpec
from ldptui.core.scenario import Point, Scenario, value_at

from ...session.draft import base, drawn
from .closed import (
    NO_VALUE,
    Curve,
    Draw,
    Varied,
    gain_curve,
    grid_of,
    resolver,
    varied,
)
from .documents import gain_document, points_of
from .variables import Variable, simulated

PLACED_ITEMS: Final = 2**12
"""MGA has a line up to this many items where a report depends on which items are targets."""

LISTED: Final = 2**18
"""Entries of a matrix of reports over which the undetectable gain is optimised: 1 s a point."""

WITHIN: Final = 5e-3
"""The part of the undetectable gain by which an optimised line may lie too low."""

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
    """The lines of the scenario's own protocol along the axis; none of a trusted curator.

    listed : whether the undetectable gain is optimised over every report where there is no closed
    form, which takes some seconds. What `draw` raises besides errors of a scenario, this does too.
    """
    cell = _shown(scenario)
    if cell is None:
        return ()
    setting_at = _settings(cell, scenario.folder, draw)
    grid, own = grid_of(scenario, cell, axis, points, log), simulated(scenario, axis)
    settings = [setting_at(varied(cell, axis, x)) for x in grid]
    lines = [{} if setting is None else setting.lines() for setting in settings]
    made = [(key, grid, [at.get(key, math.nan) for at in lines]) for key in theory.LINES]
    if listed and any("least" in at for at in lines):
        marked = own if len(own) <= FEW else axis.grid(FEW, log=log)
        hidden = _optimised(setting_at(varied(cell, axis, x)) for x in marked)
        if all(map(math.isfinite, hidden)):
            made = [line for line in made if line[0] != "least"]
        made.append(("undetectable", tuple(marked), hidden))
        made.sort(key=lambda line: list(theory.LINES).index(line[0]))
    return tuple(
        Curve(theory.LINES[key], axis.key, cell.parameters, xs, tuple(ys), (math.nan,) * len(ys),
              line=key, hidden=key in theory.HIDDEN)
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
    return any(curve.line == "least" for curve in curves)


@dataclass(frozen=True, eq=False)
class _Setting:
    """A point of the axis: a protocol, its users, and a share of fakes with targets."""

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

    def law(self) -> Floats | None:
        """float64[d, reports], the law of every report; None where they are too many."""
        if not hasattr(self.protocol, "enumerate_reports"):
            return None
        law = self.protocol.enumerate_reports()
        return None if law is None or law.probabilities.size > LISTED else law.probabilities


def _optimised(settings: Iterable[_Setting | None]) -> list[float]:
    """The undetectable gains by linear programmes; NaN where the reports are too many.

    The reports that bind at one point are tried first at the next.
    """
    gains: list[float] = []
    binding: Items | None = None
    for setting in settings:
        law = None if setting is None else setting.law()
        if setting is None or law is None:
            gains.append(math.nan)
            continue
        frequencies = setting.population.frequencies
        start = binding if binding is not None and binding.max() < law.shape[1] else None
        best = optimum(law, frequencies, setting.targets, setting.share, WITHIN, start)
        gains.append(best.gain)
        binding = best.reports if best.reports.size else binding
    return gains


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
            population = known_users(draw(spec, cell.seed, folder))
            key = protocol_spec, population.domain_size
            if key not in protocols:
                protocols[key] = protocol_spec.bind(population.domain_size)
            protocol = protocols[key]
            if not sends_reports(protocol):
                return None
            targets = targets_of(attack.targets, population)
        except NO_VALUE:
            return None
        fakes = malicious_users(population.users, attack.share)
        return _Setting(protocol, population, targets, fakes / (population.users + fakes))

    return found
