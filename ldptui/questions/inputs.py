"""What a question reads: the scenario of the workbench, files by their paths, columns of tables.

A form is answered by a generator that says what it works on and returns its `AnswerSheet`. Whoever
asks, a `ScenarioError` names the argument or the field that is wrong.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Generator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, TypeAlias

from ldptui.core.base.errors import FileError, LdpError, ScenarioError
from ldptui.core.base.tables import table_rows
from ldptui.core.cell import Cell
from ldptui.core.lab.columns import NumberedColumn, read_columns
from ldptui.core.scenario import Scenario, looks_like_data

from .choices import BUNDLED, EXAMPLE, EXAMPLES
from .question import Question
from .sheet import AnswerSheet

FIRST_ROWS: Final = 1000
"""Rows of a table that the values of a form are guessed from."""


def need_option(option: str, value: Any) -> Any:
    """The value of a required option; raises ScenarioError if it is missing."""
    if value is None:
        raise ScenarioError("is required", key=option)
    return value


class Offers(dict[str, tuple[str, ...]]):
    """The words that complete fields, by field; yielded before the answer."""


Steps: TypeAlias = Generator["str | Offers | AnswerSheet", None, AnswerSheet]
"""A tab's work; an answer on the way is what is known so far."""


def find_file(folder: Path, text: str) -> str:
    """The path of a file, folder, pattern or FILE.py:NAME that a form names, or of a bundled
    example file.
    """
    file, colon, name = text.rpartition(":") if ".py:" in text else (text, "", "")
    try:
        path = folder / Path(file).expanduser()
    except RuntimeError:  # nobody's home
        path = folder / file
    if text in (EXAMPLE, *EXAMPLES.values()):
        path = BUNDLED / text.partition(":")[2]
    return f"{path}{colon}{name}"


def bind_cell(scenario: Scenario) -> Cell:
    """The first cell of a scenario, cached for the next questions; raises LdpError."""
    return _bound(json.dumps(scenario.document, default=str), scenario.folder)


@lru_cache(maxsize=2)
def _bound(document: str, folder: Path) -> Cell:
    from ldptui.core.experiment import compile as bind

    return bind(Scenario(json.loads(document), "", folder)).cells[0]


def header_of(path: Path) -> tuple[str, ...]:
    """The column names of a CSV file; raises FileError, also for an empty one."""
    with table_rows(path) as rows:
        if not (header := next(rows, ())):
            raise FileError(f"{path} is empty: it must have a header")
        return tuple(header)


def offer_columns(path: Path, *fields: str) -> Generator[Offers, None, tuple[str, ...]]:
    """The column names of a CSV file, after offering them to these fields; raises FileError."""
    columns = header_of(path)
    yield Offers(dict.fromkeys(fields, columns))
    return columns


def guess_values(asked: Question[Any, Any], path: Path) -> tuple[dict[str, Any], str]:
    """The values of a form's fields that follow from a table's header and first rows, and a
    sentence if the header looks like a row of data; no values if the table cannot be read.
    """
    try:
        with table_rows(path) as rows:
            header, first = next(rows, []), [*itertools.islice(rows, FIRST_ROWS)]
    except LdpError:
        return {}, ""
    ways = {option.name: option.blank.guess for option in asked.blanks if option.blank}
    guesses = {name: way(header, first) for name, way in ways.items() if way and header}
    words = f"the first line of {path.name} looks like data: it should name the columns"
    return guesses, words * looks_like_data(header, first)


def columns_of(path: Path, names: Sequence[str], most: int | None = None) -> list[NumberedColumn]:
    """Columns of a CSV file, cached until the file changes; raises LdpError."""
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
) -> list[NumberedColumn]:
    return read_columns(path, names, most)


def named_columns(
    path: Path, names: Sequence[str], option: str, most: int | None = None
) -> list[NumberedColumn]:
    """The columns that an option names; raises LdpError, about that option."""
    try:
        return columns_of(path, names, most)
    except ScenarioError as error:
        raise ScenarioError(error.rule, option if error.key == "column" else error.key) from error
