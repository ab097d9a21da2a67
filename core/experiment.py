"""From a scenario to bound cells: every swept point, its population drawn, its targets found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from .attacks import NoAttack, PythonAttack, malicious_users, resolved
from .cell import Cell
from .central import Curator
from .errors import ScenarioError
from .population import Population
from .protocols import RapporSpec
from .scenario import MAX_CELLS, Point, Scenario
from .streams import Path

MAX_ITEMS: Final = 2**20
MAX_USERS: Final = 10**13
MAX_TRIALS: Final = 10**6
MAX_PAIRS: Final = 10**12
MAX_FILTERS: Final = 2**22
"""Bloom filters of all items in all cohorts: hashing them takes some seconds."""


@dataclass(frozen=True, eq=False)
class Experiment:
    """A scenario with everything bound; running it needs nothing else."""

    scenario: Scenario
    cells: tuple[Cell, ...]

    @property
    def trials(self) -> int:
        """Trials of all cells together."""
        return sum(cell.trials for cell in self.cells)


def compile(scenario: Scenario, limits: bool = True) -> Experiment:  # noqa: A001
    """Bind every point of a scenario; raises ScenarioError or FileError.

    With `limits`, sizes that would take very long or very much memory are refused.
    """
    if limits and scenario.cells > MAX_CELLS:
        raise ScenarioError(
            f"must give at most {MAX_CELLS:,} cells, got {scenario.cells:,}{_LIFT}",
            key="sweep",
            where=scenario.name,
        )
    try:
        cells = tuple(_cells(scenario, limits))
    except ScenarioError as error:
        raise error.at(scenario.name) from error
    return Experiment(scenario, cells)


_LIFT: Final = " (--no-limits lifts this)"


def _cells(scenario: Scenario, limits: bool) -> Iterator[Cell]:
    populations: dict[object, Population] = {}
    total = 0
    for index, point in enumerate(scenario.points()):
        total += point.trials
        if limits and total > MAX_TRIALS:
            raise ScenarioError(f"times cells must be at most {MAX_TRIALS:,}{_LIFT}", key="trials")
        if limits:
            _check_size(point)
        drawn = (point.population, point.seed)
        if drawn not in populations:
            try:
                populations[drawn] = point.population.bind(point.seed, scenario.folder)
            except ScenarioError as error:
                raise error.within("population") from error
        yield bind(index, point, populations[drawn], limits)


def bind(index: int, point: Point, population: Population, limits: bool = True) -> Cell:
    """One cell: protocol, targets and the number of fakes for one point."""
    _check_bloom_filters(point, population, limits)
    try:
        protocol = point.protocol.bind(population.domain_size, population.labels)
    except ScenarioError as error:
        raise error.within("protocol") from error
    attack, targets, malicious = None, np.empty(0, dtype=np.int64), 0
    if not isinstance(point.attack, NoAttack):
        attack = point.attack
        malicious = malicious_users(population.users, attack.share)
        try:
            targets = resolved(attack, population, point.seed)
            attack.check(protocol, targets)
        except ScenarioError as error:
            raise error.within("attack") from error
    path = _path(point, in_reports=not isinstance(protocol, Curator))
    if limits:
        _check_cell(population, malicious, path)
    return Cell(
        index=index,
        parameters=point.parameters,
        seed=point.seed,
        trials=point.trials,
        population=population,
        protocol=protocol,
        attack=attack,
        targets=targets,
        malicious=malicious,
        path=path,
        top_k=min(point.simulate.top_k, population.domain_size),
        noise=point.protocol.noise if isinstance(point.protocol, RapporSpec) else None,
    )


def _path(point: Point, in_reports: bool) -> Path:
    """The counts path where there is a choice; raises ScenarioError.

    in_reports : whether users send reports. Attacks in Python make nothing else.
    """
    asked, python = point.simulate.path, isinstance(point.attack, PythonAttack)
    if python and asked == "counts":
        raise ScenarioError(
            'must be "auto" or "reports" for an attack in Python, got "counts"', key="simulate.path"
        )
    if in_reports:
        return "reports" if python or asked == "reports" else "counts"
    curator = f"{point.protocol.kind}: users tell a trusted curator their items and send no reports"
    if python:
        raise ScenarioError(f'must not be "plugin" with {curator}', key="attack.kind")
    if asked == "reports":
        raise ScenarioError(f'must be "auto" or "counts" with {curator}', key="simulate.path")
    return "counts"


def _check_bloom_filters(point: Point, population: Population, limits: bool) -> None:
    spec = point.protocol
    if not limits or not isinstance(spec, RapporSpec) or spec.cohorts is None:
        return
    filters = population.domain_size * spec.cohorts
    if filters > MAX_FILTERS:
        raise ScenarioError(
            f"times items must be at most 2^22, got {filters:,}{_LIFT}", key="protocol.cohorts"
        )


def _check_size(point: Point) -> None:
    """Refuse what is too large before anything is drawn."""
    items = getattr(point.population, "items", 0)
    users = getattr(point.population, "users", 0)
    if items > MAX_ITEMS:
        raise ScenarioError(f"must be at most 2^20, got {items:,}{_LIFT}", key="population.items")
    if users > MAX_USERS:
        raise ScenarioError(f"must be at most 10^13, got {users:,}{_LIFT}", key="population.users")


def _check_cell(population: Population, malicious: int, path: Path) -> None:
    everyone = population.users + malicious
    if population.domain_size > MAX_ITEMS:
        raise ScenarioError(
            f"must hold at most 2^20 items, got {population.domain_size:,}{_LIFT}", key="population"
        )
    if everyone > MAX_USERS:
        raise ScenarioError(
            f"users and malicious users must be at most 10^13 together, got {everyone:,}{_LIFT}"
        )
    pairs = everyone * population.domain_size
    if path == "reports" and pairs > MAX_PAIRS:
        raise ScenarioError(
            f'must be "counts" where users × items exceeds 10^12, got {pairs:,}{_LIFT}',
            key="simulate.path",
        )
