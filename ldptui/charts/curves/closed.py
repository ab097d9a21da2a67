"""The closed forms along an axis: gain and error."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, Final

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from ldptui.core import theory
from ldptui.core.attacks import Fakes, Targets, fakes_of, malicious_users, resolve_targets
from ldptui.core.base.code import title_of
from ldptui.core.base.errors import LdpError
from ldptui.core.lab.locality import central_mse
from ldptui.core.law.moments import Collection, EstimateMoments
from ldptui.core.law.pure import Items, PlacedItems, PureProtocol, Supporting, is_a, item_variance
from ldptui.core.population import CSVColumn, Explicit, Population, PopulationSpec, known_users
from ldptui.core.protocols import ProtocolSpec
from ldptui.core.scenario import Point, Scenario

from ...session.cells import without_acts
from ...session.draft import UnreadError, draw_population, require_solved
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


class _Lengthy(Struct, frozen=True):
    """Closed forms that take too long for the hand to wait for them."""

    doing: ClassVar[str] = "working out the closed forms of every item"

    def read(self) -> None:
        """Do nothing: the curves are worked out beside the screen."""


Draw = Callable[[PopulationSpec, int, Path], Population]
"""Makes the population of a spec, for a seed and the folder of the scenario."""


class Curve(Struct, frozen=True):
    """One series of closed-form values along a variable.

    x, y : equally long; NaN where the parameters allow no value.
    std : standard deviation of what one run measures at x (gain), or √y (error).
    parameters : of the cells it is the closed form of, flat and dotted, x's own without meaning.
    support : the gain of bits before decoding, averaged over all hash functions; else empty.
    line : a key of `core.theory.LINES`, or empty. hidden : such gains no server can tell.
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


def gain_curve(
    scenario: Scenario,
    axis: Variable,
    points: int = POINTS,
    *,
    log: bool | None = None,
    draw: Draw = draw_population,
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
        grid, at = grid_of(scenario, cell, axis, points, log), Subject(cell, scenario.folder, draw)
        curve = at.curve(name, axis, grid, at.gain)
        if cell.protocol.mechanism.place == "bit":
            bits = at.curve(name, axis, grid, at.bit_gain)
            curve = replace(curve, support=() if all(map(math.isnan, bits.y)) else bits.y)
        curves.append(curve)
    return tuple(curves)


def error_curves(
    scenario: Scenario,
    axis: Variable,
    points: int = POINTS,
    *,
    log: bool | None = None,
    draw: Draw = draw_population,
) -> tuple[Curve, ...]:
    """The expected mean squared error without attack along the axis, a curve for each protocol.

    The last is FLOOR, what no pure protocol is below, where none of them is it.

    Its std is √MSE: where the estimates are unbiased, the root mean square over the items of their
    standard deviations.
    """
    document = error_document(scenario)
    cells = points_of(document, scenario)
    grid = axis.grid(points, log=log)
    subjects = [Subject(cell, scenario.folder, draw) for cell in cells]
    curves = [
        at.curve(
            title_of(at.cell.protocol),
            axis,
            # What is withheld depends on the population.
            grid_of(scenario, at.cell, axis, points, log)
            if getattr(at.cell.protocol.mechanism, "withholds", False)
            else grid,
            at.error,
        )
        for at in subjects
    ]
    curves = [replace(each, parameters=without_acts(each.parameters)) for each in curves]
    least = theory.least_of_all(2, 1.0).family
    if cells and all(cell.protocol.mechanism.family != least for cell in cells):
        floor = subjects[0].curve(FLOOR, axis, grid, subjects[0].floor)
        curves.append(replace(floor, parameters={}))
    return tuple(curves)


Varied = tuple[PopulationSpec, ProtocolSpec, Any]

Law = Callable[[Varied], tuple[float, float]]
"""Mean and standard deviation of a population, a protocol and an attack."""


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
    return dataclasses.replace(spec, **{name: new})


class Subject:
    """The cell of a curve; what its points share is made once for all of them.

    folder : of its scenario. draw : makes its populations.
    """

    def __init__(self, cell: Point, folder: Path, draw: Draw) -> None:
        self.cell, self.folder, self.draw = cell, folder, draw
        self.bound: Callable[[ProtocolSpec, int], Any] = cache(lambda spec, items: spec.bind(items))
        self.targets: Callable[[Targets, Population], Items] = cache(
            lambda targets, population: targets.resolve(population, cell.seed)
        )
        self._supports: dict[tuple[Any, ...], Any] = {}
        self._sums: dict[tuple[Any, ...], Any] = {}

    def curve(self, label: str, axis: Variable, grid: Sequence[float], law: Law) -> Curve:
        """A law along the axis; NaN where the parameters of a point allow no value."""
        ys, stds = [], []
        grid = self._with_jumps(axis, grid)
        for x in grid:
            try:
                y, std = law(varied(self.cell, axis, x))
            except NO_VALUE:
                y = std = math.nan
            ys.append(y)
            stds.append(std)
        known = self.cell.parameters
        return Curve(label, axis.key, known, tuple(grid), tuple(ys), tuple(stds))

    def _with_jumps(self, axis: Variable, grid: Sequence[float]) -> list[float]:
        """The grid, and both sides of each place between its points where a hash range steps."""
        if axis.key != "protocol.epsilon" or not hasattr(self.cell.protocol, "hash_range"):
            return [*grid]

        def hash_range(x: float) -> int:
            try:
                return int(self.bound(varied(self.cell, axis, x)[1], 2).hash_range)
            except NO_VALUE:
                return -1

        places = [*grid]
        for low, high in pairwise(grid):
            before, width = hash_range(low), high - low
            while high - low > width / 1000 and hash_range(high) == before + 1:
                middle = (low + high) / 2
                low, high = (middle, high) if hash_range(middle) == before else (low, middle)
            places += [low, high]
        return sorted({*places})

    def population(self, spec: PopulationSpec) -> Population:
        """The users of a point."""
        return known_users(self.draw(spec, self.cell.seed, self.folder))

    def gain(self, varied: Varied) -> tuple[float, float]:
        """The attack's gain."""
        spec, protocol_spec, attack = varied
        if not hasattr(attack, "share"):
            return math.nan, math.nan  # of phases every round has a gain of its own
        population = self.population(spec)
        protocol = self._supporting(protocol_spec, population.domain_size)
        strategy = attack.bind()
        by_item = isinstance(protocol, EstimateMoments | PlacedItems)
        if by_item or not hasattr(strategy, "support"):
            attack, targets = resolve_targets(strategy, population, self.cell.seed)
            return self._gain_by_item(protocol, population, attack, targets)
        targets = self.targets(attack.targets, population)
        r, held = targets.size, _held(targets, population)
        effort = getattr(attack, "search", None), getattr(attack, "subset", None)
        crafted = protocol_spec, population.domain_size, r, attack.kind, effort
        if crafted not in self._supports:
            attack.check(protocol, targets)
            self._supports[crafted] = attack.support(protocol, r)
        support = self._supports[crafted]
        users = population.users
        fakes = malicious_users(users, attack.share)
        mean = theory.gain(protocol, support, r, fakes / (users + fakes), held)
        return mean, theory.gain_std(protocol, support, r, users, fakes, held)

    def _gain_by_item(
        self, protocol: Any, population: Population, attack: Any, targets: Items
    ) -> tuple[float, float]:
        """Mean and deviation of the gain from what the fakes support, item by item.

        NaN where that is not known; the deviation also where items may be withheld. The sums over
        items serve all points that differ in the number of fakes. Where the hand waits, an
        UnreadError says that fakes have to be solved for first, or that the sums take long.
        """
        patient, withholds = self.draw is draw_population, getattr(protocol, "withholds", False)
        if not patient and (isinstance(protocol, PlacedItems) or withholds):
            raise UnreadError(_Lengthy())
        users, sums = population.users, self._sums
        malicious = malicious_users(users, attack.share)
        fakes = fakes_of(attack, targets, malicious, population)
        for group in fakes:
            group.strategy.check(protocol, group.targets)
        if not patient:
            require_solved(fakes, protocol)
        held = _held(targets, population)
        if withholds:
            return _released_gain(protocol, population, fakes, targets), math.nan
        same = protocol, targets.tobytes()
        doing = *same, tuple((_shareless(by.strategy), by.targets.tobytes()) for by in fakes)
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

    def bit_gain(self, varied: Varied) -> tuple[float, float]:
        """The gain of bits that do not stand for items, before decoding."""
        population_spec, spec, attack = varied
        population = self.population(population_spec)
        protocol = self.bound(spec, population.domain_size)
        if protocol.place != "bit" or getattr(attack, "reacts", True):
            return math.nan, math.nan
        targets = self.targets(attack.targets, population)
        fakes, held = malicious_users(population.users, attack.share), _held(targets, population)
        gained = protocol.ideal_bit_gain(
            attack.report_law, targets.size, population.users, fakes, attack.cohort, held
        )
        return (math.nan if gained is None else gained), math.nan

    def floor(self, varied: Varied) -> tuple[float, float]:
        """The least error of all pure protocols."""
        items, users = self._size(varied[0])
        least = theory.least_of_all(items, getattr(varied[1], "epsilon", None) or math.nan)
        mse = float(item_variance(least, users, 1 / items))
        return mse, math.sqrt(mse)

    def error(self, varied: Varied) -> tuple[float, float]:
        """The mean squared error without attack."""
        spec, protocol_spec, _ = varied
        items, users = self._size(spec)
        protocol = self._supporting(protocol_spec, items)
        if getattr(protocol, "withholds", False):
            mse = central_mse(protocol, *self.population(spec).distinct)
        elif isinstance(protocol, PureProtocol):
            # The variance is linear in f, and the frequencies add up to one.
            mse = float(item_variance(protocol, users, 1 / items))
        elif isinstance(protocol, EstimateMoments) and not hasattr(protocol, "squared_error"):
            mse = _foretold_mse(protocol, self.population(spec))
        else:
            mse = central_mse(protocol, np.array([users]))  # whatever the frequencies
        return mse, math.sqrt(mse)

    def _size(self, spec: Any) -> tuple[int, int]:
        """d and n of a population; those of a list or a file are known when it is drawn."""
        if isinstance(spec, Explicit | CSVColumn):
            population = self.population(spec)
            return population.domain_size, population.users
        return spec.items, spec.users

    def _supporting(self, spec: ProtocolSpec, domain_size: int) -> Any:
        """The mechanism; raises ValueError where its closed forms are not cheap."""
        mechanism = self.bound(spec, domain_size)
        if not is_a(mechanism, Supporting):
            raise ValueError("reports that support no items have to be decoded")
        return mechanism


def _shareless(strategy: Any) -> Any:
    """The strategy without the share of those who follow it, which changes no report."""
    return dataclasses.replace(strategy, share=0.0) if hasattr(strategy, "share") else strategy


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


def _foretold_mse(protocol: EstimateMoments, population: Population) -> float:
    """The error of a mechanism for which it matters who holds what: bias² + variance."""
    collection = Collection(population.histogram)
    means, variances = protocol.means(collection), protocol.variances(collection)
    assert means is not None
    assert variances is not None  # they are of genuine users alone
    return float(((means[0] - population.frequencies) ** 2 + variances[0]).mean())


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


def _held(items: Items, population: Population) -> float:
    """The share of the genuine users that hold one of the items."""
    return float(population.histogram[items].sum() / population.users)


def _labels(cells: Sequence[Point], document: Mapping[str, Any]) -> Iterator[str]:
    """A name for each cell: what is swept, else the attack and the protocol."""
    swept = document.get("sweep", {})
    for cell in cells:
        if not swept:
            several = "MIX" if hasattr(cell.attack, "mix") else "PHASES"
            attack = title_of(cell.attack) if hasattr(cell.attack, "kind") else several
            yield f"{attack} on {title_of(cell.protocol)}"
            continue
        words = (setting_word(cell.parameters, key) for key in swept)
        yield " ".join(filter(None, dict.fromkeys(words)))
