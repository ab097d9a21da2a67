"""Closed-form curves without simulation, and the documents that simulate the same points.

A curve is the closed form of one kind of cell along one numeric key: the gain of the attack, or the
error without one. Swept kinds (and other swept words) give a curve each; other swept numbers are
set aside. What is drawn at x is what `core.theory` says of the cell that a scenario with that value
compiles to: the same drawn population, the same targets, the same rounding of the fake users.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from core import theory
from core.attacks import Mixture, NoAttack, Targets, aimed, fakes_of, malicious_users
from core.central import Curator, Stability
from core.central.locality import central_mse
from core.errors import LdpError, ScenarioError
from core.limits import MAX_ITEMS, MAX_TRIALS
from core.population import CSVColumn, Explicit, Population, PopulationSpec
from core.protocols import KINDS, PROTOCOLS, BitNoise, ProtocolSpec, Rappor, RapporSpec
from core.pure import Items, PureProtocol, item_variance
from core.scenario import MixtureSpec, PhasesSpec, Point, Scenario
from ldptui.draft import base, keys_of
from ldptui.snapshot import Part

MOST_SERIES: Final = 6
"""More curves than this in one chart cannot be told apart."""

POINTS: Final = 49
"""Points of a curve where they are cheap; where each needs a population of its own, fewer."""

SIMULATED: Final = 11
"""Points of the default sweep of a chart."""

DRAWN_ITEMS: Final = 2**16
"""Items that all populations of one curve may have together: a few milliseconds of drawing."""


@dataclass(frozen=True)
class Variable:
    """A numeric key that can be put on the x-axis, with the range to show it over.

    `log` says how its values are spaced, and which scale the axis has at first.
    """

    key: str
    symbol: str
    label: str
    low: float
    high: float
    log: bool = False
    integer: bool = False

    def start(self, log: bool) -> float:
        """The low end of the axis; zero has no place on a logarithmic one."""
        return self.low if self.low > 0 or not log else self.high / 1000

    def grid(self, points: int, *, log: bool | None = None) -> tuple[float, ...]:
        """About `points` values from low to high; whole numbers once each."""
        log = self.log if log is None else log
        spaced = np.geomspace if log else np.linspace
        ends = self.start(log), self.high
        values = [float(f"{x:.6g}") for x in spaced(*ends, max(2, points))]
        if not self.integer:
            return tuple(values)
        return tuple(dict.fromkeys(round(value) for value in values))


@dataclass(frozen=True)
class Curve:
    """One series of closed-form values along a variable.

    x, y : of one length; NaN where the parameters allow no value.
    std : standard deviation of what one run measures at x (gain), or √y (error).
    parameters : those of the cells it is the closed form of, flat and dotted; that of the
        variable's own key means nothing.
    support : the gain before decoding, of the bits of RAPPOR's targets, averaged over all hash
        functions; empty for other protocols.
    """

    label: str
    key: str
    parameters: Mapping[str, Any]
    x: tuple[float, ...]
    y: tuple[float, ...]
    std: tuple[float, ...]
    support: tuple[float, ...] = ()


# --- What can be put on the axis ---------------------------------------------------------------

_GAIN_KEYS: Final = (
    "attack.share", "protocol.epsilon", "population.items", "attack.targets.count",
    "population.users", "attack.seeds", "protocol.f", "protocol.hashes", "protocol.bits",
    "protocol.cohorts", "attack.cohort",
)  # fmt: skip
_REAL: Final = frozenset({"attack.share", "protocol.epsilon", "protocol.f", "attack.cohort"})
_ERROR_KEYS: Final = ("protocol.epsilon", "population.users", "population.items")
PROTOCOL_KEYS: Final = {
    kind: tuple(one.name for one in fields(spec) if one.name != "kind")
    for kind, spec in KINDS.items()
}
"""What an error chart compares, with the keys that each of them knows."""
_WORDS: Final = {
    "attack.share": ("β", "share of fake users β"),
    "protocol.epsilon": ("ε", "privacy budget ε"),
    "population.items": ("d", "number of items d"),
    "population.users": ("n", "number of genuine users n"),
    "attack.targets.count": ("r", "number of targets r"),
    "attack.seeds": ("K", "hash seeds tried by each fake user K"),
    "protocol.f": ("f", "permanent noise f"),
    "protocol.hashes": ("h", "hash functions h"),
    "protocol.bits": ("k", "bits of a Bloom filter k"),
    "protocol.cohorts": ("m", "cohorts m"),
    "attack.cohort": ("crowd", "share of the fakes in one cohort"),
}


def axes(scenario: Scenario) -> tuple[Variable, ...]:
    """The variables of a gain curve; empty where the scenario has no attack."""
    keys = _GAIN_KEYS if "goal" not in scenario.document else ("attack.share",)
    return _axes(scenario, _points(gain_document(scenario), scenario), keys)


def error_axes(scenario: Scenario) -> tuple[Variable, ...]:
    """The variables of an error curve."""
    return _axes(scenario, _points(error_document(scenario), scenario), _ERROR_KEYS)


def _axes(scenario: Scenario, points: Sequence[Point], keys: Sequence[str]) -> tuple[Variable, ...]:
    if not points:
        return ()
    try:
        room = min(_domain_size(point, scenario.folder) for point in points)
    except LdpError:
        return ()
    found = []
    for key in keys:
        values = [value for point in points if (value := _value(point, key)) is not None]
        # Every cell must know the key, but for the seeds, which only some attacks have.
        if len(values) < len(points) and not (key == "attack.seeds" and values):
            continue
        if key == "attack.seeds" and not any(_hashes(point) for point in points):
            continue
        symbol, label = _WORDS[key]
        own = _own_values(scenario, key)
        if own:
            low, high = min(own), max(own)
            log = _is_log(scenario, key, own)
        else:
            low, high, log = _default_range(key, max(values), points, room)
        integer = key not in _REAL
        if low < high:
            found.append(Variable(key, symbol, label, low, high, log, integer))
    return tuple(found)


def _hashes(point: Point) -> bool:
    return point.protocol.kind in ("blh", "olh") and hasattr(point.attack, "seeds")


def _value(point: Point, key: str) -> float | None:
    """The number that a point has at a dotted key; None where it has no such key."""
    place: Any = point
    for name in key.split("."):
        place = getattr(place, name, None)
    return place if isinstance(place, int | float) else None


def _own_values(scenario: Scenario, key: str) -> list[float]:
    """The scenario's own sweep of a key, if it has two numbers at least."""
    values = scenario.sweep.get(key, [])
    numbers = [v for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
    return numbers if len(set(numbers)) > 1 else []


def _is_log(scenario: Scenario, key: str, values: list[float]) -> bool:
    given = _sweep_entry(scenario, key)
    if isinstance(given, Mapping):
        return given.get("scale") == "log"
    return min(values) > 0 and max(values) / min(values) > 30


def _default_range(
    key: str, value: float, points: Sequence[Point], room: int
) -> tuple[float, float, bool]:
    """Low, high and log for a key whose present value is `value`: round, and around it."""
    targets = [getattr(point.attack, "targets", None) for point in points]
    if key == "attack.share":
        return 0.0, 0.1 if value <= 0.1 else min(0.9, math.ceil(15 * value) / 10), False
    if key == "protocol.epsilon":
        high = max(4.0, min(20.0, math.ceil(2 * value)))
        if any(isinstance(getattr(p.protocol, "hash_range", None), str) for p in points):
            high = min(high, 13.0)  # beyond it e^ε + 1 buckets are more than allowed
        high = min(high, *(_most_epsilon(point.protocol) for point in points))
        return min(0.5, value / 2), high, False
    if key == "population.items":
        high = min(MAX_ITEMS, max(4096, 4 * value if value <= 2**14 else value))
        needed = max((_needs_items(one) for one in targets), default=2)
        # More candidates than RAPPOR's bits can tell apart take long to decode.
        high = min(high, *(max(value, _room(point.protocol)) for point in points))
        return max(16 if value > 16 else 2, needed), high, True
    if key == "population.users":
        return max(1.0, value / 100), min(1e12, value * 100), True
    if key == "attack.targets.count":
        return 1, min(room, max(20, 2 * value)), False
    if key in _RAPPOR_RANGES:
        return _RAPPOR_RANGES[key]
    return 1, min(10**6, max(10**4, 10 * value)), True


_RAPPOR_RANGES: Final[Mapping[str, tuple[float, float, bool]]] = {
    "protocol.f": (0.05, 0.95, False),
    "protocol.hashes": (1, 8, False),
    "protocol.bits": (8, 256, True),
    "protocol.cohorts": (2, 128, True),
    "attack.cohort": (0.0, 1.0, False),
}


def _most_epsilon(spec: ProtocolSpec) -> float:
    """What RAPPOR's fresh noise allows at most, less a little; without bound for the others."""
    if not isinstance(spec, RapporSpec) or spec.p is None or spec.q is None:
        return math.inf
    if spec.p == 0 or spec.q == 1:
        return math.inf
    return math.floor(99 * BitNoise(0, spec.p, spec.q).epsilon_one(spec.hashes or 1)) / 100


def _room(spec: ProtocolSpec) -> float:
    """How many candidates RAPPOR estimates together; without bound for the others."""
    if not isinstance(spec, RapporSpec) or spec.bits is None or spec.cohorts is None:
        return math.inf
    return float(int(0.8 * spec.bits * spec.cohorts))


def _needs_items(targets: Any) -> int:
    """The least domain that has room for the targets."""
    listed = getattr(targets, "items", None)
    if listed is not None:
        return max((one + 1 for one in listed if isinstance(one, int)), default=2)
    return max(2, getattr(targets, "count", 2))


def _domain_size(point: Point, folder: Path) -> int:
    items = getattr(point.population, "items", None)
    return items if items is not None else drawn(point.population, point.seed, folder).domain_size


# --- Documents ---------------------------------------------------------------------------------


def base_part(scenario: Scenario) -> Part:
    """The one cell that the charts of frequencies show."""
    return Part("base", base(scenario).document)


def gain_part(scenario: Scenario, axis: Variable) -> Part | None:
    """What to simulate for a gain curve; None without an attack."""
    document = gain_document(scenario)
    return None if document is None else Part("gain", _swept(document, scenario, axis))


def error_part(scenario: Scenario, axis: Variable) -> Part:
    """What to simulate for an error curve: each protocol along the axis, without attack."""
    return Part("error", _swept(error_document(scenario), scenario, axis))


def _swept(document: dict[str, Any], scenario: Scenario, axis: Variable) -> dict[str, Any]:
    """The document with a sweep of the axis: the scenario's own one, else some points."""
    swept = copy.deepcopy(document)
    if _own_values(scenario, axis.key):
        values = _sweep_entry(scenario, axis.key)
    else:
        values = list(axis.grid(SIMULATED))
    swept["sweep"] = {**swept.get("sweep", {}), axis.key: values}
    if not _own_values(scenario, axis.key):
        # Points that nobody asked for must not make a scenario larger than a run may be.
        cells = math.prod(len(one) for one in swept["sweep"].values())
        if int(scenario.document.get("trials", 1)) * cells > MAX_TRIALS:
            swept["trials"] = MAX_TRIALS // cells
    return swept


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
        # The scenario's own kind is the one that the other charts show: it stays.
        own = _at(plain.document, key)
        first = values[:room]
        sweep[key] = first if own in first or own not in values else [*first[:-1], own]
        room //= len(sweep[key])
    kept = scenario
    for key, swept in scenario.sweep.items():
        if key not in sweep:
            # The base may lack the key, if its kind does not know it but another swept kind does.
            value = _at(plain.document, key)
            kept = kept.with_value(key, swept[len(swept) // 2] if value is None else value)
    for key, values in list(sweep.items()):
        if len(values) == 1:
            kept = kept.with_value(key, sweep.pop(key)[0])
    document = copy.deepcopy(kept.document)
    document.pop("sweep", None)
    if document.pop("goal", None) is not None:
        document["attack"]["share"] = 0.0  # which is on the axis
    for table in ("protocol", "attack"):
        # A key that only a kind knows which is left out now would be refused.
        given, kinds = document.get(table), sweep.get(f"{table}.kind", [])
        if not isinstance(given, dict) or not (kinds or "kind" in given):
            continue
        named = [kind for kind in kinds or [given["kind"]] if isinstance(kind, str)]
        known = {key for kind in named for key in keys_of(table, kind)}
        document[table] = {key: given[key] for key in given if key == "kind" or key in known}
    if sweep:
        document["sweep"] = sweep
    return document


def error_document(scenario: Scenario) -> dict[str, Any]:
    """The scenario without attack, its protocols swept: those it sweeps, else all."""
    document = copy.deepcopy(base(scenario).document)
    document.pop("attack", None)
    document.pop("goal", None)
    kinds = error_protocols(scenario)
    given = document.get("protocol", {})
    known = {key for kind in kinds for key in PROTOCOL_KEYS[kind]} - {"f"}
    own = {key: value for key, value in given.items() if key in known}
    # A scenario of RAPPOR may have no budget of its own: the others get that of one report.
    document["protocol"] = {"epsilon": _epsilon(scenario), **own}
    document["sweep"] = {"protocol.kind": list(kinds)}
    return document


def error_protocols(scenario: Scenario) -> tuple[str, ...]:
    """What an error chart compares: the swept ones, else the local ones and a curator chosen."""
    swept = [kind for kind in scenario.sweep.get("protocol.kind", []) if kind in PROTOCOL_KEYS]
    if len(swept) > 1:
        return tuple(swept)
    chosen = _at(base(scenario).document, "protocol.kind")
    return (*PROTOCOLS, *(kind for kind in KINDS if kind == chosen and kind not in PROTOCOLS))


def _epsilon(scenario: Scenario) -> float:
    """ε₁ of the scenario's RAPPOR, with three digits; 1 of anything else."""
    spec = next(iter(_points(base(scenario).document, scenario)), None)
    rappor = spec.protocol if spec is not None else None
    return float(f"{rappor.epsilon_one:.3g}") if isinstance(rappor, RapporSpec) else 1.0


def _words(scenario: Scenario) -> dict[str, list[Any]]:
    """The swept keys that name kinds or rules: a word among their values, not only numbers."""
    return {
        key: list(values)
        for key, values in scenario.sweep.items()
        if any(isinstance(value, str) for value in values)
    }


def _sweep_entry(scenario: Scenario, key: str) -> Any:
    """The sweep of a key as the document has it, a list or a range."""
    place: Any = scenario.document.get("sweep", {})
    if key in place:
        return place[key]
    for name in key.split("."):
        place = place.get(name, {}) if isinstance(place, Mapping) else {}
    return place or scenario.sweep.get(key)


def _at(document: Mapping[str, Any], key: str) -> Any:
    place: Any = document
    for name in key.split("."):
        place = place.get(name) if isinstance(place, Mapping) else None
    return place


def _points(document: dict[str, Any] | None, scenario: Scenario) -> tuple[Point, ...]:
    """The points of a document; none where they are not valid."""
    if document is None:
        return ()
    try:
        return tuple(Scenario(document, scenario.name, scenario.folder).points())
    except ScenarioError:
        return ()


# --- Curves ------------------------------------------------------------------------------------


def gain_curve(
    scenario: Scenario, axis: Variable, points: int = POINTS, *, log: bool | None = None
) -> tuple[Curve, ...]:
    """The expected gain along the axis, a curve for each swept protocol and attack.

    Its std is that of one run's gain; NaN where a curator withholds items. `log` spaces the points
    on a logarithmic scale.
    """
    document = gain_document(scenario)
    cells = _points(document, scenario)
    names = _labels(cells, document or {})
    found = []
    for name, cell in zip(names, cells, strict=True):
        grid = _grid(cell, axis, points, log)
        curve = _curve(name, cell, axis, grid, _gain_at(cell, scenario.folder))
        if isinstance(cell.protocol, RapporSpec) and not cell.protocol.basic:
            bits = _curve(name, cell, axis, grid, _support_at(cell, scenario.folder))
            curve = replace(curve, support=bits.y)
        found.append(curve)
    return tuple(found)


def error_curves(
    scenario: Scenario, axis: Variable, points: int = POINTS, *, log: bool | None = None
) -> tuple[Curve, ...]:
    """The expected mean squared error without attack along the axis, a curve for each protocol.

    Its std is √MSE: where the estimates are unbiased, the root mean square over the items of their
    standard deviations.
    """
    document = error_document(scenario)
    cells = _points(document, scenario)
    grid = axis.grid(points, log=log)
    return tuple(
        _curve(
            cell.protocol.kind.upper(),
            cell,
            axis,
            # What is withheld depends on the population.
            _grid(cell, axis, points, log) if cell.protocol.kind == "stability" else grid,
            _error_at(cell, scenario.folder),
        )
        for cell in cells
    )


_Varied = tuple[PopulationSpec, ProtocolSpec, Any]
_Law = Callable[[_Varied], tuple[float, float]]
"""Mean and standard deviation of a population, a protocol and an attack."""


def _curve(label: str, cell: Point, axis: Variable, grid: Sequence[float], law: _Law) -> Curve:
    ys, stds = [], []
    for x in grid:
        try:
            y, std = law(_varied(cell, axis.key, x))
        except (LdpError, ValueError, OverflowError, ZeroDivisionError):
            y = std = math.nan
        ys.append(y)
        stds.append(std)
    return Curve(label, axis.key, cell.parameters, tuple(grid), tuple(ys), tuple(stds))


def _varied(cell: Point, key: str, value: float) -> _Varied:
    """The specs of a cell with one key set, where the cell knows it."""
    specs: dict[str, Any] = {
        "population": cell.population,
        "protocol": cell.protocol,
        "attack": cell.attack,
    }
    table, *names = key.split(".")
    if _value(cell, key) is not None:
        specs[table] = _replaced(specs[table], names, value)
    return specs["population"], specs["protocol"], specs["attack"]


def _replaced(spec: Any, names: Sequence[str], value: float) -> Any:
    """A frozen spec with one field, or a field of a field, set."""
    name, *inner = names
    new = _replaced(getattr(spec, name), inner, value) if inner else value
    return replace(spec, **{name: new})


def _gain_at(cell: Point, folder: Path) -> _Law:
    # The same protocol and what its fakes support serve all the points where they do not change.
    protocols: dict[tuple[ProtocolSpec, int], PureProtocol | Curator] = {}
    supports: dict[tuple[Any, ...], Any] = {}

    def law(varied: _Varied) -> tuple[float, float]:
        spec, protocol_spec, attack = varied
        if isinstance(attack, NoAttack | PhasesSpec):
            return math.nan, math.nan  # of phases every round has a gain of its own
        population = drawn(spec, cell.seed, folder)
        key = (protocol_spec, population.domain_size)
        if key not in protocols:
            protocols[key] = _formula(protocol_spec, population.domain_size)
        protocol = protocols[key]
        if isinstance(attack, MixtureSpec):
            return _mixed_gain(attack.bind(), protocol, population, cell.seed)
        targets = _targets(attack.targets, population, cell.seed)
        r, held = targets.size, _held(attack.targets, population, cell.seed)
        effort = getattr(attack, "search", None), getattr(attack, "subset", None)
        crafted = (*key, r, attack.kind, effort)
        if crafted not in supports:
            attack.check(protocol, targets)
            supports[crafted] = attack.support(protocol, r)
        support = supports[crafted]
        users = _users(population)
        fakes = malicious_users(users, attack.share)
        if isinstance(protocol, Stability):
            if getattr(attack, "distribution", None) is not None:
                return math.nan, math.nan  # what is withheld depends on each target's own fakes
            held_by = population.histogram[targets]
            return theory.release_gain(protocol, support, held_by, users, fakes), math.nan
        mean = theory.gain(protocol, support, r, fakes / (users + fakes), held)
        return mean, theory.gain_std(protocol, support, r, users, fakes, held)

    return law


def _mixed_gain(
    mixture: Mixture, protocol: PureProtocol | Curator, population: Population, seed: int
) -> tuple[float, float]:
    """Mean and deviation of the gain of a mixture; NaN where items may be withheld."""
    users, (attack, targets) = _users(population), aimed(mixture, population, seed)
    malicious = malicious_users(users, mixture.share)
    fakes = fakes_of(attack, targets, malicious)
    for some in fakes:
        some.strategy.check(protocol, some.targets)
    support = theory.support_of(protocol, fakes, targets)
    if support is None or isinstance(protocol, Stability):
        return math.nan, math.nan
    held = float(population.histogram[targets].sum() / users)
    mean = theory.rates_gain(protocol, support, targets, malicious / (users + malicious), held)
    return mean, theory.gain_std(protocol, support, targets.size, users, malicious, held)


def _support_at(cell: Point, folder: Path) -> _Law:
    """The gain of RAPPOR's bits, before decoding."""

    def law(varied: _Varied) -> tuple[float, float]:
        population_spec, spec, attack = varied
        if attack.kind not in ("rpa", "ria", "mga") or not isinstance(spec, RapporSpec):
            return math.nan, math.nan
        assert spec.bits is not None
        assert spec.hashes is not None
        assert spec.cohorts is not None
        population = drawn(population_spec, cell.seed, folder)
        users, r = _users(population), _targets(attack.targets, population, cell.seed).size
        fakes = malicious_users(users, attack.share)
        share = theory.cohort_share(users, fakes, spec.cohorts, attack.cohort)
        held = _held(attack.targets, population, cell.seed)
        gained = theory.ideal_bit_support_gain(
            attack.kind, spec.noise, spec.bits, spec.hashes, r, share, held
        )
        return gained, math.nan

    return law


def _error_at(cell: Point, folder: Path) -> _Law:
    def law(varied: _Varied) -> tuple[float, float]:
        spec, protocol_spec, _ = varied
        if isinstance(spec, Explicit | CSVColumn):
            population = drawn(spec, cell.seed, folder)
            items, users = population.domain_size, _users(population)
        else:
            items, users = spec.items, spec.users
        protocol = _formula(protocol_spec, items)
        if isinstance(protocol, Stability):
            mse = central_mse(protocol, drawn(spec, cell.seed, folder).histogram)
        elif isinstance(protocol, Curator):
            mse = central_mse(protocol, np.array([users]))  # whatever the frequencies
        else:
            # The variance is linear in f, and the frequencies add up to one.
            mse = float(item_variance(protocol, users, 1 / items))
        return mse, math.sqrt(mse)

    return law


def _formula(spec: ProtocolSpec, domain_size: int) -> PureProtocol | Curator:
    """The protocol; raises ValueError where it is RAPPOR, whose closed forms are not cheap."""
    protocol = spec.bind(domain_size)
    if isinstance(protocol, Rappor):
        raise ValueError("RAPPOR's Bloom filters have to be decoded")
    return protocol


def _grid(cell: Point, axis: Variable, points: int, log: bool | None) -> tuple[float, ...]:
    """The values of x; fewer where each of them needs a large population of its own."""
    if axis.key not in ("population.items", "population.users"):
        return axis.grid(points, log=log)
    points = min(points, 25)
    while points > 6 and sum(_items_of(cell, axis, x) for x in axis.grid(points)) > DRAWN_ITEMS:
        points -= 3
    return axis.grid(points, log=log)


def _items_of(cell: Point, axis: Variable, x: float) -> float:
    return x if axis.key == "population.items" else getattr(cell.population, "items", 0)


def drawn(spec: PopulationSpec, seed: int, folder: Path) -> Population:
    """The population of a spec, drawn once; a file is read again when it has changed."""
    changed = 0
    if isinstance(spec, CSVColumn):
        path = folder / Path(spec.path).expanduser()
        changed = path.stat().st_mtime_ns if path.exists() else -1
    return _drawn(spec, seed, folder, changed)


@lru_cache(maxsize=128)
def _drawn(spec: PopulationSpec, seed: int, folder: Path, changed: int) -> Population:  # noqa: ARG001
    return spec.bind(seed, folder)


@lru_cache(maxsize=256)
def _users(population: Population) -> int:
    return population.users


@lru_cache(maxsize=256)
def _targets(targets: Targets, population: Population, seed: int) -> Items:
    return targets.resolve(population, seed)


@lru_cache(maxsize=1024)
def _held(targets: Targets, population: Population, seed: int) -> float:
    """The share of the genuine users that hold a target."""
    items = _targets(targets, population, seed)
    return float(population.histogram[items].sum() / _users(population))


def _labels(cells: Sequence[Point], document: Mapping[str, Any]) -> Iterator[str]:
    """A name for each cell: what is swept, else the attack and the protocol."""
    swept = document.get("sweep", {})
    for cell in cells:
        if not swept:
            many = {MixtureSpec: "mix", PhasesSpec: "phases"}
            kind = many.get(type(cell.attack), getattr(cell.attack, "kind", ""))
            yield f"{kind.upper()} on {cell.protocol.kind.upper()}"
            continue
        parameters = cell.parameters
        words = []
        for key in swept:
            word = str(parameters.get(key, ""))
            words.append(word.upper() if key in ("attack.kind", "protocol.kind") else word)
        yield " ".join(filter(None, words))
