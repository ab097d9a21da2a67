"""One report step by step: of protocols that support items, and of those that are added up."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias, cast

import numpy as np

from ldptui.core.attacks import Strategy, View
from ldptui.core.base.sampling import Counts
from ldptui.core.cell import Cell
from ldptui.core.law.capabilities import memoises
from ldptui.core.law.pure import Reports, Rng, Supports, is_pure
from ldptui.core.theory import fake_support

from ...text import format as fmt
from .steps import SENT_AS_IT_IS, Life, Meter, Step, named, over_items, targets_of, wish_of

Heard: TypeAlias = Callable[[Cell, Reports], tuple[str, Counts, str]]
"""A number of every item that the server reads off one report, by name; the report in words."""


def completed(cell: Cell, life: Life, heard: Heard | None = None) -> Life:
    """The life with the last steps, which are the server's: what is supported, and its weight.

    heard : what the server computes besides the items that are supported.
    """
    protocol: Any = cell.protocol
    supported = supported_items(protocol, life.report)
    targets = np.sort(cell.targets)
    hit = targets[supported[targets] > 0]
    p, q, r = protocol.p, protocol.q, targets.size
    net = int(supported[targets].sum())
    weight = float((net - r * q) / (p - q))
    server = [support_step(cell, life, supported, heard)]
    if r:
        server.append(weight_step(cell, life, net, weight))
    items = np.flatnonzero(supported > 0)
    steps = (*life.steps, *server)
    return replace(life, steps=steps, supports=items, targets=hit, weight=weight)


def supported_items(protocol: Any, report: Reports) -> Supports:
    """[d], the items that one report supports; of a sketch by the hash functions of its row."""
    everything = np.arange(protocol.domain_size)
    seen = protocol.supports(report) if is_pure(protocol) else protocol.look(report, everything)
    return np.asarray(seen[0])


def support_step(cell: Cell, life: Life, supported: Supports, heard: Heard | None) -> Step:
    item = life.item
    protocol: Any = cell.protocol
    r = cell.targets.size
    count, against = int((supported > 0).sum()), int((supported < 0).sum())
    text = f"{fmt.count(count)} of {fmt.plural(protocol.domain_size, 'item')}"
    if item is not None:
        text += ", the own one too" if supported[item] > 0 else ", not the own one"
    if against:
        text += f"; against {fmt.count(against)}"
    meter = None
    if r:
        if life.fake and cell.attack is not None:
            expected = _supported(cell)
        else:
            expected = r * protocol.q
            if item is not None and item in cell.targets:
                expected += protocol.p - protocol.q
        meter = Meter(int(supported[cell.targets].sum()), r, expected)
    cells = None
    if heard is not None:
        name, numbers, sent = heard(cell, life.report)
        rows = (("support", supported > 0),)
        cells = over_items(cell, rows, item, numbers=(name, numbers), rate=protocol.q)
        text += f": {sent}"
    return Step("Support", text, cells=cells, meter=meter)


def _supported(cell: Cell) -> float:
    """The number of targets that a fake report supports on average."""
    law = fake_support(cell)
    assert law is not None  # there is no life of what has no law
    return float(law.rates[cell.targets].sum())


def weight_step(cell: Cell, life: Life, hit: int, weight: float) -> Step:
    protocol: Any = cell.protocol
    p, q, r = protocol.p, protocol.q, cell.targets.size
    short = fmt.short
    if life.fake and cell.attack is not None:
        mean = (_supported(cell) - r * q) / (p - q)
        average = f"{short(mean, sign=True)} on average, from each fake"
    else:
        holds = life.item is not None and life.item in cell.targets
        average = f"{'+1' if holds else '0'} on average: honest noise cancels"
    return Step(
        "Weight",
        f"{short(weight, sign=True)} users with a target",
        detail=(f"({hit} − {r}q)/(p − q) = {short(hit - r * q)}/{short(p - q)}", average),
    )


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


def honest_value(cell: Cell, item: int) -> Step:
    """The first step of a genuine user: the item."""
    share = cell.population.frequencies[item]
    return Step(
        "Value",
        named(cell, item) + (", a target" if item in cell.targets else ""),
        detail=(f"held by {fmt.percent(share)} of {fmt.plural(cell.users, 'user')}",),
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


@dataclass(frozen=True)
class ItemReports:
    """The reports of a family of protocols whose users hold items.

    honest : the steps of a report of an item. fakes : those of a fake's report that is of no item,
    by the law of the attack's reports; "" has those of all other laws. heard : the life with what
    the server does with a report. keeps : a client may keep its report and send it again.
    value : the step of a user's item, in the family's words. aim : what a fake without an item
    wants.
    """

    honest: HonestSteps
    fakes: Mapping[str, FakeSteps]
    heard: Callable[[Cell, Life], Life] = completed
    keeps: bool = False
    value: Callable[[Step, Cell, int], Step] = lambda step, *_: step
    aim: Callable[[Cell, Strategy], Step] = no_item

    def genuine(self, cell: Cell, item: int, kept: Rng, fresh: Rng) -> Life:
        rng = kept if self.keeps and memoises(cell.protocol) else fresh
        report = cell.local.perturb(np.array([item]), rng)
        value = self.value(honest_value(cell, item), cell, item)
        steps = (value, *self.honest(cell, report, item))
        return self.heard(cell, Life("A genuine user", False, item, report, steps))

    def fake(self, cell: Cell, attack: Strategy, title: str, rng: Rng) -> Life:
        if hasattr(attack, "held"):
            return self._of_an_item(cell, attack, title, rng)
        if hasattr(attack, "drawn") and "" not in self.fakes:
            return self._of_a_hidden_item(cell, attack, title, rng)
        shown = searching_less(attack, cell)
        report = shown.reports(cell.local, View(cell.targets), 1, rng)
        steps_of = self.fakes.get(attack.report_law) or self.fakes.get("", _not_told)
        steps = (self.aim(cell, attack), *steps_of(cell, report, shown))
        return self.heard(cell, Life(title, True, None, report, steps))

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
        value = self.value(claimed_item(cell, attack, item), cell, item)
        return self.heard(cell, Life(title, True, item, report, (value, *steps)))

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
        return self.heard(cell, Life(title, True, item, report, steps))
