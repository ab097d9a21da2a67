"""A topic asked: by its command, which prints and returns an exit code, or by its tab.

A tab's work is a generator that says what it works on and returns its `Answer`. It runs in the
background worker, which may stop it between any two steps of Python. Whoever asks, a
`ScenarioError` names the argument or the field that is wrong.
"""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from ldptui.core.base.errors import FileError, ScenarioError
from ldptui.core.base.tables import table_rows
from ldptui.core.cell import Cell
from ldptui.core.lab.columns import Column, read_columns
from ldptui.core.law.pure import Rng
from ldptui.core.scenario import Scenario

from ..text import table as layout
from .answer import Answer, listed
from .figure import Figure
from .options import concerned
from .output import Report, cited
from .questions.shared import EXAMPLES
from .topics import TOPICS, Topic


class Offers(dict[str, tuple[str, ...]]):
    """The words that can complete fields, by field; yielded on the way, before any answer."""


Steps: TypeAlias = Generator["str | Offers | Answer", None, Answer]
"""A tab's work; an answer on the way is what is known so far."""


@dataclass(frozen=True)
class Ask:
    """A tab's question: the checked values of all options, and where it is asked.

    document : the scenario of the workbench, None while none is valid. folder : where relative
    paths start. path : the file to write, "" for none.
    """

    given: Namespace
    document: Mapping[str, Any] | None
    folder: Path
    path: str = ""

    @property
    def cell(self) -> Cell:
        """The scenario's population and protocol, bound; raises ScenarioError."""
        if self.document is None:
            raise ScenarioError("the scenario has no population yet: esc, then mend it")
        return _bound(json.dumps(dict(self.document), default=str), self.folder)

    @property
    def rng(self) -> Rng:
        return np.random.default_rng(self.given.seed)

    def file(self) -> Path:
        """The absolute path of the table, which has to be there; raises ScenarioError."""
        text = self.given.file
        if not text:
            rule = "type the path of a CSV file, or choose one with ctrl+o"
            raise ScenarioError(rule, key="file")
        try:
            path = self.folder / Path(text).expanduser()
        except RuntimeError:
            path = self.folder / text
        if not path.is_file() and text in EXAMPLES.values():
            path = Path(__file__).parent / "examples" / text
        if not path.is_file():
            raise ScenarioError(f"must be a file, got {path}", key="file")
        return path


@lru_cache(maxsize=2)
def _bound(document: str, folder: Path) -> Cell:
    from ldptui.core.experiment import compile as bind

    return bind(Scenario(json.loads(document), "", folder)).cells[0]


def header_of(path: Path) -> tuple[str, ...]:
    """The columns of a CSV file; raises ScenarioError."""
    try:
        with table_rows(path) as rows:
            return tuple(next(rows, ()))
    except FileError as error:
        raise ScenarioError(str(error), key="file") from error


def columns_of(path: Path, names: Sequence[str], most: int | None = None) -> list[Column]:
    """Columns of a CSV file, kept for the next few questions until it changes; raises LdpError."""
    try:
        state = path.stat()
    except OSError:
        return read_columns(path, names, most)  # which says what is wrong
    return _columns(path, (state.st_mtime_ns, state.st_size), tuple(names), most)


@lru_cache(maxsize=2)
def _columns(
    path: Path,
    state: tuple[int, int],  # noqa: ARG001 - part of the key
    names: tuple[str, ...],
    most: int | None,
) -> list[Column]:
    return read_columns(path, names, most)


def answer_of(report: Report, *figures: Figure, words: Sequence[str] = ()) -> Answer:
    """The table of a command beside its figures; `words` come before the report's own."""
    values = layout.aligned([row[1] for row in report.rows])
    rows = [(row[0], value, *row[2:]) for row, value in zip(report.rows, values, strict=True)]
    table = listed(report.title, ("quantity", "value", "formula", "source"), rows)
    return Answer(figures, table, (*words, *report.notes), tuple(cited(report.rows)))


def named_columns(
    path: Path, names: Sequence[str], option: str, most: int | None = None
) -> list[Column]:
    """The columns that an option names; raises LdpError, about that option."""
    try:
        return columns_of(path, names, most)
    except ScenarioError as error:
        raise ScenarioError(error.rule, option if error.key == "column" else error.key) from error


# The two ways to ask.


def command(name: str, options: Namespace) -> int:
    """Do what a topic's command is given; its exit code. A ScenarioError names the argument."""
    topic, values = TOPICS[name], vars(options)
    run: Callable[[Namespace], int] = import_module(f".{name}", __package__).run
    try:
        return run(Namespace(**vars(topic.argued(values)), format=options.format))
    except ScenarioError as error:
        option = concerned(topic.options, error.key)
        if option is None or error.where:
            raise
        _, row, parameter = (*error.key.split(".", 2), "", "")[:3]
        flag = f"{option.flag} {values[option.name][int(row)]}: {parameter}" if parameter else (
            option.flag
        )  # fmt: skip
        raise ScenarioError(error.rule, flag) from error


def steps(question: Mapping[str, Any]) -> Steps:
    """Work on a tab's question; raises LdpError. A ScenarioError has the name of a field, or ""."""
    topic, values = TOPICS[question["tab"]], question["values"]
    work: Callable[[Ask], Steps] = import_module(f".{topic.name}", __package__).work
    whole = "file" if any(option.name == "file" for option in topic.blanks) else ""
    try:
        path = str(values.get("path") or "")
        asked = Ask(topic.typed(values), question["document"], question["folder"], path)
        return (yield from work(asked))
    except ScenarioError as error:
        raise _of_field(error, topic, whole) from error
    except FileError as error:
        raise ScenarioError(str(error), whole) from error


def _of_field(error: ScenarioError, topic: Topic, whole: str) -> ScenarioError:
    """The error as one of a field, or else as a whole sentence about the table."""
    option = concerned(topic.blanks, error.key)
    if option is None:
        return ScenarioError(str(error), whole)
    if option.type != "rows":
        return ScenarioError(error.rule, option.name)
    name, row, parameter = (*error.key.split(".", 2), "", "")[:3]
    return ScenarioError(f"{parameter} {error.rule}".strip(), f"{name}.{row or 0}")
