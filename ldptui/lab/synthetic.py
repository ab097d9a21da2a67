"""`ldptui synthetic`: a column of invented rows from a private release, with what it cost."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from core.bounds import Range
from core.cell import Cell
from core.errors import FileError
from core.lab.ledger import Spent
from core.lab.synthetic import (
    ROWS,
    note,
    on_the_simplex,
    synthetic_counts,
    synthetic_items,
    write_synthetic,
)
from core.protocols.curators import Curator
from core.pure import Rng
from core.sampling import Counts, Floats
from core.trial import draw_counts, no_pulse

from .. import exits
from ..text import format as text
from .output import Report, Row, laid_out, row, show, within
from .price import current


def run(options: Namespace) -> int:
    """Write the column and its note; print what was written."""
    within("--rows", options.rows, ROWS)
    within("--seed", options.seed, Range(0))
    cell, _ = current(options.scenario, None)
    path = Path(options.out)
    if path.is_dir():
        raise FileError(f"{path} cannot be written: it is a folder")
    values = synthesised(cell, path, options.column, options.rows, options.seed)
    about = {"scenario": options.scenario, **values}
    show(options, about, laid_out(*report(options.scenario, values)))
    return exits.DONE


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
        return note(budget(self.cell), source_of(self.cell), self.rows)

    def write(self, path: Path, column: str, rng: Rng) -> Path:
        """Write the rows in random order, and the note; its path. Raises FileError."""
        items = self.cell.population.domain_size
        labels = tuple(self.cell.population.label(item) for item in range(items))
        order = synthetic_items(self.counts, rng)
        return write_synthetic(path, column, labels, order, self.about)

    def values(self) -> dict[str, Any]:
        """error, corrected_error, synthetic_error : half the ℓ₁ distance to the truth of the raw
        estimate, of the corrected one and of the rows."""
        spent, truth = budget(self.cell), self.cell.population.frequencies

        def away(frequencies: Floats) -> float:
            return float(np.abs(frequencies - truth).sum() / 2)

        return {
            "note": self.about.strip(),
            "rows": self.rows,
            "epsilon": spent.epsilon,
            "delta": spent.delta,
            "error": away(self.estimate),
            "corrected_error": away(self.corrected),
            "synthetic_error": away(self.counts / self.rows),
        }


def draw(cell: Cell, rows: int | None, rng: Rng) -> Drawn:
    """So many synthetic rows from one release of a cell; None for as many as there are users.

    The release of a campaign is that of its first round: all of them together cost more.
    """
    cell = cell.first
    clean, attacked = draw_counts(cell, 0, 1, no_pulse)
    everyone = cell.users + cell.malicious
    counts = clean if cell.attack is None else attacked
    estimate = cell.protocol.estimates(counts, everyone).frequencies[0]
    size = min(cell.users, 10**6) if rows is None else rows
    return Drawn(cell, estimate, on_the_simplex(estimate), synthetic_counts(estimate, size, rng))


def synthesised(cell: Cell, path: Path, column: str, rows: int | None, seed: int) -> dict[str, Any]:
    """Draw and write rows from one release of a cell; raises FileError or ScenarioError."""
    rng = np.random.default_rng(seed)
    drawn = draw(cell, rows, rng)
    beside = drawn.write(path, column, rng)
    return {"out": str(path), "note_file": str(beside), "column": column, **drawn.values()}


def budget(cell: Cell) -> Spent:
    """What one release of a cell spends; of RAPPOR ε₁, of one report."""
    if cell.noise is not None:
        return Spent(cell.noise.epsilon_one(cell.hashes), 0.0)
    protocol: Any = cell.protocol
    return Spent(protocol.epsilon, protocol.delta if isinstance(protocol, Curator) else 0.0)


def source_of(cell: Cell) -> str:
    """What the rows are drawn from, in words."""
    kind = str(cell.parameters["protocol.kind"])
    if isinstance(cell.protocol, Curator):
        near = cell.protocol.neighbours
        return f"a histogram of the {kind} mechanism ({near} neighbours)"
    fakes = f" and {cell.malicious} fake ones" if cell.malicious else ""
    return f"the estimates of {kind.upper()} ({cell.users} users{fakes})"


def report(scenario: str, values: dict[str, Any]) -> Report:
    """The table in words."""
    rows: list[Row] = [
        row("rows", text.count(values["rows"]), f"column {values['column']}", "DR pr. 2.1"),
        row("ε", values["epsilon"], "by the release alone", "DR pr. 2.1"),
    ]
    if values["delta"]:
        rows.append(row("δ", values["delta"], "likewise", "DR pr. 2.1"))
    rows += [
        row("estimate is off by", values["error"], "half of Σ|f~ − f|", "DR pr. 2.1"),
        row("  corrected", values["corrected_error"], "none negative, Σ = 1", "NS"),
        row("rows are off by", values["synthetic_error"], "drawn at random", "NS"),
    ]
    notes = [values["note"]]
    if "out" in values:
        notes.append(f"wrote {values['out']} and {values['note_file']}")
    return Report(f"Synthetic data from {scenario}", rows, notes)
