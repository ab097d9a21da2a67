"""Summation with histogram encoding (SHE): the report is a noisy number for each item."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

import numpy as np

from ldptui.core.cell import Cell
from ldptui.core.law.pure import Reports, Supports
from ldptui.core.protocols.she import Summation

from ..text import format as fmt
from .attack_formulas import OF_PARTS, Laws, Supported, compared, gain_keys, summed
from .family_explanation import Story
from .formula import W17, Crowd, Entry, Formula, listed, told
from .formula_inputs import Setting
from .formula_table import advice
from .gain_line_formulas import bound_keys, bounds
from .pure_formulas import PROTOCOL, choice, of_one_item
from .report_story import ReportStory
from .report_values import Step

_row = partial(Formula, source=W17)

ROWS: Final = (
    _row("Scale of the noise of a cell: two items differ in two cells", "s = 2/ε", put="2 / {ε}",
         entry=Entry("scale", "s", "W17 4.3")),
    _row("Variance of a cell, and of a count for one user", "2 s² = 8/ε²", put="2 · {s}²",
         entry=Entry("variance_per_user", "variance per user", "W17 4.3")),
    _row("What one cell of an honest report reaches on average", "1 + (2/ε) · ln(d/2)",
         put="1 + 2 / {ε} · ln({d} / 2)"),
    listed("cell_bound", "B, bound of a lifted cell", "1 + (2/ε) ln(d/2), or given", "W17 4.3"),
    listed("report_bits", "bits of a report", "64 d", "by counting"),
    listed("frequency_std", "frequency std", "√(8/(ε² n))", "W17 4.3"),
)  # fmt: skip

ESTIMATES: Final = (
    _row("The estimate, on average: unbiased", "E[f~ᵥ] = E[Σ of the cells] / n",
         put="{n fᵥ:5} / {n}"),
    _row("Its variance, whatever the frequency", "Var[f~ᵥ] = 8/(ε² n)",
         put="{variance_per_user:5} / {n}"),
    _row("Its standard deviation", "σᵥ = √Var[f~ᵥ]"),
)  # fmt: skip

SUPPORTED: Final[Laws] = {
    "random": Supported("S = 0: noise alone"),
    "honest": Supported("S = 1: one cell is a target's"),
    "unperturbed": Supported("S = 1: one cell is a target's"),
    "crafted": Supported("S = r B"),
    "avoided": Supported("S = −r B"),
    "mixture": replace(OF_PARTS, put="{S:5}"),
}
"""S, what one report adds to the targets' cells, in the place of their number."""


def _formulas(setting: Setting) -> Iterator[Formula]:
    protocol: Summation = setting.protocol
    known, cell = _numbers(protocol, setting.users), setting.cell
    yield from told(ROWS, known, PROTOCOL)
    yield from choice(protocol.domain_size, protocol.epsilon)
    if cell is None:
        yield from compared(setting, _gain_in_words)
        return
    part, f = of_one_item(cell)
    spread = protocol.noise / cell.users
    of_item = {"fᵥ": f, "E[f~ᵥ]": f, "Var[f~ᵥ]": spread}
    yield from told(ESTIMATES, {**known, **of_item}, part)
    attack = tuple(
        summed(cell, known, SUPPORTED, "What one fake report adds to the targets' cells")
    )
    yield from attack
    if attack:
        yield from bounds(cell, attack[0].part)


def _numbers(protocol: Summation, users: int | None) -> dict[str, float]:
    known = {
        "ε": protocol.epsilon, "d": protocol.domain_size, "s": protocol.scale,
        "scale": protocol.scale, "variance_per_user": protocol.noise, "B": protocol.bound,
        "cell_bound": protocol.bound, "report_bits": protocol.report_bits,
    }  # fmt: skip
    if users is None:
        return known
    return known | {"n": Crowd(users), "frequency_std": (protocol.noise / users) ** 0.5}


def _gain_in_words(law: str) -> str:
    supported = {"random": "0", "crafted": "r B"}.get(law, "1")
    return f"β(S − f_T), S = {supported}"


class CellReports(ReportStory):
    """The story of a report that is a noisy number for each item; the server adds them up."""

    adds_up = True

    def encode(self, cell: Cell, report: Reports, item: int) -> tuple[str, ...]:  # noqa: ARG002
        return (f"1 in one of {fmt.plural(cell.local.domain_size, 'cell')}, 0 in the others",)

    def describe(self, cell: Cell, report: Reports) -> tuple[str, ...]:  # noqa: ARG002
        numbers, largest = fmt.plural(report.shape[1], "number"), fmt.short(float(report.max()))
        return f"{numbers}, the largest {largest}", f"at item {int(report[0].argmax())}"

    def show_noise(
        self,
        cell: Cell,
        report: Reports,
        item: int,
        answer: Reports | None,  # noqa: ARG002
    ) -> Iterator[Step]:
        protocol: Any = cell.protocol
        own = float(report[0, item])
        text = f"every cell gets Laplace noise of scale {fmt.short(protocol.scale)}"
        detail = f"the own cell: 1 + {fmt.short(own - 1)} = {fmt.short(own)}"
        yield Step("Perturbation", text, detail=(detail,))

    def support(self, cell: Cell, report: Reports) -> Supports | None:  # noqa: ARG002
        return None

    def weigh(self, cell: Cell, report: Reports) -> tuple[float, str]:
        words = "no item is supported: the targets' cells are added up"
        return float(report[0, np.sort(cell.targets)].sum()), words


def _notes(setting: Setting, rows: Mapping[str, Formula]) -> Iterator[str]:
    yield "no item is supported: cells are added up, there are no p and q"
    yield "a fake may send any number: cells that it lifts are clipped at B, honest ones are not"
    yield from advice(setting, rows)


TABLE: Final = (
    "scale",
    "variance_per_user",
    "cell_bound",
    "report_bits",
    "frequency_std",
    *gain_keys(),
    *bound_keys(),
)

STORY: Final = Story(
    _formulas,
    CellReports(),
    table=TABLE,
    fields=("scale", "cell_bound"),
    notes=_notes,
    brief=("scale", "cell_bound"),
)
"""The formulas of SHE, one report step by step, and its table."""
