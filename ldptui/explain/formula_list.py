"""The formulas of a cell, or of a protocol at a setting, and the sentences below their table.

They feed `ldptui theory`, the equations with the current numbers, the panes and the lab. Every
value is the one that `core` computes with; the text beside it says from what.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from ldptui.core import theory
from ldptui.core.cell import Cell
from ldptui.core.law.mechanism import LocalMechanism
from ldptui.core.law.numeric_protocol import NumericProtocol

from ..text import format as text
from .citations import cite_papers
from .family_explanation import (
    NOT_TOLD,
    FamilyExplanation,
    find_family_explanation,
    find_task_explanation,
)
from .formula import Formula
from .formula_inputs import FormulaSetting, setting_of
from .pure_formulas import P_AND_Q, PROTOCOL, errors_of_the_best, pure

SPREAD: Final = "frequency_std"
"""The field of σ: the standard deviation of one estimated frequency, of every protocol."""

SAME: Final = 0.9995
"""Errors whose ratio is above are the same: GRR is SS where w = 1 is best."""


def _list_pure_formulas(setting: FormulaSetting) -> Iterator[Formula]:
    """The formulas of a family without a explanation: those of every pure protocol."""
    for row in pure(P_AND_Q, {})(setting) if setting.is_pure else ():
        own = row.part == PROTOCOL
        yield replace(row, part=f"{PROTOCOL}: its own formulas are {NOT_TOLD}") if own else row


UNTOLD: Final = FamilyExplanation(
    _list_pure_formulas, notes=lambda _: (f"formulas of its own: {NOT_TOLD}",)
)


def explanation_of(setting: FormulaSetting) -> FamilyExplanation:
    """The explanation of a setting's family of protocols; a general one if there is none."""
    return find_family_explanation(setting.family) or UNTOLD


def formulas(setting: FormulaSetting) -> Iterator[Formula]:
    """The formulas of a setting."""
    return explanation_of(setting).formulas(setting)


def entries(setting: FormulaSetting) -> dict[str, Formula]:
    """The formulas of a setting that belong to the table of closed forms, by key."""
    return {row.key: row for row in formulas(setting) if row.key}


def cell_formulas(cell: Cell) -> tuple[Formula, ...]:
    """The formulas of a cell, shown with their numbers.

    For a task with formulas of its own: these, then the protocol's formulas at the task's setting.
    """
    task = find_task_explanation(cell.task.kind)
    if task is None:
        return tuple(row for row in formulas(setting_of(cell)) if row.title)
    known = (
        replace(row, part=f"{row.part} {task.place}")
        for row in entries(task.setting(cell)).values()
        if row.title
    )
    return (*task.formulas(cell), *known)


def table_notes(setting: FormulaSetting, rows: Mapping[str, Formula]) -> Iterator[str]:
    """Yields the sentences below the table of closed forms.

    rows : its formulas by key.
    """
    explanation, protocol = explanation_of(setting), setting.protocol
    yield from explanation.notes(setting)
    if any(key.startswith("gain.") for key in rows):
        yield explanation.gain
        yield from explanation.attacked(setting)
    if any(key.startswith("gain_std.") for key in rows) and setting.is_pure:
        yield "σ² = β² Var[Σ_T f~] + m Var[S]/((n + m)(p − q))², same genuine reports"
    if isinstance(protocol, LocalMechanism) and not isinstance(protocol, NumericProtocol):
        yield from _least_error(protocol.domain_size, setting.protocol.epsilon)
    options = {
        "--users": setting.users, "--share": setting.share, "--targets": setting.r,
        "--target-frequency": setting.held,
    }  # fmt: skip
    needed = [option for option, value in options.items() if value is None]
    if needed and not isinstance(protocol, NumericProtocol):
        yield f"for the rest give {', '.join(needed)}"
    yield from cite_papers({*" ".join(row.source for row in rows.values()).split()})


def _least_error(d: int, epsilon: float) -> Iterator[str]:
    """Yields sentences on the protocol with the least error, and on SS, the best of all pure
    protocols.
    """
    border, best = text.short(theory.exact_border(epsilon)), theory.least_error(d, epsilon)
    rule = f"by Var* alone 3e^ε + 2 = {text.short(3 * math.exp(epsilon) + 2)}, W17 5"
    names, side = ("GRR", "<") if best == "grr" else ("OUE or OLH", "≥")
    yield f"least error here: {names} (d {side} {border}; {rule})"
    error, other = errors_of_the_best(d, epsilon)
    if error < SAME * other:
        least: Any = theory.least_of_all(d, epsilon)
        less = text.short(100 * (1 - error / other), 3)
        bits = text.short(least.report_bits, 3)
        w = least.subset_size
        yield f"SS has {less} % less, where a report may name w = {w} items ({bits} bits)"
    if theory.recommended_protocol(d, epsilon) != best:
        yield "the two rules differ here: Var* is the variance of an item that nobody holds"
