"""A table of results as papers print them, for notebooks and files."""

from __future__ import annotations

import html
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from ldptui.core.base.errors import ScenarioError, got
from ldptui.core.export import (
    ALL,
    TableChoice,
    check_choice,
    metric_rows,
    pivot,
    results_cells_csv,
)
from ldptui.core.export.csv_rows import make_frame
from ldptui.core.running.runner import RunResults as Measured

from ..text import table


class TabularResult(ABC):
    """A result with rows, which can be converted to a data frame."""

    @abstractmethod
    def rows(self) -> list[dict[str, Any]]:
        """A dict for each row."""

    def to_frame(self, library: str | None = None) -> Any:
        """`rows()` as a data frame.

        Parameters
        ----------
        library
            "polars" or "pandas"; without it the first of them that is installed.

        Raises
        ------
        RunError
            Where none is installed.
        ScenarioError
            For another library.

        Examples
        --------
        >>> from ldptui import run
        >>> list(run("quickstart", trials=2).to_frame().columns)[:2]
        ['cell', 'metric']
        """
        return make_frame(self.rows(), library)


STYLE: Final = "font-family: monospace; line-height: 1.2; white-space: pre; overflow-x: auto"
"""The style of a table in a notebook: Jupyter shows `<pre>` in a font whose digits do not align."""


@dataclass(frozen=True, eq=False, repr=False)
class ResultTable:
    """Chosen metrics of a run, with swept keys at the side and above; its `repr` is its text."""

    measured: Measured
    choice: TableChoice = ALL

    def records(self) -> list[dict[str, Any]]:
        """The rows of the table, a dict each.

        With rows or columns: the keys at the side, then of each column its mean, and its standard
        error under the column's name and `_standard_error`. Else as `Results.rows()`.
        """
        if self.choice.is_pivot:
            return pivot(self.measured, self.choice).records()
        chosen = self.choice.metrics
        rows = metric_rows(self.measured)
        return [row for row in rows if not chosen or row["metric"] in chosen]

    def to_frame(self, library: str | None = None) -> Any:
        """`records()` as a data frame of polars or pandas, as `Results.to_frame` makes it."""
        return make_frame(self.records(), library)

    def to_csv(self) -> str:
        """The table as CSV, a line for each row, in full precision."""
        return results_cells_csv(self.measured, self.choice)

    def to_latex(self, wrap: int | None = None) -> str:
        """The table as a LaTeX `tabular`, which needs the package booktabs.

        Parameters
        ----------
        wrap
            The letters of a line, of which a wider table becomes several below each other; without
            it one table, however wide.
        """
        choice = replace(self.choice, wrap=wrap)
        return table.latex_table(self.measured, np.__version__, choice)

    def to_markdown(self) -> str:
        """The table in Markdown."""
        return table.markdown_table(self.measured, np.__version__, self.choice)

    def __repr__(self) -> str:
        return table.results_table(self.measured, 100, choice=self.choice).rstrip()

    def _repr_html_(self) -> str:
        return f'<pre style="{STYLE}">{html.escape(repr(self))}</pre>'


def table_of(
    measured: Measured,
    metrics: str | Sequence[str],
    rows: str | Sequence[str],
    columns: str | Sequence[str],
) -> ResultTable:
    """The requested table; raises ScenarioError for a metric or key that the run lacks."""
    parts = {"metrics": metrics, "rows": rows, "columns": columns}
    named = {name: _names(given, name) for name, given in parts.items()}
    choice = TableChoice(named["metrics"], named["rows"], named["columns"])
    return ResultTable(measured, check_choice(measured.experiment, choice))


def _names(given: str | Sequence[str], name: str) -> tuple[str, ...]:
    names = (given,) if isinstance(given, str) else given
    if not isinstance(names, list | tuple) or not all(isinstance(each, str) for each in names):
        raise ScenarioError(f"must be a name or a list of names, {got(given)}", key=name)
    return tuple(names)
