"""The results of a run, as a table, a frame, arrays and charts."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ldptui.core.base.errors import RunError, ScenarioError, check_among, got
from ldptui.core.base.sampling import Floats
from ldptui.core.base.summary import Estimate
from ldptui.core.cell import Cell
from ldptui.core.export import metric_rows, results_cells_csv, to_csv, to_json
from ldptui.core.metrics.results import CellResults
from ldptui.core.reports.arguments import switch, whole, words
from ldptui.core.running.runner import RunResults as Measured
from ldptui.core.task.frequencies import trial_estimates
from ldptui.core.theory import compare_with_theory, expected_metrics
from ldptui.core.view.cells import metric_names
from ldptui.core.view.estimated import frequencies as estimated

from .. import __version__
from ..text import table
from . import charted
from .result_table import STYLE, ResultTable, TabularResult, table_of

LINES: Final = 40
"""Lines of a `repr`; the rest of a long table is left out."""


@dataclass(frozen=True, eq=False, repr=False)
class Results(TabularResult):
    """The measurements of an experiment; its `repr` is the table that `ldptui run` prints.

    Attributes
    ----------
    measured
        The columns as they are: `measured.cells[i].metrics` for the trials of a cell.
    """

    measured: Measured

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The points of the sweep, in order; `parameters` has the keys of each."""
        return self.measured.experiment.cells

    @property
    def digest(self) -> str:
        """A digest of all counts of all trials: equal digests mean equal counts."""
        return self.measured.digest

    @property
    def trials(self) -> int:
        """The total number of trials of all cells."""
        return self.measured.trials

    @property
    def warnings(self) -> tuple[str, ...]:
        """The reasons to doubt the results, a sentence each; empty where there are none."""
        return self.measured.warnings

    @property
    def error(self) -> str:
        """A sentence that names what failed; "" where nothing did."""
        return self.measured.error

    def estimate(self, metric: str, cell: int = 0) -> Estimate:
        """A metric over the trials of a cell: `mean`, `standard_error`, `theory` and `z`.

        Each is None where it is undefined.

        Parameters
        ----------
        metric
            Its name, as `rows()` has it.
        cell
            Its place in `cells`.

        Raises
        ------
        ScenarioError
            For another metric or cell.

        Examples
        --------
        >>> import ldptui
        >>> gain = ldptui.run("quickstart").estimate("gain", cell=5)  # β = 0.05
        >>> abs(gain.z) < 6
        True
        """
        bound, measured = self._cell(cell)
        check_among(words(metric, "metric"), metric_names([bound]), "metric")
        return compare_with_theory(bound, measured, metric, expected_metrics(bound))

    def rows(self) -> list[dict[str, Any]]:
        """A row for each cell and metric ("tidy" data).

        `cell`, the parameters by their dotted names, `metric`, `trials`, `mean`, `standard_error`,
        `theory` and `z`; None where undefined. A goal adds `answer.*` and a campaign `round` (None:
        all of them pooled), `malicious` and `epsilon_spent`, as in CSV.

        Examples
        --------
        >>> import ldptui
        >>> rows = ldptui.run("survey").rows()
        >>> [row["trials"] for row in rows if row["metric"] == "gain"]  # of 5 cells
        [100, 100, 100, 100, 100]
        """
        return metric_rows(self.measured)

    def to_json(self, frequencies: bool = False) -> str:
        """The document that `ldptui run --format json` writes; docs/format.md describes it.

        Parameters
        ----------
        frequencies
            With the estimates of each item.

        Raises
        ------
        ScenarioError
            Where `frequencies` is not True or False.

        Examples
        --------
        >>> import json, ldptui
        >>> json.loads(ldptui.run("survey").to_json())["format"]
        1
        """
        versions = {"ldptui": __version__, "numpy": np.__version__}
        return to_json(
            self.measured,
            versions,
            switch(frequencies, "frequencies"),
            verdict=table.verdict_of(self.measured, ranks=False),
        )

    def to_csv(self, *, cells: bool = False) -> str:
        """The text that `ldptui run --format csv` writes, a row for each trial.

        Parameters
        ----------
        cells
            A row for each cell, as `--format csv-cells` has it.

        Raises
        ------
        ScenarioError
            Where `cells` is not True or False.

        Examples
        --------
        >>> import ldptui
        >>> len(ldptui.run("survey").to_csv(cells=True).splitlines())  # a header, and 5 cells
        6
        """
        return results_cells_csv(self.measured) if switch(cells, "cells") else to_csv(self.measured)

    def frequencies(self, cell: int = 0) -> list[dict[str, Any]]:
        """A row for each item: item, label, truth, and of each arm its mean and std over trials.

        There are no rows for heavy hitters.

        Parameters
        ----------
        cell
            Its place in `cells`.

        Raises
        ------
        ScenarioError
            Where there is no such cell.

        Examples
        --------
        >>> import ldptui
        >>> item = ldptui.run("survey").frequencies(cell=4)[0]
        >>> item["label"], item["truth"]
        ('acid reflux', 0.0165)
        """
        bound, measured = self._cell(cell)
        view = estimated(bound, measured, {})
        if view is None:
            return []
        columns: dict[str, Any] = {"item": view.items, "label": view.labels, "truth": view.true}
        for name, arm in view.arms.items():
            columns |= {name: arm.mean, f"{name}_std": arm.std or (None,) * len(view.items)}
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def estimates(self, cell: int = 0) -> dict[str, Floats]:
        """The estimates of each trial and item in each arm, by its name: float64[trials, d].

        They are drawn again, exactly as in the run, as a run keeps their moments alone.

        Parameters
        ----------
        cell
            Its place in `cells`.

        Raises
        ------
        ScenarioError
            Where there is no such cell, for a campaign and for heavy hitters.
        RunError
            For a cell that failed.

        Examples
        --------
        >>> import ldptui
        >>> ldptui.run("quickstart").estimates()["attacked"].shape
        (20, 128)
        """
        bound, measured = self._cell(cell)
        if not measured.trials:
            raise RunError(self.error or f"cell {cell} has no trials")
        by_arm = trial_estimates(bound, measured.trials)
        return {arm.name: estimates for arm, estimates in by_arm.items()}

    def table(
        self,
        metrics: str | Sequence[str] = (),
        rows: str | Sequence[str] = (),
        columns: str | Sequence[str] = (),
    ) -> ResultTable:
        """Chosen metrics, with swept keys at the side and above, as papers print them.

        The table shows itself; `to_latex()`, `to_markdown()`, `to_csv()`, `records()` and
        `to_frame()` give it to others.

        Parameters
        ----------
        metrics
            Names of metrics; all of them if there are none, or, with rows or columns, the first
            with a closed form.
        rows
            Swept keys whose values make the rows; left out, the swept keys that are not above.
        columns
            Swept keys whose values stand above the columns.

        Raises
        ------
        ScenarioError
            For a metric or a key that the run has not, or where a swept key of several values is in
            neither.

        Examples
        --------
        >>> import ldptui
        >>> shown = ldptui.run("survey").table("gain", rows="attack.share")
        >>> shown.records()[0]["attack.share"]
        0.0
        """
        return table_of(self.measured, metrics, rows, columns)

    def plot(self, chart: str | None = None, columns: int = 2) -> Any:
        """A chart for paper as a figure of matplotlib, which notebooks show and `savefig` writes.

        Parameters
        ----------
        chart
            As `figure` takes it.
        columns
            1 or 2, of a paper: 84 or 174 mm wide.

        Raises
        ------
        ScenarioError
            Where the run has no such chart.
        RunError
            Without matplotlib (the extra `plot`).

        Examples
        --------
        >>> import ldptui
        >>> len(ldptui.run("survey").plot("gain").axes)
        1
        """
        return charted.draw_figure(self.measured, chart, columns)

    def figure(self, chart: str | None = None, columns: int = 1) -> str:
        """A chart for paper as the text of an SVG file, which notebooks show as a picture.

        Parameters
        ----------
        chart
            "gain", "error", "success", "frequencies", "map", "trials" or "timeline"; left out, the
            gain, or the success where items are named.
        columns
            1 or 2, of a paper: 84 or 174 mm wide.

        Raises
        ------
        ScenarioError
            Where the run has no such chart.
        RunError
            Without matplotlib (the extra `plot`).

        Examples
        --------
        >>> import ldptui
        >>> "<svg" in ldptui.run("survey").figure("gain")
        True
        """
        return charted.svg(self.measured, chart, columns)

    def _cell(self, cell: int) -> tuple[Cell, CellResults]:
        if whole(cell, "cell") >= len(self.cells):
            raise ScenarioError(f"must be in [0, {len(self.cells)}), {got(cell)}", key="cell")
        return self.cells[cell], self.measured.cells[cell]

    def __repr__(self) -> str:
        lines = table.results_table(self.measured, 100).rstrip().split("\n")
        if len(lines) <= LINES:
            return "\n".join(lines)
        left = f"… {len(lines) - LINES} lines are left out: to_frame() has every number"
        return "\n".join([*lines[: LINES - 4], left, *lines[-3:]])

    def _repr_html_(self) -> str:
        """The table, and the chart where there is one, as notebooks show it."""
        shown = f'<pre style="{STYLE}">{html.escape(repr(self))}</pre>'
        try:
            return shown + self.figure()
        except (RunError, ScenarioError):
            return shown


def plot(runs: Sequence[Results], chart: str | None = None, columns: int = 2) -> Any:
    """A chart of several runs in one picture, which names the settings in which they differ.

    Parameters
    ----------
    runs
        The closed forms and the axis are those of the first; the others are laid over it.
    chart
        "gain", "error", "success" or "frequencies"; left out, as `Results.plot` has it.
    columns
        1 or 2, of a paper: 84 or 174 mm wide.

    Raises
    ------
    ScenarioError
        Where there is no run, or the first one has no such chart.
    RunError
        Without matplotlib (the extra `plot`).

    Examples
    --------
    >>> import ldptui
    >>> runs = [ldptui.run("quickstart", set={"protocol.epsilon": e}, trials=2) for e in (1, 2)]
    >>> [text.get_text() for text in ldptui.plot(runs).axes[0].texts]
    ['ε 1', 'ε 2']
    """
    is_list = isinstance(runs, list | tuple) and len(runs) > 0
    if not is_list or not all(isinstance(run, Results) for run in runs):
        raise ScenarioError(f"must be a list of results of runs, {got(runs)}", key="runs")
    first, *others = (run.measured for run in runs)
    return charted.draw_figure(first, chart, columns, others)
