"""Reports that are added up: SHE, a noisy number for each item; dBitFlip, noisy bits of D items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final, cast

import numpy as np

from ldptui.core import theory
from ldptui.core.cell import Cell
from ldptui.core.law.longitudinal import Memoising
from ldptui.core.law.pure import BoolArray, Reports, Supports
from ldptui.core.protocols.dbitflip import BitFlips
from ldptui.core.protocols.she import Summation

from ..text import format as fmt
from ..text.format import short
from .attack_formulas import ADDED, FORETOLD, Laws, TargetSupport, list_attack_formulas
from .family_explanation import FamilyExplanation
from .formula import Formula, KnownNumbers, list_formula
from .formula_inputs import FormulaSetting
from .pure_formulas import PROTOCOL, choose, of_one_item
from .report_explanation import ReportExplanation, count_among, one_bit, over_items
from .report_values import ReportStep, StepOutcome

GAIN: Final = "G = β(S − f_T), S = what a fake report adds to the targets' total, in users"

# Summation with histogram encoding: SHE.

_she = partial(Formula, source="W17 4.3")

SHE: Final = (
    _she("Scale of the noise of a cell: two items differ in two cells", "s = 2/ε", key="scale"),
    _she("Variance of a cell, and of a count for one user", "2 s² = 8/ε²", put="2 · {s}²",
         key="variance_per_user", name="variance per user"),
    _she("What one cell of an honest report reaches on average", "1 + (2/ε) · ln(d/2)"),
    list_formula("cell_bound", "B, bound of a lifted cell",
        "1 + (2/ε) ln(d/2), or given", "W17 4.3"),
    list_formula("report_bits", "bits of a report", "64 d", "by counting"),
    list_formula("frequency_std", "frequency std", "√(8/(ε² n))", "W17 4.3"),
)  # fmt: skip
SHE_ESTIMATES: Final = (
    _she("The estimate, on average: unbiased", "E[f~ᵥ] = E[Σ of the cells] / n",
         put="{n fᵥ:5} / {n}"),
    _she("Its variance, whatever the frequency", "Var[f~ᵥ] = 8/(ε² n)",
         put="{variance_per_user:5} / {n}"),
    _she("Its standard deviation", "σᵥ = √Var[f~ᵥ]"),
)  # fmt: skip
SHE_LAWS: Final[Laws] = {
    "random": TargetSupport("S = 0: noise alone"),
    "honest": TargetSupport("S = 1: one cell is a target's"),
    "unperturbed": TargetSupport("S = 1: one cell is a target's"),
    "crafted": TargetSupport("S = r B"),
    "avoided": TargetSupport("S = −r B"),
}
"""S, what one report adds to the targets' cells, in the place of their number."""


def _she_formulas(setting: FormulaSetting) -> Iterator[Formula]:
    protocol, users, cell = cast("Summation", setting.protocol), setting.users, setting.cell
    known = KnownNumbers(setting, B=protocol.bound, cell_bound=protocol.bound)
    known["variance_per_user"] = protocol.noise
    if users is not None:
        known["frequency_std"] = (protocol.noise / users) ** 0.5
    yield from known.fill(SHE, PROTOCOL)
    yield from choose(known)
    if cell is not None:
        part, f = of_one_item(cell)
        known |= {"fᵥ": f, "E[f~ᵥ]": f, "Var[f~ᵥ]": protocol.noise / cell.users}
        yield from known.fill(SHE_ESTIMATES, part)
    title = "What one fake report adds to the targets' cells"
    yield from list_attack_formulas(known, SHE_LAWS, gain=ADDED, title=title)


class CellReports(ReportExplanation):
    """Explains a report that is a noisy number for each item, which the server sums."""

    adds_up = True

    def encode(self, cell: Cell, report: Reports, item: int) -> tuple[str, ...]:
        return (f"1 in one of {fmt.plural(cell.local.domain_size, 'cell')}, 0 in the others",)

    def describe(self, cell: Cell, report: Reports) -> tuple[str, ...]:
        numbers, largest = fmt.plural(report.shape[1], "number"), fmt.short(float(report.max()))
        return f"{numbers}, the largest {largest}", f"at item {int(report[0].argmax())}"

    def show_noise(
        self, cell: Cell, report: Reports, item: int, answer: Reports | None
    ) -> Iterator[ReportStep]:
        protocol: Any = cell.protocol
        own = float(report[0, item])
        text = f"every cell gets Laplace noise of scale {fmt.short(protocol.scale)}"
        detail = f"the own cell: 1 + {fmt.short(own - 1)} = {fmt.short(own)}"
        yield ReportStep("Perturbation", text, detail=(detail,))

    def support(self, cell: Cell, report: Reports) -> Supports | None:
        return None

    def weigh(self, cell: Cell, report: Reports) -> tuple[float, str]:
        words = "no item is supported: the targets' cells are added up"
        return float(report[0, np.sort(cell.targets)].sum()), words


# dBitFlip and dBitFlipPM: a noisy bit for each of D items.

_flip = partial(Formula, source="DKY")

FLIPS: Final = (
    _flip("The bit of the own item is sent as 1", "p = e^(ε/2) / (e^(ε/2) + 1)", key="bit_own",
          name="p of a bit"),
    _flip("The bit of any other item is sent as 1", "q = 1 − p", key="bit_other",
          name="q of a bit"),
    _flip("A report has a bit of an item", "D / d", key="part", name="D/d, bits sent"),
)  # fmt: skip
COST: Final = _flip("What a report really costs", "ε = 2 ln[ p / q ]", key="real_epsilon",
                    name="real ε")  # fmt: skip
COST_OF_ONE: Final = replace(COST, text="ε = ln[ p / q ]: one bit")
FLIPS_KEPT: Final = _flip(
    "All reports of one item together: they are the same", "ε∞ = ε", key="epsilon_infinity",
    name="ε∞ of all reports", put="{ε∞}",
)  # fmt: skip
FLIPS_SPREAD: Final = (
    _flip("Variance of an estimated count for one user, of an item that nobody holds",
          "Var*/n = (d/D) p q / (p − q)²", put="{p} · {q} / {p − q}² / {part}",
          key="variance_per_user", name="variance per user"),
    list_formula("report_bits", "bits of a report",
        "D + log₂ C(d, D), the server's: D", "by counting"),
    list_formula("frequency_std", "frequency std", "√(variance per user / n)", "DKY"),
)  # fmt: skip
FLIPS_ESTIMATES: Final = (
    _flip("The estimate, on average, from the users who have a bit of v: unbiased",
          "E[f~ᵥ] = E[Σ (bit − q)] d / (n D (p − q))", put="{fᵥ:5}"),
    _flip("Its variance: the noise, and which of its users have a bit of v",
          "Var[f~ᵥ] = [ (d/D) p q / (p − q)² + fᵥ (d/D − 1) ] / n",
          put="[ {variance_per_user} + {fᵥ} · {1 / part − 1} ] / {n}"),
    _flip("Its standard deviation", "σᵥ = √Var[f~ᵥ]"),
)  # fmt: skip
_OTHERS: Final = {
    "random": TargetSupport("S = r / 2"),
    "honest": TargetSupport("S = 1"),
    "unperturbed": TargetSupport("S = (1 − r q) / {(p − q)}"),
}
FLIPS_LAWS: Final[Mapping[str, Laws]] = {
    "client": _OTHERS | {
        "crafted": TargetSupport("S = min(r, D) · (d/D) (1 − q) / (p − q)",
                             put="{min(r, D)} · {one:5}"),
        "avoided": TargetSupport("S = min(r, D) · (d/D) (−q) / (p − q)",
                             put="{min(r, D)} · {none:5}"),
    },
    "server": _OTHERS | {
        "crafted": TargetSupport("S = (r D/d) · (d/D) (1 − q) / (p − q)", put="{r part} · {one:5}"),
        "avoided": TargetSupport("S = (r D/d) · (d/D) (−q) / (p − q)", put="{r part} · {none:5}"),
    },
}  # fmt: skip
"""S, what one report adds to the targets' total, in users: by who chooses the bits."""


def _flips_formulas(setting: FormulaSetting) -> Iterator[Formula]:
    protocol, users, cell = cast("BitFlips", setting.protocol), setting.users, setting.cell
    (p, q), one, none = protocol.rates, _weight(protocol, 1), _weight(protocol, 0)
    known = KnownNumbers(
        setting, p=p, q=q, bit_own=p, bit_other=q, D=protocol.sampled, one=one, none=none
    )
    known["variance_per_user"] = protocol.noise
    if isinstance(protocol, Memoising):
        known |= {"ε∞": protocol.epsilon_infinity}
    if users is not None:
        known["frequency_std"] = theory.frequency_std(protocol, users)
    cost = COST_OF_ONE if protocol.sampled == 1 else COST
    yield from known.fill((*FLIPS, cost, FLIPS_KEPT), PROTOCOL)
    yield from choose(known)
    yield from known.fill(FLIPS_SPREAD, PROTOCOL)
    if cell is not None:
        part, f = of_one_item(cell)
        spread = float(protocol.unit_variance(f)) / cell.users
        known |= {"fᵥ": f, "E[f~ᵥ]": f, "Var[f~ᵥ]": spread}
        yield from known.fill(FLIPS_ESTIMATES, part)
    yield from list_attack_formulas(known, FLIPS_LAWS[protocol.chooser], gain=FORETOLD)


def _weight(protocol: BitFlips, bit: int) -> float:
    """The weight of one bit that is sent."""
    p, q = protocol.rates
    return (bit - q) / (p - q) / protocol.part


def _flips(cell: Cell) -> BitFlips:
    return cast("BitFlips", cell.protocol)


class SampledBitReports(ReportExplanation):
    """Explains a report that has a noisy bit for each of D sampled items."""

    adds_up = True

    def encode(self, cell: Cell, report: Reports, item: int) -> tuple[str, ...]:
        protocol, (drawn, _) = _flips(cell), _rows(cell, report)
        who = {"client": "the client", "server": "the server"}[protocol.chooser]
        size = f"{fmt.count(protocol.sampled)} of {fmt.plural(protocol.domain_size, 'item')}"
        is_among = "" if drawn[item] else "not "
        return (f"{who} draws {size}; the user's own is {is_among}among them",)

    def describe(self, cell: Cell, report: Reports) -> tuple[str, ...]:
        drawn, ones = _rows(cell, report)
        size = f"{short(_flips(cell).report_bits)} bits"
        return f"{fmt.plural(int(drawn.sum()), 'bit')}, {fmt.plural(int(ones.sum()), 'one')}", size

    def show_noise(
        self, cell: Cell, report: Reports, item: int, answer: Reports | None
    ) -> Iterator[ReportStep]:
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
        yield ReportStep("Perturbation", text, outcomes, cells, kept)

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


EXPLANATIONS: Final = {
    "she": FamilyExplanation(
        _she_formulas,
        CellReports(),
        notes=lambda _: (
            "no item is supported: cells are added up, there are no p and q",
            "a fake may send any number: cells that it lifts are clipped at B, honest ones are not",
        ),
        gain=GAIN,
    ),
    "dbitflip": FamilyExplanation(
        _flips_formulas,
        SampledBitReports(),
        notes=lambda _: ("the server knows who has which bits",),
        gain=GAIN,
    ),
}
