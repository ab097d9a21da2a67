"""The formats of results, a row each: the help, choices, files and docs read this table.

A new format is a row and a function that makes its text. Nothing here imports NumPy before a
format is written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ldptui.core.base.errors import ScenarioError
from ldptui.core.base.files import write_atomically

if TYPE_CHECKING:
    from ldptui.core.export import Choice
    from ldptui.core.running.runner import Results


@dataclass(frozen=True)
class Written:
    """What is written of a run.

    versions : what drew the numbers. choice : the metrics, rows and columns. frequencies : with
    every item's estimates, where the format has them. about : what a file of columns says of the
    run. width, colour : of a table.
    """

    results: Results
    versions: Mapping[str, str]
    choice: Choice
    frequencies: bool = False
    about: Mapping[str, Any] | None = None
    width: int = 120
    colour: bool = False


def _table(what: Written) -> str:
    from ..text import table

    numpy = what.versions["numpy"]
    return table.results_table(what.results, what.width, what.colour, numpy, what.choice, False)


def _paper(name: str) -> Callable[[Written], str]:
    """What makes a table for a page or a paper, a function of `text.table`."""

    def make(what: Written) -> str:
        from ..text import table

        made: str = getattr(table, name)(what.results, what.versions["numpy"], what.choice)
        return made

    return make


def _rows(name: str) -> Callable[[Written], str]:
    """What makes the rows of CSV, a function of `core.export`."""

    def make(what: Written) -> str:
        from ldptui.core import export

        made: str = getattr(export, name)(what.results, what.choice)
        return made

    return make


def _json(what: Written) -> str:
    from ldptui.core.export import to_json

    from ..text import table

    said = table.verdict_of(what.results, ranks=False)
    return to_json(what.results, what.versions, what.frequencies, what.choice, said)


def _parquet(what: Written, out: Path) -> None:
    from .column_dictionary import write_parquet

    write_parquet(out, what.results, what.about or {}, what.choice)


def _check_pyarrow(out: Path) -> None:
    """Raise ScenarioError where there is none."""
    try:
        import_module("pyarrow.parquet")
    except ImportError:
        raise ScenarioError(
            f"{out} cannot be written: Parquet needs pyarrow (pip install 'ldptui[parquet]')"
        ) from None


@dataclass(frozen=True)
class Format:
    """A format of results.

    words : of the help, "" where the name says it. end : of the names of its files, "" for none.
    make : makes its text, None where it is none. file : writes what is no text, None for a
    recording, which is of a store. check : raises LdpError for a file that cannot be written.
    commands : the commands that have it. frequencies : whether it can have every item's estimates.
    """

    name: str
    words: str = ""
    end: str = ""
    make: Callable[[Written], str] | None = None
    file: Callable[[Written, Path], None] | None = None
    check: Callable[[Path], None] = lambda _: None
    commands: tuple[str, ...] = ("run", "show", "export")
    frequencies: bool = False

    def text(self, what: Written) -> str:
        """The text of a run."""
        assert self.make is not None
        return self.make(what)

    def write(self, what: Written, out: Path) -> str:
        """Write a file; returns its text, "" where it is none."""
        if self.file is not None:
            self.file(what, out)
            return ""
        write_atomically(out, written := self.text(what))
        return written


_ROWS: Final = (
    Format("recording", "all of it, to be imported or replayed elsewhere", commands=("export",)),
    Format("table", make=_table, commands=("run", "show")),
    Format("md", "the table for a page or a paper", ".md", _paper("markdown_table")),
    Format("latex", "the table for a page or a paper", ".tex", _paper("latex_table")),
    Format("csv", "a row per trial", ".csv", _rows("to_csv")),
    Format("csv-cells", "a row per cell", ".csv", _rows("results_cells_csv")),
    Format("json", "", ".json", _json, frequencies=True),
    Format("parquet", "a row per trial", ".parquet", file=_parquet, check=_check_pyarrow,
           commands=("run", "export")),
)  # fmt: skip
FORMATS: Final[Mapping[str, Format]] = {row.name: row for row in _ROWS}


def formats(command: str) -> list[Format]:
    """The formats that a command has; the first is the usual one."""
    return [row for row in FORMATS.values() if command in row.commands]


def list_formats(command: str) -> str:
    """The formats of a command, and what each is: those that are the same side by side."""
    names: dict[str, list[str]] = {}
    for row in formats(command):
        names.setdefault(row.words or row.name, []).append(row.name)
    parts = (", ".join(same) + f": {words}" * ([words] != same) for words, same in names.items())
    return "; ".join(parts)
