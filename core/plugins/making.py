"""The protocols and populations that somebody's code makes, where it may run."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, Final, NoReturn

import numpy as np

from ..base.errors import CellError, ProtocolError, ScenarioError
from ..base.sampling import Counts, Floats
from ..base.secure import generator
from ..law.doors import Doors
from ..law.law import Ask, Lack, Law
from ..law.pure import Estimates, Items, Reports, Rng
from ..population import Population, PythonPopulation, Weighted
from ..population.population import given
from ..protocols import Listed, PythonProtocol, PythonSpec
from .finding import Source, named
from .loading import code_at, explained

SENDS: Final = {
    "random": "random_reports",
    "crafted": "craft",
    "avoided": "avoid",
    "unperturbed": "unperturbed",
}
"""The method that makes the reports of each law, where a protocol has no tables."""

TOLD: Final = ("perturb", "support_counts")
"""The methods that a protocol without tables has, besides `estimates` or p and q."""


@dataclass(frozen=True)
class PluginSpec(PythonSpec):
    """A protocol in Python whose code may run."""

    source: Source = field(kw_only=True)

    def bind(self, domain_size: int) -> Any:
        """The protocol that its code makes for a domain; raises ScenarioError."""
        options = json.dumps(self.options)
        try:
            return protocol_of(self.source, domain_size, self.epsilon, options)
        except CellError as error:
            raise ScenarioError(str(error), key="name") from error


@functools.lru_cache(maxsize=64)
def protocol_of(source: Source, items: int, epsilon: float, options: str) -> Any:
    """The protocol of somebody's code: `Listed` where it gives its tables, else `Reported`.

    options : as JSON. Raises ProtocolError.
    """
    made = _object(source, items, epsilon, options)
    if _has(made, "law", "table"):
        return _listed(source, made, items, epsilon, options)
    lacking = [name for name in TOLD if not callable(getattr(made, name, None))]
    if not _has(made, "estimates") and not _has(made, "p", "q"):
        lacking.append("estimates")
    if lacking:
        rule = f"must have law and table, or {' and '.join(TOLD)} and estimates"
        raise ProtocolError(source.sentence(f"{rule}, got no {lacking[0]}"))
    return Reported(items, epsilon, source.digest, options, source)


def protocol_named(place: str, items: int, epsilon: float, options: Mapping[str, Any]) -> Any:
    """The protocol at FILE.py:NAME, or of an installed package, as scenarios have it.

    Raises ScenarioError, FileError, ProtocolError.
    """
    return protocol_of(named(place, "protocol"), items, epsilon, json.dumps(options, default=str))


def object_named(place: str, items: int, epsilon: float, fresh: bool = False) -> Any:
    """The object itself that is made there, to be checked; its tables as a protocol.

    fresh : whether its code is run anew, as in a fresh start of a client.
    Raises ScenarioError, FileError, ProtocolError.
    """
    source = named(place, "protocol")
    make = _object.__wrapped__ if fresh else _object
    made = make(source, items, epsilon, "{}")
    if _has(made, "law", "table") and not _has(made, "perturb"):
        return _listed(source, made, items, epsilon, "{}")
    return made


def _has(made: object, *names: str) -> bool:
    """True where the object has all these attributes."""
    return all(hasattr(made, name) for name in names)


def _listed(source: Source, made: Any, items: int, epsilon: float, options: str) -> Listed:
    """The protocol of an object's tables; raises ProtocolError."""
    address = f"{source.name} {source.digest} {options}"
    try:
        return Listed(items, epsilon, made.law, made.table, address)
    except ScenarioError as error:
        words = f"the {error.key} of {source.label} {error.rule}{source.spot}"
        raise ProtocolError(words) from error


@functools.lru_cache(maxsize=64)
def _object(source: Source, items: int, epsilon: float, options: str) -> Any:
    """The object that a name makes, once in a process: NAME(items, epsilon, **options).

    options : as JSON. Raises ProtocolError.
    """
    with explained(source):
        make = code_at(source)
        if not callable(make):
            rule = "must be a function or a class that takes items and epsilon"
            raise ProtocolError(source.sentence(f"{rule}, got {type(make).__name__}"))
        return make(items, epsilon, **json.loads(options))


@dataclass(frozen=True)
class Reported(Doors):
    """A protocol without tables that may run: its code makes and reads every report.

    Picklable, as the process that uses it loads its code. digest : of the code, for random streams.
    options : as JSON. Nothing is known of its laws, so that there is no closed form.
    """

    family: ClassVar[str] = PythonProtocol.family
    lacks: ClassVar[dict[str, str]] = PythonProtocol.lacks

    domain_size: int
    epsilon: float
    digest: str
    options: str
    source: Source = field(repr=False)

    @property
    def code(self) -> str:
        """The name of the code that makes its reports."""
        return self.source.name

    @property
    def report_bits(self) -> float:
        return float(getattr(self._object, "report_bits", 0.0))

    @property
    def _object(self) -> Any:
        return _object(self.source, self.domain_size, self.epsilon, self.options)

    def law_of(self, ask: Ask) -> Law | Lack:
        """The law whose reports the code makes, user by user."""
        everything = ask.law == "avoided" and ask.targets.size == self.domain_size
        if everything or ask.law in ("subset", "disguised", "solved"):
            return self.lack(ask)
        name = SENDS.get(ask.law, "perturb")
        if name != "perturb" and not _has(self._object, name):
            return Lack(f"{self.source.label}, which has no {name}")
        return Law(partial(self._sent, ask), self._no_counts)

    def _sent(self, ask: Ask, count: int, rng: Rng) -> Reports:
        """The reports of n fakes, by the method of the law."""
        match ask.law:
            case "honest":
                return self.perturb(ask.items(count, rng), rng)
            case "unperturbed":
                return self.unperturbed(ask.items(count, rng), rng)
            case "random":
                return self._reports(lambda: self._object.random_reports(count, rng))
            case "crafted":
                made = partial(self._object.craft, ask.targets, count, ask.search, rng)
            case _:
                made = partial(self._object.avoid, ask.targets, count, ask.search, rng)
        return self._reports(made)

    def _no_counts(self, *_: object) -> NoReturn:
        raise ProtocolError(self.source.sentence("makes reports, and no counts are drawn"))

    def unperturbed(self, values: Items, rng: Rng) -> Reports:
        """Reports of these items as they are; raises ProtocolError."""
        return self._reports(lambda: self._object.unperturbed(values, rng))

    def perturb(self, values: Items, rng: Rng | None = None) -> Reports:
        """Honest reports, as the code makes them; raises ProtocolError."""
        rng = generator(rng)
        reports = self._reports(lambda: self._object.perturb(values.copy(), rng))
        if len(reports) != values.size:
            rule = f"must perturb {values.size} items to as many reports, got {len(reports)}"
            raise ProtocolError(self.source.sentence(rule))
        return reports

    def _reports(self, make: Callable[[], object]) -> Reports:
        with explained(self.source):
            made = make()
        if not isinstance(made, np.ndarray) or not made.ndim:
            rule = f"must make reports as an array, got {type(made).__name__}"
            raise ProtocolError(self.source.sentence(rule))
        return made

    def support_counts(self, reports: Reports) -> Counts:
        """The counts that the code adds up over reports; raises ProtocolError."""
        with explained(self.source):
            made = np.asarray(self._object.support_counts(reports))
        if made.shape != (self.domain_size,) or made.dtype.kind not in "biuf":
            rule = f"must count a number for each of {self.domain_size} items"
            got = f"{made.dtype}{list(made.shape)}"
            raise ProtocolError(self.source.sentence(f"{rule}, got {got}"))
        return made.astype(np.float64 if made.dtype.kind == "f" else np.int64)

    def estimates(self, counts: Counts, users: int) -> Estimates:
        """The frequencies that the code concludes, float64[trials, d]; raises ProtocolError."""
        with explained(self.source):
            if not _has(self._object, "estimates"):
                p, q = float(self._object.p), float(self._object.q)
                return Estimates((counts / users - q) / (p - q))
            made = self._object.estimates(counts.copy(), users)
            frequencies = np.asarray(getattr(made, "frequencies", made), dtype=np.float64)
        if frequencies.shape != counts.shape or not np.isfinite(frequencies).all():
            rule = f"must estimate finite numbers of shape {list(counts.shape)}"
            got = list(frequencies.shape)
            raise ProtocolError(self.source.sentence(f"{rule}, got {got}"))
        return Estimates(frequencies)

    def received(self, reports: object, count: int) -> Reports:
        """Reports of a stranger, checked by the code where it does; raises ValueError."""
        if _has(self._object, "received"):
            made: Reports = self._object.received(reports, count)
            return made
        if not isinstance(reports, np.ndarray) or len(reports) != count:
            raise ValueError(f"must be an array of {count} reports, got {type(reports).__name__}")
        return reports


@dataclass(frozen=True)
class PluginPopulation(Weighted, PythonPopulation):
    """A population in Python whose code may run."""

    source: Source = field(kw_only=True, repr=False)

    def weights(self) -> Floats:
        """The weights that its code gives; raises ScenarioError."""
        try:
            with explained(self.source):
                made = code_at(self.source)(self.items, **self.options)
                weights: Floats = np.array(made, dtype=np.float64)
        except CellError as error:
            raise ScenarioError(str(error), key="name") from error
        if weights.shape != (self.items,):
            rule = f"must give a weight for each of {self.items} items"
            got = list(weights.shape)
            raise ScenarioError(self.source.sentence(f"{rule}, got {got}"), key="name")
        if not np.isfinite(weights).all() or weights.min() < 0 or not weights.sum() > 0:
            rule = "must give weights that are finite, at least 0 and not all 0"
            raise ScenarioError(self.source.sentence(rule), key="name")
        return weights

    def drawn(self, weights: Floats, seed: int) -> Population:
        """The users with these weights of items: data, as if from a file."""
        return given(super().drawn(weights, seed).histogram, None)
