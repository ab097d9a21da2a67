"""Local hashing (BLH, OLH): the report is a hash function and a bucket."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

import numpy as np

from ldptui.core.base.sampling import Counts
from ldptui.core.cell import Cell
from ldptui.core.kernels.hashing import buckets, xxhash32
from ldptui.core.kernels.primes import UInts
from ldptui.core.law.pure import Reports
from ldptui.core.protocols import LocalHashing
from ldptui.core.protocols.hashing import matched_law

from ..text import format as fmt
from ..text.format import count, percent
from .attack_formulas import HONEST, Supported
from .family_explanation import Story
from .formula import CJG, W17, Entry, Formula, Plain
from .formula_inputs import Setting
from .formula_table import P_AND_Q, hashing_notes
from .pure_formulas import OTHER, OWN, VARIANCE, pure
from .report_story import ReportStory, bits_needed


def _range_rule(text: str, source: str, put: str, brief: str, number: int | None = 17) -> Formula:
    """g by a rule of rounding."""
    entry = Entry("hash_range", "g", "W17 4.4", brief)
    return Formula("Hash range: the number of buckets", text, source, number, entry, put)


_OPTIMUM: Final = "the optimum is e^ε + 1 = {e^ε + 1}"
RANGES: Final[Mapping[object, Formula]] = {
    "nearest": _range_rule("g = integer nearest to e^ε + 1", W17, "nearest to {e^ε + 1}",
                           "e^ε + 1, nearest integer"),
    "ceil": _range_rule("g = ⌈e^ε + 1⌉", CJG, "⌈{e^ε + 1}⌉", "e^ε + 1, ceil integer"),
    "floor": _range_rule("g = ⌊e^ε + 1⌋", "Li, Li, Wang, Sun 2025", "⌊{e^ε + 1}⌋",
                         "e^ε + 1, floor integer"),
    None: _range_rule("g", W17, f"2 for every ε; {_OPTIMUM}", "2", None),
}  # fmt: skip
"""g by the rule that a scenario names; None where g is 2 for every ε."""
GIVEN: Final = _range_rule("g", W17, f"as given; {_OPTIMUM}", "as given")

_row = partial(Formula, source=W17)

ROWS: Final = (
    _row(OWN, "p = p′ = e^ε / (e^ε + g − 1)", number=16, put="{e^ε} / ({e^ε} + {g} − 1)",
         entry=Entry("p", "p", "W17 4.4", "e^ε/(e^ε + g − 1)")),
    _row("A given other bucket is sent", "q′ = 1 / (e^ε + g − 1)", number=15),
    _row(OTHER, "q = 1 / g", number=16, entry=Entry("q", "q", "W17 4.4")),
    _row("Privacy budget from p′ and q′", "ε = ln(p′ / q′)", number=14),
)  # fmt: skip

_BRIEF: Final = {"p": "e^ε/(e^ε + 1)", "q": "1/2"}
"""p and q where g is 2 for every ε."""

UNIT: Final = replace(
    VARIANCE, text="Var*[c~ᵥ] / n = ({e^ε − 1} + g)² / ({(e^ε − 1)}² {(g − 1)})", number=18
)

SUPPORTED: Final = {
    "random": Supported("S = r / g"),
    "honest": replace(HONEST, number=29),
    "unperturbed": Supported("S = 1 + {(r − 1)} / g"),
    "crafted": Supported("S = E[M]", 30, 30, put="{S:5}"),
    "subset": Supported("S = E[M] of r′ targets + (r − r′) / g", put="{S:5}"),
    "avoided": Supported("S = E[fewest targets in a bucket of K hashes]", put="{S:5}"),
}


def _formulas(setting: Setting) -> Iterator[Formula]:
    rule = setting.given.get("hash_range")
    attack = None if setting.cell is None else setting.cell.attack
    g = replace(RANGES.get(rule, GIVEN), said=str(setting.protocol.hash_range))
    rows = ROWS if rule is not None else [_of_two(row) for row in ROWS]
    crafted = getattr(attack, "report_law", "") == "crafted"
    matched = _matched(attack, setting.protocol, setting.r or 0) if crafted else ()
    yield from pure((g, *rows), SUPPORTED, UNIT, tuple(matched), own_numbers)(setting)


def _of_two(row: Formula) -> Formula:
    """A row where g is 2 for every ε."""
    if row.entry is None:
        return row
    return replace(row, entry=replace(row.entry, formula=_BRIEF[row.key]))


def own_numbers(setting: Setting) -> dict[str, float]:
    """The numbers of hashing, besides those of every pure protocol."""
    g, p = setting.protocol.hash_range, setting.protocol.p
    known = {"g": Plain(g), "hash_range": g, "p′": p, "q′": (1 - p) / (g - 1)}
    return known if setting.r is None else {**known, "r": Plain(setting.r)}


def _matched(attack: Any, protocol: LocalHashing, r: int) -> Iterator[Formula]:
    """E[M], and where the law of M has its weight."""
    law = matched_law(r, protocol.hash_range, attack.search)
    anchored = attack.scoring == "anchor"
    score = "1 + Bin(r − 1, 1/g) ≤ x" if anchored else "fullest of g buckets ≤ x"
    row = partial(Formula, source=f"{CJG}, section 3.5", number=30)
    yield row(
        "Targets in one bucket under the best of K seeds",
        f"E[M] = Σⱼ (1 − F(j − 1)^K), j = 1 … r,  F(x) = Pr[{score}]",
        put=f"Σⱼ (r = {r}, K = {count(attack.seeds)}, g = {protocol.hash_range})",
        numbers={"E[M]": float(law @ np.arange(r + 1))},
    )
    shown = [j for j in range(r + 1) if law[j] >= 0.0005]
    most = sorted(sorted(shown, key=lambda j: -law[j])[:6])
    yield row(
        "How likely each number of matched targets is",
        "Pr[M = j] = F(j)^K − F(j − 1)^K",
        put=",  ".join(f"{j}: {percent(float(law[j]))}" for j in most),
        said=f"most often {int(law.argmax())}",
        numbers={"Pr[M = j]": float(law.max())},
    )


def _opened(report: Reports) -> tuple[UInts, int]:
    """The seed, uint32[1], and the bucket of one report."""
    return report["seed"][:1].copy(), int(report["value"][0])


class HashReports(ReportStory):
    """The story of a report that is a seed and a bucket."""

    def encode(self, cell: Cell, report: Reports, item: int) -> tuple[str, ...]:
        g, (seed, _) = _range(cell), _opened(report)
        hashed = f"0x{int(xxhash32(np.array([item]), seed)[0]):08x}"
        bucket = int(buckets(np.array([item]), seed, g)[0])
        return (
            f"hashed to bucket {bucket} of {fmt.count(g)}",
            f"own random seed 0x{int(seed[0]):08x}",
            f"xxHash32 of {item} = {hashed}",
            f"⌊{hashed} · {g} / 2³²⌋ = {bucket}",
        )

    def describe(self, cell: Cell, report: Reports) -> tuple[str, ...]:
        seed, sent = _opened(report)
        size = f"32 + {bits_needed(_range(cell))}: seed and bucket"
        return f"seed 0x{int(seed[0]):08x}, bucket {sent}", size

    def server_numbers(self, cell: Cell, report: Reports) -> tuple[str, Counts] | None:
        """The bucket of every item under the report's seed."""
        hashed = buckets(np.arange(cell.pure.domain_size), _opened(report)[0], _range(cell))
        return "bucket", hashed.astype(np.int64)


def _range(cell: Cell) -> int:
    protocol: Any = cell.protocol
    return int(protocol.hash_range)


REPORTS: Final = HashReports()

STORY: Final = Story(
    _formulas,
    REPORTS,
    table=("p", "q", "hash_range", *P_AND_Q[2:]),
    notes=hashing_notes,
)
