"""`ldptui synthetic`: a column of invented rows from a private release, with what it cost."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

import numpy as np

from core.bounds import Range
from core.cell import Cell
from core.central import Curator
from core.errors import FileError
from core.ledger import Spent
from core.synthetic import (
    ROWS,
    note,
    on_the_simplex,
    synthetic_counts,
    synthetic_items,
    write_synthetic,
)
from core.trial import draw_counts, no_pulse

from .. import cli
from .. import format as text
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
    return cli.DONE


def synthesised(cell: Cell, path: Path, column: str, rows: int | None, seed: int) -> dict[str, Any]:
    """Draw and write rows from one release of a cell: its first trial's estimates, corrected.

    rows : None for as many as there are users. Raises FileError or ScenarioError.
    error, corrected_error, synthetic_error : half the ℓ₁ distance to the truth of the raw
    estimate, of the corrected one and of the rows.
    """
    clean, attacked = draw_counts(cell, 0, 1, no_pulse)
    everyone = cell.users + cell.malicious
    counts = clean if cell.attack is None else attacked
    estimate = cell.protocol.estimates(counts, everyone).frequencies[0]
    corrected = on_the_simplex(estimate)
    rng = np.random.default_rng(seed)
    drawn = synthetic_counts(estimate, min(cell.users, 10**6) if rows is None else rows, rng)
    size = int(drawn.sum())
    spent, source = budget(cell), source_of(cell)
    about = note(spent, source, size)
    labels = tuple(cell.population.label(item) for item in range(cell.population.domain_size))
    beside = write_synthetic(path, column, labels, synthetic_items(drawn, rng), about)
    truth = cell.population.frequencies

    def away(frequencies: Any) -> float:
        return float(np.abs(frequencies - truth).sum() / 2)

    return {
        "out": str(path),
        "note_file": str(beside),
        "note": about.strip(),
        "column": column,
        "rows": size,
        "epsilon": spent.epsilon,
        "delta": spent.delta,
        "error": away(estimate),
        "corrected_error": away(corrected),
        "synthetic_error": away(drawn / size),
    }


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
        row("ε", values["epsilon"], "spent by the release, none by the rows", "DR pr. 2.1"),
    ]
    if values["delta"]:
        rows.append(row("δ", values["delta"], "likewise", "DR pr. 2.1"))
    rows += [
        row("estimate is off by", values["error"], "half of Σ|f~ − f|", "DR pr. 2.1"),
        row("  corrected", values["corrected_error"], "none negative, Σ = 1", "NS"),
        row("rows are off by", values["synthetic_error"], "with the chance of drawing", "NS"),
    ]
    notes = [values["note"], f"wrote {values['out']} and {values['note_file']}"]
    return Report(f"Synthetic data from {scenario}", rows, notes)
