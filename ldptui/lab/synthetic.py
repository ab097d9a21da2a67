"""Synthetic: a column of invented rows from a private release, with what it cost."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ldptui.core.base.errors import FileError, ScenarioError
from ldptui.core.base.files import check_replaced, is_file, is_folder
from ldptui.core.base.pulse import no_pulse
from ldptui.core.base.sampling import Counts, Floats
from ldptui.core.cell import Cell
from ldptui.core.collection.counts import block_counts
from ldptui.core.lab.ledger import Spent
from ldptui.core.lab.synthetic import (
    note,
    noted,
    on_the_simplex,
    synthetic_counts,
    synthetic_items,
    write_synthetic,
)
from ldptui.core.law.capabilities import check_estimates
from ldptui.core.law.pure import Rng

from ..charts.series import Axis, Plot, Series
from ..text import format as text
from .accuracy import ranked
from .answer import Figure, figure
from .asking import Ask, Row, Steps, answer_of, row
from .mechanisms import curator, privacy, subject
from .questions.curators import SyntheticOptions


@dataclass(frozen=True)
class Invented:
    """The rows that were drawn, and where they were written.

    error, corrected_error, synthetic_error : half the ℓ₁ distance to the truth of the raw
    estimate, of the corrected one and of the rows.
    """

    scenario: str
    out: str
    note_file: str
    column: str
    note: str
    rows: int
    epsilon: float
    delta: float
    error: float
    corrected_error: float
    synthetic_error: float


def answer(options: SyntheticOptions, ask: Ask) -> Steps:
    """The column drawn, and written where a path is given."""
    rng, name = np.random.default_rng(options.seed), options.column
    cell = ask.cell(options.scenario).first
    path = Path(ask.path or options.out)
    written = bool(ask.path or options.out)
    if not ask.tab and is_folder(path):
        raise FileError(f"{path} cannot be written: it is a folder")
    if written and not is_file(noted(path)):
        check_replaced(path, "out")
    if ask.tab and not name:
        raise ScenarioError("must be a name for the column", key="column")
    if options.source != "protocol":
        cell = _released(cell, options)
    rows = min(cell.users, 10**6) if options.rows is None else options.rows
    yield f"asking {text.count(cell.users)} users once, and drawing {text.count(rows)} rows"
    drawn = draw(cell, rows, rng)
    beside = path
    if written:
        yield f"writing {text.count(rows)} rows"
        beside = drawn.write(path, name, rng)
    values = _invented(drawn, options, path, beside)
    table = [*_rows(values)]
    if ask.tab:
        spread = np.sqrt(drawn.corrected * (1 - drawn.corrected) / rows).sum()
        added = float(spread / np.sqrt(2 * np.pi))
        table.append(row("drawing adds about", added, "½ Σ √(2f(1−f)/(π rows))", "binomial"))
    verdict = _sentences(values.note)
    notes: list[str] = []
    if written and ask.tab:
        verdict.insert(0, f"Wrote {path}, and the note of its budget as {beside.name} beside it.")
    if not ask.tab:
        notes = [values.note, f"wrote {path} and {beside}"]
    return answer_of(
        f"Synthetic data from {subject(options.scenario)}",
        table,
        values=values,
        verdict=verdict,
        notes=notes,
        figures=[_with_items(plot, drawn) for plot in (_beside(drawn), _off(drawn))],
    )


def _released(cell: Cell, options: SyntheticOptions) -> Cell:
    """The cell of a curator who releases a histogram instead of the scenario's protocol."""
    near, kind = options.neighbours, options.source
    items = cell.population.domain_size
    mechanism = curator(kind, items, options.epsilon, options.delta, near)
    parameters = {**cell.parameters, "protocol.kind": kind, "protocol.neighbours": near}
    return replace(cell, protocol=mechanism, parameters=parameters)


@dataclass(frozen=True, eq=False)
class Drawn:
    """Synthetic rows as counts, and what they were drawn from; float64[d] and int64[d].

    estimate : one release, the first trial's estimates. corrected : none negative, Σ = 1.
    """

    cell: Cell
    estimate: Floats
    corrected: Floats
    counts: Counts

    @property
    def rows(self) -> int:
        return int(self.counts.sum())

    @property
    def about(self) -> str:
        """The note of the budget."""
        return note(Spent(*privacy(self.cell)), source_of(self.cell), self.rows)

    def write(self, path: Path, column: str, rng: Rng) -> Path:
        """Write the rows in random order, and the note; its path. Raises FileError."""
        items = self.cell.population.domain_size
        labels = tuple(self.cell.population.label(item) for item in range(items))
        order = synthetic_items(self.counts, rng)
        return write_synthetic(path, column, labels, order, self.about)


def draw(cell: Cell, rows: int, rng: Rng) -> Drawn:
    """`rows` synthetic rows from one release of a cell.

    A campaign releases its first round alone: all of them together cost more.
    """
    cell = cell.first
    check_estimates(cell.protocol, "protocol.kind")
    clean, attacked = block_counts(cell, 0, 1, no_pulse)
    everyone = cell.users + cell.malicious
    counts = clean if cell.attack is None else attacked
    estimate = cell.protocol.estimates(counts, everyone).frequencies[0]
    return Drawn(cell, estimate, on_the_simplex(estimate), synthetic_counts(estimate, rows, rng))


def _invented(drawn: Drawn, options: SyntheticOptions, path: Path, beside: Path) -> Invented:
    spent, truth = Spent(*privacy(drawn.cell)), drawn.cell.population.frequencies

    def away(frequencies: Floats) -> float:
        return float(np.abs(frequencies - truth).sum() / 2)

    return Invented(
        options.scenario,
        str(path),
        str(beside),
        options.column,
        drawn.about.strip(),
        drawn.rows,
        spent.epsilon,
        spent.delta,
        away(drawn.estimate),
        away(drawn.corrected),
        away(drawn.counts / drawn.rows),
    )


def source_of(cell: Cell) -> str:
    """The source of the rows, in words."""
    kind, near = (cell.parameters.get(f"protocol.{key}") for key in ("kind", "neighbours"))
    if near is not None:
        return f"a histogram of the {kind} mechanism ({near} neighbours)"
    fakes = f" and {text.count(cell.malicious)} fake ones" if cell.malicious else ""
    return f"the estimates of {str(kind).upper()} ({text.count(cell.users)} users{fakes})"


def _rows(values: Invented) -> Iterator[Row]:
    yield row("rows", text.count(values.rows), f"column {values.column}", "DR pr. 2.1")
    yield row("ε", values.epsilon, "by the release alone", "DR pr. 2.1")
    if values.delta:
        yield row("δ", values.delta, "likewise", "DR pr. 2.1")
    yield row("estimate is off by", values.error, "half of Σ|f~ − f|", "DR pr. 2.1")
    yield row("  corrected", values.corrected_error, "none negative, Σ = 1", "NS")
    yield row("rows are off by", values.synthetic_error, "drawn at random", "NS")


def _sentences(about: str) -> list[str]:
    """The note that goes with the rows, its sentences one by one: the first is the verdict."""
    return re.split(r"(?<=\.) ", about.strip().replace("epsilon", "ε").replace("delta", "δ"))


def _beside(drawn: Drawn) -> Plot:
    true = drawn.cell.population.frequencies
    items, ranks, thinned = ranked(drawn.cell.population.histogram)
    steep = bool(true[items[0]] > 50 * max(true[items[-1]], 1e-300))

    def on_axis(values: Floats) -> Floats:
        shown = values[items]
        return np.where(shown > 0, shown, np.nan) if steep else shown

    return Plot(
        f"Synthetic and true frequencies, from {source_of(drawn.cell)}",
        Axis("rank of the item by its true frequency", log=thinned),
        Axis("frequency", log=steep),
        (
            Series("true", ranks, on_axis(true), "true"),
            Series("synthetic", ranks, on_axis(drawn.counts / drawn.rows), "attacked", "points"),
        ),
    )


def _off(drawn: Drawn) -> Plot:
    true = drawn.cell.population.frequencies
    items, ranks, thinned = ranked(drawn.cell.population.histogram)
    made = drawn.counts / drawn.rows
    return Plot(
        "Frequency − true frequency",
        Axis("rank of the item by its true frequency", log=thinned),
        Axis("error"),
        (
            Series("estimate", ranks, (drawn.corrected - true)[items], "clean", "points"),
            Series("synthetic", ranks, (made - true)[items], "attacked", "points"),
        ),
        levels=((0.0, "0"),),
    )


def _with_items(plot: Plot, drawn: Drawn) -> Figure:
    """A plot over ranks with the numbers of their items.

    error, z : the standard error of drawing rows, and how many of them the rows are off the
    frequencies that they were drawn from.
    """
    population = drawn.cell.population
    items, ranks, _ = ranked(population.histogram)
    made, corrected = drawn.counts / drawn.rows, drawn.corrected
    error = np.sqrt(corrected * (1 - corrected) / drawn.rows)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = (made - corrected) / error
    columns = (population.frequencies, made, error, z, corrected)
    values = zip(*(column[items].tolist() for column in columns), strict=True)
    rows = [
        (population.label(item), rank, true, text.estimate(share, reach), *more)
        for item, rank, (true, share, reach, *more) in zip(items, ranks, values, strict=True)
    ]
    return figure(plot, ("item", "rank", "true", "synthetic", "z", "estimate"), rows)
