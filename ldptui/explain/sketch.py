"""Sketches (CMS, HCMS): the report is a row of a table of hash functions, and noisy cells of it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final, cast

import numpy as np

from ldptui.core import theory
from ldptui.core.attacks import Strategy
from ldptui.core.cell import Cell
from ldptui.core.law.pure import Reports
from ldptui.core.protocols.sketch import CountMeanSketch, Sketch
from ldptui.core.protocols.sketch.rows import hashed

from ..text import format as fmt
from ..text.format import count, short
from .attack import Laws, compared, foretold, honest
from .closed_forms import PROTOCOL, choice, reach, shown_item
from .formula import DIGITS, Entry, Formula, listed, numeric
from .report import SENT_AS_IT_IS, Chance, Step
from .report.cells import in_buckets, one_bit, over_items
from .report.pure import PureReports
from .report.words import plural, targets_of
from .setting import Setting
from .story import Story, Supported
from .table import P_AND_Q, advice

APPLE: Final = "Apple 2017"


def _bits(protocol: Sketch) -> bool:
    """True where a report has a bit for each bucket, and not one sign."""
    return isinstance(protocol, CountMeanSketch)


def _formulas(setting: Setting) -> Iterator[Formula]:
    protocol: Sketch = setting.protocol
    yield from _probabilities(protocol)
    yield from choice(protocol)
    yield from _spread(setting)
    if setting.cell is None:
        yield from compared(setting, _gain_in_words)
        return
    yield from _of_one_item(setting.cell, protocol)
    yield from foretold(setting.cell, SUPPORTED)


def _probabilities(protocol: Sketch) -> Iterator[Formula]:
    p, q0, m = protocol.p, protocol.other, count(protocol.buckets)
    live = partial(numeric, PROTOCOL, source=APPLE)
    e_ = short(math.exp(protocol.epsilon / (2 if _bits(protocol) else 1)))
    power = "e^(ε/2)" if _bits(protocol) else "e^ε"
    yield live("A report supports an item of the own bucket", f"p = {power} / ({power} + 1)",
               f"{e_} / ({e_} + 1)", p, entry=Entry("p", "p", "ADP"))  # fmt: skip
    words, put = ("q₀ = 1 − p", f"1 − {short(p)}") if _bits(protocol) else ("q₀ = 1/2", "1/2")
    yield live("A report supports an item of another bucket", words, put, q0)
    yield live(
        "A report supports any other item: it may share the bucket", "q = q₀ + (p − q₀) / m",
        f"{short(q0)} + ({short(p)} − {short(q0)}) / {m}", protocol.q,
        entry=Entry("q", "q", "ADP"),
    )  # fmt: skip
    if _bits(protocol):
        formula, put = "ε = 2 ln[ p / (1 − p) ]", f"2 · ln[ {short(p)} / {short(q0)} ]"
    else:
        formula, put = "ε = ln[ p / (1 − p) ]", f"ln[ {short(p)} / {short(1 - p)} ]"
    yield live("Privacy budget from p", formula, put, protocol.epsilon)
    k = count(protocol.rows)
    yield live(
        "Variance that an item held by all adds to others by collisions",
        "1 / ((m − 1) k), times fᵤ²", f"1 / (({m} − 1) · {k})", protocol.collision_variance,
        entry=Entry("collisions", "collisions of an item", "by counting", "f²/((m − 1)k)"),
    )  # fmt: skip


def _spread(setting: Setting) -> Iterator[Formula]:
    protocol = setting.protocol
    yield listed(
        "variance_per_user", "variance per user", theory.count_variance(protocol),
        "Var*/n = q(1 − q)/(p − q)²", "ADP",
    )  # fmt: skip
    yield from reach(protocol)
    if setting.users is not None:
        spread = theory.frequency_std(protocol, setting.users)
        yield listed("frequency_std", "frequency std", spread, "√(Var*/n / n)", "ADP")


def _of_one_item(cell: Cell, protocol: Sketch) -> Iterator[Formula]:
    v, what = shown_item(cell)
    f, n = float(cell.population.frequencies[v]), cell.users
    clean, _ = protocol.means(theory.collected(cell))
    spread, _ = protocol.variances(theory.collected(cell))
    part = f"Estimates, for v = {cell.population.label(v)}, {what}, fᵥ = {short(f)}"
    live = partial(numeric, part, source=APPLE)
    m = count(protocol.buckets)
    met = float(clean[v]) * (1 - 1 / protocol.buckets) + 1 / protocol.buckets
    yield live("Users in the bucket of v, on average over the rows", "a = Σᵤ fᵤ Pr[h(u) = h(v)]",
               f"over {count(protocol.rows)} rows", met)  # fmt: skip
    yield live(
        "The estimate, on average: what collides more or less often than 1/m stays",
        "E[f~ᵥ] = (a − 1/m) / (1 − 1/m)", f"({short(met, DIGITS)} − 1/{m}) / (1 − 1/{m})",
        float(clean[v]),
    )  # fmt: skip
    yield live(
        "Its variance: reports for v are counted, own ones and those of others in its bucket",
        "Var[f~ᵥ] = [ f p(1 − p) + (1 − f) π(1 − π) ] / (n (p − q)²)",
        f"n = {count(n, 9)}, π as theory has it", float(spread[v]),
    )  # fmt: skip
    yield live("Its standard deviation", "σᵥ = √Var[f~ᵥ]", f"√{short(float(spread[v]))}",
               float(spread[v]) ** 0.5)  # fmt: skip


def _gain_in_words(law: str) -> str:
    supported = {"random": "r/2", "crafted": "r"}.get(law, "p + (r − 1)q")
    return f"G with S = {supported}"


def _all_of(protocol: Sketch, r: int, _: object) -> Supported:
    how = "in every row" if _bits(protocol) else "by equations over F₂"
    return Supported("S = r", f"{r}, {how}")


SUPPORTED: Final[Laws] = {
    "random": lambda _, r, __: Supported("S = r / 2", f"{r} / 2"),
    "honest": lambda protocol, r, _: honest(protocol, r),
    "unperturbed": lambda _, r, __: Supported(
        "S = 1 + (r − 1) q without noise", f"{r} targets, no noise"
    ),
    "crafted": _all_of,
    "avoided": lambda _, __, ___: Supported("S = 0", "0"),
}
"""S in words; what targets that share buckets add is in the number."""


def _sketch(cell: Cell) -> Sketch:
    return cast("Sketch", cell.protocol)


def _row(report: Reports) -> int:
    return int(report["row"][0])


def _place(cell: Cell, report: Reports, item: int) -> int:
    """The bucket of an item in the row of a report."""
    chosen = np.array([_row(report)])
    return int(hashed(np.array([item]), chosen, _sketch(cell).buckets)[0, 0])


def _shown(cell: Cell, report: Reports) -> Any:
    """bool[m], the bits of a report of CMS."""
    return np.unpackbits(report["bits"], axis=1)[0, : _sketch(cell).buckets].astype(np.bool_)


def _honest(cell: Cell, report: Reports, item: int) -> tuple[Step, ...]:
    protocol, bucket = _sketch(cell), _place(cell, report, item)
    row = f"row {_row(report)} of {fmt.count(protocol.rows)}"
    kept = bool(protocol.look(report, np.array([item]))[0, 0])
    encoding = f"{row} hashes it to bucket {bucket} of {fmt.count(protocol.buckets)}"
    if _bits(protocol):
        own, then = one_bit(protocol.buckets, bucket), _shown(cell, report)
        others = int(then.sum()) - kept
        drawn = f"{others} of {fmt.count(protocol.buckets - 1)}"
        chances: tuple[Chance, ...] = (
            Chance("own bucket sent as 1", "p", protocol.p, "yes" if kept else "no"),
            Chance("each other as 1", "1 − p", protocol.other, drawn),
        )
        text = "keeps the 1" if kept else "loses the 1"
        rows = in_buckets((("own", own), ("sent", then)), bucket)
        return (Step("Encoding", encoding, detail=("a 1 in that bucket, 0 in all others",)),
                Step("Perturbation", text, chances, rows), _sent(cell, report))  # fmt: skip
    column = int(report["column"][0])
    sign = -1 if (bucket & column).bit_count() % 2 else 1
    chances = (Chance("the entry is kept", "p", protocol.p, "yes" if kept else "no"),)
    supported = ("supports", protocol.look(report, np.arange(protocol.domain_size))[0])
    detail = f"column {column} of the Hadamard matrix has the entry {sign:+d} in row {bucket}"
    return (
        Step("Encoding", encoding, detail=(detail,)),
        Step(
            "Perturbation",
            "keeps the sign" if kept else "flips the sign",
            chances,
            over_items(cell, (supported,), item, rate=protocol.q),
        ),
        _sent(cell, report),
    )


def _sent(cell: Cell, report: Reports) -> Step:
    protocol = _sketch(cell)
    size = f"{short(protocol.report_bits)} bits"
    if _bits(protocol):
        ones = plural(int(_shown(cell, report).sum()), "one")
        return Step("Report", f"row {_row(report)} and {ones} of {fmt.count(protocol.buckets)}",
                    detail=(size,))  # fmt: skip
    sign = "−1" if report["odd"][0] else "+1"
    text = f"row {_row(report)}, column {int(report['column'][0])}, sign {sign}"
    return Step("Report", text, detail=(size,))


def _random(cell: Cell, report: Reports, attack: Strategy) -> tuple[Step, ...]:  # noqa: ARG001
    text = "any row, any bits" if _bits(_sketch(cell)) else "any row, column and sign"
    return Step("Drawing", text + ", all alike"), SENT_AS_IT_IS, _sent(cell, report)


def _aimed(cell: Cell, report: Reports, words: str) -> tuple[Step, ...]:
    if _bits(_sketch(cell)):
        detail = "other buckets at random, until the ones are as many as honest ones have"
        text = f"any row, the buckets of {targets_of(cell)} {words}"
    else:
        text = f"a column in which {targets_of(cell)} have the same entry, and a sign"
        column = int(report["column"][0])
        detail = "equations over F₂: h(t)·l is odd for every target t"
        if column == 0:
            detail = "no row has such a column: column 0, in which every item has the entry +1"
    return Step("Crafting", text, detail=(detail,)), SENT_AS_IT_IS, _sent(cell, report)


def _notes(setting: Setting, rows: Mapping[str, Formula]) -> Iterator[str]:
    protocol: Sketch = setting.protocol
    yield f"m = {count(protocol.buckets)} buckets, k = {count(protocol.rows)} hash functions"
    yield "p and q are means over hash functions; these ones add their collisions to each item"
    yield protocol.apart
    yield from advice(setting, rows)


STORY: Final = Story(
    _formulas,
    PureReports(
        _honest,
        {
            "random": _random,
            "crafted": lambda cell, report, _: _aimed(cell, report, "set to 1"),
            "avoided": lambda cell, report, _: _aimed(cell, report, "set to 0"),
        },
    ),
    table=("p", "q", "collisions", *P_AND_Q[2:]),
    fields=("collisions",),
    notes=_notes,
)
"""The formulas of the sketches, one report step by step, and their table."""
