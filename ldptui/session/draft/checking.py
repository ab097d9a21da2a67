"""The problems of a draft, and the cell that its base stands for."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.structs import replace

from ldptui.core.base.errors import LdpError, ScenarioError, format_number, got

from .looking import Draft, Problem, base, sweep_of, value_of
from .populations import UnreadError, ready

if TYPE_CHECKING:
    from ldptui.core.attacks import Fakes
    from ldptui.core.bounds.solver import Programme
    from ldptui.core.cell import Cell
    from ldptui.core.scenario import Point, Scenario


class UnsolvedProgrammes(Struct, frozen=True):
    """Linear programmes to be solved before the draft can be checked further."""

    programmes: tuple[Programme, ...]

    @property
    def doing(self) -> str:
        return "solving for the attack"

    def read(self) -> None:
        """Solve the programmes, on any thread; the solutions are cached."""
        from ldptui.core.bounds import solver

        for programme in self.programmes:
            solver.solve_classes(programme)


def require_solved(fakes: Iterable[Fakes], protocol: Any) -> None:
    """Raise UnreadError if the attack of these fakes is an unsolved linear programme."""
    solving: list[Any] = [group for group in fakes if hasattr(group.strategy, "programme")]
    if not solving:
        return
    from ldptui.core.bounds import solver

    programmes = [group.strategy.programme(protocol, group.targets) for group in solving]
    unknown = tuple(each for each in programmes if not solver.is_solved(each))
    if unknown:
        raise UnreadError(UnsolvedProgrammes(unknown))


MAX_BOUND: Final = 64
"""The most swept values that are bound (targets found, sizes checked) with every edit."""


def check_text(draft: Draft, text: str) -> Draft:
    """The draft with a new text, parsed and checked."""
    from ldptui.core import scenario

    draft = replace(draft, unread=None)
    name = str(draft.path) if draft.path is not None else "scenario"
    try:
        read = scenario.read_document(text, name, draft.folder)
    except ScenarioError as error:
        problem = Problem("", f"the script {error.rule}", error.line)
        return replace(draft, text=text, problems=(problem,), parses=False)
    errors: list[LdpError] = []
    cell = None
    try:
        errors += thin_sweep(read).problems()
        cell = None if errors else _bound(read)
    except LdpError as error:
        errors.append(error)
    except UnreadError as waiting:
        draft = replace(draft, unread=waiting.origin)
    if errors or cell is None:
        problems = tuple(_problem(error, text, read.document) for error in errors)
        return replace(draft, text=text, document=read.document, problems=problems, parses=True)
    return replace(
        draft, text=text, document=read.document, scenario=read, problems=(), cell=cell, parses=True
    )


def _problem(error: LdpError, text: str, document: Mapping[str, Any]) -> Problem:
    from ldptui.core.scenario import line_of, value_at

    if not isinstance(error, ScenarioError):  # only the file of a population is ever read
        return Problem("population.path", str(error), line_of(text, "population.path"))
    key, rule = error.key, error.rule.replace(_LIFT, "")
    if not key and "users" in rule:  # n and m together
        key = "population.users"
    if error.line is not None:
        return Problem(key, rule, error.line)
    value = value_at(document, key)
    swept = value is None or not _names(rule, value)  # else it is not about its sweep
    return Problem(key, rule, line_of(text, key.removeprefix("sweep."), swept=swept))


def _names(rule: str, value: Any) -> bool:
    """True if an error message ends with this value."""
    forms = {got(value), f"got {value}"}
    if isinstance(value, int) and abs(value) < 2**63:
        forms.add(got(float(value)))  # of a number that need not be whole
    return rule.endswith(tuple(forms))


def own_problem(draft: Draft, key: str) -> Problem | None:
    """The problem that the field of a key shows; a swept key's problem is shown by its sweep."""
    problem = draft.problem(key)
    if problem is None or key not in sweep_of(draft):
        return problem
    return problem if _names(problem.message, value_of(draft, key)) else None


_LIFT: Final = " (--no-limits lifts this)"


def thin_sweep(scenario: Scenario) -> Scenario:
    """The scenario with only the ends of long numeric sweeps, which are checked instead of all
    points.

    Checking every point of a long range would take longer than a keystroke may.
    """
    from ldptui.core.scenario import MAX_CELLS, sweep_of

    try:
        cells = scenario.cells
        values = scenario.sweep if cells <= MAX_CELLS else {}
    except ScenarioError:
        return scenario  # its problems say what is wrong with the sweep
    if cells > MAX_CELLS:
        rule = f"must give at most {format_number(MAX_CELLS)} cells, {got(cells)}"
        raise ScenarioError(rule, key="sweep")
    if not values:
        return scenario
    thin = {
        key: [min(values[key]), max(values[key])] if isinstance(entry, dict) else entry
        for key, entry in sweep_of(scenario.document).items()
    }
    return dataclasses.replace(scenario, document={**scenario.document, "sweep": thin})


def _bound(scenario: Scenario) -> Cell:
    """The base cell, after some swept cells were bound as a test; raises LdpError for a scenario
    that cannot run.
    """
    from ldptui.core.experiment import experiment
    from ldptui.core.experiment.size_limits import MAX_TRIALS, check_size
    from ldptui.core.population.targets import require_items

    single = base(scenario)
    point = next(single.points())
    if scenario.cells * point.trials > MAX_TRIALS:
        rule = f"times cells must be at most {format_number(MAX_TRIALS)}, {got(point.trials)}"
        raise ScenarioError(f"{rule} × {format_number(scenario.cells)}", key="trials")
    check_size(point)
    drawn = ready(point.population, point.seed, scenario.folder)
    cell = experiment.bind(0, point, drawn, point.sifts)
    require_solved([group for part in (cell, *cell.rounds) for group in part.fakes], cell.protocol)
    for other in itertools.islice(_extremes(scenario), MAX_BOUND):
        check_size(other)
        # Another population is not drawn for this: that could take long.
        if (other.population, other.seed) == (point.population, point.seed):
            experiment.bind(0, other, drawn, other.sifts)
        elif isinstance(items := getattr(other.population, "items", None), int):
            count = getattr(getattr(other.attack, "targets", None), "count", 0)
            require_items(count, items, "attack.targets.count")
    return cell


def _extremes(scenario: Scenario) -> Iterator[Point]:
    """Points of the swept values that binding may refuse, every other key at its first value."""
    sweep = scenario.sweep
    first = {key: values[0] for key, values in sweep.items()}
    for key, values in sweep.items():
        if not key.startswith(_BOUND_KEYS):
            continue
        numbers = all(isinstance(value, int | float) for value in values)
        for value in (min(values), max(values)) if numbers else values:
            # Every kind stays named, so that a key of any of them stays allowed.
            chosen = {
                name: [now, *(sweep[name] if name.endswith(".kind") else ())]
                for name, now in {**first, key: value}.items()
            }
            single = {**scenario.document, "sweep": chosen}
            yield next(dataclasses.replace(scenario, document=single).points())


_BOUND_KEYS: Final = ("population.", "attack.share", "attack.targets", "simulate.path")


TARGETS = "attack.targets.items"


class Repair(Struct, frozen=True):
    """A value that solves a problem; words : the problem and what the repair does."""

    key: str
    value: Any
    words: str


def repair_of(draft: Draft) -> Repair | None:
    """The repair of the draft's first problem; None if there is none."""
    problem = draft.problems[0] if draft.problems else None
    if problem is None or not problem.key.endswith("targets.items"):  # a phase may inherit them
        return None
    items, domain = value_of(draft, TARGETS), value_of(draft, "population.items")
    if not isinstance(items, list) or not isinstance(domain, int) or domain < 2:
        return None
    outside = [item for item in items if isinstance(item, int) and item >= domain]
    if not outside:
        return None
    count = min(len(items), domain)
    rarest = "the rarest item" if count == 1 else f"the {count} rarest"
    words = f"item {outside[0]} does not exist when d = {domain}: ⏎ takes {rarest}"
    return Repair("attack.targets", {"pick": "least-frequent", "count": count}, words)
