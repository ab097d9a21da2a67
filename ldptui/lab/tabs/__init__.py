"""The tabs of the lab: each a generator that says what it works on and returns its `Answer`.

Runs in the background worker, which may stop it between any two steps of Python. What a form holds
comes as it was typed: a `ScenarioError` names the field.
"""

from __future__ import annotations

import json
import math
from argparse import Namespace
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np

from core.bounds import Range
from core.cell import Cell
from core.columns import Column, csv_rows, read_columns
from core.errors import FileError, ScenarioError, got
from core.pure import Rng
from core.scenario import Scenario

from ...charts.series import Chart
from ...text import table as layout
from ..answer import Answer, listed
from ..forms import EXAMPLES
from ..output import Report, cited


class Offers(dict[str, tuple[str, ...]]):
    """For fields, the words that can complete them: told on the way, whatever comes of it."""


Steps: TypeAlias = Generator["str | Offers", None, Answer]
SEED: Final = Range(0, 2**63 - 1)


@dataclass(frozen=True)
class Ask:
    """A question, with its values by name and the cell of the scenario."""

    values: Mapping[str, Any]
    document: Mapping[str, Any] | None
    folder: Path

    @property
    def cell(self) -> Cell:
        """The scenario's population and protocol, bound; raises ScenarioError."""
        if self.document is None:
            raise ScenarioError("the scenario has no population yet: esc, then mend it")
        return _bound(json.dumps(dict(self.document), default=str), self.folder)

    @property
    def rng(self) -> Rng:
        return np.random.default_rng(self.integer("seed", SEED))

    def number(self, name: str, allowed: Range) -> float:
        """A finite number in its range; raises ScenarioError."""
        value = self.values.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ScenarioError(_wanted("a number", value), key=name)
        if not math.isfinite(value) or value not in allowed:
            raise ScenarioError(f"must be {allowed}, {got(value)}", key=name)
        return value

    def integer(self, name: str, allowed: Range) -> int:
        value = self.values.get(name)
        if isinstance(value, bool) or not isinstance(value, int):
            raise ScenarioError(_wanted("a whole number", value), key=name)
        if value not in allowed:
            raise ScenarioError(f"must be {allowed}, {got(value)}", key=name)
        return value

    def positive(self, name: str) -> float:
        """A number greater than 0."""
        return self.number(name, Range(0, math.inf, "()"))

    def word(self, name: str) -> str:
        return str(self.values.get(name) or "").strip()

    def names(self, name: str) -> list[str]:
        """Words separated by commas, each once."""
        value = self.values.get(name)
        words = value if isinstance(value, list) else str(value or "").split(",")
        return list(dict.fromkeys(str(one).strip() for one in words if str(one).strip()))

    def file(self, name: str) -> Path:
        """The absolute path of a file that has to be there; raises ScenarioError."""
        text = self.word(name)
        if not text:
            raise ScenarioError("type the path of a CSV file, or choose one with ctrl+o", key=name)
        try:
            path = self.folder / Path(text).expanduser()
        except RuntimeError:
            path = self.folder / text
        if not path.is_file() and text in EXAMPLES.values():
            path = Path(__file__).parents[1] / "examples" / text
        if not path.is_file():
            raise ScenarioError(f"must be a file, got {path}", key=name)
        return path

    def options(self, **more: Any) -> Namespace:
        """The same as the options of a command."""
        return Namespace(**{**self.values, **more})


def _wanted(what: str, value: Any) -> str:
    return f"must be {what}" + (f", {got(value)}" if value is not None else "")


@lru_cache(maxsize=2)
def _bound(document: str, folder: Path) -> Cell:
    from core.experiment import compile as bind

    return bind(Scenario(json.loads(document), "", folder)).cells[0]


def header_of(path: Path) -> tuple[str, ...]:
    """The columns of a CSV file; raises ScenarioError."""
    try:
        with csv_rows(path) as rows:
            return tuple(next(rows, ()))
    except FileError as error:
        raise ScenarioError(str(error), key="file") from error


def columns_of(path: Path, names: Sequence[str], most: int | None = None) -> list[Column]:
    """Columns of a CSV file; those of the last few questions are kept until the file changes."""
    state = path.stat()
    return _columns(path, (state.st_mtime_ns, state.st_size), tuple(names), most)


@lru_cache(maxsize=2)
def _columns(
    path: Path,
    state: tuple[int, int],  # noqa: ARG001 - part of the key
    names: tuple[str, ...],
    most: int | None,
) -> list[Column]:
    return read_columns(path, names, most)


def answer_of(report: Report, *charts: Chart, words: Sequence[str] = ()) -> Answer:
    """What a command prints, beside charts; `words` come before the report's own."""
    values = layout.aligned([row[1] for row in report.rows])
    rows = [(row[0], value, *row[2:]) for row, value in zip(report.rows, values, strict=True)]
    table = listed(report.title, ("quantity", "value", "formula", "source"), rows)
    return Answer(charts, table, (*words, *report.notes), tuple(cited(report.rows)))


def steps(question: Mapping[str, Any]) -> Steps:
    """Work on a question; raises LdpError. A ScenarioError has the name of a field, or none."""
    tab = question["tab"]
    ask = Ask(question["values"], question["document"], question["folder"])
    work: Callable[[Ask], Steps] = import_module(f"{__name__}.{tab}").work
    try:
        return (yield from work(ask))
    except ScenarioError as error:
        known = RENAMED.get(error.key, error.key.lstrip("-").replace("-", "_"))
        if known in ask.values or known.partition(".")[0] in ask.values:
            raise ScenarioError(error.rule, known) from error
        raise ScenarioError(str(error), _whole(ask)) from error
    except FileError as error:
        raise ScenarioError(str(error), _whole(ask)) from error


def _whole(ask: Ask) -> str:
    """The field for what is wrong with a table as a whole; none where there is no table."""
    return "file" if "file" in ask.values else ""


RENAMED: Final = {
    "bounds": "bound",
    "domain_size": "items",
    "path": "file",
    "values": "column",
    "tight accounting": "tight",
    "f": "noise",
    "p": "noise",
    "q": "noise",
}
"""Fields that have another name than the parameter of the core."""
