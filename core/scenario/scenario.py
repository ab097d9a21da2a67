"""A scenario as its author wrote it, read from a file or from text."""

from __future__ import annotations

import dataclasses
import itertools
import math
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final, TypeAlias

from ..base.errors import FileError, ScenarioError, got, reason_of
from . import dotted_document as dotted
from .change import drop_key, drop_sweeps, set_key, set_sweep
from .counted_table import is_table, write_scenario
from .dotted_document import Document, check_depth, check_finite, with_part_number
from .key_table import pattern, sweepable_keys, type_of
from .point import Point
from .sweep import MAX_CELLS, share_beside_goal, substitute, sweep_of, sweep_values
from .toml_writing import to_toml
from .validation import validate

MAX_BYTES: Final = 32 << 20
"""Room for counts of 2^20 items of 13 digits, a line each. A device may have no end."""


CheckResult: TypeAlias = tuple[list[ScenarioError], Point | None]
"""A point of a sweep, or everything that is wrong with it."""


@dataclass(frozen=True)
class Scenario:
    """A scenario as written by its author, with its sweeps.

    Attributes
    ----------
    document
        The parsed TOML; sweeps of the only defence or metric have its number.
    name
        Its name in messages: a file's name, or "scenario".
    folder
        The folder that relative paths start from.
    """

    document: Document = field(hash=False)
    name: str = "scenario"
    folder: Path = Path()

    def __post_init__(self) -> None:
        flat = sweep_of(self.document)
        placed = {with_part_number(self.document, key): values for key, values in flat.items()}
        if placed.keys() != flat.keys():
            object.__setattr__(self, "document", {**self.document, "sweep": placed})

    def __repr__(self) -> str:
        return f"<Scenario {self.name!r}: {self.title!r}, cells: {self.cells}>"

    def __str__(self) -> str:
        """The scenario as TOML, as an export writes it."""
        return to_toml(self.document)

    @property
    def title(self) -> str:
        """The title; the name of the file without a title."""
        return str(self.document.get("title") or self.name)

    @property
    def about(self) -> str:
        """The description of the scenario and its source; "" if none is given."""
        return str(self.document.get("about", "")).strip()

    @property
    def labels(self) -> dict[str, str]:
        """The labels for figures and tables of papers, by the program's own names."""
        return dict(self.document.get("labels", {}))

    @cached_property
    def sweep(self) -> dict[str, list[Any]]:
        """The swept keys in file order, each with its values."""
        return sweep_values(self.document)

    @property
    def cells(self) -> int:
        """The number of points of the sweep."""
        return math.prod(map(len, self.sweep.values()))

    def points(self) -> Iterator[Point]:
        """Yields every point, the last swept key fastest.

        Raises
        ------
        ScenarioError
            At the first invalid point.

        Examples
        --------
        >>> import ldptui
        >>> [point.attack.share for point in ldptui.load("survey").points()]
        [0.0, 0.005, 0.01, 0.02, 0.05]
        """
        sweep = self.sweep
        for values in itertools.product(*sweep.values()):
            problems, point = self._check(dict(zip(sweep, values, strict=True)), sweep)
            if point is None:
                raise problems[0].at(self.name)
            yield point

    @cached_property
    def _check_results(self) -> dict[str, CheckResult]:
        """The points that were checked, by the values of their swept keys."""
        return {}

    def _check(self, chosen: Mapping[str, Any], sweep: Mapping[str, Any]) -> CheckResult:
        """The point with these swept values, or everything that is wrong with it; checked once."""
        values = repr([*chosen.values()])
        if values not in self._check_results:
            self._check_results[values] = validate(substitute(self.document, chosen, sweep), sweep)
        return self._check_results[values]

    def problems(self) -> list[ScenarioError]:
        """All errors of the scenario, in the order of the document; [] if it is valid.

        Each swept value is checked with the first value of every other key, and so are the unswept
        values of swept keys. With too many cells to compile, only the first values are checked.

        Examples
        --------
        >>> import ldptui
        >>> [error.key for error in ldptui.load("quickstart").with_value("trials", 0).problems()]
        ['trials']
        """
        try:
            sweep = self.sweep
            first = {key: values[0] for key, values in sweep.items()}
            problems, _ = self._check(first, sweep)
            for key, values in () if problems or self.cells > MAX_CELLS else sweep.items():
                for value in values[1:]:
                    more, _ = self._check({**first, key: value}, sweep)
                    problems = problems or more
            if not problems:
                check_finite(self.document)
                problems = [] if self.cells > MAX_CELLS else self._beneath(first, sweep)
        except ScenarioError as error:
            problems = [error]
        return [error.at(self.name) for error in problems]

    def _beneath(self, first: Mapping[str, Any], sweep: Mapping[str, Any]) -> list[ScenarioError]:
        """Everything that is wrong with the own values of swept keys, which a sweep replaces."""
        own = {
            key: value
            for key in sweep
            if (value := dotted.value_at(self.document, key)) is not None
        }
        problems, _ = self._check({**first, **own}, sweep)
        return [problem for problem in problems if problem.key in own]

    def without(self, key: str) -> Scenario:
        """The scenario without a key or a table, and without the sweeps of it; unchecked.

        Parameters
        ----------
        key
            Dotted, as `attack.share`.

        Examples
        --------
        >>> import ldptui
        >>> ldptui.load("quickstart").without("sweep").cells
        1
        """
        key = with_part_number(self.document, key)
        return dataclasses.replace(self, document=drop_key(self.document, key))

    def set(self, changes: Mapping[str, Any]) -> Scenario:
        """The scenario with keys set, where a list of values makes a sweep; checked for nesting
        only.

        Parameters
        ----------
        changes
            Values by dotted keys, in the order in which they are set. A list for a key that takes
            no list, or `{"from", "to", "points"}`, sweeps the key; everything else replaces its
            value and its sweep. A goal takes the place of `attack.share` and the other way round;
            both at once are refused.

        Raises
        ------
        ScenarioError
            Where a key cannot be set, or is nested absurdly.

        Examples
        --------
        >>> import ldptui
        >>> ldptui.load("quickstart").set({"attack.share": [0.01, 0.05], "trials": 5}).cells
        2
        """
        if not isinstance(changes, Mapping):
            raise ScenarioError(f"must be a dict of values by their keys, {got(changes)}", "set")
        if "attack.share" in changes and any(f"{key}.".startswith("goal.") for key in changes):
            raise share_beside_goal(changes["attack.share"]).at(self.name)
        scenario = self
        for key, value in changes.items():
            number = with_part_number(scenario.document, key)
            if _sweeps(number, value):
                changed = set_sweep(scenario.document, number, value)
                scenario = scenario._with_document(changed)
            else:
                scenario = scenario.with_value(key, value)
        return scenario

    def _with_document(self, document: Document) -> Scenario:
        check_depth(document, self.name)
        return dataclasses.replace(self, document=document)

    def with_value(self, key: str, value: Any) -> Scenario:
        """The scenario with one key set, replacing its sweep; unchecked but for absurd nesting.

        Setting a table replaces the sweeps of the keys below it. Setting a `kind` drops the keys
        of that table that the new kind does not know.

        Parameters
        ----------
        key
            Dotted, as `attack.share`.
        value
            The value, as a scenario file has it.

        Raises
        ------
        ScenarioError
            Where the key cannot be set, or is nested absurdly.

        Examples
        --------
        >>> import ldptui
        >>> ldptui.load("quickstart").with_value("attack.share", 0.1).cells  # it was swept
        1
        """
        key = with_part_number(self.document, key)
        try:
            return self._with_document(set_key(drop_sweeps(self.document, key), key, value))
        except ScenarioError as error:
            raise error.at(self.name) from error


def _sweeps(key: str, value: Any) -> bool:
    """Whether a value is meant as those that a sweep of the key goes through."""
    if pattern(key) not in sweepable_keys():
        return False
    if isinstance(value, dict):
        return "from" in value and "to" in value
    return isinstance(value, list) and (
        type_of(key) is not list or (bool(value) and all(isinstance(each, list) for each in value))
    )


def parse(text: str, name: str = "scenario", folder: Path = Path()) -> Scenario:
    """A checked scenario from TOML text.

    Raises ScenarioError with the first error's line or dotted key.
    """
    scenario = read_document(text, name, folder)
    problems = scenario.problems()
    if problems:
        raise problems[0]
    return scenario


def read_document(text: str, name: str = "scenario", folder: Path = Path()) -> Scenario:
    """A scenario from TOML text, its values not yet checked; raises ScenarioError for
    invalid TOML.
    """
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        reason, line = _syntax(str(error), text)
        raise ScenarioError(reason, where=name, line=line) from error
    except RecursionError as error:
        raise ScenarioError("is nested too deeply", where=name) from error
    except ValueError as error:  # that the digits of an integer are too many to read
        raise ScenarioError("holds a number that is out of range", where=name) from error
    check_depth(document, name)
    return Scenario(document, name, folder)


def _syntax(message: str, text: str) -> tuple[str, int]:
    """tomllib's message in our words, and its line."""
    place = re.search(r" \(at (?:line (\d+), column \d+|end of document)\)$", message)
    reason = message[: place.start()] if place else message
    line = int(place[1]) if place and place[1] else text.count("\n") + 1
    words = SYNTAX.get(reason, f"{reason[:1].lower()}{reason[1:]}")
    return f"is not valid TOML: {words}", line


SYNTAX: Final = {
    "Invalid value": "a value is missing, or a text without quotes",
    "Expected '=' after a key in a key/value pair": "a name has no = and value behind it",
    "Expected newline or end of document after a statement": "a line has more than name = value",
    "Invalid initial character for a key part": "a name is missing",
    "Invalid statement": "a line is neither name = value nor [table]",
    "Expected ']' at the end of a table declaration": "the name of a table has no ] behind it",
    "Expected ']]' at the end of an array declaration": "the name of a table has no ]] behind it",
    "Unclosed array": "a list has no ] at its end",
    "Unclosed inline table": "a table in a line has no } at its end",
    "Unterminated string": "a text has no quote at its end",
    "Illegal character '\\n'": "a text has no quote at its end",
    "Cannot overwrite a value": "a name stands twice in a table",
}
"""Messages of tomllib, in plain words."""


def load(path: Path) -> Scenario:
    """A checked scenario from a file, or about the people of a table; raises FileError or
    ScenarioError.
    """
    return parse(read_scenario(path), str(path), path.parent)


def read_scenario(path: Path) -> str:
    """The text of a scenario's file or pipe, or of a scenario about the people of a table.

    Raises FileError, ContentError or ScenarioError.
    """
    return write_scenario(path) if is_table(path) else read_text(path)


def read_text(path: Path) -> str:
    """The text of a file or pipe.

    Raises FileError if it cannot be read, ScenarioError if it is too large or not UTF-8.
    """
    try:
        with path.open("rb") as file:  # a pipe or a device does not say how much will come
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise FileError(f"{path} cannot be read: {reason_of(error)}") from error
    if len(data) > MAX_BYTES:
        raise ScenarioError(f"must be at most {MAX_BYTES >> 20} MiB", where=str(path))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise ScenarioError("is not UTF-8 text", where=str(path), line=line) from error
    return text.replace("\r\n", "\n")
