"""dBitFlip and dBitFlipPM: the report is a noisy bit for each of D items."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final, cast

import numpy as np

from ldptui.core import theory
from ldptui.core.attacks import Strategy
from ldptui.core.cell import Cell
from ldptui.core.law.capabilities import memoises
from ldptui.core.law.pure import Reports
from ldptui.core.protocols.dbitflip import BitFlips

from ..text import format as fmt
from ..text.format import count, short
from .attack import Laws, compared, foretold, gain_keys
from .closed_forms import PROTOCOL, choice, shown_item
from .formula import DIGITS, Entry, Formula, listed, numeric
from .lines import bound_keys
from .report import Chance, Step
from .report.cells import over_items
from .report.summed import Added, SummedReports
from .report.words import plural, targets_of
from .setting import Setting
from .story import Story, Supported
from .table import advice

DKY: Final = "Ding, Kulkarni, Yekhanin 2017"


def _formulas(setting: Setting) -> Iterator[Formula]:
    protocol: BitFlips = setting.protocol
    yield from _bits(protocol)
    yield from choice(protocol)
    yield from _spread(protocol, setting.users)
    if setting.cell is None:
        yield from compared(setting, lambda law: f"β(S − f_T), S = {_brief(protocol, law)}")
        return
    yield from _of_one_item(setting.cell, protocol)
    yield from foretold(setting.cell, SUPPORTED)


def _bits(protocol: BitFlips) -> Iterator[Formula]:
    (p, q), s_ = protocol.rates, short(math.exp(protocol.epsilon / 2))
    live = partial(numeric, PROTOCOL, source=DKY)
    yield live("The bit of the own item is sent as 1", "p = e^(ε/2) / (e^(ε/2) + 1)",
               f"{s_} / ({s_} + 1)", p, entry=Entry("bit_own", "p of a bit", "DKY"))  # fmt: skip
    yield live("The bit of any other item is sent as 1", "q = 1 − p", f"1 − {short(p)}", q,
               entry=Entry("bit_other", "q of a bit", "DKY"))  # fmt: skip
    size, d = count(protocol.sampled), count(protocol.domain_size)
    yield live("A report has a bit of an item", "D / d", f"{size} / {d}", protocol.part,
               entry=Entry("part", "D/d, bits sent", "DKY"))  # fmt: skip
    words, put = "ε = 2 ln[ p / q ]", f"2 · ln[ {short(p)} / {short(q)} ]"
    if protocol.sampled == 1:
        words, put = "ε = ln[ p / q ]: one bit", f"ln[ {short(p)} / {short(q)} ]"
    yield live("What a report really costs", words, put, protocol.real_epsilon,
               entry=Entry("real_epsilon", "real ε", "by enumeration"))  # fmt: skip
    if memoises(protocol):
        yield live(
            "All reports of one item together: they are the same", "ε∞ = ε",
            short(protocol.epsilon_infinity), protocol.epsilon_infinity,
            entry=Entry("epsilon_infinity", "ε∞ of all reports", "DKY"),
        )  # fmt: skip


def _spread(protocol: BitFlips, users: int | None) -> Iterator[Formula]:
    p, q = protocol.rates
    put = f"{short(p)} · {short(q)} / {short(p - q)}² / {short(protocol.part)}"
    yield numeric(
        PROTOCOL, "Variance of an estimated count for one user, of an item that nobody holds",
        "Var*/n = (d/D) p q / (p − q)²", put, protocol.noise, DKY,
        entry=Entry("variance_per_user", "variance per user", "DKY", "(d/D) pq/(p − q)²"),
    )  # fmt: skip
    yield listed("report_bits", "bits of a report", protocol.report_bits,
                 "D + log₂ C(d, D), the server's: D", "by counting")  # fmt: skip
    if users is not None:
        spread = theory.frequency_std(protocol, users)
        yield listed("frequency_std", "frequency std", spread, "√(variance per user / n)", "DKY")


def _of_one_item(cell: Cell, protocol: BitFlips) -> Iterator[Formula]:
    v, what = shown_item(cell)
    f, n = float(cell.population.frequencies[v]), cell.users
    n_ = count(n, 9)
    part = f"Estimates, for v = {cell.population.label(v)}, {what}, fᵥ = {short(f)}"
    live, spread = partial(numeric, part, source=DKY), float(protocol.unit_variance(f)) / n
    yield live(
        "The estimate, on average, from the users who have a bit of v: unbiased",
        "E[f~ᵥ] = E[Σ (bit − q)] d / (n D (p − q))", short(f, DIGITS), f,
    )  # fmt: skip
    yield live(
        "Its variance: the noise, and which of its users have a bit of v",
        "Var[f~ᵥ] = [ (d/D) p q / (p − q)² + fᵥ (d/D − 1) ] / n",
        f"[ {short(protocol.noise)} + {short(f)} · {short(1 / protocol.part - 1)} ] / {n_}",
        spread,
    )  # fmt: skip
    yield live("Its standard deviation", "σᵥ = √Var[f~ᵥ]", f"√{short(spread)}", spread**0.5)


def _weight(protocol: BitFlips, bit: int) -> float:
    """The weight of one bit that is sent."""
    p, q = protocol.rates
    return (bit - q) / (p - q) / protocol.part


def _aimed(protocol: BitFlips, r: int, bit: int) -> Supported:
    """S of reports whose bits of targets are all the same."""
    w = short(_weight(protocol, bit), DIGITS)
    sign = "1 − q" if bit else "−q"
    if protocol.chooser == "client":
        many = min(r, protocol.sampled)
        return Supported(f"S = min(r, D) · (d/D) ({sign}) / (p − q)", f"{many} · {w}")
    return Supported(f"S = (r D/d) · (d/D) ({sign}) / (p − q)",
                     f"{short(r * protocol.part)} · {w}")  # fmt: skip


SUPPORTED: Final[Laws] = {
    "random": lambda _, r, __: Supported("S = r / 2", f"{r} / 2"),
    "honest": lambda _, __, ___: Supported("S = 1", "1"),
    "unperturbed": lambda protocol, r, _: Supported(
        "S = (1 − r q) / (p − q)",
        f"(1 − {r} · {short(protocol.rates[1])}) / {short(protocol.rates[0] - protocol.rates[1])}",
    ),
    "crafted": lambda protocol, r, _: _aimed(protocol, r, 1),
    "avoided": lambda protocol, r, _: _aimed(protocol, r, 0),
}
"""S, what one report adds to the targets' total, in users."""


def _brief(protocol: BitFlips, law: str) -> str:
    crafted = "min(r, D)" if protocol.chooser == "client" else "(r D/d)"
    return {"random": "r/2", "honest": "1"}.get(law, f"{crafted} (d/D)(1 − q)/(p − q)")


def _flips(cell: Cell) -> BitFlips:
    return cast("BitFlips", cell.protocol)


def _rows(cell: Cell, report: Reports) -> tuple[Any, Any]:
    """bool[d] each: the items that have a bit, and the bits that are 1."""
    bits = np.unpackbits(report[0], axis=1, count=_flips(cell).domain_size).astype(np.bool_)
    return bits[0], bits[1]


def _honest(cell: Cell, report: Reports, item: int) -> tuple[Step, ...]:
    protocol, (drawn, ones) = _flips(cell), _rows(cell, report)
    p, q = protocol.rates
    who = {"client": "the client", "server": "the server"}[protocol.chooser]
    size = f"{fmt.count(protocol.sampled)} of {plural(protocol.domain_size, 'item')}"
    text = f"{who} draws {size}" + (", the own one too" if drawn[item] else ", not the own one")
    own = ("1" if ones[item] else "0") if drawn[item] else "not sent"
    others = int(ones.sum()) - int(ones[item])
    rest = f"{others} of {int(drawn.sum()) - int(drawn[item])}"
    chances = (Chance("own bit sent as 1", "p", p, own), Chance("each other as 1", "q", q, rest))
    cells = over_items(cell, (("has a bit", drawn), ("bit 1", ones)), item, rate=protocol.part * q)
    kept = ("drawn once and kept: every round sends the same bits",) if memoises(protocol) else ()
    return (
        Step("Encoding", text),
        Step("Perturbation", "every bit is noisy on its own", chances, cells, kept),
        _sent(cell, report),
    )


def _sent(cell: Cell, report: Reports) -> Step:
    drawn, ones = _rows(cell, report)
    size = f"{short(_flips(cell).report_bits)} bits"
    return Step("Report", f"{plural(int(drawn.sum()), 'bit')}, {plural(int(ones.sum()), 'one')}",
                detail=(size,))  # fmt: skip


def _crafting(cell: Cell, report: Reports, attack: Strategy) -> Step:
    protocol = _flips(cell)
    bit = 0 if attack.report_law == "avoided" else 1
    drawn = np.unpackbits(report[0, 0], count=protocol.domain_size)[cell.targets].sum()
    who = "its own items" if protocol.chooser == "client" else "the server's items"
    text = f"{who}: {drawn} of {targets_of(cell)}, all bits {bit}"
    return Step("Crafting", text, detail=("honest noise in the bits of others",))


def _added(cell: Cell, report: Reports) -> Added:
    """The weights of the bits of targets."""
    protocol, (drawn, ones) = _flips(cell), _rows(cell, report)
    targets = np.sort(cell.targets)
    one, none = _weight(protocol, 1), _weight(protocol, 0)
    hit = targets[ones[targets]]
    weight = float(hit.size * one + (int(drawn[targets].sum()) - hit.size) * none)
    words = f"{short(weight, sign=True)} to the targets' total" if targets.size else "every bit"
    detail = f"a 1 adds {short(one, sign=True)} users, a 0 {short(none, sign=True)}, no bit 0"
    step = Step("Server adds", words, detail=(detail,))
    return Added(step, np.flatnonzero(ones), hit, weight)


REPORTS: Final = SummedReports(
    _honest, _sent, "any items and any bits, all alike", _crafting, _added
)
"""The reports: the items that have a bit, and the bits."""


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
    REPORTS,
    table=TABLE,
    fields=("bit_own", "bit_other", "part", "real_epsilon", "epsilon_infinity"),
    notes=_notes,
    brief=("bit_own", "bit_other", "part"),
)
"""The formulas of dBitFlip, one report step by step, and its table."""
