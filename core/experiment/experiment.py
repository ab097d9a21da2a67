"""Binds a scenario: for every swept point a cell with its population, protocol and targets."""

from __future__ import annotations

import pathlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any, Final, cast

import numpy as np

from ..attacks import Fakes
from ..base.code import code_of, kind_of_table
from ..base.errors import LIFTED, ScenarioError, format_number, got
from ..base.streams import Path
from ..cell import Cell
from ..law.longitudinal import MOST_LEAVING, Memoising
from ..law.mechanism import LocalMechanism, refuse_counts
from ..law.pure import Mechanism
from ..metrics import METRICS
from ..metrics.goal import Goal
from ..population import Explicit, Population, PopulationSpec, StatedSpec
from ..population.turnover import Turnover, turnover
from ..protocols import awaits_code
from ..scenario import MAX_CELLS, Campaign, Point, Scenario
from ..task import task_over
from .search import solve_goal
from .size_limits import (
    MAX_TRIALS,
    MAX_USERS,
    check_cell,
    check_filters,
    check_held,
    check_size,
    check_total,
)
from .trusting import Act, acts_of, check_defences, trusting


@dataclass(frozen=True, eq=False)
class Experiment:
    """A scenario with a bound cell for each point of its sweep, ready to run.

    Attributes
    ----------
    scenario
        The scenario that was bound.
    cells
        One for each point of its sweep, in order.
    limits
        Whether sizes were refused that would take very long or very much memory.
    """

    scenario: Scenario
    cells: tuple[Cell, ...]
    limits: bool = True

    @property
    def trials(self) -> int:
        """The total number of trials of all cells."""
        return sum(cell.trials for cell in self.cells)

    @property
    def warnings(self) -> tuple[str, ...]:
        """The reasons why the results may be unreliable, each sentence once, in the order of the
        cells.
        """
        return tuple(dict.fromkeys(each for cell in self.cells for each in cell.warnings))


def compile(  # noqa: A001
    scenario: Scenario, limits: bool = True, searches: bool = True
) -> Experiment:
    """The experiment of a scenario, every point bound.

    limits : whether to refuse sizes that would take very long or very much memory. searches :
    whether to search for answers to goals; if not, goals that take a search are left to
    `core.running.searching.searched`. Raises ScenarioError or FileError.
    """
    if limits and scenario.cells > MAX_CELLS:
        raise ScenarioError(
            f"must give at most {format_number(MAX_CELLS)} cells, {got(scenario.cells)}{LIFTED}",
            key="sweep",
            where=scenario.name,
        )
    try:
        most = MAX_USERS if limits else 2**62
        cells = tuple(solve_goal(cell, most, searches) for cell in _cells(scenario, limits))
    except ScenarioError as error:
        raise error.at(scenario.name) from error
    return Experiment(scenario, cells, limits)


def _cells(scenario: Scenario, limits: bool) -> Iterator[Cell]:
    points = tuple(scenario.points())
    if limits:
        _check_trials(points, scenario.cells)

    @cache
    def draw_population(spec: PopulationSpec, seed: int) -> Population:
        try:
            return spec.bind(seed, scenario.folder)
        except ScenarioError as error:
            raise error.within("population") from error

    return bound(points, lambda _, point: draw_population(point.population, point.seed), limits)


def _check_trials(points: Sequence[Point], cells: int) -> None:
    """Refuse points that would take very long together, and each that is too large alone."""
    total = 0
    for point in points:
        total += point.trials * (point.rounds or 1)
        if total > MAX_TRIALS:
            factors = [point.trials, cells, *([point.rounds] if point.rounds else [])]
            rule = (
                f"times cells{' times rounds' * bool(point.rounds)} must be at most "
                f"{format_number(MAX_TRIALS)}, got "
                f"{' × '.join(map(format_number, factors))}{LIFTED}"
            )
            raise ScenarioError(rule, key="trials")
        check_size(point)


def bound(
    points: Sequence[Point],
    population_of: Callable[[int, Point], Population | None],
    limits: bool = True,
) -> Iterator[Cell]:
    """Yields the bound cell of each point of a scenario, in order.

    population_of : a function of a point's number and the point that returns the point's users, or
    None to leave the cell out.
    """
    sifts = any(point.sifts for point in points)
    for index, point in enumerate(points):
        population = population_of(index, point)
        if population is not None:
            yield bind(index, point, population, sifts, limits)


def bind(
    index: int,
    point: Point,
    population: Population,
    sifts: bool,
    limits: bool = True,
    parameters: Mapping[str, Any] | None = None,
) -> Cell:
    """The bound cell of one point: protocol, population, targets and number of fakes.

    sifts : whether some point of the scenario filters reports: then all are simulated on the
    reports path, and share reports. parameters : the cell's, if they are known already, which saves
    time. Raises ScenarioError if the point's parts do not fit together.
    """
    task, trust = task_over(point.task, point.protocol), point.trust_model
    population = task.with_items(population)
    if limits:
        check_filters(point, population)
    protocol = trusting(trust, point, population)
    acts, targets = acts_of(point, population, protocol)
    if point.goal is not None:
        _check_goal(point, point.goal, acts[0].fakes(targets, population), protocol, population)
    check_total(population.users * len(acts) + sum(act.malicious for act in acts), point.rounds)
    known = not awaits_code(protocol)
    if known:
        check_defences(point, trust, protocol, population.users, targets)
    fakes = [group for act in acts for group in act.fakes(targets, population)]
    path = _path(point, fakes, protocol, population, sifts, trust.unread)
    if limits:
        most = max((act.malicious for act in acts), default=0)
        check_cell(population, most)
        task.check_size(population, most, path, point.rounds)
    cell = Cell(
        index=index,
        parameters=point.parameters if parameters is None else parameters,
        seed=point.seed,
        trials=point.trials,
        population=population,
        protocol=protocol,
        attack=acts[0].attack,
        targets=targets,
        malicious=acts[0].malicious,
        path=path,
        top_k=task.own_k or min(point.simulate.top_k, population.domain_size),
        task=task,
        goal=point.goal,
        defences=point.acting,
        asked=_halve_budget(point, population) if known else None,
        trust=trust,
        python_metrics=point.metric,
    )
    whole = cell if point.rounds is None else _in_rounds(cell, point, acts)
    task.check(whole)
    if limits and known:
        check_held(whole)
    return whole


def _in_rounds(cell: Cell, point: Point, acts: Sequence[Act]) -> Cell:
    """The collection of all rounds of a campaign, each of them a cell like this one."""
    campaign = replace(point.campaign or Campaign(), rounds=len(acts))
    users, everybody = _users_of_rounds(cell.population, campaign, cell.seed)
    if isinstance(cell.protocol, Memoising) and any(left.any() for left in users.left):
        _check_memoised(cell)
    rounds = tuple(
        replace(
            cell,
            population=population,
            attack=act.attack,
            malicious=act.malicious,
            round=number,
            left=left,
        )
        for number, (act, population, left) in enumerate(
            zip(acts, users.populations, users.left, strict=True)
        )
    )
    return replace(
        cell,
        population=everybody,
        attack=next((act.attack for act in acts if act.attack is not None), None),
        malicious=sum(act.malicious for act in acts),
        rounds=rounds,
    )


@lru_cache(maxsize=4)
def _users_of_rounds(
    population: Population, campaign: Campaign, seed: int
) -> tuple[Turnover, Population]:
    """The genuine users of each round, and of all rounds together, drawn once for all cells."""
    second = None
    if campaign.drift is not None:
        try:
            second = campaign.drift.bind(seed, pathlib.Path())
            _check_drift(campaign.drift, population, second)
        except ScenarioError as error:
            raise error.within("campaign.drift") from error
    assert campaign.rounds is not None
    users = turnover(population, campaign.rounds, campaign.churn, second, seed)
    held = np.sum([drawn.histogram for drawn in users.populations], axis=0)
    address = f"{users.populations[-1].address} and before"
    return users, replace(population, histogram=held, address=address, drawn=population)


def _check_drift(spec: StatedSpec, first: Population, second: Population) -> None:
    """A second population has the items of the first, and no users of its own."""
    if second.domain_size != first.domain_size:
        raise ScenarioError(
            f"must be as many as in population, {first.domain_size}, got {second.domain_size}",
            key="counts" if isinstance(spec, Explicit) else "items",
        )
    if not isinstance(spec, Explicit) and spec.users != first.users:
        raise ScenarioError(
            f"must be as many as in population, {first.users}, got {spec.users}: every round "
            "has the same number; leave it out",
            key="users",
        )


def _check_memoised(cell: Cell) -> None:
    """Refuse users who keep an answer and come and go, where they cannot be simulated."""
    users = f"users of {kind_of_table(cell.parameters, 'protocol').upper()} come and go"
    if cell.protocol.by_reports:
        raise ScenarioError(
            f"must be left out where {users}: they keep a permanent answer, and no report says "
            "who it is from",
            key="campaign",
        )
    if cell.path == "reports":
        raise ScenarioError(
            f'must be "counts" where {users}: they keep a permanent answer, and no report says '
            'who it is from, got "reports"',
            key="simulate.path",
        )
    if cell.users >= MOST_LEAVING:
        raise ScenarioError(
            f"must be below 10^9 where {users}, {got(cell.users)}",
            key="population.users",
        )


def _check_goal(
    point: Point,
    goal: Goal,
    fakes: Sequence[Fakes],
    protocol: Mechanism,
    population: Population,
) -> None:
    """Refuse a goal that nothing can be said of."""
    if not point.acting and any(arm.defended for arm in METRICS[goal.metric].arms):
        rule = f'must not be "{goal.metric}" where there is no [[defence]]'
        raise ScenarioError(rule, key="goal.metric")
    if point.rounds is not None:
        raise ScenarioError("must be left out with rounds: it is of one collection", key="goal")
    if not fakes:
        raise ScenarioError("must be left out where there is no attack", key="goal")
    if not METRICS[goal.metric].told_by(point.task.concludes):
        rule = f'must not be "{goal.metric}" with task.kind = "{point.task.kind}"'
        raise ScenarioError(rule, key="goal.metric")
    python = {
        "an attack": [group.strategy for group in fakes if code_of(group.strategy)],
        "a defence": [step for step in point.acting if code_of(step)],
        "a protocol": [protocol] if awaits_code(protocol) else [],
        "a population": [population] if population.awaited else [],
    }
    for what in (name for name, found in python.items() if found):
        rule = f"must be left out with {what} in Python, whose code may run only later"
        raise ScenarioError(rule, key="goal")


def _halve_budget(point: Point, population: Population) -> Mechanism | None:
    """The protocol of two reports with half the budget each; None where no defence asks twice."""
    spec: Any = point.protocol
    if not any(step.asks_twice for step in point.acting):
        return None
    return cast("Mechanism", replace(spec, epsilon=spec.epsilon / 2).over(population))


AT_HAND: Final = 2**26
"""(user, item) pairs whose reports are made without being asked for: some 0.2 s a trial."""

LEAST_ITEMS: Final = 16
"""A report takes as long as one of so many items at least."""


def _path(
    point: Point,
    fakes: Sequence[Fakes],
    protocol: Mechanism,
    population: Population,
    sifts: bool,
    unread: str,
) -> Path:
    """The counts path where there is a choice; raises ScenarioError.

    unread : why nobody reads a report, where trust is such.

    Attacks in Python make nothing but reports, and filters read nothing else. Where counts are
    drawn apart, the choice is the reports of a collection that is not large.
    """
    path = point.simulate.path
    python = any(code_of(group.strategy) for group in fakes)
    unlisted = bool(protocol.code) or (awaits_code(protocol) and path != "counts")
    if python and path == "counts":
        raise ScenarioError(
            'must be "auto" or "reports" for an attack in Python, got "counts"', key="simulate.path"
        )
    if sifts and path == "counts":
        rule = 'must be "auto" or "reports" with a filter, which reads reports, got "counts"'
        raise ScenarioError(rule, key="simulate.path")
    if protocol.code and path == "counts":
        rule = 'must be "auto" or "reports" for a protocol in Python without tables, got "counts"'
        raise ScenarioError(rule, key="simulate.path")
    if protocol.by_reports and path == "counts":
        refuse_counts(protocol)
    if isinstance(protocol, LocalMechanism):
        pairs = population.users * max(population.domain_size, LEAST_ITEMS) * (point.rounds or 1)
        linked = point.rounds is not None and isinstance(
            protocol, Memoising
        )  # counts know who has gone
        joint = path == "auto" and pairs <= AT_HAND and protocol.apart and not linked
        by_reports = python or unlisted or sifts or joint or path == "reports"
        by_reports = by_reports or protocol.by_reports
        return "reports" if by_reports else "counts"
    model = f"with {point.protocol.kind}: users tell a trusted curator their items"
    why = unread or f"{model} and send no reports"
    if python:
        raise ScenarioError(f'must not be "plugin" {why}', key="attack.kind")
    if path == "reports":
        raise ScenarioError(f'must be "auto" or "counts" {why}', key="simulate.path")
    return "counts"
