"""Long: coverage under every law of fakes, the floor in many runs, a million reports."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from ldptui.core.attacks.kinds import ATTACKS
from ldptui.core.base.arms import ATTACKED
from ldptui.core.base.errors import LdpError
from ldptui.core.base.pulse import no_pulse
from ldptui.core.bounds.robust import ballot_of, robust_intervals
from ldptui.core.bounds.undetectable import hidden_against
from ldptui.core.cell import Cell
from ldptui.core.defences.floor import certify_floor
from ldptui.core.experiment import compile as bind
from ldptui.core.law.exchangeable import Exchangeable
from ldptui.core.law.law import Ask, Law, LawName
from ldptui.core.law.pure import SeedSearch, item_variance
from ldptui.core.protocols import PROTOCOLS
from ldptui.core.scenario import Scenario
from ldptui.core.scenario.declared import names_of
from ldptui.core.task.frequencies import trial_estimates

pytestmark = pytest.mark.long

LAWS: tuple[LawName, ...] = (
    "random", "honest", "unperturbed", "crafted", "avoided", "subset", "disguised",
)  # fmt: skip
TARGETS = np.array([0, 14, 15])
RUNS = 2000


def law_of(protocol: Any, name: LawName) -> Any:
    made = protocol.law_of(Ask(name, TARGETS, SeedSearch(20), subset=2))
    return made if isinstance(made, Law) else None


COUNTS = [285, 190, 142, 95, *[20] * 11, 18]
"""950 users of 16 items, and 50 fakes beside them."""
MORE = {"mga-a": {"subset": 2}, "untargeted": {"size": 3}}
"""Keys of attacks beside their share and their targets."""


def attacked(protocol: str, attack: str) -> Cell | str:
    """The cell of an attack on a protocol, or the reason why there is none."""
    keys = names_of("attack", attack)
    table = {"kind": attack, "share": 0.05, **MORE.get(attack, {})}
    table |= {"targets": {"items": TARGETS.tolist()}} if "targets" in keys else {}
    document = {
        "format": 1,
        "trials": RUNS,
        "population": {"kind": "counts", "counts": COUNTS},
        "protocol": {"kind": protocol, "epsilon": 1.0},
        "attack": table,
    }
    try:
        [cell] = bind(Scenario(document)).cells
    except LdpError as error:
        return str(error)
    return cell


@pytest.mark.parametrize("kind", PROTOCOLS)
def test_robust_intervals_cover_under_every_attack(kind: str) -> None:
    """1,000 reports, the assumed share is the true one, and a larger one; naive ones beside."""
    taken = 0
    for attack in (name for name in ATTACKS if name not in ("none", "plugin")):
        cell = attacked(kind, attack)
        if isinstance(cell, str):
            print(f"{kind} {attack}: {cell}")
            continue
        taken += 1
        estimates = trial_estimates(cell, RUNS)[ATTACKED]
        protocol, truth = cell.pure, cell.population.frequencies
        reports, means = cell.users + cell.malicious, ballot_of(cell.pure).means(estimates)
        covered = []
        for share in (0.05, 0.08):
            low, high = robust_intervals(protocol, means, reports, share)
            covered.append(((low <= truth) & (truth <= high)).mean(axis=0))
        sd = np.sqrt(item_variance(protocol, reports, np.clip(estimates, 0, 1)))
        naive = (np.abs(estimates - truth) <= 1.96 * sd).mean(axis=0)
        told = ", ".join(f"{each.mean():.3f} (least {each.min():.3f})" for each in covered)
        print(f"{kind} {attack}: robust {told}, naive {naive.mean():.3f} ({naive.min():.3f})")
        for each in covered:
            # Each item's own coverage is at least 0.94; a rejection at 4 deviations of 2,000 runs.
            assert each.mean() >= 0.94
            assert each.min() >= 0.94 - 4 * math.sqrt(0.94 * 0.06 / RUNS)
    assert taken >= 6


def test_the_floor_is_too_high_in_at_most_one_of_twenty_runs() -> None:
    """Of each law 2,000 collections of OUE with 16 items; hidden fakes and none prove nothing."""
    protocol: Any = PROTOCOLS["oue"](kind="oue", epsilon=1.0).bind(16)
    rng, users, fakes, runs = np.random.default_rng(1), 475, 25, 2000
    held = 1 / np.arange(1, 17)
    held /= held.sum()
    wrong = dict.fromkeys((*LAWS, "none", "hidden"), 0)
    assert isinstance(protocol, Exchangeable)
    best = hidden_against(protocol, held, TARGETS, 0.05)
    for name in wrong:
        law = law_of(protocol, name) if name in LAWS else None
        for _ in range(runs):
            honest = protocol.perturb(rng.choice(16, users, p=held), rng)
            if name == "hidden":  # all reports together are honest ones of these frequencies
                after = (1 - 0.05) * held + best.shift
                made = protocol.perturb(rng.choice(16, users + fakes, p=after / after.sum()), rng)
            elif law is None:
                made = honest
            else:
                made = np.concatenate([honest, law.reports(fakes, rng)])
            allowed = 0 if name in ("none", "hidden") else fakes
            wrong[name] += certify_floor(protocol, made, 0.95, no_pulse).fakes > allowed
    print(wrong)
    assert max(wrong.values()) <= 0.05 * runs
