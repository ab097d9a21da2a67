"""Coded protocols step by step: the report is one of few messages, and many agree with an item."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, cast

import numpy as np

from ldptui.core.attacks import Strategy
from ldptui.core.cell import Cell
from ldptui.core.law.pure import BoolArray, Reports
from ldptui.core.protocols.coded import Coded

from ..text import format as fmt
from .report import SENT_AS_IT_IS, Chance, Step
from .report.pure import ItemReports
from .report.steps import bits_needed, one_bit, over_items, targets_of

Encoded: TypeAlias = Callable[[Coded, int], tuple[str, tuple[str, ...]]]
"""The place of an item in the code: a sentence, and details."""


def reports(encoded: Encoded) -> ItemReports:
    """The reports of a family whose items have these places."""

    def honest(cell: Cell, report: Reports, item: int) -> tuple[Step, ...]:
        protocol = _code(cell)
        text, detail = encoded(protocol, item)
        own = ("own", one_bit(protocol.domain_size, item))
        agrees = bool(protocol.look(report, np.array([item]))[0, 0])
        inverse = (1 - protocol.truthful) / protocol.messages
        chance = protocol.truthful + protocol.agreeing * inverse
        choices = f"{fmt.count(protocol.agreeing)} of {fmt.count(protocol.messages)} messages"
        after = ("supports", _supported(cell, report))
        return (
            Step("Encoding", text, cells=over_items(cell, (own,), item), detail=detail),
            Step(
                "Perturbation",
                "a message that agrees" if agrees else "a message that does not agree",
                (
                    Chance("a message that agrees", "p₊", chance, "yes" if agrees else "no"),
                    Chance("each of those", "e^ε p₀", chance / protocol.agreeing, choices),
                ),
                over_items(cell, (own, after), item, rate=protocol.q),
            ),
            _sent(cell, report),
        )

    return ItemReports(honest, {"random": _random, "crafted": _crafted, "avoided": _avoided})


def _code(cell: Cell) -> Coded:
    return cast("Coded", cell.protocol)


def _supported(cell: Cell, report: Reports) -> BoolArray:
    return np.asarray(cell.pure.supports(report)[0] > 0)


def _sent(cell: Cell, report: Reports) -> Step:
    protocol = _code(cell)
    size = f"one of {fmt.count(protocol.messages)}: {bits_needed(protocol.messages)}"
    return Step("Report", protocol.message_name(int(report[0])), detail=(size,))


def _random(cell: Cell, report: Reports, attack: Strategy) -> tuple[Step, ...]:  # noqa: ARG001
    messages = _code(cell).messages
    chance = Chance("each message", "1/K", 1 / messages, f"one of {fmt.count(messages)}")
    cells = over_items(cell, (("supports", _supported(cell, report)),), None)
    step = Step("Drawing", "any message, all alike", (chance,), cells)
    return step, SENT_AS_IT_IS, _sent(cell, report)


def _picked(cell: Cell, report: Reports, text: str) -> tuple[Step, ...]:
    net = int(cell.pure.supports(report)[0][cell.targets].sum())
    detail = f"support of {targets_of(cell)} together: {net}; all messages were compared"
    cells = over_items(cell, (("supports", _supported(cell, report)),), None)
    return Step("Crafting", text, cells=cells, detail=(detail,)), SENT_AS_IT_IS, _sent(cell, report)


def _crafted(cell: Cell, report: Reports, attack: Strategy) -> tuple[Step, ...]:  # noqa: ARG001
    return _picked(cell, report, "a message that supports most targets")


def _avoided(cell: Cell, report: Reports, attack: Strategy) -> tuple[Step, ...]:  # noqa: ARG001
    return _picked(cell, report, "a message that supports fewest targets")
