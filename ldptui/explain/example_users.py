"""The users whose report is shown."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ldptui.core.attacks import Strategy
from ldptui.core.cell import Cell
from ldptui.core.law.pure import Rng

from ..catalogue import kind_words
from ..text import format as fmt
from .family_explanation import reports_of
from .report_explanation import ReportExplanation
from .report_values import ReportHistory


def random_user(cell: Cell, rng: Rng) -> int:
    """The item of a genuine user, drawn uniformly from the population."""
    held = np.cumsum(cell.population.histogram)
    return int(np.searchsorted(held, rng.integers(0, held[-1]), side="right"))


def genuine_report(cell: Cell, item: int, rng: Rng, kept: Rng | None = None) -> ReportHistory:
    """The report of a genuine user who holds `item`, drawn by the protocol.

    kept : the generator of memoised answers; if None, `rng`.
    Raises ValueError with the reason if the report cannot be shown.
    """
    cell = _find_asked_cell(cell)
    return _explanation_of(cell).explain_genuine(cell, item, rng if kept is None else kept, rng)


def fake_report(cell: Cell, rng: Rng) -> ReportHistory:
    """The report of a fake user, drawn by the attack.

    Raises ValueError with the reason if the cell has no attack or the report cannot be shown.
    """
    if cell.attack is None:
        raise ValueError("there are no fake users without an attack")
    cell = _find_asked_cell(cell)
    alone, attack, share = _one_fake(cell, rng)
    kind = alone.attack.kind if alone.attack is not None else ""
    title = f"A fake user: {kind_words('attack', kind).name.partition(' (')[0]}"
    if share < 1:
        title += f", {fmt.percent(share)} of the fakes"
    if cell.trust.proves:
        title += ", whose report is verified"
    return _explanation_of(cell).explain_fake(alone, attack, title, rng)


def _find_asked_cell(cell: Cell) -> Cell:
    """The cell in which reports are verified, if a defence verifies them; else the cell itself."""
    return cell.sifted_cell if cell.sifted_cell.trust.proves else cell


def _explanation_of(cell: Cell) -> ReportExplanation:
    reports = reports_of(cell)
    if isinstance(reports, str):
        raise ValueError(reports)
    return reports


def _one_fake(cell: Cell, rng: Rng) -> tuple[Cell, Strategy, float]:
    """A random fake of a mixture: the cell as if all fakes had its attack, that attack, and the
    share of such fakes.
    """
    parts = getattr(cell.attack, "parts", None)
    if parts is None:
        return cell, cell.fakes[0].strategy, 1.0
    counts = np.array([part.count for part in cell.fakes])
    weights = counts if counts.sum() else np.array([part.weight for part in parts])
    law = weights / weights.sum()
    number = int(rng.choice(law.size, p=law))
    fakes = cell.fakes[number]
    alone = replace(cell, attack=parts[number].attack, targets=fakes.targets, malicious=fakes.count)
    return alone, fakes.strategy, float(law[number])
