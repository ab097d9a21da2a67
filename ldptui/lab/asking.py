"""A topic asked by its command, which prints the answer, or by its tab, which shows it.

`answer(options, ask)` of a topic is a generator that says what it works on and returns its
`Answer`. For a tab it runs in the background worker, which may stop it between any two steps of
Python. Whoever asks, a `ScenarioError` names the argument or the field that is wrong.
"""

from __future__ import annotations

import json
import math
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, TypeAlias

from ldptui.core.base.errors import ScenarioError
from ldptui.core.base.files import is_file, is_there
from ldptui.core.base.tables import table_rows
from ldptui.core.cell import Cell
from ldptui.core.lab.columns import Column, read_columns
from ldptui.core.scenario import Scenario

from ..explain.formula import Formula
from ..explain.papers import cited as papers_of
from ..text import format as text
from ..text import table as layout
from .answer import Answer, listed
from .mechanisms import unswept
from .questions.collected import EXAMPLE
from .questions.shared import EXAMPLES

Row = tuple[str, str, str, str]
QUANTITIES: Final = ("quantity", "value", "formula", "source")
"""The columns of most tables."""
OMITTED: Final = {"omitted": True}
"""The metadata of a field that JSON does not have where it is None."""


def plain(value: Any) -> Any:
    """The same for JSON, without infinite numbers."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if is_dataclass(value):
        return {
            field.name: plain(held)
            for field in fields(value)
            if (held := getattr(value, field.name)) is not None or not field.metadata
        }
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def row(quantity: str, value: float | str, formula: str, source: str = "", digits: int = 5) -> Row:
    """One line of a table."""
    shown = value if isinstance(value, str) else text.short(value, digits)
    return quantity, shown, formula, source


def told(quantity: str, formula: Formula) -> Row:
    """The line of a formula that a kind tells of itself."""
    source = formula.source if formula.entry is None else formula.entry.source
    return quantity, formula.result, formula.brief, source


def cited(rows: Sequence[Row]) -> list[str]:
    """The full names of the sources of these rows."""
    return papers_of({row[3].split(" ")[0] for row in rows})


def needed(option: str, value: Any) -> Any:
    """An option that has to be given; raises ScenarioError."""
    if value is None:
        raise ScenarioError("is required", key=option)
    return value


def joined(names: Sequence[str]) -> str:
    """Names in a row: a, b and c."""
    if not names:
        return text.MISSING
    return ", ".join(names[:-1]) + (" and " if len(names) > 1 else "") + names[-1]


class Offers(dict[str, tuple[str, ...]]):
    """The words that can complete fields, by field; yielded on the way, before any answer."""


Steps: TypeAlias = Generator["str | Offers | Answer", None, Answer]
"""A tab's work; an answer on the way is what is known so far."""


@dataclass(frozen=True)
class Ask:
    """Who asks a question, and where.

    tab : whether a form of the Lab screen does; else a command. document : the scenario of the
    workbench, None while none is valid. folder : where relative paths start. path : the file to
    write, "" for none.
    """

    tab: bool = False
    document: Mapping[str, Any] | None = None
    folder: Path = Path()
    path: str = ""

    def cell(self, scenario: str) -> Cell:
        """The first cell of the scenario that a command names, or of the workbench's.

        Raises LdpError.
        """
        if not self.tab:
            return unswept(scenario)
        return bind_cell(self.scenario())

    def scenario(self) -> Scenario:
        """The scenario of the workbench; raises ScenarioError where none is valid."""
        if self.document is None:
            raise ScenarioError("the scenario has no population yet: esc, then mend it")
        return Scenario(dict(self.document), "", self.folder)

    def file(self, text: str, key: str = "file") -> Path:
        """The path of a table; a form's has to be there. Raises ScenarioError."""
        if not self.tab:
            return Path(text)
        if not text:
            rule = "type the path of a CSV file, or choose one with ctrl+o"
            raise ScenarioError(rule, key=key)
        try:
            path = self.folder / Path(text).expanduser()
        except RuntimeError:
            path = self.folder / text
        if not is_file(path) and text in EXAMPLES.values():
            path = Path(__file__).parent / "examples" / text
        if not is_file(path):
            raise ScenarioError(f"must be a file, got {path}", key=key)
        return path

    def place(self, text: str) -> str:
        """A path or a pattern of reports, from the folder on; or the bundled example's."""
        try:
            path = self.folder / Path(text).expanduser()
        except RuntimeError:
            path = self.folder / text
        if text == EXAMPLE and not is_there(path):
            path = Path(__file__).parent / "examples" / text
        return str(path)


def bind_cell(scenario: Scenario) -> Cell:
    """The first cell of a scenario, kept for the next few questions; raises LdpError."""
    return _bound(json.dumps(scenario.document, default=str), scenario.folder)


@lru_cache(maxsize=2)
def _bound(document: str, folder: Path) -> Cell:
    from ldptui.core.experiment import compile as bind

    return bind(Scenario(json.loads(document), "", folder)).cells[0]


def offered(path: Path, *fields: str) -> Generator[Offers, None, tuple[str, ...]]:
    """The columns of a CSV file, offered to these fields; raises FileError."""
    with table_rows(path) as rows:
        columns = tuple(next(rows, ()))
    yield Offers(dict.fromkeys(fields, columns))
    return columns


def columns_of(path: Path, names: Sequence[str], most: int | None = None) -> list[Column]:
    """Columns of a CSV file, kept for the next few questions until it changes; raises LdpError."""
    try:
        state = path.stat()
    except OSError:
        return read_columns(path, names, most)  # which says what is wrong
    return _columns_of(path, (state.st_mtime_ns, state.st_size), tuple(names), most)


@lru_cache(maxsize=2)
def _columns_of(
    path: Path,
    state: tuple[int, int],  # noqa: ARG001 - part of the key
    names: tuple[str, ...],
    most: int | None,
) -> list[Column]:
    return read_columns(path, names, most)


def answer_of(title: str, rows: Iterable[Row], **parts: Any) -> Answer:
    """The answer with this table; parts : the other fields of the `Answer`."""
    rows = [*rows]
    values = layout.aligned([row[1] for row in rows])
    lines = [(row[0], value, *row[2:]) for row, value in zip(rows, values, strict=True)]
    table = listed(title, QUANTITIES, lines)
    return Answer(table, sources=tuple(cited(rows)), **parts)


def named_columns(
    path: Path, names: Sequence[str], option: str, most: int | None = None
) -> list[Column]:
    """The columns that an option names; raises LdpError, about that option."""
    try:
        return columns_of(path, names, most)
    except ScenarioError as error:
        raise ScenarioError(error.rule, option if error.key == "column" else error.key) from error
