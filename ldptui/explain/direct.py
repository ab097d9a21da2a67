"""Direct encoding (GRR, also kRR): the report is an item."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ldptui.core.attacks import Strategy
from ldptui.core.cell import Cell
from ldptui.core.law.pure import Reports

from ..text import format as fmt
from .attack import HONEST, Supported
from .closed_forms import OTHER, OWN, VARIANCE, pure
from .formula import W17, Entry, Formula
from .report import SENT_AS_IT_IS, Chance, Step
from .report.pure import ItemReports
from .report.steps import bits_needed, named, one_bit, over_items, targets_of
from .story import Story
from .table import P_AND_Q, pure_notes

ROWS: Final = (
    Formula(OWN, "p = e^ε / (e^ε + d − 1)", W17, 9, Entry("p", "p", "W17 4.1")),
    Formula(OTHER, "q = 1 / (e^ε + d − 1)", W17, 9, Entry("q", "q", "W17 4.1")),
    Formula("Privacy budget from p and q", "ε = ln(p / q)", W17, 14),
)

UNIT: Final = replace(VARIANCE, text="Var*[c~ᵥ] / n = (d − 2 + e^ε) / {(e^ε − 1)}²", number=11)

SUPPORTED: Final = {
    "random": Supported("S = r / d", 24, 23),
    "honest": replace(HONEST, number=24),
    "unperturbed": Supported("S = 1: the report is a target"),
    "crafted": Supported("S = 1: the report is a target", 24, 25),
    "avoided": Supported("S = 0: no target is supported"),
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
    pure(ROWS, SUPPORTED, UNIT),
    ItemReports(_honest, {"random": _random, "crafted": _crafted, "avoided": _avoided}),
    table=P_AND_Q,
    notes=pure_notes,
)
