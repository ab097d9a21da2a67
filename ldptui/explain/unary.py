"""Unary encodings (SUE, OUE, UE): the report is one bit for each item."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

import numpy as np

from ldptui.core.attacks import Strategy
from ldptui.core.cell import Cell
from ldptui.core.law.pure import BoolArray, Reports

from ..text import format as fmt
from .attack import HONEST, Supported
from .closed_forms import OTHER, OWN, VARIANCE, pure
from .formula import CJG, W17, Entry, Formula, Plain
from .report import SENT_AS_IT_IS, Chance, Step
from .report.pure import ItemReports
from .report.steps import hex_of, letters_of, one_bit, over_items
from .setting import Setting
from .story import Story
from .table import P_AND_Q, pure_notes

BUDGET: Final = Formula("Privacy budget from p and q", "ε = ln[ p(1 − q) / ((1 − p) q) ]", W17, 14)

_P: Final = partial(Formula, OWN, source=W17, entry=Entry("p", "p", "W17 4.2"))
_Q: Final = partial(Formula, OTHER, source=W17, entry=Entry("q", "q", "W17 4.2"))

OUE: Final = (_P("p = 1/2", number=12), _Q("q = 1 / (e^ε + 1)", number=12), BUDGET)
SUE: Final = (
    _P("p = e^(ε/2) / (e^(ε/2) + 1)"), _Q("q = 1 / (e^(ε/2) + 1)"), BUDGET
)  # fmt: skip
UE: Final = (
    _P("p = as given", entry=Entry("p", "p", "as given", "as given"), put="{p}"),
    _Q("q = p / (p + (1 − p) e^ε)"),
    BUDGET,
)

OUE_VARIANCE: Final = replace(VARIANCE, text="Var*[c~ᵥ] / n = 4 e^ε / {(e^ε − 1)}²", number=13)
SUE_VARIANCE: Final = replace(
    VARIANCE, text="Var*[c~ᵥ] / n = e^(ε/2) / {(e^(ε/2) − 1)}²", number=None
)

PADDING: Final = Formula(
    "Padding of a crafted report", "l = ⌊p + (d − 1) q − r⌋, at least 0", f"{CJG}, section 3.4",
    put="⌊{p} + {d − 1} · {q} − {r}⌋",
)  # fmt: skip
"""The ones of a crafted report besides those of the targets."""

SUPPORTED: Final = {
    "random": Supported("S = r / 2", 26),
    "honest": replace(HONEST, number=27),
    "unperturbed": Supported("S = 1: the report is a target"),
    "crafted": Supported("S = r", 26, 28),
    "subset": Supported("S = r′ + {(r − r′)} l′ / (d − r′)"),
    "disguised": Supported("S = E[min(k, r)],  k ~ Bern(p) + Bin(d − 1, q)", put="{S:5}"),
    "avoided": Supported("S = 0: no target is supported"),
}


def told_of(setting: Setting, rows: Sequence[Formula] | None = None) -> Iterator[Formula]:
    """The formulas of unary encodings; rows : in the place of those of p and q."""
    protocol = setting.protocol
    if protocol.p == 0.5:
        own, unit = OUE, OUE_VARIANCE
    elif math.isclose(protocol.p + protocol.q, 1):
        own, unit = SUE, SUE_VARIANCE
    else:
        own, unit = UE, VARIANCE
    return pure(own if rows is None else rows, SUPPORTED, unit, (PADDING,), padded)(setting)


def padded(setting: Setting) -> dict[str, float]:
    """The numbers of crafted reports: r, l, and those of a report that aims at some targets."""
    protocol, d, r = setting.protocol, setting.protocol.domain_size, setting.r
    if r is None:
        return {}
    known = {"r": Plain(r), "l": min(protocol.padding(r), d - r)}
    attack = None if setting.cell is None else setting.cell.attack
    size = getattr(attack, "subset", None)
    if size is None:
        return known
    return known | {"r′": Plain(size), "l′": Plain(min(protocol.padding(size), d - size))}


def _honest(cell: Cell, report: Reports, item: int) -> tuple[Step, ...]:
    protocol = cell.pure
    p, q, d = protocol.p, protocol.q, protocol.domain_size
    before, after = one_bit(d, item), protocol.supports(report)[0]
    kept = bool(after[item])
    one, zero = letters_of(cell)
    flipped = f"{fmt.count(int(after.sum()) - kept)} of {fmt.count(d - 1)}"
    encoded = over_items(cell, (("encoded", before),), item)
    return (
        Step("Encoding", f"one of {fmt.plural(d, 'bit')} is 1", cells=encoded),
        Step(
            "Perturbation",
            "each bit on its own",
            (Chance("1 → 1", one, p, "yes" if kept else "no"), Chance("0 → 1", zero, q, flipped)),
            over_items(cell, (("before", before), ("after", after)), item, rate=q),
        ),
        _sent(cell, report, f"expected {one} + (d−1){zero} = {fmt.short(p + (d - 1) * q)}"),
    )


def _sent(cell: Cell, report: Reports, expected: str) -> Step:
    """The report: its bits, and the number of ones beside what is expected."""
    after = cell.pure.supports(report)[0]
    return Step(
        "Report",
        f"{fmt.plural(cell.pure.domain_size, 'bit')}, {fmt.plural(int(after.sum()), 'one')}",
        detail=(hex_of(report), expected),
        bits=after,
        marked=np.sort(cell.targets),
    )


def _honest_ones(cell: Cell) -> str:
    protocol = cell.pure
    mean = protocol.p + (protocol.domain_size - 1) * protocol.q
    return f"honest reports: {fmt.short(mean)} on average"


def _random(cell: Cell, report: Reports, attack: Strategy) -> tuple[Step, ...]:  # noqa: ARG001
    after = cell.pure.supports(report)[0]
    ones = f"{fmt.count(int(after.sum()))} of {fmt.count(after.size)} are"
    drawn = over_items(cell, (("drawn", after),), None, rate=0.5)
    chance = Chance("each bit is 1", "1/2", 0.5, ones)
    step = Step("Drawing", "a fair coin for every bit", (chance,), drawn)
    return step, SENT_AS_IT_IS, _sent(cell, report, _honest_ones(cell))


def _made(cell: Cell, report: Reports, why: str, detail: str) -> tuple[Step, ...]:
    """A report that was made with given ones. why, detail : what to say of its padding."""
    after, crafted = _split(cell, report)
    rows = (("before", crafted), ("after", after))
    return (
        Step(
            "Crafting",
            _set_bits(int(crafted.sum()), cell.targets.size),
            cells=over_items(cell, (("crafted", crafted),), None),
        ),
        Step(
            "Padding",
            why,
            cells=over_items(cell, rows, None),
            detail=(detail, "not perturbed: bits stay as they are"),
        ),
        _sent(cell, report, _honest_ones(cell)),
    )


def _split(cell: Cell, report: Reports) -> tuple[BoolArray, BoolArray]:
    """All bits of a report, and those of the targets alone."""
    after = cell.pure.supports(report)[0]
    crafted = np.zeros(after.size, dtype=np.bool_)
    crafted[cell.targets] = after[cell.targets]
    return after, crafted


def _padded(cell: Cell, report: Reports, none: str) -> str:
    """The reason for ones elsewhere, in words; `none` where there are none."""
    after, crafted = _split(cell, report)
    pad = int(after.sum() - crafted.sum())
    return f"{fmt.plural(pad, 'more one')} at random, to look honest" if pad else none


def _set_bits(hit: int, r: int) -> str:
    if hit == r:
        return "every target's bit is 1"
    return f"{hit} of {r} targets' bits are 1" if hit else "no target's bit is 1"


def _crafted(cell: Cell, report: Reports, attack: Strategy) -> tuple[Step, ...]:  # noqa: ARG001
    protocol, r = cell.pure, cell.targets.size
    one, zero = letters_of(cell)
    after, crafted = _split(cell, report)
    pad = int(after.sum() - crafted.sum())
    if pad:
        detail = f"l = ⌊{one} + (d−1){zero} − r⌋ = {pad}"
    else:
        expected = fmt.short(protocol.p + (protocol.domain_size - 1) * protocol.q)
        detail = f"{one} + (d−1){zero} − r = {expected} − {r} < 1"
    return _made(cell, report, _padded(cell, report, "none: there are ones enough"), detail)


def _crafted_for_some(cell: Cell, report: Reports, attack: Any) -> tuple[Step, ...]:
    detail = f"aims at {fmt.plural(attack.subset, 'target')}; padding may hit others"
    return _made(cell, report, _padded(cell, report, "none: there are ones enough"), detail)


def _as_honest(cell: Cell, report: Reports, attack: Strategy) -> tuple[Step, ...]:  # noqa: ARG001
    one, zero = letters_of(cell)
    ones = int(cell.pure.supports(report).sum())
    detail = f"k = {ones} ones, drawn by the honest law: {one} + (d−1){zero} on average"
    return _made(cell, report, _padded(cell, report, "none: no one is left"), detail)


def _solved(cell: Cell, report: Reports, attack: Any) -> tuple[Step, ...]:
    shares = attack.classes(cell.pure, cell.targets)
    likely = sorted(np.flatnonzero(shares > 1e-3), key=lambda j: -shares[j])
    named = ", ".join(f"{j} targets {fmt.percent(float(shares[j]))}" for j in likely[:4])
    detail = f"classes that were solved for: {named}"
    return _made(cell, report, _padded(cell, report, "none: no one is left"), detail)


def _avoided(cell: Cell, report: Reports, attack: Strategy) -> tuple[Step, ...]:  # noqa: ARG001
    one, zero = letters_of(cell)
    protocol: Any = cell.protocol
    detail = f"⌊{one} + (d−1){zero}⌋ = {protocol.padding(0)}, never a target"
    return _made(cell, report, _padded(cell, report, "none: there is no other item"), detail)


REPORTS: Final = ItemReports(
    _honest,
    {
        "random": _random,
        "crafted": _crafted,
        "subset": _crafted_for_some,
        "disguised": _as_honest,
        "avoided": _avoided,
        "solved": _solved,
    },
)

STORY: Final = Story(told_of, REPORTS, table=P_AND_Q, notes=pure_notes)
