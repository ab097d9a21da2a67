"""a CSV column drawn from a private release"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Final

from ldptui.core.base.errors import FileError
from ldptui.core.base.files import check_replaced, is_file, is_folder
from ldptui.core.base.ranges import Range

from ..text import format as text
from . import parameters
from .choices import curators, having
from .draft_values import rows_of_draft
from .options import AllowedWords, Argument, Blank
from .parameters import Near, ScenarioName, Seed, name_of, pairs, read_cell
from .question import Steps, question
from .question_answer import QuantityRow, QuestionAnswer, hidden

if TYPE_CHECKING:
    from pathlib import Path

    from ldptui.core.base.sampling import Floats
    from ldptui.core.cell import Cell

    from .sheet import Figure


POINTS: Final = 256
"""Items drawn at most."""


@dataclass(frozen=True)
class SyntheticAnswer(QuestionAnswer):
    """The answer of `synthetic`: the drawn rows, their error, and the file.

    error, corrected_error, synthetic_error : half the ℓ₁ distance to the true frequencies of the
        raw estimate, of the corrected one and of the rows.
    drawing_error : the expected error that drawing adds, about.
    histogram : the users who hold each item.
    true, made : the true and the synthetic frequencies.
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
    drawing_error: float
    histogram: Any = hidden()
    true: Any = hidden()
    made: Any = hidden()

    @property
    def title(self) -> str:
        return f"Synthetic data from {self.scenario or 'your population'}"

    @property
    def sentences(self) -> list[str]:
        """The sentences of the note that accompanies the rows."""
        said = self.note.replace("epsilon", "ε").replace("delta", "δ")
        wrote = [f"Wrote {self.out}, and the note of its budget as {self.note_file}."]
        return [*wrote * bool(self.out), *re.split(r"(?<=\.) ", said)]

    def quantities(self) -> Iterator[QuantityRow]:
        yield QuantityRow("rows", text.count(self.rows), f"column {self.column}", "DR pr. 2.1")
        yield QuantityRow("ε", self.epsilon, "by the release alone", "DR pr. 2.1")
        if self.delta:
            yield QuantityRow("δ", self.delta, "likewise", "DR pr. 2.1")
        yield QuantityRow("estimate is off by", self.error, "half of Σ|f~ − f|", "DR pr. 2.1")
        yield QuantityRow("  corrected", self.corrected_error, "none negative, Σ = 1", "NS")
        yield QuantityRow("rows are off by", self.synthetic_error, "drawn at random", "NS")
        yield QuantityRow(
            "drawing adds about", self.drawing_error, "½ Σ √(2f(1−f)/(π rows))", "binomial"
        )

    def figures(self) -> Iterator[Figure]:
        """Yields the chart of synthetic and true frequencies by rank."""
        import numpy as np

        from ..charts.series import Axis, Plot, Series
        from .sheet import curves

        order = np.argsort(-self.histogram, kind="stable")
        ranks = np.arange(1, order.size + 1)
        if order.size > POINTS:
            ranks = np.unique(np.geomspace(1, order.size, POINTS).round().astype(np.int64))
        true, made = (each[order[ranks - 1]] for each in (self.true, self.made))
        plot = Plot(
            "Synthetic and true frequencies",
            Axis("rank of the item by its true frequency", log=order.size > POINTS),
            Axis("frequency"),
            (
                Series("true", ranks, true, "true"),
                Series("synthetic", ranks, made, "attacked", "points"),
            ),
        )
        yield curves(plot, "frequency", "rank")


def _sources() -> tuple[str, ...]:
    return ("protocol", *curators())


@question(
    "Synthetic",
    "Which rows can be given away?",
    place=4,
    written={"title": "Write the synthetic column", "name": "{column}-synthetic.csv"},
)
def synthetic(
    scenario: ScenarioName,
    *,
    out: Annotated[str | None, "FILE", Argument(role="output")] = None,
    rows: Annotated[
        int | None, Range(1, 10**8), "N", Blank(10_000, rows_of_draft, steps="1-2-5")
    ] = None,
    column: Annotated[str, "NAME", Blank()] = "item",
    seed: Seed = 0,
    source: Annotated[
        str, "KIND", AllowedWords(_sources), Blank(choices=pairs(_sources), bare=True)
    ] = "protocol",
    epsilon: Annotated[
        parameters.Budget, Blank(1.0, "protocol.epsilon", only=having("source", "neighbours"))
    ] = 1.0,
    delta: Annotated[
        parameters.Slack, Blank(1e-6, steps="decades", only=having("source", "delta"))
    ] = 1e-6,
    neighbours: Annotated[Near, Blank(bare=True, only=having("source", "neighbours"))] = (
        "change-one"
    ),
) -> Steps[SyntheticAnswer]:
    """Write a CSV column of invented rows, drawn from one private release of a scenario: its
    protocol's estimates, or a curator's histogram, made frequencies. The rows spend nothing
    more; NAME.budget.txt beside the file says what the release spent.

    Parameters
    ----------
    scenario : a TOML file, or a bundled scenario
    out : the CSV file to write
    rows : rows (as many as users, at most 10^6)
    column : the name of the column
    seed : the seed of the rows
    source : the scenario's protocol, or the curator who releases a histogram instead
    epsilon : privacy budget ε of that curator
    delta : δ of that curator
    neighbours : tables that must look alike to it: one row changed, or one more

    Examples
    --------
    ldptui synthetic survey --out invented.csv
    """
    import numpy as np

    from ldptui.core.lab.ledger import SpentBudget
    from ldptui.core.lab.synthetic import (
        note,
        on_the_simplex,
        synthetic_counts,
        synthetic_items,
        write_synthetic,
    )

    from .mechanisms import privacy

    path = _writable(out)
    rng, cell = np.random.default_rng(seed), read_cell(scenario).first
    if source != "protocol":
        cell = _ask_curator(cell, source, epsilon, delta, neighbours)
    size = min(cell.users, 10**6) if rows is None else rows
    yield f"asking {text.count(cell.users)} users once, and drawing {text.count(size)} rows"
    estimate = _estimate_once(cell)
    counts = synthetic_counts(estimate, size, rng)
    corrected, shares = on_the_simplex(estimate), counts / counts.sum()
    words, beside, spent = _source_words(cell), "", SpentBudget(*privacy(cell))
    about = note(spent, words, size)
    if out:
        yield f"writing {text.count(size)} rows"
        population = cell.population
        labels = tuple(map(population.label, range(population.domain_size)))
        beside = str(write_synthetic(path, column, labels, synthetic_items(counts, rng), about))
    true = cell.population.frequencies
    first, second, third = (
        float(np.abs(each - true).sum() / 2) for each in (estimate, corrected, shares)
    )
    added = float(np.sqrt(corrected * (1 - corrected) / (2 * math.pi * size)).sum())
    return SyntheticAnswer(
        name_of(scenario), out or "", beside, column, about.strip(), size, *privacy(cell),
        first, second, third, added, cell.population.histogram, true, shares,
    )  # fmt: skip


def _writable(out: str | None) -> Path:
    """The path of the file to write; raises FileError where it cannot be written."""
    from pathlib import Path

    from ldptui.core.lab.synthetic import note_path

    path = Path(out or "")
    if out and is_folder(path):
        raise FileError(f"{path} cannot be written: it is a folder")
    if out and not is_file(note_path(path)):
        check_replaced(path, "out")
    return path


def _ask_curator(cell: Cell, kind: str, epsilon: float, delta: float, near: Any) -> Cell:
    """The cell of a curator who releases a histogram instead of the scenario's protocol."""
    from .mechanisms import curator

    mechanism = curator(kind, cell.population.domain_size, epsilon, delta, near)
    named = {"protocol.kind": kind, "protocol.neighbours": near}
    return replace(cell, protocol=mechanism, parameters={**cell.parameters, **named})


def _estimate_once(cell: Cell) -> Floats:
    """The estimates of the first trial of a cell, one release."""
    from ldptui.core.collection.counts import block_counts
    from ldptui.core.law.mechanism import check_estimates

    check_estimates(cell.protocol, "protocol.kind")
    clean, attacked = block_counts(cell, 0, 1)
    everyone = cell.users + cell.malicious
    counts = clean if cell.attack is None else attacked
    estimate: Floats = cell.protocol.estimates(counts, everyone).frequencies[0]
    return estimate


def _source_words(cell: Cell) -> str:
    kind, near = (cell.parameters.get(f"protocol.{key}") for key in ("kind", "neighbours"))
    if near is not None:
        return f"a histogram of the {kind} mechanism ({near} neighbours)"
    fakes = f" and {text.count(cell.malicious)} fake ones" if cell.malicious else ""
    return f"the estimates of {str(kind).upper()} ({text.count(cell.users)} users{fakes})"
