"""dBitFlip and dBitFlipPM: the report is a noisy bit for each of D items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Final, cast

import numpy as np

from ldptui.core import theory
from ldptui.core.cell import Cell
from ldptui.core.law.longitudinal import Memoising
from ldptui.core.law.pure import BoolArray, Reports, Supports
from ldptui.core.protocols.dbitflip import BitFlips

from ..text import format as fmt
from ..text.format import short
from .attack_formulas import Laws, Supported, compared, foretold, gain_keys
from .family_explanation import Story
from .formula import Crowd, Entry, Formula, listed, told
from .formula_inputs import Setting
from .formula_table import advice
from .gain_line_formulas import bound_keys
from .pure_formulas import PROTOCOL, choice, of_one_item
from .report_story import ReportStory, count_among, one_bit, over_items
from .report_values import Step, StepOutcome

DKY: Final = "Ding, Kulkarni, Yekhanin 2017"


_row = partial(Formula, source=DKY)
_COST: Final = partial(_row, "What a report really costs",
                       entry=Entry("real_epsilon", "real ε", "by enumeration"))  # fmt: skip

ROWS: Final = (
    _row("The bit of the own item is sent as 1", "p = e^(ε/2) / (e^(ε/2) + 1)",
         entry=Entry("bit_own", "p of a bit", "DKY")),
    _row("The bit of any other item is sent as 1", "q = 1 − p",
         entry=Entry("bit_other", "q of a bit", "DKY")),
    _row("A report has a bit of an item", "D / d", entry=Entry("part", "D/d, bits sent", "DKY")),
)  # fmt: skip
COST: Final = _COST("ε = 2 ln[ p / q ]")
COST_OF_ONE: Final = _COST("ε = ln[ p / q ]: one bit")
KEPT: Final = _row(
    "All reports of one item together: they are the same", "ε∞ = ε", put="{ε∞}",
    entry=Entry("epsilon_infinity", "ε∞ of all reports", "DKY"),
)  # fmt: skip

SPREAD: Final = (
    _row("Variance of an estimated count for one user, of an item that nobody holds",
         "Var*/n = (d/D) p q / (p − q)²", put="{p} · {q} / {p − q}² / {part}",
         entry=Entry("variance_per_user", "variance per user", "DKY", "(d/D) pq/(p − q)²")),
    listed("report_bits", "bits of a report", "D + log₂ C(d, D), the server's: D", "by counting"),
    listed("frequency_std", "frequency std", "√(variance per user / n)", "DKY"),
)  # fmt: skip

ESTIMATES: Final = (
    _row("The estimate, on average, from the users who have a bit of v: unbiased",
         "E[f~ᵥ] = E[Σ (bit − q)] d / (n D (p − q))", put="{fᵥ:5}"),
    _row("Its variance: the noise, and which of its users have a bit of v",
         "Var[f~ᵥ] = [ (d/D) p q / (p − q)² + fᵥ (d/D − 1) ] / n",
         put="[ {variance_per_user} + {fᵥ} · {1 / part − 1} ] / {n}"),
    _row("Its standard deviation", "σᵥ = √Var[f~ᵥ]"),
)  # fmt: skip

_OTHERS: Final = {
    "random": Supported("S = r / 2"),
    "honest": Supported("S = 1"),
    "unperturbed": Supported("S = (1 − r q) / {(p − q)}"),
}
SUPPORTED: Final[Mapping[str, Laws]] = {
    "client": _OTHERS | {
        "crafted": Supported("S = min(r, D) · (d/D) (1 − q) / (p − q)",
                             put="{min(r, D)} · {one:5}"),
        "avoided": Supported("S = min(r, D) · (d/D) (−q) / (p − q)", put="{min(r, D)} · {none:5}"),
    },
    "server": _OTHERS | {
        "crafted": Supported("S = (r D/d) · (d/D) (1 − q) / (p − q)", put="{r part} · {one:5}"),
        "avoided": Supported("S = (r D/d) · (d/D) (−q) / (p − q)", put="{r part} · {none:5}"),
    },
}  # fmt: skip
"""S, what one report adds to the targets' total, in users: by who chooses the bits."""


def _formulas(setting: Setting) -> Iterator[Formula]:
    protocol: BitFlips = setting.protocol
    known, cell = _numbers(protocol, setting.users), setting.cell
    cost = COST_OF_ONE if protocol.sampled == 1 else COST
    yield from told((*ROWS, cost, KEPT), known, PROTOCOL)
    yield from choice(protocol.domain_size, protocol.epsilon)
    yield from told(SPREAD, known, PROTOCOL)
    if cell is None:
        yield from compared(setting, lambda law: f"β(S − f_T), S = {_brief(protocol, law)}")
        return
    part, f = of_one_item(cell)
    spread = float(protocol.unit_variance(f)) / cell.users
    of_item = {"fᵥ": f, "E[f~ᵥ]": f, "Var[f~ᵥ]": spread}
    yield from told(ESTIMATES, {**known, **of_item}, part)
    yield from foretold(cell, known, SUPPORTED[protocol.chooser])


def _numbers(protocol: BitFlips, users: int | None) -> dict[str, float]:
    p, q = protocol.rates
    known = {
        "ε": protocol.epsilon, "d": protocol.domain_size, "D": protocol.sampled, "p": p, "q": q,
        "bit_own": p, "bit_other": q, "part": protocol.part, "report_bits": protocol.report_bits,
        "real_epsilon": protocol.real_epsilon, "variance_per_user": protocol.noise,
        "one": _weight(protocol, 1), "none": _weight(protocol, 0),
    }  # fmt: skip
    if isinstance(protocol, Memoising):
        known |= {"ε∞": protocol.epsilon_infinity}
    if users is None:
        return known
    return known | {"n": Crowd(users), "frequency_std": theory.frequency_std(protocol, users)}


def _weight(protocol: BitFlips, bit: int) -> float:
    """The weight of one bit that is sent."""
    p, q = protocol.rates
    return (bit - q) / (p - q) / protocol.part


def _brief(protocol: BitFlips, law: str) -> str:
    crafted = "min(r, D)" if protocol.chooser == "client" else "(r D/d)"
    return {"random": "r/2", "honest": "1"}.get(law, f"{crafted} (d/D)(1 − q)/(p − q)")


def _flips(cell: Cell) -> BitFlips:
    return cast("BitFlips", cell.protocol)


class SampledBitReports(ReportStory):
    """The story of a report that has a noisy bit for each of D items."""

    adds_up = True

    def encode(self, cell: Cell, report: Reports, item: int) -> tuple[str, ...]:
        protocol, (drawn, _) = _flips(cell), _rows(cell, report)
        who = {"client": "the client", "server": "the server"}[protocol.chooser]
        size = f"{fmt.count(protocol.sampled)} of {fmt.plural(protocol.domain_size, 'item')}"
        return (f"{who} draws {size}, {'the own one too' if drawn[item] else 'not the own one'}",)

    def describe(self, cell: Cell, report: Reports) -> tuple[str, ...]:
        drawn, ones = _rows(cell, report)
        size = f"{short(_flips(cell).report_bits)} bits"
        return f"{fmt.plural(int(drawn.sum()), 'bit')}, {fmt.plural(int(ones.sum()), 'one')}", size

    def show_noise(
        self,
        cell: Cell,
        report: Reports,
        item: int,
        answer: Reports | None,  # noqa: ARG002
    ) -> Iterator[Step]:
        protocol, (drawn, ones) = _flips(cell), _rows(cell, report)
        own = "own", drawn & one_bit(drawn.size, item)
        (p, q), rows = protocol.rates, (("has a bit", drawn), ("bit 1", ones))
        cells = replace(over_items(cell, rows, item), rate=protocol.part * q)
        kept = ("drawn once and kept: every round sends the same bits",) * isinstance(
            protocol, Memoising
        )
        text = "every bit is noisy on its own"
        outcomes = (
            StepOutcome("own → 1", "p", p, count_among(ones, own[1])),
            StepOutcome("other → 1", "q", q, count_among(ones, drawn & ~own[1])),
        )
        yield Step("Perturbation", text, outcomes, cells, kept)

    def support(self, cell: Cell, report: Reports) -> Supports:
        return _rows(cell, report)[1]

    def weigh(self, cell: Cell, report: Reports) -> tuple[float, str]:
        protocol, (drawn, ones) = _flips(cell), _rows(cell, report)
        one, none = _weight(protocol, 1), _weight(protocol, 0)
        sent, hit = int(drawn[cell.targets].sum()), int(ones[cell.targets].sum())
        words = f"a 1 adds {short(one, sign=True)} users, a 0 {short(none, sign=True)}, no bit 0"
        return float(hit * one + (sent - hit) * none), words


def _rows(cell: Cell, report: Reports) -> tuple[BoolArray, BoolArray]:
    """bool[d] each: the items that have a bit, and the bits that are 1."""
    bits = np.unpackbits(report[0], axis=1, count=_flips(cell).domain_size).astype(np.bool_)
    return bits[0], bits[1]


def _notes(setting: Setting, rows: Mapping[str, Formula]) -> Iterator[str]:
    protocol: BitFlips = setting.protocol
    yield "S: what a report adds to the targets' total; the server knows who has which bits"
    yield protocol.apart
    yield from advice(setting, rows)


TABLE: Final = (
    *("bit_own", "bit_other", "part", "real_epsilon", "epsilon_infinity"),
    *("variance_per_user", "report_bits", "frequency_std", *gain_keys(), *bound_keys()),
)

STORY: Final = Story(
    _formulas,
    SampledBitReports(),
    table=TABLE,
    fields=("bit_own", "bit_other", "part", "real_epsilon", "epsilon_infinity"),
    notes=_notes,
    brief=("bit_own", "bit_other", "part"),
)
"""The formulas of dBitFlip, one report step by step, and its table."""
