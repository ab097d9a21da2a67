"""A collection that is opened: its files found, its protocol bound, its reports counted once."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from ldptui.core.base.errors import ScenarioError, got
from ldptui.core.base.files import is_file
from ldptui.core.law.numbers import tells_numbers
from ldptui.core.law.pure import LocalMechanism
from ldptui.core.protocols import KINDS
from ldptui.core.reports.counted import Counted
from ldptui.core.reports.files import counted_in
from ldptui.core.reports.sources import check_rows, labels_in, sources, test_doubts

from ...explain.setting import read_key
from ...questions.collection import Collection
from ...questions.inputs import Ask
from ...text import format as text
from ..by_name import protocol as protocol_of
from ..screened import Screening, screen


@dataclass(frozen=True)
class Opened:
    """The files of a collection and its protocol, which are equal where nothing has changed.

    asked : what was typed. reports : their files, in order. states : the time of the last change
    and the size of each file, and of that of the items' names. protocol : with its parameters
    bound. labels : the names of the items, None where they are numbers. for_tests : whether some of
    the reports are for tests.
    """

    asked: tuple[Any, ...]
    reports: tuple[Path, ...]
    states: tuple[tuple[int, int], ...]
    protocol: LocalMechanism = field(compare=False)
    labels: tuple[str, ...] | None = field(compare=False)
    for_tests: bool = field(default=False, compare=False)

    @property
    def title(self) -> str:
        """The protocol, its budget and the domain, in a line."""
        kind, epsilon = str(self.asked[0]).upper(), self.asked[1]
        budget = "" if epsilon is None else f", ε = {text.chosen(epsilon)}"
        held = f"d = {text.count(self.protocol.domain_size)}"
        if tells_numbers(self.protocol):
            held = f"[{text.chosen(self.protocol.low)}, {text.chosen(self.protocol.high)}]"
        return f"{kind}{budget}, {held}{', reports for tests' * self.for_tests}"


def opened(collection: Collection, ask: Ask) -> Opened:
    """The collection that a form or a command names.

    Raises ScenarioError, whose key is a field of the collection, and FileError.
    """
    places = [ask.place(text_) for text_ in collection.reports if text_]
    if not places:
        rule = "needs a file of reports, a folder or a pattern: type its path, or ctrl+o"
        raise ScenarioError(rule, key="reports")
    files = tuple(source for source in sources(places) if isinstance(source, Path))
    for path in files:
        if ask.tab and not is_file(path):  # a command's is refused by who reads it
            raise ScenarioError(f"must be a file, {got(str(path))}", key="reports")
    labels: tuple[str, ...] | None = None
    read = files
    if collection.domain:
        path = Path(ask.place(collection.domain))
        if ask.tab and not is_file(path):
            raise ScenarioError(f"must be a file, {got(str(path))}", key="domain")
        labels, read = tuple(labels_in(path)), (*files, path)
    size = collection.items if labels is None else len(labels)
    kind = collection.protocol.lower()
    if kind not in KINDS:
        raise ScenarioError(f"must be one of {', '.join(KINDS)}, got {kind}", key="protocol")
    span = {}
    if collection.low is not None:
        span = {"low": collection.low, "high": collection.high}
    elif size is None:
        raise ScenarioError("needs the number of items, or a file of their names", key="items")
    keys = {name: read_key(KINDS[kind], name, each) for name, each in collection.keys.items()}
    keys |= {} if collection.epsilon is None else {"epsilon": collection.epsilon}
    try:
        protocol = protocol_of(kind, size, labels=labels, **span, **keys)
    except ScenarioError as error:
        name = error.key.removeprefix("protocol.")
        raise ScenarioError(error.rule, "protocol" if name == "kind" else name) from error
    asked = (kind, collection.epsilon, collection.items, collection.domain, *span.values(),
             tuple(sorted(collection.keys.items())))  # fmt: skip
    return Opened(
        asked, files, tuple(map(_state, read)), protocol, labels, bool(test_doubts(files))
    )


def _state(path: Path) -> tuple[int, int]:
    """The time of the last change and the size; zeros where reading will say what is wrong."""
    try:
        state = path.stat()
    except OSError:
        return 0, 0
    return state.st_mtime_ns, state.st_size


@lru_cache(maxsize=2)
def counted_of(collection: Opened) -> Counted:
    """The counts of all its reports, kept until a file changes; raises LdpError."""
    return counted_in(collection.reports, collection.protocol, collection.labels)


@lru_cache(maxsize=2)
def screened_of(collection: Opened, trials: int) -> Screening:
    """The verdicts on all its reports, kept until a file changes; raises LdpError.

    trials : the simulated collections that the rates of filters come from.
    """
    check_rows(collection.reports, "reports")
    reports, labels = [*collection.reports], collection.labels
    return screen(reports, collection.protocol, labels=labels, trials=trials)
