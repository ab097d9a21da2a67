"""The formats of results, a row each: the help, choices, files and docs read this table.

A new format is a row and a function that makes its text. Nothing here imports NumPy before a
format is written.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from ldptui.core.base.errors import ScenarioError
from ldptui.core.base.files import write_atomically

from ..terminal.output import in_colour, width, write_out

if TYPE_CHECKING:
    from ldptui.core.export import TableChoice
    from ldptui.core.running.runner import RunResults

    Versions: TypeAlias = Mapping[str, str]
    Make: TypeAlias = Callable[[RunResults, Versions, "Output"], str]


@dataclass(frozen=True)
class Output:
    """The file, format and selected metrics of a command's results.

    path : None for standard output.
    frequencies : with every item's estimates.
    choice : the metrics of tables, and the keys at their side and above.
    """

    format: Format
    path: Path | None
    frequencies: bool
    choice: TableChoice


def _table(results: RunResults, versions: Versions, output: Output) -> str:
    from ..text import table

    colour, cells = (in_colour(sys.stdout), width()) if output.path is None else (False, 120)
    return table.results_table(results, cells, colour, versions["numpy"], output.choice, False)


def _paper(name: str) -> Make:
    """The function that writes results as a table for a page or a paper, by its name in
    `text.table`.
    """

    def make(results: RunResults, versions: Versions, output: Output) -> str:
        from ..text import table

        made: str = getattr(table, name)(results, versions["numpy"], output.choice)
        return made

    return make


def _rows(name: str) -> Make:
    """The function that writes results as CSV, by its name in `core.export`."""

    def make(results: RunResults, _: Versions, output: Output) -> str:
        from ldptui.core import export

        made: str = getattr(export, name)(results, output.choice)
        return made

    return make


def _json(results: RunResults, versions: Versions, output: Output) -> str:
    from ldptui.core.export import to_json

    from ..text import table

    said = table.verdict_of(results, ranks=False)
    return to_json(results, versions, output.frequencies, output.choice, said)


def _parquet(results: RunResults, versions: Versions, output: Output) -> None:
    from .column_dictionary import write_parquet

    assert output.path is not None
    about = {**versions, "scenario": results.experiment.scenario.document}
    write_parquet(output.path, results, about, output.choice)


def _check_pyarrow(out: Path) -> None:
    """Raise ScenarioError if pyarrow is not installed."""
    try:
        import_module("pyarrow.parquet")
    except ImportError:
        raise ScenarioError(
            f"{out} cannot be written: Parquet needs pyarrow (pip install 'ldptui[parquet]')"
        ) from None


@dataclass(frozen=True)
class Format:
    """A format of results: its name, its file suffix and the functions that write it.

    words : the description in help; "" if the name says it.
    end : the suffix of its files; "" if it has none.
    make : returns the text from results, versions and output; None if the format is no text.
    file : writes a format that is no text; None for a recording, which the store writes.
    check : raises LdpError if the file cannot be written.
    commands : the commands that can write it.
    frequencies : True if it can hold every item's estimates.
    """

    name: str
    words: str = ""
    end: str = ""
    make: Make | None = None
    file: Callable[[RunResults, Versions, Output], None] | None = None
    check: Callable[[Path], None] = lambda _: None
    commands: tuple[str, ...] = ("run", "show", "export")
    frequencies: bool = False

    def write(self, results: RunResults, versions: Versions, output: Output) -> str:
        """The results in a format, printed or written to a file; "" if the format is no text."""
        if self.file is not None:
            self.file(results, versions, output)
            return ""
        assert self.make is not None
        written = self.make(results, versions, output)
        if output.path is None:
            write_out(written, exactly=self.name != "table")
        else:
            write_atomically(output.path, written)
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
    """The formats that a command can write; the first is the default."""
    return [row for row in FORMATS.values() if command in row.commands]


def list_formats(command: str) -> str:
    """The formats of a command with a description each, in words."""
    names: dict[str, list[str]] = {}
    for row in formats(command):
        names.setdefault(row.words or row.name, []).append(row.name)
    parts = (", ".join(same) + f": {words}" * ([words] != same) for words, same in names.items())
    return "; ".join(parts)
