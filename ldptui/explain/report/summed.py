"""One report of a protocol whose reports are added up, told step by step: it has no supports."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ldptui.core.attacks import Strategy, View
from ldptui.core.cell import Cell
from ldptui.core.law.capabilities import memoises
from ldptui.core.law.pure import Items, Reports, Rng

from .pure import claimed_item, honest_value, no_item
from .steps import SENT_AS_IT_IS, Life, Step


@dataclass(frozen=True)
class Added:
    """The server's step: what a report adds.

    shown : the items that its picture marks. targets : those of them that are targets. weight : of
    the report in the targets' total, in users.
    """

    step: Step
    shown: Items
    targets: Items
    weight: float


@dataclass(frozen=True)
class SummedReports:
    """The reports of one family.

    honest : the steps from encoding to sending, of an item. sent : the last of them. drawing : how
    a fake draws a report at random. crafting : how it makes the best one. added : the server's.
    """

    honest: Callable[[Cell, Reports, int], tuple[Step, ...]]
    sent: Callable[[Cell, Reports], Step]
    drawing: str
    crafting: Callable[[Cell, Reports, Strategy], Step]
    added: Callable[[Cell, Reports], Added]

    def refusal(self, cell: Cell) -> str:  # noqa: ARG002
        return ""

    def genuine(self, cell: Cell, item: int, kept: Rng, fresh: Rng) -> Life:
        rng = kept if memoises(cell.protocol) else fresh
        report = cell.local.perturb(np.array([item]), rng)
        steps = (honest_value(cell, item), *self.honest(cell, report, item))
        return self._life(cell, "A genuine user", report, steps, item, fake=False)

    def fake(self, cell: Cell, attack: Strategy, title: str, rng: Rng) -> Life:
        if hasattr(attack, "held"):
            held: Any = attack
            item = held.held(View(cell.targets), 1, rng).item()
            plain = attack.report_law == "unperturbed"
            values = np.array([item])
            report = (cell.local.unperturbed if plain else cell.local.perturb)(values, rng)
            steps = self.honest(cell, report, item)
            if plain:
                steps = (steps[0], SENT_AS_IT_IS, steps[-1])
            claim = claimed_item(cell, attack, item)
            return self._life(cell, title, report, (claim, *steps), item, fake=True)
        report = attack.reports(cell.local, View(cell.targets), 1, rng)
        random = attack.report_law == "random"
        how = Step("Drawing", self.drawing) if random else self.crafting(cell, report, attack)
        steps = (no_item(cell, attack), how, SENT_AS_IT_IS, self.sent(cell, report))
        return self._life(cell, title, report, steps, None, fake=True)

    def _life(
        self,
        cell: Cell,
        title: str,
        report: Reports,
        steps: tuple[Step, ...],
        item: int | None,
        *,
        fake: bool,
    ) -> Life:
        last = self.added(cell, report)
        path = (*steps, last.step)
        return Life(title, fake, item, report, path, last.shown, last.targets, last.weight)
