"""A synthetic column: drawn from estimates or from a private histogram, at no further privacy cost.

Post-processing: everything computed from a private release is as private as the release (Dwork,
Roth 2014, proposition 2.1). The column's error is that of the frequencies that it was drawn from.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Final

import numpy as np

from ..base.errors import ScenarioError, format_number
from ..base.files import write_atomically
from ..base.ranges import Range
from ..base.sampling import Counts, Floats
from ..law.pure import Rng
from .ledger import SpentBudget

ROWS: Final = Range(1, 10**8)


def on_the_simplex(frequencies: Floats) -> Floats:
    """The nearest frequencies that are not negative and add up to 1: max(f - λ, 0); float64[d].

    Euclidean projection, "Norm-Sub": Wang, Lopuhaä-Zwakenberg, Li, Škorić, Li, NDSS 2020. Raises
    ScenarioError if a frequency is not finite.
    """
    if not np.isfinite(frequencies).all():
        raise ScenarioError("must be finite", key="frequencies")
    falling = -np.sort(-frequencies)
    over = (np.cumsum(falling) - 1) / np.arange(1, falling.size + 1)
    last = np.flatnonzero(falling > over)[-1]
    kept = np.maximum(frequencies - over[last], 0.0)
    return np.asarray(kept / kept.sum())


def synthetic_counts(frequencies: Floats, rows: int, rng: Rng) -> Counts:
    """int64[d]: the number of synthetic rows with each item, `rows` in all.

    frequencies : float64[d]. Raises ScenarioError if `rows` is out of range.
    """
    if rows not in ROWS:
        raise ScenarioError(f"must be {ROWS}, got {rows}", key="rows")
    return rng.multinomial(rows, on_the_simplex(frequencies))


def synthetic_items(counts: Counts, rng: Rng) -> Counts:
    """int64[rows]: the synthetic rows, as items in random order, from their number int64[d]."""
    return rng.permutation(np.repeat(np.arange(counts.size), counts))


def note(spent: SpentBudget, source: str, rows: int) -> str:
    """The sentence on the privacy budget of a synthetic column, with its source."""
    guarantee = f"epsilon = {format_number(spent.epsilon)}"
    if spent.delta:
        guarantee += f", delta = {format_number(spent.delta)}"
    return (
        f"{format_number(rows)} synthetic rows drawn from {source}, "
        "which is differentially private with "
        f"{guarantee}. Drawing them spent nothing more (post-processing); their error is that of "
        f"{source}, and no row is a person.\n"
    )


def note_path(path: Path) -> Path:
    """The path of the budget note that belongs to a synthetic CSV file."""
    return path.with_name(f"{path.stem}.budget.txt")


def write_synthetic(
    path: Path, column: str, labels: tuple[str, ...], items: Counts, about: str
) -> Path:
    """Write a CSV column of synthetic rows and its note NAME.budget.txt; returns the note's path.

    items : int64[rows]. about : the note's text. The note is written first, so that the rows never
    lie there without it. Raises FileError if a file cannot be written.
    """
    beside = note_path(path)
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([column])
    writer.writerows([labels[item]] for item in items.tolist())
    write_atomically(beside, about)
    write_atomically(path, out.getvalue())
    return beside
