"""Reports that support items: a family's steps between the value and the server's."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias, cast

import numpy as np

from ldptui.core.attacks import Strategy, View
from ldptui.core.cell import Cell
from ldptui.core.law.pure import Reports, Rng

from ...text import format as fmt
from .server import Heard, completed
from .steps import SENT_AS_IT_IS, Life, Step
from .words import named, plural, targets_of, wish_of

SEARCH_WORK: Final = 2_000_000
"""Hashes of one fake's seed search, some 20 ms: a longer search is shown with fewer seeds."""

KEPT_BACK: Final = Step(
    "Drop-out",
    "it supports the item, and is sent",
    detail=("one that does not is kept back, and nobody hears of it",),
)
"""The step of a fake who sends a report only if it supports the item that it chose."""

HonestSteps: TypeAlias = Callable[[Cell, Reports, int], tuple[Step, ...]]
"""Encoding, perturbation and report of an honest user who holds an item."""

FakeSteps: TypeAlias = Callable[[Cell, Reports, Any], tuple[Step, ...]]
"""The steps that led to a fake's report; the last argument is the attack."""


@dataclass(frozen=True)
class PureReports:
    """The reports of a family of protocols whose reports support items.

    honest : the steps of a report of an item. fakes : those of a fake's report that is of no item,
    by the law of the attack's reports. heard : what the server computes from a report besides the
    items that it supports; None where there is nothing.
    """

    honest: HonestSteps
    fakes: Mapping[str, FakeSteps]
    heard: Heard | None = None

    def refusal(self, cell: Cell) -> str:  # noqa: ARG002
        return ""

    def genuine(self, cell: Cell, item: int, kept: Rng, fresh: Rng) -> Life:  # noqa: ARG002
        report = cell.local.perturb(np.array([item]), fresh)
        steps = (honest_value(cell, item), *self.honest(cell, report, item))
        return completed(cell, "A genuine user", report, steps, item, self.heard, fake=False)

    def fake(self, cell: Cell, attack: Strategy, title: str, rng: Rng) -> Life:
        if hasattr(attack, "held"):
            return self._of_an_item(cell, attack, title, rng)
        if hasattr(attack, "drawn"):
            return self._of_a_hidden_item(cell, attack, title, rng)
        shown = searching_less(attack, cell)
        report = shown.reports(cell.local, View(cell.targets), 1, rng)
        steps_of = self.fakes.get(attack.report_law, _not_told)
        steps = (no_item(cell, attack), *steps_of(cell, report, shown))
        return completed(cell, title, report, steps, None, self.heard, fake=True)

    def _of_an_item(self, cell: Cell, attack: Any, title: str, rng: Rng) -> Life:
        view = View(cell.targets)
        # The attack draws the target first: a copy of the generator draws the same one.
        item = attack.held(view, 1, copy.deepcopy(rng)).item()
        report = attack.reports(cell.local, view, 1, rng)
        steps = self.honest(cell, report, item)
        if attack.report_law == "unperturbed":
            steps = (steps[0], SENT_AS_IT_IS, steps[-1])
        if getattr(attack, "drop_out", False):
            steps = (*steps[:-1], KEPT_BACK, steps[-1])
        value = claimed_item(cell, attack, item)
        return completed(cell, title, report, (value, *steps), item, self.heard, fake=True)

    def _of_a_hidden_item(self, cell: Cell, attack: Any, title: str, rng: Rng) -> Life:
        # The item is drawn first, as above.
        items, held = attack.drawn(cell.pure, cell.targets, 1, copy.deepcopy(rng))
        report = attack.reports(cell.pure, View(cell.targets), 1, rng)
        item = items.item()
        aim = ", a target" if item in cell.targets else ""
        value = Step("Value", f"{named(cell, item)}{aim}")
        drawing = Step(
            "Drawing",
            f"the report {'supports' if held[0] else 'spares'} it for certain",
            detail=("all reports together look like an honest population's",),
        )
        noise = Step("Perturbation", "the rest is honest noise")
        steps = (value, drawing, noise, self.honest(cell, report, item)[-1])
        return completed(cell, title, report, steps, item, self.heard, fake=True)


def honest_value(cell: Cell, item: int) -> Step:
    """The first step of a genuine user: the item."""
    share = cell.population.frequencies[item]
    return Step(
        "Value",
        named(cell, item) + (", a target" if item in cell.targets else ""),
        detail=(f"held by {fmt.percent(share)} of {plural(cell.users, 'user')}",),
    )


def claimed_item(cell: Cell, attack: Strategy, item: int) -> Step:
    """The first step of a fake user who pretends to hold an item, most often a target."""
    lie = ": its only lie" if attack.report_law == "honest" else ""
    if item not in cell.targets:
        return Step("Value", named(cell, item), detail=(f"chosen at random{lie}",))
    detail = f"one of {targets_of(cell)}, at random{lie}"
    return Step("Value", f"{named(cell, item)}, a target", detail=(detail,))


def no_item(cell: Cell, attack: Strategy) -> Step:
    """The first step of a fake user whose report is of no item."""
    detail = f"wants {targets_of(cell)} to look {wish_of(attack)}"
    if not cell.targets.size:
        detail = "wants the estimated mean to be a number of its choice"
    return Step("Value", "none: a fake holds no item", detail=(detail,))


def searching_less(attack: Any, cell: Cell) -> Strategy:
    """The attack with no more seeds than one report may take time for."""
    r, shown = cell.targets.size, attack
    if hasattr(attack, "seeds"):
        work = r * (r + 1) // 2 if getattr(attack, "scoring", "") == "bucket" else r
        shown = replace(attack, seeds=min(attack.seeds, max(1, SEARCH_WORK // work)))
    return cast("Strategy", shown)


def _not_told(cell: Cell, report: Reports, attack: Strategy) -> tuple[Step, ...]:  # noqa: ARG001
    return (Step("Crafting", "not told for this kind"),)
