"""The users whose life is shown: a genuine one, and a fake of any attack."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Final, TypeAlias

import numpy as np

from core.attacks import (
    Adaptive,
    Attack,
    Demotion,
    InputPoisoning,
    MaximalGain,
    Mixture,
    RandomItem,
    RandomReport,
    SubsetGain,
    UnperturbedItem,
    Untargeted,
    View,
)
from core.cell import Cell
from core.protocols import GRR, LocalHashing, Rappor, Unary
from core.pure import Rng

from ...text import format as fmt
from .crafted import crafted_steps, random_steps
from .honest import honest_steps, honest_value
from .rappor import fake_bloom, genuine_bloom
from .server import completed
from .steps import SENT_AS_IT_IS, Life, Step
from .words import named, targets_of

SEARCH_WORK: Final = 2_000_000
"""Hashes of one fake's seed search, some 20 ms: a longer search is shown with fewer seeds."""

MOST_FILTERS: Final = 2**16
"""So many Bloom filters are hashed to show one report at most, in a tenth of a second."""

Searching: TypeAlias = MaximalGain | SubsetGain | Untargeted | Demotion | Adaptive

ATTACK_NAMES: Final = {
    "rpa": "random report attack",
    "ria": "random item attack",
    "ria-unperturbed": "random item, no noise",
    "input": "input poisoning",
    "mga": "maximal gain attack",
    "mga-a": "maximal gain, subsets",
    "apa": "adaptive pattern attack",
    "untargeted": "untargeted attack",
    "demote": "demotion",
    "adaptive": "adaptive attack",
}


def has_steps(protocol: object) -> bool:
    """Whether the steps of this protocol's reports are known here."""
    if isinstance(protocol, Rappor):
        return protocol.domain_size * protocol.cohorts <= MOST_FILTERS
    return isinstance(protocol, GRR | Unary | LocalHashing)


def random_user(cell: Cell, rng: Rng) -> int:
    """The item of a genuine user, drawn uniformly from the population."""
    held = np.cumsum(cell.population.histogram)
    return int(np.searchsorted(held, rng.integers(0, held[-1]), side="right"))


def genuine_life(cell: Cell, item: int, rng: Rng, kept: Rng | None = None) -> Life:
    """The report of a genuine user who holds `item`, drawn by the protocol.

    kept : draws what a client keeps between its reports, as RAPPOR's do; `rng` where it is None.
    """
    if isinstance(cell.protocol, Rappor):
        return genuine_bloom(cell, cell.protocol, item, rng if kept is None else kept, rng)
    report = cell.pure.perturb(np.array([item]), rng)
    steps = (honest_value(cell, item), *honest_steps(cell, report, item))
    return completed(cell, "A genuine user", report, steps, item, fake=False)


def fake_life(cell: Cell, rng: Rng) -> Life:
    """The report of a fake user, drawn by the attack; ValueError for a cell without an attack."""
    attack, share = cell.attack, 1.0
    if attack is None:
        raise ValueError("there are no fake users without an attack")
    if isinstance(attack, Mixture):
        cell, attack, share = _one_part(cell, attack, rng)
    title = f"A fake user: {ATTACK_NAMES.get(attack.kind, attack.kind)}"
    if share < 1:
        title += f", {fmt.percent(share)} of the fakes"
    if isinstance(cell.protocol, Rappor):
        return fake_bloom(cell, cell.protocol, attack, title, rng)
    if isinstance(attack, RandomItem | InputPoisoning | UnperturbedItem):
        # The attack draws the target first: a copy of the generator draws the same one.
        item = attack.held(View(cell.targets), 1, copy.deepcopy(rng)).item()
        report = attack.reports(cell.pure, View(cell.targets), 1, rng)
        honest = not isinstance(attack, UnperturbedItem)
        value = Step(
            "Value",
            f"{named(cell, item)}, a target",
            detail=(f"one of {targets_of(cell)}, at random{': its only lie' if honest else ''}",),
        )
        made = honest_steps(cell, report, item)
        if not honest and made:
            encoded, _, sent = made
            made = (encoded, SENT_AS_IT_IS, sent)
        return completed(cell, title, report, (value, *made), item, fake=True)
    shown = _bounded(attack, cell)
    report = shown.reports(cell.pure, View(cell.targets), 1, rng)
    value = Step(
        "Value",
        "none: a fake holds no item",
        detail=(f"wants {targets_of(cell)} to look {_WISHES.get(attack.kind, 'frequent')}",),
    )
    if not isinstance(attack, RandomReport):
        made = crafted_steps(cell, report, getattr(shown, "seeds", 0))
    else:
        made = random_steps(cell, report)
    return completed(cell, title, report, (value, *made), None, fake=True)


def _one_part(cell: Cell, mixture: Mixture, rng: Rng) -> tuple[Cell, Attack, float]:
    """A fake of a mixture: the cell as if all fakes were of its part, what they do, their share."""
    counts = np.array([part.count for part in cell.fakes])
    weights = counts if counts.sum() else np.array([part.weight for part in mixture.parts])
    law = weights / weights.sum()
    number = int(rng.choice(law.size, p=law))
    attack = mixture.parts[number].attack
    alone = replace(cell, attack=attack, targets=cell.fakes[number].targets)
    return alone, attack, float(law[number])


_WISHES: Final = {"demote": "rare", "untargeted": "frequent, whichever they are"}


def _bounded(attack: Attack, cell: Cell) -> Attack:
    """The attack with as many seeds as one report may take time for."""
    if not isinstance(attack, Searching) or not isinstance(cell.pure, LocalHashing):
        return attack
    r = cell.targets.size
    work = r * (r + 1) // 2 if getattr(attack, "scoring", "") == "bucket" else r
    most = max(1, SEARCH_WORK // work)
    return attack if attack.seeds <= most else replace(attack, seeds=most)
