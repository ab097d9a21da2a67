"""Trust models against simulation: each of their closed forms, model by model, with mutants."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from support import budget

from ldptui.catalogue.kind_rows import swept_kinds
from ldptui.core import Scenario, compile
from ldptui.core.base.arms import ATTACKED, CLEAN
from ldptui.core.base.sampling import Floats
from ldptui.core.cell import Cell
from ldptui.core.lab.trust_comparison import TrustCosts, TrustSetting, compare_trust_models
from ldptui.core.protocols import family_of
from ldptui.core.task.frequencies import trial_estimates
from ldptui.core.theory import estimate_variances, fake_support, gain_std

COUNTS = [4200, 3630, 2800, 2200, 1800, 1400, 1000, 800, 500, 370, 300, 0]
USERS, TRIALS = sum(COUNTS), 400
SETTINGS = {
    r: TrustSetting(1.0, 1e-6, USERS, len(COUNTS), 0.05, r, np.array(COUNTS) / USERS, 0.03, 2, 2)
    for r in (1, 3)
}
"""By the number of targets."""
KINDS = tuple(swept_kinds("protocol", ""))
"""One of each engine, those that a new sweep compares."""


@cache
def trust_costs(r: int = 3) -> dict[str, TrustCosts]:
    return {
        f"{costs.trust} {costs.protocol}": costs
        for costs in compare_trust_models(SETTINGS[r], KINDS)
    }


NAMES = [
    *(f"local {kind}" for kind in KINDS), "hidden oue", "verified oue",
    *(f"shuffled {kind}" for kind in KINDS), "aggregated-sumvec sumvec",
    "aggregated-multihot multihot", "aggregated-histogram histogram", "curator geometric",
]  # fmt: skip


def collection(setting: TrustSetting, costs: TrustCosts) -> dict[str, dict[str, Any]]:
    """The tables `[protocol]`, `[attack]` and `[trust]` of a scenario of a trust model."""
    protocol, circuit = costs.protocol, costs.trust.removeprefix("aggregated-")
    trust: dict[str, Any] = {"kind": costs.trust}
    if circuit != costs.trust:
        protocol = "oue"
        trust = {"kind": "aggregated", "circuit": circuit, "aggregators": setting.aggregators}
        trust |= {"weight": setting.weight} if circuit == "multihot" else {}
    elif costs.trust == "hidden":
        trust = {"kind": "local"}
    elif costs.trust == "shuffled":
        trust |= {"delta": setting.delta, "central_epsilon": setting.epsilon}
    return {
        "protocol": {"kind": protocol, "epsilon": setting.epsilon},
        "attack": {
            "kind": "hidden" if costs.trust == "hidden" else "mga",
            "share": setting.share,
            "targets": {"pick": "least-frequent", "count": setting.targets},
        },
        "trust": trust,
    }


def cell_of(r: int, costs: TrustCosts, counts: list[int] = COUNTS, **attack: Any) -> Cell:
    tables = collection(SETTINGS[r], costs)
    targets = list(range(len(counts) - r, len(counts)))
    made = {**tables["attack"], "targets": {"items": targets}, **attack}
    population = {"kind": "counts", "counts": counts}
    document = {"format": 1, "population": population, **tables, "attack": made}
    (cell,) = compile(Scenario(document)).cells
    return cell


@cache
def drawn(r: int, name: str) -> tuple[Cell, Floats, Floats]:
    """The cell of a trust model, and the estimates of its trials before and after the attack."""
    cell = cell_of(r, trust_costs(r)[name])
    estimates = trial_estimates(cell, TRIALS)
    return cell, estimates[CLEAN], estimates[ATTACKED]


def test_every_trust_model_is_simulated() -> None:
    assert [*trust_costs()] == NAMES


def gains(r: int, name: str, claimed: float) -> budget.Verdict:
    cell, before, after = drawn(r, name)
    support = fake_support(cell)
    assert support is not None
    held = cell.target_frequency
    protocol: Any = cell.protocol
    spread = gain_std(protocol, support, r, cell.users, cell.malicious, held)
    gained = (after - before)[:, cell.targets].sum(axis=1)
    return budget.mean(gained, claimed, max(spread**2, 1e-18))


@pytest.mark.parametrize("name", NAMES)
def test_the_gain_of_all_targets_and_of_one(name: str) -> None:
    costs = trust_costs()[name]
    assert gains(3, name, costs.gain)
    assert not gains(3, name, costs.gain + SETTINGS[3].share)  # one target more of each fake
    assert gains(1, name, trust_costs(1)[name].gain_one)
    assert costs.gain_one == pytest.approx(trust_costs(1)[name].gain)
    assert not gains(1, name, costs.gain_one * 1.5)


@pytest.mark.parametrize("name", NAMES)
def test_the_error_of_an_item_of_nobody(name: str) -> None:
    costs, (_, before, _) = trust_costs()[name], drawn(3, name)
    assert budget.spread(before[:, -1], 0.0, costs.sd**2)
    assert not budget.spread(before[:, -1], 0.0, (1.5 * costs.sd) ** 2)
    assert not budget.spread(before[:, -1], 0.0, (costs.sd / 1.5) ** 2)


@pytest.mark.parametrize("name", [name for name in NAMES if not name.startswith("hidden")])
def test_the_share_that_makes_up_a_gap(name: str) -> None:
    """Where two items are held alike, that share of fakes makes the gap."""
    costs = trust_costs(1)[name]
    counts = [4000, 4000, 3000, 2000, 2000, 1000, 1000, 1000, 500, 300, 200, 0]
    craft = "ria-unperturbed" if costs.trust in ("local", "shuffled") else "mga"
    targets = {"items": [1]}
    cell = cell_of(1, costs, counts, kind=craft, share=costs.overturning_share, targets=targets)
    after = trial_estimates(cell, TRIALS)[ATTACKED]
    variances = estimate_variances(cell)
    assert variances is not None
    most = 2 * float(variances[1][:2].sum())
    gap = SETTINGS[1].gap * cell.share / costs.overturning_share
    if family_of("olh") == cell.protocol.family:  # a bucket holds other items as well
        gap *= 1 - 1 / cell.protocol.facts()["hash_range"]
    assert budget.mean(after[:, 1] - after[:, 0], gap, most)
    assert not budget.mean(after[:, 1] - after[:, 0], gap + 3 * (most / TRIALS) ** 0.5 + 0.03, most)
