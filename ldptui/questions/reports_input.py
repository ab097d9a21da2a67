"""The reports that a question is about: files found, their protocol bound, counted once."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ldptui.core.base.errors import ScenarioError, got
from ldptui.core.base.files import Source, StdinFile, check_other, is_file, write_atomically
from ldptui.core.law.mechanism import name_of
from ldptui.core.law.numeric_protocol import NumericProtocol
from ldptui.core.law.pure import LocalMechanism
from ldptui.core.plugins import published_names
from ldptui.core.protocols import NAMED
from ldptui.core.reports.arguments import keys_of, local
from ldptui.core.reports.arguments import names as item_names
from ldptui.core.reports.column_layout import Order
from ldptui.core.reports.describing import fault_of_counts
from ldptui.core.reports.points import protocol as protocol_of
from ldptui.core.reports.report_counts import Counted, counted
from ldptui.core.reports.report_files import counted_in
from ldptui.core.reports.sources import labels_in, sources, test_doubts

from ..explain.formula_inputs import read_key
from ..terminal.output import check_writable
from ..text import format as text
from .choices import BUNDLED
from .options import is_given
from .question_answer import QuestionAnswer

if TYPE_CHECKING:
    from ldptui.core.reports.concluding import Heard
    from ldptui.core.reports.screening import ScreeningResult


@dataclass(frozen=True)
class ReportCollection:
    """Reports with the protocol that they follow; two are equal if their files are equal and
    unchanged.

    state : the given options, and the time of the last change and the size of each file.
    files : None for reports given in Python, which are `given`.
    labels : the names of the items; None if they are numbers.
    """

    state: tuple[Any, ...]
    name: str = field(compare=False)
    protocol: Any = field(compare=False)
    labels: Sequence[str] | None = field(compare=False)
    files: Sequence[Source] | None = field(compare=False)
    given: Any = field(compare=False)

    @property
    def is_of_numbers(self) -> bool:
        return isinstance(self.protocol, NumericProtocol)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all items."""
        return tuple(self.labels or map(str, range(self.protocol.domain_size)))

    @property
    def title(self) -> str:
        """The protocol, its budget and the domain, in a line."""
        epsilon = getattr(self.protocol, "epsilon", None)
        budget = "" if epsilon is None else f", ε = {text.chosen_value(epsilon)}"
        held = f"d = {text.count(self.protocol.domain_size)}"
        if self.is_of_numbers:
            held = (
                f"[{text.chosen_value(self.protocol.low)}, {text.chosen_value(self.protocol.high)}]"
            )
        return f"{self.name}{budget}, {held}"

    @property
    def source(self) -> str:
        """Words that name the files or the array of the reports."""
        if self.files is None:
            return "reports"
        return f"the reports of {text.plural(len(self.files), 'file')}"

    @property
    def doubts(self) -> tuple[str, ...]:
        """The reasons to doubt the reports: warnings of the protocol, or files written
        for tests.
        """
        own = f"{BUNDLED}{os.sep}"
        told = (sentence.removeprefix(own) for sentence in test_doubts(self.files or ()))
        return (*self.protocol.warnings, *told)

    @property
    def rows(self) -> Any:
        """The reports: an array, or the files with a row for each user.

        Raises ScenarioError for counts, which have no rows.
        """
        if self.files is None and not isinstance(self.given, np.ndarray):
            raise ScenarioError("must be reports of users", key="reports")
        return self.given if self.files is None else self.files

    @property
    def rows_again(self) -> Any:
        """The reports, to be read a second time.

        Raises ScenarioError for standard input, which can be read once.
        """
        if any(isinstance(file, StdinFile) for file in self.files or ()):
            raise ScenarioError(
                "must be files, which are read twice, got standard input", "reports"
            )
        return self.rows


@dataclass(frozen=True, eq=False, repr=False)
class ReportAnswer(QuestionAnswer):
    """The base of answers about reports.

    is_strict : True if a misfit is a failure.
    """

    collection: ReportCollection = field(kw_only=True)
    is_strict: bool = field(default=False, kw_only=True)

    @property
    def number(self) -> int:
        """N, the number of reports."""
        number: int = getattr(self, "reports")  # noqa: B009
        return number

    @property
    def title(self) -> str:
        return f"{self.collection.title}, {text.plural(self.number, 'report')}"

    @property
    def doubt(self) -> str | None:
        """A warning if the reports hardly fit the protocol; None if they may fit."""
        return None

    @property
    def doubts(self) -> Sequence[str]:
        return [*filter(None, (self.doubt,))]

    @property
    def read_doubts(self) -> Sequence[str]:
        return self.collection.doubts

    @property
    def is_misfit(self) -> bool:
        return self.is_strict and self.doubt is not None

    @property
    def findings(self) -> Iterator[str]:
        """The answer in words, without the doubts."""
        raise NotImplementedError

    @property
    def sentences(self) -> Iterator[str]:
        yield from self.findings
        yield from (f"{doubt}." for doubt in (*self.doubts, *self.read_doubts))

    def __repr__(self) -> str:
        return self.text()


def open_collection(
    reports: Any,
    protocol: Any,
    *,
    epsilon: float | None = None,
    items: int | None = None,
    domain: str | None = None,
    low: float | None = None,
    high: float | None = None,
    settings: Sequence[str] = (),
    keys: Mapping[str, str] | None = None,
    labels: Sequence[str] | None = None,
    bit_order: Order = "big",
    program: str | None = None,
) -> ReportCollection:
    """The reports that a command, a form or a Python call names; raises LdpError."""
    options = {"epsilon": epsilon, "items": items, "domain": domain, "low": low, "high": high}
    if not isinstance(protocol, str):
        for name, value in options.items():
            if value is not None:
                raise ScenarioError("must be left out beside a protocol that has it", key=name)
        bound, name = local(protocol), name_of(protocol)
        labels = item_names(labels, bound.domain_size)
    else:
        labels = labels_in(Path(domain)) if domain else labels
        bound, name = _bind(protocol, options, labels, settings, keys or {}), protocol.upper()
    state: tuple[Any, ...] = (object(),)
    files = None
    places = places_of(reports)
    if places is not None:
        if not places:
            raise ScenarioError("must name a file of reports, a folder or a pattern", key="reports")
        files = sources(places, bit_order)
        if words := fault_of_counts(files[0]):
            raise ScenarioError(f"must be reports: {words}", key="reports")
        if program is not None:
            from ldptui.core.reports.programs import count_program

            total = count_program(program, files, bound, labels)
            return ReportCollection(state, name, bound, labels, None, total)
        if not any(isinstance(file, StdinFile) for file in files):
            read = [*files, *([Path(domain)] if domain else [])]
            typed = (bit_order, *options.values(), *settings, *sorted((keys or {}).items()))
            state = (repr(bound), name, typed, tuple(map(_state_of, read)))
    elif isinstance(reports, Counted):
        labels = reports.labels if labels is None else labels
    elif not isinstance(reports, np.ndarray | Iterator):
        rule = f"must be an array of reports, their counts or files, {got(reports)}"
        raise ScenarioError(rule, key="reports")
    return ReportCollection(state, name, bound, labels, files, reports)


def places_of(reports: Any) -> list[Any] | None:
    """The paths and patterns of report files; None if the reports are an array."""
    places = reports if isinstance(reports, list | tuple) else [reports]
    if all(isinstance(each, str | Path | StdinFile) for each in places):
        return [each for each in places if each]
    return None


def _bind(
    kind: str, options: Mapping[str, Any], labels: Sequence[str] | None,
    settings: Sequence[str], keys: Mapping[str, str],
) -> LocalMechanism:  # fmt: skip
    """The protocol of a kind with its keys; raises ScenarioError, whose key is an option."""
    low, high = options["low"], options["high"]
    if low is not None and high is None:
        raise ScenarioError("is required with low", key="high")
    size = options["items"] if labels is None else len(labels)
    is_own = ":" in kind or kind in published_names("protocol")
    kind = kind if is_own else kind.lower()
    if size is None and low is None:
        raise ScenarioError("is required, or domain, or low and high of numbers", key="items")
    spec = NAMED.get(kind)
    given: dict[str, Any] = {name: value for name, value in keys.items() if value}
    if spec is not None:
        given = {name: read_key(spec, name, value) for name, value in given.items()}
    given |= keys_of(settings)
    if options["epsilon"] is not None:
        given["epsilon"] = options["epsilon"]
    span = {} if low is None else {"low": low, "high": high}
    try:
        return protocol_of(kind, size, labels=labels, **span, **given)
    except ScenarioError as error:
        name = error.key.removeprefix("protocol.")
        raise ScenarioError(error.rule, "protocol" if name == "kind" else name) from error


def _state_of(path: Source) -> tuple[str, int, int]:
    """A path, the time of its last change and its size; zeros if the file cannot be read."""
    try:
        state = Path(str(path)).stat()
    except OSError:
        return str(path), 0, 0
    return str(path), state.st_mtime_ns, state.st_size


def count_reports(collection: ReportCollection) -> Counted:
    """The support counts of all reports, cached until a file changes; raises LdpError."""
    if collection.files is not None:
        return _count_files(collection)
    if isinstance(collection.given, Counted):
        return collection.given
    return counted(collection.given, collection.protocol, collection.labels)


@lru_cache(maxsize=2)
def _count_files(collection: ReportCollection) -> Counted:
    assert collection.files is not None
    return counted_in(collection.files, collection.protocol, collection.labels)


def hear_collection(collection: ReportCollection, confidence: float) -> Heard:
    """The support counts and the lower bound on the number of fakes; cached for files. Raises
    LdpError.
    """
    if collection.files is not None:
        return _hear_files(collection, confidence)
    from ldptui.core.reports.concluding import hear_reports

    return hear_reports(collection.given, collection.protocol, confidence, collection.labels)


@lru_cache(maxsize=2)
def _hear_files(collection: ReportCollection, confidence: float) -> Heard:
    from ldptui.core.reports.concluding import hear_reports

    assert collection.files is not None
    return hear_reports(collection.files, collection.protocol, confidence, collection.labels)


@lru_cache(maxsize=2)
def screen_collection(collection: ReportCollection) -> ScreeningResult:
    """The verdicts of all screens on the reports, cached until a file changes; raises LdpError."""
    from ldptui.core.reports.screening import screen_reports

    return screen_reports(collection.rows, collection.protocol)


# Options that depend on others, and files that are written.


def check_kind(is_of_numbers: bool, of_numbers: Mapping[str, Any], **of_items: Any) -> None:
    """Refuse options about items for reports of numbers, and the reverse; raises ScenarioError."""
    rule = "goes with low, of a protocol of numbers"
    if is_of_numbers:
        rule = "is of frequencies of items, and users hold numbers"
    for name, value in (of_items if is_of_numbers else of_numbers).items():
        if is_given(value):
            raise ScenarioError(rule, key=name)


def check_new_files(
    collection: ReportCollection, domain: str | None, force: bool, **paths: str | None
) -> None:
    """Refuse output files that exist or are input files; raises LdpError."""
    for name, path in paths.items():
        if path is None:
            continue
        for read in (*(collection.files or ()), domain):
            if read is not None and not isinstance(read, StdinFile):
                check_other(Path(path), read, name)
        if is_file(Path(path)) and not force:
            raise ScenarioError(
                f"must be a new file, and {path} is there already (--force replaces it)", key=name
            )
        check_writable(Path(path))


def write_rows(path: str | None, rows: Any) -> None:
    """Write row numbers, counted from 1 over all files, one a line."""
    if path is not None:
        lines = "".join(f"{row + 1}\n" for row in rows.tolist())
        write_atomically(Path(path), f"row\n{lines}")


def misfit_words(far: Any, labels: Sequence[str], protocol: Any = None) -> str:
    """A sentence that says why reports hardly fit the protocol, and the likely cause."""
    value, errors = text.short(far.value), text.short(far.errors, 2)
    if far.item is None:
        off = f"the estimates add up to {value}, {errors} standard errors from 1"
    else:
        side = "below" if far.value < far.bound else "above"
        item = labels[far.item]
        off = f"{item} is estimated at {value}, {errors} standard errors {side} {far.bound:.0f}"
    hashed = "another hash, " * (getattr(protocol, "family", "") == "hashing")
    chance = text.short(far.chance, 1) if far.chance else "1e-300"
    return (
        f"{off}: the clients used {hashed}another epsilon or other parameters, or many reports "
        "are fake (poisoning: ldptui screen looks for it); noise alone goes as far in "
        f"{chance} of collections at most"
    )
