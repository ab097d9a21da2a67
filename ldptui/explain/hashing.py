"""Local hashing (BLH, OLH): the report is a hash function and a bucket."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Any, Final

import numpy as np

from ldptui.core import theory
from ldptui.core.attacks import Strategy
from ldptui.core.base.sampling import Counts
from ldptui.core.cell import Cell
from ldptui.core.kernels.hashing import buckets, xxhash32
from ldptui.core.kernels.primes import UInts
from ldptui.core.law.pure import PureProtocol, Reports
from ldptui.core.protocols import LocalHashing
from ldptui.core.protocols.hashing import matched_law

from ..text import format as fmt
from ..text.format import count, percent, short
from .attack import attacked, honest
from .closed_forms import OTHER, OWN, PROTOCOL, choice, estimates
from .formula import CJG, DIGITS, W17, Entry, Formula, numeric
from .report import SENT_AS_IT_IS, Chance, Step
from .report.cells import one_bit, over_buckets
from .report.pure import PureReports
from .report.words import plural
from .setting import Setting
from .story import Story, Supported
from .table import P_AND_Q, hashing_notes


def _formulas(setting: Setting) -> Iterator[Formula]:
    protocol: LocalHashing = setting.protocol
    rule = setting.given.get("hash_range")
    yield _buckets(protocol, rule)
    yield from _probabilities(protocol, g="g − 1" if rule is not None else "1")
    yield from choice(protocol)
    yield from estimates(setting, _unit_variance)
    yield from attacked(setting, SUPPORTED, _matched)


def _buckets(protocol: LocalHashing, rule: object) -> Formula:
    """The formula of g; the rule is None where g is 2 for every ε."""
    g, ideal = protocol.hash_range, short(math.exp(protocol.epsilon) + 1)
    number: int | None = 17
    brief = f"e^ε + 1, {rule} integer"
    if rule == "nearest":
        formula, put, source = "g = integer nearest to e^ε + 1", f"nearest to {ideal}", W17
    elif rule == "ceil":
        formula, put, source = "g = ⌈e^ε + 1⌉", f"⌈{ideal}⌉", CJG
    elif rule == "floor":
        formula, put, source = "g = ⌊e^ε + 1⌋", f"⌊{ideal}⌋", "Li, Li, Wang, Sun 2025"
    elif rule is None:
        formula, put, source = "g", f"2 for every ε; the optimum is e^ε + 1 = {ideal}", W17
        number, brief = None, "2"
    else:
        formula, put, source = "g", f"as given; the optimum is e^ε + 1 = {ideal}", W17
        brief = "as given"
    entry = Entry("hash_range", "g", "W17 4.4", brief)
    title = "Hash range: the number of buckets"
    return Formula(title, formula, put, str(g), g, source, number, PROTOCOL, entry)


def _probabilities(protocol: LocalHashing, g: str) -> Iterator[Formula]:
    """p, q and ε. g : g − 1 as the formula has it; 1 where g is 2 for every ε."""
    p, range_, e_ = protocol.p, protocol.hash_range, short(math.exp(protocol.epsilon))
    other_bucket = (1 - p) / (range_ - 1)
    put = f"({e_} + {range_} − 1)"
    fixed = g == "1"
    live = partial(numeric, PROTOCOL, source=W17)
    yield live(
        OWN, "p = p′ = e^ε / (e^ε + g − 1)", f"{e_} / {put}", p, number=16,
        entry=Entry("p", "p", "W17 4.4", f"e^ε/(e^ε + {g})"),
    )  # fmt: skip
    yield live(
        "A given other bucket is sent", "q′ = 1 / (e^ε + g − 1)", f"1 / {put}", other_bucket,
        number=15,
    )  # fmt: skip
    yield live(
        OTHER, "q = 1 / g", f"1 / {range_}", protocol.q, number=16,
        entry=Entry("q", "q", "W17 4.4", "1/2" if fixed else ""),
    )  # fmt: skip
    yield live(
        "Privacy budget from p′ and q′", "ε = ln(p′ / q′)",
        f"ln({short(p)} / {short(other_bucket)})",
        theory.epsilon_of_direct(p, other_bucket), number=14,
    )  # fmt: skip


def _unit_variance(protocol: PureProtocol) -> tuple[str, str, int | None]:
    e, g = math.exp(protocol.epsilon), round(1 / protocol.q)
    put = f"({short(e - 1)} + {g})² / ({short(e - 1)}² · {g - 1})"
    return "(e^ε − 1 + g)² / ((e^ε − 1)² (g − 1))", put, 18


def _matched(attack: Any, protocol: LocalHashing, r: int, part: str) -> Iterator[Formula]:
    """E[M], and where the law of M has its weight."""
    g, seeds = protocol.hash_range, attack.seeds
    law = matched_law(r, g, attack.search)
    mean = float(law @ np.arange(r + 1))
    anchored = attack.scoring == "anchor"
    score = "1 + Bin(r − 1, 1/g) ≤ x" if anchored else "fullest of g buckets ≤ x"
    source = f"{CJG}, section 3.5"
    yield Formula(
        "Targets in one bucket under the best of K seeds",
        f"E[M] = Σⱼ (1 − F(j − 1)^K), j = 1 … r,  F(x) = Pr[{score}]",
        f"Σⱼ (r = {r}, K = {count(seeds)}, g = {g})",
        short(mean, DIGITS), mean, source, 30, part,
    )  # fmt: skip
    likely = int(law.argmax())
    shown = [j for j in range(r + 1) if law[j] >= 0.0005]
    most = sorted(sorted(shown, key=lambda j: -law[j])[:6])
    yield Formula(
        "How likely each number of matched targets is",
        "Pr[M = j] = F(j)^K − F(j − 1)^K",
        ",  ".join(f"{j}: {percent(float(law[j]))}" for j in most),
        f"most often {likely}", float(law[likely]), source, 30, part,
    )  # fmt: skip


def _mean(protocol: LocalHashing, r: int, attack: Any) -> str:
    """S as a number, by the attack's own law; a setting without a cell has none to show."""
    return "" if attack is None else short(r * attack.support(protocol, r).target, DIGITS)


SUPPORTED: Final = {
    "random": lambda protocol, r, _: Supported("S = r / g", f"{r} / {protocol.hash_range}"),
    "honest": lambda protocol, r, _: honest(protocol, r, 29),
    "unperturbed": lambda protocol, r, _: Supported(
        "S = 1 + (r − 1) / g", f"1 + {r - 1} / {protocol.hash_range}"
    ),
    "crafted": lambda protocol, r, attack: Supported(
        "S = E[M]", _mean(protocol, r, attack), 30, 30
    ),
    "subset": lambda protocol, r, attack: Supported(
        "S = E[M] of r′ targets + (r − r′) / g", _mean(protocol, r, attack)
    ),
    "avoided": lambda protocol, r, attack: Supported(
        "S = E[fewest targets in a bucket of K hashes]", _mean(protocol, r, attack)
    ),
}


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
    size = f"32 + {plural((_range(cell) - 1).bit_length(), 'bit')}: seed and bucket"
    return Step("Report", f"seed 0x{int(seed[0]):08x}, bucket {sent}", detail=(size,))


def _searched(cell: Cell, report: Reports, attack: Any) -> tuple[Step, ...]:
    """The best of the seeds that were tried."""
    g, r = _range(cell), cell.targets.size
    seed, sent = _opened(report)
    hit = int((buckets(cell.targets, seed, g) == sent).sum())
    wanted = getattr(cell.attack, "seeds", attack.seeds)
    tried = plural(attack.seeds, "seed")
    if attack.seeds < wanted:
        tried += f" (the attack: {fmt.count(wanted)})"
    step = Step(
        "Crafting",
        f"the best of {tried}",
        cells=over_buckets(cell, (("best", one_bit(g, sent)),), seed, None, sent),
        detail=(
            f"seed 0x{int(seed[0]):08x}: {plural(hit, 'target')} in bucket {sent}",
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


REPORTS: Final = PureReports(
    _honest,
    {"random": _random, "crafted": _searched, "subset": _searched, "avoided": _searched},
    _heard,
)

STORY: Final = Story(
    _formulas,
    REPORTS,
    table=("p", "q", "hash_range", *P_AND_Q[2:]),
    notes=hashing_notes,
)
