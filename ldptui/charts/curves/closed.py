"""The closed forms along an axis: gain and error."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Final

import numpy as np

from ldptui.core import theory
from ldptui.core.attacks import Fakes, Targets, aimed, fakes_of, malicious_users
from ldptui.core.base.errors import LdpError
from ldptui.core.lab.locality import central_mse
from ldptui.core.law import capabilities
from ldptui.core.law.capabilities import Collection, Foretells
from ldptui.core.law.pure import Items, is_pure, item_variance
from ldptui.core.population import CSVColumn, Explicit, Population, PopulationSpec, known_users
from ldptui.core.protocols import ProtocolSpec
from ldptui.core.scenario import Point, Scenario

from ...session.draft import UnreadError, drawn, require_solved
from ...text.swept import setting_word
from .documents import error_document, gain_document, points_of
from .variables import Variable, simulated, value_in

POINTS: Final = 49
"""Points of a curve where they are cheap; where each needs a population of its own, fewer."""

DRAWN_ITEMS: Final = 2**16
"""Items that all populations of one curve may have together: a few milliseconds of drawing."""

FLOOR: Final = "SS, the floor"
"""The name of the curve of the least error of all pure protocols: SS with the best size."""

NO_VALUE: Final = (LdpError, ValueError, OverflowError, ZeroDivisionError)
"""Raised where the parameters of a point allow no value."""


@dataclass(frozen=True)
class _Lengthy:
    """Closed forms that take too long for the hand to wait for them."""

    doing: ClassVar[str] = "working out the closed forms of every item"

    def read(self) -> None:
        """Do nothing: the curves are worked out beside the screen."""


Draw = Callable[[PopulationSpec, int, Path], Population]
"""Makes the population of a spec, for a seed and the folder of the scenario."""


@dataclass(frozen=True)
class Curve:
    """One series of closed-form values along a variable.

    x, y : equally long; NaN where the parameters allow no value.
    std : standard deviation of what one run measures at x (gain), or √y (error).
    parameters : of the cells it is the closed form of, flat and dotted, x's own without meaning.
    support : the gain of bits before decoding, averaged over all hash functions; else empty.
    line : a key of `core.theory.LINES`, or empty. hidden : such gains no server can tell.
    approximate : whether its values are approximations.
    """

    label: str
    key: str
    parameters: Mapping[str, Any]
    x: tuple[float, ...]
    y: tuple[float, ...]
    std: tuple[float, ...]
    support: tuple[float, ...] = ()
    line: str = ""
    hidden: bool = False
    approximate: bool = False


def gain_curve(
    scenario: Scenario,
    axis: Variable,
    points: int = POINTS,
    *,
    log: bool | None = None,
    draw: Draw = drawn,
) -> tuple[Curve, ...]:
    """The expected gain along the axis, a curve for each swept protocol and attack.

    Its std is that of one run's gain; NaN where a curator withholds items. `log` spaces the points
    on a logarithmic scale. `draw` makes the populations; what it raises besides errors of a
    scenario, this does too.
    """
    document = gain_document(scenario)
    cells = points_of(document, scenario)
    names = _labels(cells, document or {})
    curves = []
    for name, cell in zip(names, cells, strict=True):
        grid = grid_of(scenario, cell, axis, points, log)
        curve = _curve(name, cell, axis, grid, _gain_at(cell, scenario.folder, draw))
        if capabilities.sends_bits(cell.protocol.mechanism):
            bits = _curve(name, cell, axis, grid, _support_at(cell, scenario.folder, draw))
            curve = replace(curve, support=() if all(map(math.isnan, bits.y)) else bits.y)
        curves.append(curve)
    return tuple(curves)


def error_curves(
    scenario: Scenario,
    axis: Variable,
    points: int = POINTS,
    *,
    log: bool | None = None,
    draw: Draw = drawn,
) -> tuple[Curve, ...]:
    """The expected mean squared error without attack along the axis, a curve for each protocol.

    The last is FLOOR, what no pure protocol is below, where none of them is it.

    Its std is √MSE: where the estimates are unbiased, the root mean square over the items of their
    standard deviations.
    """
    document = error_document(scenario)
    cells = points_of(document, scenario)
    grid = axis.grid(points, log=log)
    curves = [
        _curve(
            cell.protocol.kind.upper(),
            cell,
            axis,
            # What is withheld depends on the population.
            grid_of(scenario, cell, axis, points, log)
            if getattr(cell.protocol.mechanism, "withholds", False)
            else grid,
            _error_at(cell, scenario.folder, draw),
        )
        for cell in cells
    ]
    least = theory.least_of_all(2, 1.0).family
    if cells and all(cell.protocol.mechanism.family != least for cell in cells):
        floor = _curve(FLOOR, cells[0], axis, grid, _floor_at(cells[0], scenario.folder, draw))
        curves.append(replace(floor, parameters={}))
    return tuple(curves)


Varied = tuple[PopulationSpec, ProtocolSpec, Any]

_Law = Callable[[Varied], tuple[float, float]]
"""Mean and standard deviation of a population, a protocol and an attack."""


def _curve(label: str, cell: Point, axis: Variable, grid: Sequence[float], law: _Law) -> Curve:
    ys, stds = [], []
    for x in grid:
        try:
            y, std = law(varied(cell, axis, x))
        except NO_VALUE:
            y = std = math.nan
        ys.append(y)
        stds.append(std)
    return Curve(label, axis.key, cell.parameters, tuple(grid), tuple(ys), tuple(stds))


def varied(cell: Point, axis: Variable, x: float) -> Varied:
    """The specs of a cell at a place of the axis, where the cell knows its key."""
    specs = {table: getattr(cell, table) for table in ("population", "protocol", "attack")}
    table, *names = axis.key.split(".")
    if axis.lists or value_in(cell, axis.key) is not None:
        value = axis.value_at(x)
        value = tuple(value) if isinstance(value, list) else value
        specs[table] = _replaced(specs[table], names, value)
    return specs["population"], specs["protocol"], specs["attack"]


def _replaced(spec: Any, names: Sequence[str], value: Any) -> Any:
    """A frozen spec with one field, or a field of a field, set."""
    name, *inner = names
    new = _replaced(getattr(spec, name), inner, value) if inner else value
    return replace(spec, **{name: new})


def _gain_at(cell: Point, folder: Path, draw: Draw) -> _Law:
    # The same protocol and what its fakes support serve all the points where they do not change.
    protocols: dict[tuple[ProtocolSpec, int], Any] = {}
    supports: dict[tuple[Any, ...], Any] = {}
    sums: dict[tuple[Any, ...], Any] = {}
    targets_of = resolver(cell.seed)

    def law(varied: Varied) -> tuple[float, float]:
        spec, protocol_spec, attack = varied
        if not hasattr(attack, "share"):
            return math.nan, math.nan  # of phases every round has a gain of its own
        population = known_users(draw(spec, cell.seed, folder))
        key = (protocol_spec, population.domain_size)
        if key not in protocols:
            protocols[key] = _supporting(protocol_spec, population.domain_size)
        protocol, strategy = protocols[key], attack.bind()
        by_item = capabilities.foretells(protocol) or capabilities.places(protocol)
        if by_item or not hasattr(strategy, "support"):
            users, (attack, targets) = population.users, aimed(strategy, population, cell.seed)
            setting = _Setting(protocol, population, targets, malicious_users(users, attack.share))
            return _gain_by_item(setting, attack, sums, draw is drawn)
        targets = targets_of(attack.targets, population)
        r, held = targets.size, _held(targets, population)
        effort = getattr(attack, "search", None), getattr(attack, "subset", None)
        crafted = (*key, r, attack.kind, effort)
        if crafted not in supports:
            attack.check(protocol, targets)
            supports[crafted] = attack.support(protocol, r)
        support = supports[crafted]
        users = population.users
        fakes = malicious_users(users, attack.share)
        mean = theory.gain(protocol, support, r, fakes / (users + fakes), held)
        return mean, theory.gain_std(protocol, support, r, users, fakes, held)

    return law


@dataclass(frozen=True, eq=False)
class _Setting:
    """A point of a curve: the protocol, the genuine users, and this many fakes with targets."""

    protocol: Any
    population: Population
    targets: Items
    malicious: int


def _gain_by_item(
    setting: _Setting, attack: Any, sums: dict[tuple[Any, ...], Any], patient: bool
) -> tuple[float, float]:
    """Mean and deviation of the gain from what the fakes support, item by item.

    NaN where that is not known; the deviation also where items may be withheld. sums : those over
    items, which points share that differ in the number of fakes. patient : False raises
    UnreadError where the fakes have to be solved for first, or the sums take long.
    """
    protocol, population, targets = setting.protocol, setting.population, setting.targets
    if not patient and (capabilities.places(protocol) or getattr(protocol, "withholds", False)):
        raise UnreadError(_Lengthy())
    users, malicious = population.users, setting.malicious
    fakes = fakes_of(attack, targets, malicious, population)
    for group in fakes:
        group.strategy.check(protocol, group.targets)
    if not patient:
        require_solved(fakes, protocol)
    held = _held(targets, population)
    if getattr(protocol, "withholds", False):
        return _released_gain(protocol, population, fakes, targets), math.nan
    same = protocol, targets.tobytes()
    doing = *same, tuple((_shareless(group.strategy), group.targets.tobytes()) for group in fakes)
    if len(fakes) > 1 or doing not in sums:
        sums[doing] = theory.support_of(protocol, fakes, targets)
    support = sums[doing]
    if support is None:
        return math.nan, math.nan
    mean = theory.rates_gain(protocol, support, targets, malicious / (users + malicious), held)
    at = *same, id(population)  # which is kept as long as the curve is made
    if at not in sums:
        truth = population.frequencies
        sums[at] = population, theory.target_sum_variance(protocol, targets, truth, users)
    return mean, theory.std_of_gain(protocol, sums[at][1], support.variance, users, malicious)


def _shareless(strategy: Any) -> Any:
    """The strategy without the share of those who follow it, which changes no report."""
    return replace(strategy, share=0.0) if hasattr(strategy, "share") else strategy


def _released_gain(
    protocol: Any, population: Population, fakes: Sequence[Fakes], targets: Items
) -> float:
    """The gain where items may be withheld; NaN where the sum has too many terms."""
    supports = tuple(
        (group.count, group.strategy.item_support(protocol, group.targets, targets))
        for group in fakes
    )
    means = protocol.means(Collection(population.histogram, supports))
    if means is None or means[1] is None:
        return math.nan
    before, after = means
    return float((after - before)[targets].sum())


def _support_at(cell: Point, folder: Path, draw: Draw) -> _Law:
    """The gain of bits that do not stand for items, before decoding."""
    targets_of = resolver(cell.seed)

    def law(varied: Varied) -> tuple[float, float]:
        population_spec, spec, attack = varied
        population = known_users(draw(population_spec, cell.seed, folder))
        protocol: Any = spec.bind(population.domain_size)
        if not capabilities.sends_bits(protocol) or getattr(attack, "reacts", True):
            return math.nan, math.nan
        targets = targets_of(attack.targets, population)
        fakes, held = malicious_users(population.users, attack.share), _held(targets, population)
        gained = protocol.ideal_bit_gain(
            attack.report_law, targets.size, population.users, fakes, attack.cohort, held
        )
        return (math.nan if gained is None else gained), math.nan

    return law


def _floor_at(cell: Point, folder: Path, draw: Draw) -> _Law:
    def law(varied: Varied) -> tuple[float, float]:
        items, users = _size(varied[0], cell, folder, draw)
        least = theory.least_of_all(items, getattr(varied[1], "epsilon", None) or math.nan)
        mse = float(item_variance(least, users, 1 / items))
        return mse, math.sqrt(mse)

    return law


def _size(spec: Any, cell: Point, folder: Path, draw: Draw) -> tuple[int, int]:
    """d and n of a population; those of a list or a file are known when it is drawn."""
    if isinstance(spec, Explicit | CSVColumn):
        population = known_users(draw(spec, cell.seed, folder))
        return population.domain_size, population.users
    return spec.items, spec.users


def _error_at(cell: Point, folder: Path, draw: Draw) -> _Law:
    def law(varied: Varied) -> tuple[float, float]:
        spec, protocol_spec, _ = varied
        items, users = _size(spec, cell, folder, draw)
        protocol: Any = _supporting(protocol_spec, items)
        if getattr(protocol, "withholds", False):
            mse = central_mse(protocol, *known_users(draw(spec, cell.seed, folder)).distinct)
        elif is_pure(protocol):
            # The variance is linear in f, and the frequencies add up to one.
            mse = float(item_variance(protocol, users, 1 / items))
        elif capabilities.foretells(protocol) and not hasattr(protocol, "squared_error"):
            mse = _foretold_mse(protocol, known_users(draw(spec, cell.seed, folder)))
        else:
            mse = central_mse(protocol, np.array([users]))  # whatever the frequencies
        return mse, math.sqrt(mse)

    return law


def _foretold_mse(protocol: Foretells, population: Population) -> float:
    """The error of a mechanism for which it matters who holds what: bias² + variance."""
    collection = Collection(population.histogram)
    means, variances = protocol.means(collection), protocol.variances(collection)
    assert means is not None
    assert variances is not None  # they are of genuine users alone
    return float(((means[0] - population.frequencies) ** 2 + variances[0]).mean())


def _supporting(spec: ProtocolSpec, domain_size: int) -> Any:
    """The mechanism; raises ValueError where its closed forms are not cheap."""
    mechanism: object = spec.bind(domain_size)
    if not capabilities.tells_support(mechanism):
        raise ValueError("reports that support no items have to be decoded")
    return mechanism


def grid_of(
    scenario: Scenario, cell: Point, axis: Variable, points: int, log: bool | None
) -> tuple[float, ...]:
    """The values of x, with those that are simulated; fewer where each needs a population."""
    if axis.key in ("population.items", "population.users"):
        points = min(points, 25)
        while points > 6 and sum(items_of(cell, axis, x) for x in axis.grid(points)) > DRAWN_ITEMS:
            points -= 3
    own = simulated(scenario, axis, log)
    return tuple(sorted({*axis.grid(points, log=log), *(own if len(own) <= points else ())}))


def items_of(cell: Point, axis: Variable, x: float) -> float:
    """The size of the domain at x; 0 of a population that has its items in a list or a file."""
    return x if axis.key == "population.items" else getattr(cell.population, "items", 0)


def resolver(seed: int) -> Callable[[Targets, Population], Items]:
    """Finds targets, once for all the points of a curve that share them."""
    return cache(lambda targets, population: targets.resolve(population, seed))


def _held(items: Items, population: Population) -> float:
    """The share of the genuine users that hold one of the items."""
    return float(population.histogram[items].sum() / population.users)


def _labels(cells: Sequence[Point], document: Mapping[str, Any]) -> Iterator[str]:
    """A name for each cell: what is swept, else the attack and the protocol."""
    swept = document.get("sweep", {})
    for cell in cells:
        if not swept:
            several = "mix" if hasattr(cell.attack, "mix") else "phases"
            kind = getattr(cell.attack, "kind", several)
            yield f"{kind.upper()} on {cell.protocol.kind.upper()}"
            continue
        words = (setting_word(key, cell.parameters.get(key, "")) for key in swept)
        yield " ".join(filter(None, words))
