"""Local hashing (BLH, OLH): the report is a hash function and a bucket."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

import numpy as np

from ldptui.core.attacks import Strategy
from ldptui.core.base.sampling import Counts
from ldptui.core.cell import Cell
from ldptui.core.kernels.hashing import buckets, xxhash32
from ldptui.core.kernels.primes import UInts
from ldptui.core.law.pure import Reports
from ldptui.core.protocols import LocalHashing
from ldptui.core.protocols.hashing import matched_law

from ..text import format as fmt
from ..text.format import count, percent
from .attack import HONEST, Supported
from .closed_forms import OTHER, OWN, VARIANCE, pure
from .formula import CJG, W17, Entry, Formula, Plain
from .report import SENT_AS_IT_IS, Chance, Step
from .report.pure import ItemReports, completed
from .report.steps import one_bit, over_buckets
from .setting import Setting
from .story import Story
from .table import P_AND_Q, hashing_notes


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


def _range(cell: Cell) -> int:
    protocol: Any = cell.protocol
    return int(protocol.hash_range)


def _honest(cell: Cell, report: Reports, item: int) -> tuple[Step, ...]:
    p, g = cell.pure.p, _range(cell)
    seed, sent = _opened(report)
    hashed = int(xxhash32(np.array([item]), seed)[0])
    bucket = int(buckets(np.array([item]), seed, g)[0])
    kept = bucket == sent
    first, then = one_bit(g, bucket), one_bit(g, sent)
    other = f"none of {fmt.count(g - 1)}" if kept else f"bucket {sent}"
    return (
        Step(
            "Encoding",
            f"hashed to bucket {bucket} of {fmt.count(g)}",
            cells=over_buckets(cell, (("own", first),), seed, bucket),
            detail=(
                f"own random seed 0x{int(seed[0]):08x}",
                f"xxHash32 of {item} = 0x{hashed:08x}",
                f"⌊0x{hashed:08x} · {g} / 2³²⌋ = {bucket}",
            ),
        ),
        Step(
            "Perturbation",
            "keeps the bucket" if kept else "takes another bucket",
            (
                Chance("own bucket sent", "p", p, "yes" if kept else "no"),
                Chance("each other", "q′", (1 - p) / (g - 1), other),
            ),
            over_buckets(cell, (("own", first), ("sent", then)), seed, bucket, sent),
        ),
        _sent(cell, report),
    )


def _sent(cell: Cell, report: Reports) -> Step:
    seed, sent = _opened(report)
    size = f"32 + {fmt.plural((_range(cell) - 1).bit_length(), 'bit')}: seed and bucket"
    return Step("Report", f"seed 0x{int(seed[0]):08x}, bucket {sent}", detail=(size,))


def _searched(cell: Cell, report: Reports, attack: Any) -> tuple[Step, ...]:
    """The best of the seeds that were tried."""
    g, r = _range(cell), cell.targets.size
    seed, sent = _opened(report)
    hit = int((buckets(cell.targets, seed, g) == sent).sum())
    wanted = getattr(cell.attack, "seeds", attack.seeds)
    tried = fmt.plural(attack.seeds, "seed")
    if attack.seeds < wanted:
        tried += f" (the attack: {fmt.count(wanted)})"
    step = Step(
        "Crafting",
        f"the best of {tried}",
        cells=over_buckets(cell, (("best", one_bit(g, sent)),), seed, None, sent),
        detail=(
            f"seed 0x{int(seed[0]):08x}: {fmt.plural(hit, 'target')} in bucket {sent}",
            f"any seed: r/g = {fmt.short(r / g)} on average",
        ),
    )
    return step, SENT_AS_IT_IS, _sent(cell, report)


def _random(cell: Cell, report: Reports, attack: Strategy) -> tuple[Step, ...]:  # noqa: ARG001
    g = _range(cell)
    seed, sent = _opened(report)
    drawn = over_buckets(cell, (("drawn", one_bit(g, sent)),), seed, None, sent)
    chance = Chance("each bucket", "1/g", 1 / g, f"bucket {sent}")
    step = Step("Drawing", "any seed, any bucket, all alike", (chance,), drawn)
    return step, SENT_AS_IT_IS, _sent(cell, report)


def _heard(cell: Cell, report: Reports) -> tuple[str, Counts, str]:
    """The bucket of every item under the report's seed, and the bucket that was sent."""
    seed, sent = _opened(report)
    hashed = buckets(np.arange(cell.pure.domain_size), seed, _range(cell))
    return "bucket", hashed.astype(np.int64), f"bucket {sent}"


REPORTS: Final = ItemReports(
    _honest,
    {"random": _random, "crafted": _searched, "subset": _searched, "avoided": _searched},
    partial(completed, heard=_heard),
)

STORY: Final = Story(
    _formulas,
    REPORTS,
    table=("p", "q", "hash_range", *P_AND_Q[2:]),
    notes=hashing_notes,
)
