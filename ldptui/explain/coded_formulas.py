"""Coded reports: Hadamard response (HR), and the sketches CMS and HCMS."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final, cast

import numpy as np

from ldptui.core import theory
from ldptui.core.cell import Cell
from ldptui.core.law.pure import Reports
from ldptui.core.protocols.hadamard import HadamardResponse
from ldptui.core.protocols.sketch import CountMeanSketch, Sketch
from ldptui.core.protocols.sketch.hash_rows import hash_items

from ..text import format as fmt
from ..text.format import count, short
from .attack_formulas import FORETOLD, Laws, TargetSupport, list_attack_formulas
from .family_explanation import FamilyExplanation, MessageReports
from .formula import Formula, KnownNumbers, list_formula
from .formula_inputs import FormulaSetting
from .pure_formulas import (
    DEVIATION,
    PROTOCOL,
    REACH,
    add_spread,
    choose,
    of_one_item,
    pure,
    shown_item,
)
from .report_explanation import ReportExplanation

# Hadamard response: a block of items and a column of a Hadamard matrix.

_hr = partial(Formula, source="ASZ")

HR: Final = (
    _hr("Blocks of items", "B = largest 2^k < min(e^ε, 2d)", key="blocks",
        put="2^k < min({e^ε}, {2d})"),
    _hr("Rows and columns of the matrix of a block", "b = least 2^k ≥ d / B + 1",
        key="block_size", put="2^k ≥ {d} / {B} + 1"),
    _hr("Messages", "K = B b", key="messages"),
    _hr("Mean support of the own item: +1, −1, or 0 from another block",
        "p = {(e^ε − 1)} / ({e^ε − 1} + {2B})", key="p"),
    _hr("Mean support of any other item", "q = 0", key="q", put="as many +1 as −1"),
    _hr("Privacy budget from the chance of a message that agrees, and of one that does not",
        "ε = ln(p₁ / p₀),  p₀ = 1 / ((b/2)(e^ε − 1 + 2B))"),
)  # fmt: skip
HR_UNIT: Final = list_formula(
    "variance_per_user", "variance per user", "(2/(e^ε − 1) + F_b)/p", "ASZ"
)
HR_STD: Final = list_formula("frequency_std", "frequency std", "√(variance per user / n)", "ASZ")
HR_ESTIMATES: Final = (
    _hr("Reports for v less those against it, on average", "E[Cᵥ] = n fᵥ p"),
    _hr("The estimate from that count: unbiased", "f~ᵥ = Cᵥ / (n p)"),
    _hr("Var* of a count, for one user: of an item that nobody holds, all others alike",
        "Var*[c~ᵥ] / n = (2 + (e^ε − 1) F_b)(e^ε − 1 + 2B) / (e^ε − 1)²",
        put="(2 + {e^ε − 1} F_b) · {2 (B + (e^ε − 1) / 2)} / {e^ε − 1}²"),
    _hr("Variance of the estimate of an item that nobody holds", "Var*[f~ᵥ] = Var*[c~ᵥ] / n²",
        put="{variance_per_user} / {n}"),
    _hr("Users of its block, who are heard there more often", "F_b = Σ_(u in the block) fᵤ",
        put="over {beside} items"),
    _hr("Variance of the estimate of v",
        "Var[f~ᵥ] = [ (2 + {(e^ε − 1)} F_b)({e^ε − 1} + {2B}) / {(e^ε − 1)}² − fᵥ ] / n"),
    _hr("Standard deviation of the estimate of v", "σᵥ = √Var[f~ᵥ]"),
    _hr("Expected mean squared error without attack", "MSE = Σᵥ Var[f~ᵥ] / d",
        put="over {d} items"),
)  # fmt: skip
HR_LAWS: Final[Laws] = {
    "random": TargetSupport("S = 0: for and against alike"),
    "honest": TargetSupport("S = p"),
    "unperturbed": TargetSupport("S = 1: the rest cancels"),
    "crafted": TargetSupport("S = most targets in a block", put="counted over all blocks"),
    "avoided": TargetSupport("S = −(most targets that one message speaks against)",
                         put="counted over all messages"),
}  # fmt: skip


def _hr_numbers(setting: FormulaSetting) -> dict[str, float]:
    protocol: HadamardResponse = setting.protocol
    least = (1 - protocol.truthful) / protocol.messages
    return {"p₀": least, "p₁": least + protocol.truthful / protocol.agreeing}


def _hr_estimates(known: KnownNumbers) -> Iterator[Formula]:
    """Yields the estimate of one item of a cell, and its errors."""
    cell, protocol = known.setting.cell, known.setting.protocol
    if cell is None:
        return
    (v, _), truth, n = shown_item(cell), cell.population.frequencies, cell.users
    part, f = of_one_item(cell)
    block = np.arange(truth.size) // (protocol.block_size - 1)
    variances = theory.item_variances(protocol, n, truth)
    unit = theory.count_variance(protocol)
    known |= {
        "fᵥ": f, "f~ᵥ": f, "Cᵥ": n * f * protocol.p, "Var*[c~ᵥ] / n": unit, "Var*[f~ᵥ]": unit / n,
        "F_b": float(truth[block == block[v]].sum()), "beside": int((block == block[v]).sum()),
        "Var[f~ᵥ]": float(variances[v]), "MSE": float(variances.mean()),
    }  # fmt: skip
    yield from known.fill(HR_ESTIMATES, part)


class BlockReports(MessageReports):
    """Explains a report that is a block of items and a column of the block's matrix."""

    def encode(self, cell: Cell, report: Reports, item: int) -> tuple[str, ...]:
        code = cast("HadamardResponse", cell.protocol)
        block, row = divmod(item, code.block_size - 1)
        size = count(code.block_size)
        return (
            f"block {block} of {count(code.blocks)}, row {row + 1} of a {size} × {size} matrix",
            f"messages that agree: {count(code.agreeing)} columns with entry +1 in that row",
        )


# Sketches: a row of a table of hash functions, and noisy cells of it.

_cms = partial(Formula, source="ADP")
_P: Final = partial(_cms, "A report supports an item of the own bucket", key="p")
_Q0: Final = partial(_cms, "A report supports an item of another bucket")

OWN_BUCKET: Final = {
    True: (_P("p = e^(ε/2) / (e^(ε/2) + 1)"), _Q0("q₀ = 1 − p"),
           _cms("Privacy budget from p", "ε = 2 ln[ p / {(1 − p)} ]")),
    False: (_P("p = e^ε / (e^ε + 1)"), _Q0("q₀ = 1/2"),
            _cms("Privacy budget from p", "ε = ln[ p / {(1 − p)} ]")),
}  # fmt: skip
"""p and q₀, and ε from them: of a report of bits, or of one sign."""

SHARED: Final = (
    _cms("A report supports any other item: it may share the bucket", "q = q₀ + (p − q₀) / m",
         key="q"),
    _cms("Variance that an item held by all adds to others by collisions",
         "1 / ((m − 1) k), times fᵤ²", key="collisions", name="collisions"),
)  # fmt: skip
CMS_UNIT: Final = list_formula(
    "variance_per_user", "variance per user", "Var*/n = q(1 − q)/(p − q)²", "ADP"
)
CMS_ESTIMATES: Final = (
    _cms("Users in the bucket of v, on average over the rows", "a = Σᵤ fᵤ Pr[h(u) = h(v)]",
         put="over {k} rows"),
    _cms("The estimate, on average: what collides more or less often than 1/m stays",
         "E[f~ᵥ] = ({a:5} − 1/m) / (1 − 1/m)"),
    _cms("Its variance: reports for v are counted, own ones and those of others in its bucket",
         "Var[f~ᵥ] = [ f p(1 − p) + (1 − f) π(1 − π) ] / (n (p − q)²)",
         put="n = {n}, π as theory has it"),
    _cms("Its standard deviation", "σᵥ = √Var[f~ᵥ]"),
)  # fmt: skip
CMS_LAWS: Final[Laws] = {
    "random": TargetSupport("S = r / 2"),
    "unperturbed": TargetSupport("S = 1 + (r − 1) q without noise", put="{r} targets, no noise"),
    "crafted": TargetSupport("S = r", put="{r}, in every row"),
    "avoided": TargetSupport("S = 0"),
}
"""S in words; what targets that share buckets add is in the number."""


def _has_bits(protocol: Sketch) -> bool:
    """True if a report has a bit for each bucket (CMS), False if it is one sign (HCMS)."""
    return isinstance(protocol, CountMeanSketch)


def _cms_formulas(setting: FormulaSetting) -> Iterator[Formula]:
    protocol, cell = cast("Sketch", setting.protocol), setting.cell
    known = KnownNumbers(
        setting, m=protocol.buckets, k=protocol.rows, collisions=protocol.collision_variance
    )
    add_spread(known)
    yield from known.fill((*OWN_BUCKET[_has_bits(protocol)], *SHARED), PROTOCOL)
    yield from choose(known)
    yield from known.fill((CMS_UNIT, *REACH, DEVIATION), PROTOCOL)
    if cell is not None:
        (v, _), (part, _) = shown_item(cell), of_one_item(cell)
        clean, _ = protocol.means(theory.collection_parameters(cell))
        spread, _ = protocol.variances(theory.collection_parameters(cell))
        mean = float(clean[v])
        known["a"] = mean * (1 - 1 / protocol.buckets) + 1 / protocol.buckets
        known |= {"E[f~ᵥ]": mean, "Var[f~ᵥ]": float(spread[v])}
        yield from known.fill(CMS_ESTIMATES, part)
    yield from list_attack_formulas(known, CMS_LAWS, gain=FORETOLD)


def _sketch(cell: Cell) -> Sketch:
    return cast("Sketch", cell.protocol)


class SketchReports(ReportExplanation):
    """Explains a report that is a row of hash functions and noisy cells of that row."""

    def encode(self, cell: Cell, report: Reports, item: int) -> tuple[str, ...]:
        protocol, row = _sketch(cell), report["row"][:1].astype(np.int64)
        bucket = int(hash_items(np.array([item]), row, protocol.buckets)[0, 0])
        text = (
            f"{self._row(cell, report)} hashes it to bucket {bucket} of {count(protocol.buckets)}"
        )
        if _has_bits(protocol):
            return text, "a 1 in that bucket, 0 in all others"
        column = int(report["column"][0])
        sign = -1 if (bucket & column).bit_count() % 2 else 1
        entry = f"has the entry {sign:+d} in row {bucket}"
        return text, f"column {column} of the Hadamard matrix {entry}"

    def describe(self, cell: Cell, report: Reports) -> tuple[str, ...]:
        protocol, row = _sketch(cell), self._row(cell, report)
        size = f"{short(protocol.report_bits)} bits"
        if _has_bits(protocol):
            bits = np.unpackbits(report["bits"], axis=1)[0, : protocol.buckets]
            ones = fmt.plural(int(bits.sum()), "one")
            return f"{row}, {ones} of {count(protocol.buckets)} bits", size
        sign = "−1" if report["odd"][0] else "+1"
        return f"{row}, column {int(report['column'][0])}, sign {sign}", size

    def _row(self, cell: Cell, report: Reports) -> str:
        return f"row {int(report['row'][0])} of {count(_sketch(cell).rows)}"


def _cms_notes(setting: FormulaSetting) -> Iterator[str]:
    protocol: Sketch = setting.protocol
    yield f"m = {count(protocol.buckets)} buckets, k = {count(protocol.rows)} hash functions"
    yield "p and q are means over hash functions; these ones add their collisions to each item"
    yield protocol.apart


EXPLANATIONS: Final = {
    "hadamard": FamilyExplanation(
        pure(HR, HR_LAWS, HR_UNIT, own=_hr_numbers, estimates=_hr_estimates, std=HR_STD),
        BlockReports(),
    ),
    "sketch": FamilyExplanation(_cms_formulas, SketchReports(), notes=_cms_notes),
}
