"""The designer: what it finds is the best of many, and its ratings hold by enumeration."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from support import budget

from ldptui.core.base.errors import ScenarioError
from ldptui.core.bounds import hardening
from ldptui.core.bounds.rehearsal import rehearse_design
from ldptui.core.lab.designer import Demand, RatedProtocol, design_protocols, rate_protocol
from ldptui.core.law.pure import SeedSearch
from ldptui.core.protocols import DIALS
from ldptui.core.theory import gain_std

DEMAND = Demand(items=30, epsilon=1.0, users=1e5, share=0.02, targets=3)


@pytest.mark.parametrize("kind", DIALS)
def test_no_setting_of_the_dial_is_better(kind: str) -> None:
    [found] = design_protocols(DEMAND, [kind])
    dial = DIALS[kind]
    settings: list[float] = [*range(int(dial.allowed.low), 29)] if dial.whole else (
        np.linspace(0.02, 0.995, 100).tolist()
    )  # fmt: skip
    table = {"kind": kind, "epsilon": DEMAND.epsilon}
    costs = [rate_protocol({**table, dial.name: each}, DEMAND).worst for each in settings]
    assert found.worst <= min(costs) * (1 + 1e-6)
    assert found.worst < max(costs)


def test_the_worst_case_is_minimised_over_the_curve() -> None:
    """Beside the closed forms: the bias βa, and the noise of the genuine users' reports."""
    n, share = DEMAND.users, DEMAND.share

    def worst(a: float) -> float:
        noise = (1 - share) ** 2 * hardening.curve_variance(a, DEMAND.epsilon) / n
        return math.hypot(share * a, math.sqrt(noise))

    least = hardening.least_gain_factor(DEMAND.epsilon)
    best = minimize_scalar(worst, bounds=(least * (1 + 1e-6), 10), method="bounded")
    found = design_protocols(DEMAND, kinds=["ue"])[0]
    assert found.worst == pytest.approx(best.fun, rel=1e-5)
    assert found.gain_factor == pytest.approx(best.x, rel=1e-2)
    # Without fakes it is the least noise, that of OUE.
    alone = design_protocols(Demand(30, 1.0, 1e5, 0.0), kinds=["ue"])[0]
    assert alone.protocol["keep"] == pytest.approx(0.5, abs=1e-2)


def test_the_first_is_the_best_of_all_kinds() -> None:
    design = design_protocols(DEMAND)
    costs = [each.worst for each in design]
    assert costs == sorted(costs)
    assert {each.protocol["kind"] for each in design} == set(DIALS)


@pytest.mark.parametrize("kind", DIALS)
def test_the_found_protocol_does_in_simulation_what_is_planned(kind: str) -> None:
    found = design_protocols(DEMAND, kinds=[kind])[0]
    planned = {"noise": found.noise, "gain": found.gain, "worst": found.worst}
    trials, rng = 2000, np.random.default_rng(5)
    check = rehearse_design(
        found.mechanism, round(DEMAND.users), DEMAND.share, DEMAND.targets, planned, trials, rng
    )
    fakes = round(DEMAND.users * DEMAND.share / (1 - DEMAND.share))
    law = found.mechanism.find_support("crafted", DEMAND.targets, SeedSearch())
    spread = gain_std(found.mechanism, law, DEMAND.targets, round(DEMAND.users), fakes, 0.0)
    assert budget.mean([check["gain"]], found.gain, spread**2 / trials)
    assert not budget.mean([check["gain"]], 1.05 * found.gain, spread**2 / trials)
    # Squares of a normal x: Var x² = 4μ²σ² + 2σ⁴.
    noise = (1 - DEMAND.share) ** 2 * found.noise**2
    bias = DEMAND.share * found.gain_factor
    squares = 4 * bias**2 * noise + 2 * noise**2
    assert budget.mean([check["worst"] ** 2], found.worst**2, squares / trials)
    assert not budget.mean([check["worst"] ** 2], 1.2 * found.worst**2, squares / trials)
    assert budget.mean([check["noise"] ** 2], found.noise**2, 2 * found.noise**4 / trials)


def test_the_fakes_reports_have_no_noise() -> None:
    """The worst case is β²a² + (1 − β)²Var*/n, and not + Var*/n."""
    demand, trials = Demand(items=3, epsilon=1.0, users=20, share=0.5), 20_000
    each = rate_protocol({"kind": "ue", "epsilon": 1.0}, demand)
    planned = {"noise": each.noise, "gain": each.gain, "worst": each.worst}
    check = rehearse_design(each.mechanism, 20, 0.5, 1, planned, trials, np.random.default_rng(6))
    bias, noise = (0.5 * each.gain_factor) ** 2, 0.25 * each.noise**2
    # Of 20 users not normal quite: the fourth moment is larger by a little.
    squares = 1.1 * (4 * bias * noise + 2 * noise**2) / trials
    assert budget.mean([check["worst"] ** 2], bias + noise, squares)
    assert not budget.mean([check["worst"] ** 2], bias + each.noise**2, squares)


def test_bad_demands_are_refused() -> None:
    with pytest.raises(ScenarioError, match="targets must be in"):
        Demand(5, 1.0, 100, 0.1, 5)
    with pytest.raises(ScenarioError, match="share must be"):
        Demand(5, 1.0, 100, 1.0)
    assert isinstance(design_protocols(Demand(2, 20.0, 1, 0.99))[0], RatedProtocol)
