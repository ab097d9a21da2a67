"""Summation with histogram encoding (SHE): the report is a noisy number for each item."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

import numpy as np

from ldptui.core.attacks import Strategy
from ldptui.core.cell import Cell
from ldptui.core.law.pure import Reports
from ldptui.core.protocols.she import Summation

from ..text import format as fmt
from .attack import OF_PARTS, Laws, Supported, compared, gain_keys, summed
from .closed_forms import PROTOCOL, choice, of_one_item
from .formula import W17, Crowd, Entry, Formula, listed, told
from .lines import bound_keys, bounds
from .report import SENT_AS_IT_IS, Life, Step
from .report.pure import ItemReports
from .report.steps import targets_of
from .setting import Setting
from .story import Story
from .table import advice

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


def _honest(cell: Cell, report: Reports, item: int) -> tuple[Step, ...]:
    protocol: Any = cell.protocol
    own = float(report[0, item])
    return (
        Step(
            "Encoding", f"1 in one of {fmt.plural(protocol.domain_size, 'cell')}, 0 in the others"
        ),
        Step(
            "Perturbation",
            f"every cell gets Laplace noise of scale {fmt.short(protocol.scale)}",
            detail=(f"the own cell: 1 + {fmt.short(own - 1)} = {fmt.short(own)}",),
        ),
        _sent(cell, report),
    )


def _sent(cell: Cell, report: Reports) -> Step:  # noqa: ARG001
    largest = int(report[0].argmax())
    text = f"{fmt.plural(report.shape[1], 'number')}, the largest {fmt.short(float(report.max()))}"
    return Step("Report", text, detail=(f"at item {largest}",))


def _random(cell: Cell, report: Reports, attack: Strategy) -> tuple[Step, ...]:  # noqa: ARG001
    return Step("Drawing", "noise alone, for no item"), SENT_AS_IT_IS, _sent(cell, report)


def _crafted(cell: Cell, report: Reports, attack: Strategy) -> tuple[Step, ...]:  # noqa: ARG001
    to = fmt.short(float(report[0, cell.targets[0]]))
    text = f"{targets_of(cell)} set to {to}, the bound"
    crafting = Step("Crafting", text, detail=("honest noise elsewhere",))
    return crafting, SENT_AS_IT_IS, _sent(cell, report)


def _added(cell: Cell, life: Life) -> Life:
    """The life with the server's step: the cells of the targets; no item is marked."""
    targets = np.sort(cell.targets)
    weight = float(life.report[0, targets].sum())
    words = f"{fmt.short(weight)} to the targets' total" if targets.size else "every cell"
    step = Step("Server adds", words, detail=("no item is supported: the cells are added up",))
    return replace(life, steps=(*life.steps, step), weight=weight)


REPORTS: Final = ItemReports(_honest, {"random": _random, "": _crafted}, _added)
"""The reports: a number for each item."""


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
    REPORTS,
    table=TABLE,
    fields=("scale", "cell_bound"),
    notes=_notes,
    brief=("scale", "cell_bound"),
)
"""The formulas of SHE, one report step by step, and its table."""
