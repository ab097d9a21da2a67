"""Direct encoding (GRR, also kRR): the report is an item."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Final

from ldptui.core import theory
from ldptui.core.attacks import Strategy
from ldptui.core.cell import Cell
from ldptui.core.law.pure import PureProtocol, Reports
from ldptui.core.protocols import GRR

from ..text import format as fmt
from ..text.format import count, short
from .attack import attacked, honest
from .closed_forms import OTHER, OWN, PROTOCOL, choice, estimates
from .formula import W17, Entry, Formula, numeric
from .report import SENT_AS_IT_IS, Chance, Step
from .report.cells import one_bit, over_items
from .report.pure import PureReports
from .report.words import bits_needed, named, targets_of
from .setting import Setting
from .story import Story, Supported
from .table import P_AND_Q, pure_notes


def _formulas(setting: Setting) -> Iterator[Formula]:
    protocol: GRR = setting.protocol
    yield from _probabilities(protocol)
    yield from choice(protocol)
    yield from estimates(setting, _unit_variance)
    yield from attacked(setting, SUPPORTED)


def _probabilities(protocol: GRR) -> Iterator[Formula]:
    p, q, e_ = protocol.p, protocol.q, short(math.exp(protocol.epsilon))
    put = f"({e_} + {count(protocol.domain_size)} − 1)"
    live = partial(numeric, PROTOCOL, source=W17)
    yield live(OWN, "p = e^ε / (e^ε + d − 1)", f"{e_} / {put}", p, number=9,
               entry=Entry("p", "p", "W17 4.1"))  # fmt: skip
    yield live(OTHER, "q = 1 / (e^ε + d − 1)", f"1 / {put}", q, number=9,
               entry=Entry("q", "q", "W17 4.1"))  # fmt: skip
    yield live(
        "Privacy budget from p and q", "ε = ln(p / q)", f"ln({short(p)} / {short(q)})",
        theory.epsilon_of_direct(p, q), number=14,
    )  # fmt: skip


def _unit_variance(protocol: PureProtocol) -> tuple[str, str, int | None]:
    e, d = math.exp(protocol.epsilon), protocol.domain_size
    return "(d − 2 + e^ε) / (e^ε − 1)²", f"({count(d)} − 2 + {short(e)}) / {short(e - 1)}²", 11


SUPPORTED: Final = {
    "random": lambda protocol, r, _: Supported(
        "S = r / d", f"{r} / {count(protocol.domain_size)}", 24, 23
    ),
    "honest": lambda protocol, r, _: honest(protocol, r, 24),
    "unperturbed": lambda _, __, ___: Supported("S = 1: the report is a target", "1"),
    "crafted": lambda _, __, ___: Supported("S = 1: the report is a target", "1", 24, 25),
    "avoided": lambda _, __, ___: Supported("S = 0: no target is supported", "0"),
}


def _honest(cell: Cell, report: Reports, item: int) -> tuple[Step, ...]:
    protocol, sent = cell.pure, int(report[0])
    d, kept = protocol.domain_size, sent == item
    own, out = one_bit(d, item), one_bit(d, sent)
    other = f"none of {fmt.count(d - 1)}" if kept else named(cell, sent)
    return (
        Step("Encoding", "the item itself", cells=over_items(cell, (("own", own),), item)),
        Step(
            "Perturbation",
            "keeps the item" if kept else "takes another item",
            (
                Chance("own item sent", "p", protocol.p, "yes" if kept else "no"),
                Chance("each other", "q", protocol.q, other),
            ),
            over_items(cell, (("own", own), ("sent", out)), item, sent, rate=None),
        ),
        _sent(cell, sent),
    )


def _sent(cell: Cell, sent: int) -> Step:
    return Step("Report", named(cell, sent), detail=(bits_needed(cell.pure.domain_size),))


def _picked(cell: Cell, sent: int, text: str, chance: Chance) -> tuple[Step, ...]:
    """A report that is an item of the fake's choice."""
    out = one_bit(cell.pure.domain_size, sent)
    picked = over_items(cell, (("picked", out),), None)
    return Step("Crafting", text, (chance,), picked), SENT_AS_IT_IS, _sent(cell, sent)


def _crafted(cell: Cell, report: Reports, attack: Strategy) -> tuple[Step, ...]:  # noqa: ARG001
    sent, r = int(report[0]), cell.targets.size
    chance = Chance("each target", "1/r", 1 / r, named(cell, sent))
    return _picked(cell, sent, f"one of {targets_of(cell)}", chance)


def _avoided(cell: Cell, report: Reports, attack: Strategy) -> tuple[Step, ...]:  # noqa: ARG001
    sent, others = int(report[0]), cell.pure.domain_size - cell.targets.size
    chance = Chance("each other", "1/(d−r)", 1 / others, named(cell, sent))
    return _picked(cell, sent, "any item but a target", chance)


def _random(cell: Cell, report: Reports, attack: Strategy) -> tuple[Step, ...]:  # noqa: ARG001
    sent, d = int(report[0]), cell.pure.domain_size
    drawn = over_items(cell, (("drawn", one_bit(d, sent)),), None, sent)
    chance = Chance("each item", "1/d", 1 / d, named(cell, sent))
    step = Step("Drawing", "any item, all alike", (chance,), drawn)
    return step, SENT_AS_IT_IS, _sent(cell, sent)


STORY: Final = Story(
    _formulas,
    PureReports(_honest, {"random": _random, "crafted": _crafted, "avoided": _avoided}),
    table=P_AND_Q,
    notes=pure_notes,
)
