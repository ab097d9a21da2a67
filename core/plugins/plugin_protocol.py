"""Protocols in Python, if their code is permitted."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, Final, NoReturn

import numpy as np

from ..base.errors import CellError, ProtocolError, ScenarioError
from ..base.named import fields_of
from ..base.sampling import Counts
from ..base.secure import generator
from ..law.law import Ask, Lack, Law
from ..law.mechanism import LocalMechanism
from ..law.pure import Estimates, Items, Reports, Rng
from ..protocols import PythonProtocol, PythonSpec, TableProtocol
from .code_loading import check_numbers, explain_errors, load_object
from .code_location import CodeLocation, code_from_name

METHODS: Final = {
    "random": "random_reports",
    "crafted": "craft",
    "avoided": "avoid",
    "unperturbed": "unperturbed",
}
"""The method that makes the reports of each law, where a protocol has no tables."""


@dataclass(frozen=True)
class PluginSpec(PythonSpec):
    """The `[protocol]` table of a permitted protocol in Python."""

    source: CodeLocation = field(kw_only=True)

    def bind(self, domain_size: int) -> Any:
        """The protocol that the code makes for d items.

        Raises ScenarioError if the code fails or makes no protocol.
        """
        options = json.dumps(self.options)
        try:
            return bind_protocol(self.source, domain_size, self.epsilon, options)
        except CellError as error:
            raise ScenarioError(str(error), key="name") from error


@functools.lru_cache(maxsize=64)
def bind_protocol(code: CodeLocation, items: int, epsilon: float, options: str) -> Any:
    """The protocol in Python: a `TableProtocol` if the code gives its tables, else a
    PythonMechanism.

    options : as JSON. Raises ProtocolError if the code fails or makes no protocol.
    """
    made = _made_object(code, items, epsilon, options)
    if _has(made, "law", "table"):
        return _protocol_of_tables(code, made, items, epsilon, options)
    lacking = [name for name in ("perturb", "support_counts") if not _has(made, name)]
    if not _has(made, "estimates") and not _has(made, "p", "q"):
        lacking.append("estimates")
    if lacking:
        rule = "must have law and table, or perturb and support_counts and estimates"
        raise code.failure(f"{rule}, got no {lacking[0]}")
    return PythonMechanism(items, epsilon, code.digest, options, code)


def make_protocol(place: str, items: int, epsilon: float, options: Mapping[str, Any]) -> Any:
    """The protocol at FILE.py:NAME or of an installed package, made as for scenarios.

    Raises ScenarioError or FileError if there is no such code, ProtocolError if it makes no
    protocol.
    """
    code = code_from_name(place, "protocol")
    return bind_protocol(code, items, epsilon, json.dumps(options, default=str))


def make_object(place: str, items: int, epsilon: float, fresh: bool = False) -> Any:
    """The protocol object that plug-in code makes, for checks; a `TableProtocol` if it gives only
    tables.

    fresh : whether the code is run again, as when a client starts. Raises ScenarioError or
    FileError if there is no such code, ProtocolError if it fails.
    """
    code = code_from_name(place, "protocol")
    make = _made_object.__wrapped__ if fresh else _made_object
    made = make(code, items, epsilon, "{}")
    if _has(made, "law", "table") and not _has(made, "perturb"):
        return _protocol_of_tables(code, made, items, epsilon, "{}")
    return made


def _has(made: object, *names: str) -> bool:
    """True where the object has all these attributes."""
    return all(hasattr(made, name) for name in names)


def _protocol_of_tables(
    code: CodeLocation, made: Any, items: int, epsilon: float, options: str
) -> TableProtocol:
    """The protocol of an object's tables; raises ProtocolError."""
    address = f"{code.name} {code.digest} {options}"
    try:
        return TableProtocol(items, epsilon, made.law, made.table, address)
    except ScenarioError as error:
        words = f"the {error.key} of {code.label} {error.rule}{code.at_line(code.line)}"
        raise ProtocolError(words) from error


@functools.lru_cache(maxsize=64)
def _made_object(code: CodeLocation, items: int, epsilon: float, options: str) -> Any:
    """The object that a name makes, once in a process: NAME(items, epsilon, **options).

    options : as JSON. Raises ProtocolError.
    """
    with explain_errors(code):
        make = load_object(code)
        if not callable(make):
            rule = "must be a function or a class that takes items and epsilon"
            raise code.failure(f"{rule}, got {type(make).__name__}")
        return make(items, epsilon, **json.loads(options))


@dataclass(frozen=True)
class PythonMechanism(LocalMechanism):
    """A protocol in Python without tables: its code makes and counts the reports.

    It is picklable: each process loads the code. The distribution of reports is not known, so that
    there is no closed form. Methods raise ProtocolError if the code fails.

    digest : of the code, for random streams.
    options : as JSON.
    """

    family: ClassVar[str] = PythonProtocol.family
    lacks: ClassVar[dict[str, str]] = PythonProtocol.lacks

    domain_size: int
    epsilon: float
    digest: str
    options: str
    source: CodeLocation = field(repr=False)

    def __repr__(self) -> str:
        """The text that determines its random streams, with the class name that it had
        until 0.2.
        """
        parts = (f"{name}={getattr(self, name)!r}" for name in fields_of(self) if name != "source")
        return f"Reported({', '.join(parts)})"

    @property
    def code(self) -> str:
        """The name of the plug-in code."""
        return self.source.name

    @property
    def report_bits(self) -> float:
        return float(getattr(self._object, "report_bits", 0.0))

    @property
    def _object(self) -> Any:
        return _made_object(self.source, self.domain_size, self.epsilon, self.options)

    def law_of(self, ask: Ask) -> Law | Lack:
        """A distribution whose reports the plug-in code draws, without counts; a `Lack` if it has
        no method for it.
        """
        everything = ask.law == "avoided" and ask.targets.size == self.domain_size
        if everything or ask.law in ("subset", "disguised", "solved"):
            return self.lack(ask)
        name = METHODS.get(ask.law, "perturb")
        if name != "perturb" and not _has(self._object, name):
            return Lack(f"{self.source.label}, which has no {name}")
        return Law(partial(self._fake_reports, ask), self._refuse_counts)

    def _fake_reports(self, ask: Ask, count: int, rng: Rng) -> Reports:
        """The reports of n fakes, by the method of the law."""
        match ask.law:
            case "unperturbed":
                return self.unperturbed(ask.items(count, rng), rng)
            case "random":
                return self._reports(lambda: self._object.random_reports(count, rng))
            case "crafted" | "avoided":
                make = getattr(self._object, METHODS[ask.law])
                return self._reports(lambda: make(ask.targets, count, ask.search, rng))
        return self.perturb(ask.items(count, rng), rng)

    def _refuse_counts(self, *_: Any, **__: Any) -> NoReturn:
        raise self.source.failure("makes reports, and no counts are drawn")

    sample_counts = unperturbed_counts = _refuse_counts

    def unperturbed(self, values: Items, rng: Rng) -> Reports:
        """Reports of these items without noise; raises ProtocolError."""
        return self._reports(lambda: self._object.unperturbed(values, rng))

    def perturb(self, values: Items, rng: Rng | None = None) -> Reports:
        """Honest reports that the plug-in code makes of items int64[n]; raises ProtocolError."""
        rng = generator(rng)
        reports = self._reports(lambda: self._object.perturb(values.copy(), rng))
        if len(reports) != values.size:
            rule = f"must perturb {values.size} items to as many reports, got {len(reports)}"
            raise self.source.failure(rule)
        return reports

    def _reports(self, make: Callable[[], object]) -> Reports:
        with explain_errors(self.source):
            made = make()
        if not isinstance(made, np.ndarray) or not made.ndim:
            raise self.source.failure(f"must make reports as an array, got {type(made).__name__}")
        return made

    def support_counts(self, reports: Reports) -> Counts:
        """The counts, int64[d] or float64[d], that the plug-in code makes of reports; raises
        ProtocolError.
        """
        with explain_errors(self.source):
            made = self._object.support_counts(reports)
        counts = check_numbers(self.source, made, (self.domain_size,), what="counts")
        return np.asarray(counts, np.float64 if counts.dtype.kind == "f" else np.int64)

    def estimates(self, counts: Counts, users: int) -> Estimates:
        """The frequencies that the plug-in code estimates from counts, of the shape of `counts`.

        With p and q instead of `estimates`: (C/n - q) / (p - q). Raises ProtocolError.
        """
        with explain_errors(self.source):
            if not _has(self._object, "estimates"):
                p, q = float(self._object.p), float(self._object.q)
                return Estimates((counts / users - q) / (p - q))
            made = self._object.estimates(counts.copy(), users)
        made = getattr(made, "frequencies", made)
        frequencies = check_numbers(self.source, made, counts.shape, what="finite estimates")
        return Estimates(np.asarray(frequencies, np.float64))

    def validate_reports(self, reports: object, count: int) -> Reports:
        """The reports themselves, validated by the plug-in code if it can; raises ValueError if
        they are invalid.
        """
        if _has(self._object, "validate_reports"):
            made: Reports = self._object.validate_reports(reports, count)
            return made
        if not isinstance(reports, np.ndarray) or len(reports) != count:
            raise ValueError(f"must be an array of {count} reports, got {type(reports).__name__}")
        return reports
