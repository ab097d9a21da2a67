"""Hadamard response (HR): the report is a block of items and a column of a Hadamard matrix."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final, cast

import numpy as np

from ldptui.core import theory
from ldptui.core.cell import Cell
from ldptui.core.law.pure import Reports
from ldptui.core.protocols.hadamard import HadamardResponse

from ..text.format import count
from .attack_formulas import Supported, attacked
from .family_explanation import Story
from .formula import Entry, Formula, Plain, listed, told
from .formula_inputs import Setting
from .formula_table import P_AND_Q, coded_notes
from .pure_formulas import PROTOCOL, REACH, choice, numbers_of, of_one_item, shown_item
from .report_story import ReportStory, bits_needed

ASZ: Final = "Acharya, Sun, Zhang 2019"


_row = partial(Formula, source=ASZ)

ROWS: Final = (
    _row("Blocks of items", "B = the largest power of two < min(e^ε, 2d)",
         put="2^k < min({e^ε}, {2d})",
         entry=Entry("blocks", "B", "ASZ", "largest 2^k < min(e^ε, 2d)")),
    _row("Rows and columns of the matrix of a block", "b = the least power of two ≥ d / B + 1",
         put="2^k ≥ {d} / {blocks} + 1",
         entry=Entry("block_size", "b", "ASZ", "least 2^k ≥ d/B + 1")),
    _row("Messages", "K = B b", put="{blocks} · {block_size}",
         entry=Entry("messages", "K", "ASZ", "B b")),
    _row("Mean support of the own item: +1, −1, or 0 from another block",
         "p = {(e^ε − 1)} / ({e^ε − 1} + {2B})", entry=Entry("p", "p", "ASZ")),
    _row("Mean support of any other item", "q = 0", put="as many +1 as −1",
         entry=Entry("q", "q", "ASZ")),
    _row("Privacy budget from the chance of a message that agrees, and of one that does not",
         "ε = ln(p₁ / p₀),  p₀ = 1 / ((b/2)(e^ε − 1 + 2B))"),
)  # fmt: skip

SPREAD: Final = (
    listed("variance_per_user", "variance per user", "(2/(e^ε − 1) + F_b)/p", "ASZ"),
    *REACH,
    listed("frequency_std", "frequency std", "√(variance per user / n)", "ASZ"),
)
"""The spread of an estimate, for the table."""

ESTIMATES: Final = (
    _row("Reports for v less those against it, on average", "E[Cᵥ] = n fᵥ p"),
    _row("The estimate from that count: unbiased", "f~ᵥ = Cᵥ / (n p)"),
    _row("Var* of a count, for one user: of an item that nobody holds, all others alike",
         "Var*[c~ᵥ] / n = (2 + (e^ε − 1) F_b)(e^ε − 1 + 2B) / (e^ε − 1)²",
         put="(2 + {e^ε − 1} F_b) · {2 (B + (e^ε − 1) / 2)} / {e^ε − 1}²"),
    _row("Variance of the estimate of an item that nobody holds", "Var*[f~ᵥ] = Var*[c~ᵥ] / n²",
         put="{unit} / {n}"),
    _row("Users of its block, who are heard there more often", "F_b = Σ_(u in the block) fᵤ",
         put="over {beside} items"),
    _row("Variance of the estimate of v",
         "Var[f~ᵥ] = [ (2 + {(e^ε − 1)} F_b)({e^ε − 1} + {2B}) / {(e^ε − 1)}² − fᵥ ] / n",
         source=f"{ASZ}, exact"),
    _row("Standard deviation of the estimate of v", "σᵥ = √Var[f~ᵥ]"),
    _row("Expected mean squared error without attack", "MSE = Σᵥ Var[f~ᵥ] / d",
         put="over {d} items"),
)  # fmt: skip

SUPPORTED: Final = {
    "random": Supported("S = 0: for and against alike"),
    "honest": Supported("S = p"),
    "unperturbed": Supported("S = 1: the rest cancels"),
    "crafted": Supported("S = targets in the block that has most", put="counted over all blocks",
                         brief="fullest block"),
    "avoided": Supported("S = −(most targets that one message speaks against)",
                         put="counted over all messages"),
}  # fmt: skip


def _formulas(setting: Setting) -> Iterator[Formula]:
    protocol: HadamardResponse = setting.protocol
    known = {**numbers_of(setting), **_numbers(protocol)}
    yield from told(ROWS, known, PROTOCOL)
    yield from choice(protocol.domain_size, protocol.epsilon)
    yield from told(SPREAD, known, PROTOCOL)
    if setting.cell is not None:
        part, f = of_one_item(setting.cell)
        of_item = {**known, **_of_one_item(setting.cell, protocol), "fᵥ": f, "f~ᵥ": f}
        yield from told(ESTIMATES, of_item, part)
    yield from attacked(setting, known, SUPPORTED)


def _numbers(protocol: HadamardResponse) -> dict[str, float]:
    least = (1 - protocol.truthful) / protocol.messages
    return {
        "B": Plain(protocol.blocks), "blocks": protocol.blocks, "messages": protocol.messages,
        "b": protocol.block_size, "block_size": protocol.block_size,
        "p₀": least, "p₁": least + protocol.truthful / protocol.agreeing,
    }  # fmt: skip


def _of_one_item(cell: Cell, protocol: HadamardResponse) -> dict[str, float]:
    (v, _), truth, n = shown_item(cell), cell.population.frequencies, cell.users
    block = np.arange(truth.size) // (protocol.block_size - 1)
    variances = theory.item_variances(protocol, n, truth)
    unit = theory.count_variance(protocol)
    return {
        "Cᵥ": n * float(truth[v]) * protocol.p,
        "unit": unit,
        "Var*[c~ᵥ] / n": unit,
        "Var*[f~ᵥ]": unit / n,
        "F_b": float(truth[block == block[v]].sum()),
        "beside": int((block == block[v]).sum()),
        "Var[f~ᵥ]": float(variances[v]),
        "MSE": float(variances.mean()),
    }


class MessageReports(ReportStory):
    """The story of a report that is a block of items, and a column of its matrix."""

    def encode(self, cell: Cell, report: Reports, item: int) -> tuple[str, ...]:  # noqa: ARG002
        code = cast("HadamardResponse", cell.protocol)
        block, row = divmod(item, code.block_size - 1)
        size = count(code.block_size)
        return (
            f"block {block} of {count(code.blocks)}, row {row + 1} of a {size} × {size} matrix",
            f"messages that agree: {count(code.agreeing)} columns with entry +1 in that row",
        )

    def describe(self, cell: Cell, report: Reports) -> tuple[str, ...]:
        code = cast("HadamardResponse", cell.protocol)
        size = f"one of {count(code.messages)}: {bits_needed(code.messages)}"
        return code.message_name(int(report[0])), size


STORY: Final = Story(
    _formulas,
    MessageReports(),
    table=("p", "q", "blocks", "block_size", "messages", *P_AND_Q[2:]),
    fields=("blocks", "block_size", "messages"),
    notes=coded_notes("ASZ"),
)
"""The formulas of the family, one report step by step, and its table."""
