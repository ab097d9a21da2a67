"""Views of cells: the settings, and the measurements with their closed forms."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..base.summary import Estimate
from ..cell import Cell
from ..metrics import METRICS
from ..metrics.results import CellResults
from ..theory import (
    bit_gain,
    compare_with_theory,
    expected_metrics,
    gains_elsewhere,
    hidden_gain,
)
from . import CellView


def cell_view(
    cell: Cell,
    measured: CellResults,
    expected: Mapping[str, float | None] | None = None,
    beside: Iterable[str] = (),
) -> CellView:
    """The summary of a cell after its measured trials, for charts and JSON.

    expected : the closed forms of its metrics; computed if None. beside : the kinds of protocols
    for which the expected gain of the attack is included.
    """
    facts = cell.protocol.facts()
    pure = cell.pure if cell.is_pure and "p_star" not in facts else None
    return CellView(
        index=cell.index,
        parameters=cell.parameters,
        path=cell.decided_path,
        users=cell.users,
        malicious=cell.malicious,
        domain_size=cell.population.domain_size,
        p=None if pure is None else pure.p,
        q=None if pure is None else pure.q,
        hash_range=facts.get("hash_range"),
        trials=measured.trials,
        wanted=cell.trials,
        targets=tuple(cell.targets.tolist()),
        metrics=measurements(cell, measured, closed_forms(cell) if expected is None else expected),
        bits={**facts, "bit_support_gain": bit_gain(cell)} if "p_star" in facts else None,
        answer=_answer(cell),
        budgets=cell.budgets,
        elsewhere=gains_elsewhere(cell, beside) if beside else {},
        hidden=hidden_gain(cell) if beside else None,
        warnings=cell.warnings,
    )


def closed_forms(cell: Cell) -> dict[str, float | None]:
    """The closed form of each metric, by name; None if there is no finite one."""
    expected = expected_metrics(cell)
    return {
        name: value if value is not None and math.isfinite(value) else None
        for name, value in expected.items()
    }


def measurements(
    cell: Cell, measured: CellResults, expected: Mapping[str, float | None]
) -> dict[str, Estimate]:
    """The mean and standard error of each metric over the trials, by name, with its closed form."""
    return {name: compare_with_theory(cell, measured, name, expected) for name in cell.metrics}


def _answer(cell: Cell) -> dict[str, Any] | None:
    """The number of fakes that reach a cell's goal; None for a cell without a goal."""
    if cell.goal is None or cell.answer is None:
        return None
    goal = {"metric": cell.goal.metric, "at_least": cell.goal.at_least}
    return goal | dataclasses.asdict(cell.answer)


def metric_names(cells: Iterable[Cell]) -> list[str]:
    """The names of METRICS, then those of the metrics in Python in any of the cells."""
    return list(dict.fromkeys([*METRICS, *(name for cell in cells for name in cell.metrics)]))


def measured_names(cells: Sequence[Cell]) -> list[str]:
    """The names of the metrics that at least one of the cells has."""
    some = {name for cell in cells for name in cell.metrics}
    return [name for name in metric_names(cells) if name in some]
