"""Sketches (CMS, HCMS): the report is a row of a table of hash functions, and noisy cells of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Final, cast

import numpy as np

from ldptui.core import theory
from ldptui.core.cell import Cell
from ldptui.core.law.pure import Reports
from ldptui.core.protocols.sketch import CountMeanSketch, Sketch
from ldptui.core.protocols.sketch.rows import hash_items

from ..text import format as fmt
from ..text.format import count, short
from .attack_formulas import Laws, Supported, compared, foretold
from .family_explanation import Story
from .formula import Entry, Formula, listed, told
from .formula_inputs import Setting
from .formula_table import P_AND_Q, advice
from .pure_formulas import PROTOCOL, REACH, choice, numbers_of, of_one_item, shown_item
from .report_story import ReportStory

APPLE: Final = "Apple 2017"


def _bits(protocol: Sketch) -> bool:
    """True where a report has a bit for each bucket, and not one sign."""
    return isinstance(protocol, CountMeanSketch)


_apples = partial(Formula, source=APPLE)
_P: Final = partial(_apples, "A report supports an item of the own bucket",
                    entry=Entry("p", "p", "ADP"))  # fmt: skip
_Q0: Final = partial(_apples, "A report supports an item of another bucket")

OWN_BUCKET: Final = {
    True: (_P("p = e^(ε/2) / (e^(ε/2) + 1)"), _Q0("q₀ = 1 − p")),
    False: (_P("p = e^ε / (e^ε + 1)"), _Q0("q₀ = 1/2")),
}
BUDGET: Final = {
    True: _apples("Privacy budget from p", "ε = 2 ln[ p / {(1 − p)} ]"),
    False: _apples("Privacy budget from p", "ε = ln[ p / {(1 − p)} ]"),
}
"""p and q₀, and ε from them: of a report of bits, or of one sign."""

SHARED: Final = _apples(
    "A report supports any other item: it may share the bucket", "q = q₀ + (p − q₀) / m",
    entry=Entry("q", "q", "ADP"),
)  # fmt: skip
COLLISIONS: Final = _apples(
    "Variance that an item held by all adds to others by collisions",
    "1 / ((m − 1) k), times fᵤ²",
    entry=Entry("collisions", "collisions of an item", "by counting", "f²/((m − 1)k)"),
)

SPREAD: Final = (
    listed("variance_per_user", "variance per user", "Var*/n = q(1 − q)/(p − q)²", "ADP"),
    *REACH,
    listed("frequency_std", "frequency std", "√(Var*/n / n)", "ADP"),
)
"""The spread of an estimate, for the table."""

ESTIMATES: Final = (
    _apples("Users in the bucket of v, on average over the rows", "a = Σᵤ fᵤ Pr[h(u) = h(v)]",
         put="over {k} rows"),
    _apples("The estimate, on average: what collides more or less often than 1/m stays",
         "E[f~ᵥ] = ({a:5} − 1/m) / (1 − 1/m)"),
    _apples("Its variance: reports for v are counted, own ones and those of others in its bucket",
         "Var[f~ᵥ] = [ f p(1 − p) + (1 − f) π(1 − π) ] / (n (p − q)²)",
         put="n = {n}, π as theory has it"),
    _apples("Its standard deviation", "σᵥ = √Var[f~ᵥ]"),
)  # fmt: skip

SUPPORTED: Final[Laws] = {
    "random": Supported("S = r / 2"),
    "unperturbed": Supported("S = 1 + (r − 1) q without noise", put="{r} targets, no noise"),
    "avoided": Supported("S = 0"),
}
"""S in words; what targets that share buckets add is in the number."""


def _formulas(setting: Setting) -> Iterator[Formula]:
    protocol: Sketch = setting.protocol
    bits, cell = _bits(protocol), setting.cell
    known = {
        **numbers_of(setting),
        "m": protocol.buckets,
        "k": protocol.rows,
        "q₀": protocol.other,
        "collisions": protocol.collision_variance,
    }
    yield from told((*OWN_BUCKET[bits], SHARED, BUDGET[bits], COLLISIONS), known, PROTOCOL)
    yield from choice(protocol.domain_size, protocol.epsilon)
    yield from told(SPREAD, known, PROTOCOL)
    if cell is None:
        yield from compared(setting, _gain_in_words)
        return
    part, _ = of_one_item(cell)
    yield from told(ESTIMATES, {**known, **_of_one_item(cell, protocol)}, part)
    put = "{r}, in every row" if bits else "{r}, by equations over F₂"
    yield from foretold(cell, known, {**SUPPORTED, "crafted": Supported("S = r", put=put)})


def _of_one_item(cell: Cell, protocol: Sketch) -> dict[str, float]:
    v, _ = shown_item(cell)
    clean, _ = protocol.means(theory.collected(cell))
    spread, _ = protocol.variances(theory.collected(cell))
    met = float(clean[v]) * (1 - 1 / protocol.buckets) + 1 / protocol.buckets
    return {"a": met, "E[f~ᵥ]": float(clean[v]), "Var[f~ᵥ]": float(spread[v])}


def _gain_in_words(law: str) -> str:
    supported = {"random": "r/2", "crafted": "r"}.get(law, "p + (r − 1)q")
    return f"G with S = {supported}"


def _sketch(cell: Cell) -> Sketch:
    return cast("Sketch", cell.protocol)


class SketchReports(ReportStory):
    """The story of a report that is a row of a table of hash functions, and noisy cells of it."""

    def encode(self, cell: Cell, report: Reports, item: int) -> tuple[str, ...]:
        protocol, row = _sketch(cell), report["row"][:1].astype(np.int64)
        bucket = int(hash_items(np.array([item]), row, protocol.buckets)[0, 0])
        text = (
            f"{self._row(cell, report)} hashes it to bucket {bucket} of {count(protocol.buckets)}"
        )
        if _bits(protocol):
            return text, "a 1 in that bucket, 0 in all others"
        column = int(report["column"][0])
        sign = -1 if (bucket & column).bit_count() % 2 else 1
        entry = f"has the entry {sign:+d} in row {bucket}"
        return text, f"column {column} of the Hadamard matrix {entry}"

    def describe(self, cell: Cell, report: Reports) -> tuple[str, ...]:
        protocol, row = _sketch(cell), self._row(cell, report)
        size = f"{short(protocol.report_bits)} bits"
        if _bits(protocol):
            bits = np.unpackbits(report["bits"], axis=1)[0, : protocol.buckets]
            ones = fmt.plural(int(bits.sum()), "one")
            return f"{row}, {ones} of {count(protocol.buckets)} bits", size
        sign = "−1" if report["odd"][0] else "+1"
        return f"{row}, column {int(report['column'][0])}, sign {sign}", size

    def _row(self, cell: Cell, report: Reports) -> str:
        return f"row {int(report['row'][0])} of {count(_sketch(cell).rows)}"


def _notes(setting: Setting, rows: Mapping[str, Formula]) -> Iterator[str]:
    protocol: Sketch = setting.protocol
    yield f"m = {count(protocol.buckets)} buckets, k = {count(protocol.rows)} hash functions"
    yield "p and q are means over hash functions; these ones add their collisions to each item"
    yield protocol.apart
    yield from advice(setting, rows)


STORY: Final = Story(
    _formulas,
    SketchReports(),
    table=("p", "q", "collisions", *P_AND_Q[2:]),
    fields=("collisions",),
    notes=_notes,
)
"""The formulas of the sketches, one report step by step, and their table."""
