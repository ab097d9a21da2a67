"""Reports that are items or bits of items: GRR, unary encodings, thresholds, subsets of items."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Final

from ldptui.core.cell import Cell
from ldptui.core.law.pure import Reports
from ldptui.core.protocols.subset import best_size, subset_bits
from ldptui.core.protocols.the import best_theta

from ..text import format as fmt
from .attack_formulas import HONEST, ONE, TargetSupport
from .family_explanation import FamilyExplanation
from .formula import Formula, list_formula
from .formula_inputs import FormulaSetting
from .pure_formulas import OTHER, OWN, VARIANCE, pure
from .report_explanation import ReportExplanation, bits_needed, hex_of, name_item

# Direct encoding: GRR, also kRR.

DIRECT: Final = (
    Formula(OWN, "p = e^ε / (e^ε + d − 1)", "W17 4.1", "p", 9),
    Formula(OTHER, "q = 1 / (e^ε + d − 1)", "W17 4.1", "q", 9),
    Formula("Privacy budget from p and q", "ε = ln(p / q)", "W17", number=14),
)
DIRECT_UNIT: Final = replace(
    VARIANCE, text="Var*[c~ᵥ] / n = (d − 2 + e^ε) / {(e^ε − 1)}²", number=11
)
DIRECT_LAWS: Final = {
    "random": TargetSupport("S = r / d", 24, 23),
    "honest": replace(HONEST, number=24),
    "unperturbed": ONE,
    "crafted": replace(ONE, number=24, gain=25),
}


class ItemReports(ReportExplanation):
    """Explains a report that is an item."""

    def describe(self, cell: Cell, report: Reports) -> tuple[str, ...]:
        return name_item(cell, int(report[0])), bits_needed(cell.pure.domain_size)


# Unary encodings: a bit for each item.

_P: Final = partial(Formula, OWN, source="W17 4.2", key="p")
_Q: Final = partial(Formula, OTHER, source="W17 4.2", key="q")
BUDGET: Final = Formula(
    "Privacy budget from p and q", "ε = ln[ p(1 − q) / ((1 − p) q) ]", "W17", number=14
)
OUE: Final = (_P("p = 1/2", number=12), _Q("q = 1 / (e^ε + 1)", number=12), BUDGET)
SUE: Final = _P("p = e^(ε/2) / (e^(ε/2) + 1)"), _Q("q = 1 / (e^(ε/2) + 1)"), BUDGET
UE: Final = _P("p = as given", put="{p}"), _Q("q = p / (p + (1 − p) e^ε)"), BUDGET

OUE_UNIT: Final = replace(VARIANCE, text="Var*[c~ᵥ] / n = 4 e^ε / {(e^ε − 1)}²", number=13)
SUE_UNIT: Final = replace(VARIANCE, text="Var*[c~ᵥ] / n = e^(ε/2) / {(e^(ε/2) − 1)}²", number=None)
PADDING: Final = Formula(
    "Padding of a crafted report", "l = ⌊p + (d − 1) q − r⌋, at least 0", "CJG section 3.4",
    put="⌊{p} + {d − 1} · {q} − {r}⌋",
)  # fmt: skip
"""The ones of a crafted report besides those of the targets."""

UNARY_LAWS: Final = {
    "random": TargetSupport("S = r / 2", 26),
    "honest": replace(HONEST, number=27),
    "unperturbed": ONE,
    "crafted": TargetSupport("S = r", 26, 28),
    "subset": TargetSupport("S = r′ + {(r − r′)} l′ / (d − r′)"),
    "disguised": TargetSupport("S = E[min(k, r)],  k ~ Bern(p) + Bin(d − 1, q)", put="{S:5}"),
}


def unary(setting: FormulaSetting) -> Iterator[Formula]:
    """Yields the formulas of unary encodings."""
    p, q = setting.protocol.p, setting.protocol.q
    rows, unit = UE, VARIANCE
    if p == 0.5:
        rows, unit = OUE, OUE_UNIT
    elif math.isclose(p + q, 1):
        rows, unit = SUE, SUE_UNIT
    return pure(rows, UNARY_LAWS, unit, (PADDING,), pad_numbers)(setting)


def pad_numbers(setting: FormulaSetting) -> dict[str, float]:
    """The numbers of crafted unary reports: l, the ones added besides all r targets, and l′ besides
    r′ of them.
    """
    protocol, d, r = setting.protocol, setting.protocol.domain_size, setting.r
    if r is None:
        return {}
    known = {"l": min(protocol.padding(r), d - r)}
    size = getattr(setting.attack, "subset", None)
    if size is None:
        return known
    return known | {"r′": size, "l′": min(protocol.padding(size), d - size)}


class BitReports(ReportExplanation):
    """Explains a report that has a bit for each item."""

    shows_bits = True

    def encode(self, cell: Cell, report: Reports, item: int) -> tuple[str, ...]:
        return (f"one of {fmt.plural(cell.pure.domain_size, 'bit')} is 1",)

    def describe(self, cell: Cell, report: Reports) -> tuple[str, ...]:
        p, q, d = cell.pure.p, cell.pure.q, cell.pure.domain_size
        ones = int(cell.pure.supports(report).sum())
        text = f"{fmt.plural(d, 'bit')}, {fmt.plural(ones, 'one')}"
        honest = f"honest reports: {fmt.short(p + (d - 1) * q)} on average"
        return text, hex_of(report), honest


BITS: Final = BitReports()

# Thresholding with histogram encoding: THE.

_the = partial(Formula, source="W17 4.3")
THE: Final = (
    _the("Threshold with the least variance",
         "θ* = (2/ε) · ln( [ 1 + u + √((1 + u)² − 3u) ] / (3u) ),  u = e^(−ε/2)",
         put="2 / {ε} · ln( [ 1 + {u:5} + √((1 + {u:5})² − 3 · {u:5}) ] / (3 · {u:5}) )"),
    list_formula("theta", "θ", "as given, or the least variance", "W17 4.3"),
    _the(OWN, "p = 1 − e^(ε(θ − 1)/2) / 2", key="p"),
    _the(OTHER, "q = e^(−εθ/2) / 2", key="q"),
    _the("Privacy budget from the scale s = 2/ε of the noise", "ε = 2 / s"),
    _the("Privacy that the bits really cost: less than the ε of the noise",
         "ε′ = ln[ p(1 − q) / ((1 − p) q) ]", key="real_epsilon", name="ε′, real loss"),
)  # fmt: skip


def _the_numbers(setting: FormulaSetting) -> dict[str, float]:
    epsilon = setting.protocol.epsilon
    own = {"θ": setting.protocol.theta, "θ*": best_theta(epsilon)}
    return {**pad_numbers(setting), **own, "u": math.exp(-epsilon / 2), "s": 2 / epsilon}


# Subset selection: SS.

_ss = partial(Formula, source="YB")
SS: Final = (
    _ss("Items in a report that make the average error least",
        "w* = d / (e^ε + 1), up or down to an integer"),
    list_formula("subset_size", "w", "as given, or d/(e^ε + 1)", "YB"),
    _ss(OWN, "p = w e^ε / (w e^ε + {d − w})", key="p"),
    _ss(OTHER, "q = [ p {(w − 1)} + (1 − p) w ] / {(d − 1)}", key="q"),
    _ss("Privacy budget from p and w", "ε = ln[ p {(d − w)} / ((1 − p) w) ]"),
)  # fmt: skip
SS_LAWS: Final = {
    "random": TargetSupport("S = r w / d"),
    "unperturbed": TargetSupport("S = 1 + {(r − 1)}{(w − 1)} / {(d − 1)}"),
    "crafted": TargetSupport("S = min(r, w)"),
    "avoided": TargetSupport("S = max(0, w − {(d − r)})"),
}


def _ss_numbers(setting: FormulaSetting) -> dict[str, float]:
    protocol = setting.protocol
    best = best_size(protocol.domain_size, protocol.epsilon)
    return {"w": protocol.subset_size, "w*": best}


class SetReports(ReportExplanation):
    """Explains a report that is a set of w items."""

    shows_bits = True

    def describe(self, cell: Cell, report: Reports) -> tuple[str, ...]:
        bits = cell.pure.supports(report)[0]
        w = int(bits.sum())
        size = fmt.plural(math.ceil(subset_bits(bits.size, w)), "bit")
        text = f"a set of {fmt.plural(w, 'item')}"
        return text, hex_of(report), f"log₂ of the number of sets: {size}"


EXPLANATIONS: Final = {
    "direct": FamilyExplanation(pure(DIRECT, DIRECT_LAWS, DIRECT_UNIT), ItemReports()),
    "unary": FamilyExplanation(unary, BITS),
    "the": FamilyExplanation(pure(THE, UNARY_LAWS, VARIANCE, (PADDING,), _the_numbers), BITS),
    "subset": FamilyExplanation(pure(SS, SS_LAWS, own=_ss_numbers), SetReports()),
}
