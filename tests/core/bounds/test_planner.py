"""The planner: every quantity from the others, and all of it by simulation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support import budget

from ldptui.core.base.errors import ScenarioError
from ldptui.core.bounds import planner
from ldptui.core.bounds.planner import Oracle, Plan
from ldptui.core.law.law import Ask
from ldptui.core.law.pure import PureProtocol, SeedSearch, item_variance
from ldptui.core.protocols import PROTOCOLS

PLAN = Plan(items=40, users=400_000, share=0.01, frequency=0.2, alpha=0.05, power=0.8)
SEEDS = SeedSearch()


def bound(kind: str, epsilon: float = 2.0) -> PureProtocol:
    return PROTOCOLS[kind](kind, epsilon).bind(PLAN.items)


def oracle(kind: str, epsilon: float = 2.0) -> Oracle:
    return Oracle.of(bound(kind, epsilon))


@pytest.mark.every(2)
@pytest.mark.parametrize("share", [0.0, 0.01])
@pytest.mark.parametrize("kind", PROTOCOLS)
def test_each_quantity_is_found_from_the_others(kind: str, share: float) -> None:
    chosen = oracle(kind)
    least = planner.least_frequency(chosen, replace(PLAN, share=share))
    plan = replace(PLAN, share=share, frequency=least)
    assert planner.users_needed(chosen, plan) == pytest.approx(plan.users)
    assert planner.found_power(chosen, plan) == pytest.approx(plan.power)
    assert planner.largest_power(chosen, plan) == pytest.approx(plan.power)
    assert planner.largest_share(chosen, plan) == pytest.approx(share, abs=1e-9)
    epsilon = planner.least_epsilon(lambda e: oracle(kind, e), plan)
    # Integer parameters make steps: below this budget the frequency is not found.
    assert epsilon <= 2.0 + 1e-9
    assert planner.least_frequency(oracle(kind, epsilon), plan) <= least + 1e-9


@pytest.mark.parametrize(
    ("kind", "reference"), [("olh", 2.728425), ("ss", 2.680195), ("hr", 3.661394)]
)
def test_no_smaller_budget_is_enough_whatever_steps_there_are(kind: str, reference: float) -> None:
    """Of OLH 2.743085 is the least in the piece of its g, and a piece before has a smaller one."""
    plan = Plan(items=153, users=643, share=0.01, frequency=0.128323, alpha=0.05, power=0.9)

    def power(epsilon: float) -> float:
        return planner.found_power(Oracle.of(PROTOCOLS[kind](kind, epsilon).bind(153)), plan)

    found = planner.least_epsilon(lambda e: Oracle.of(PROTOCOLS[kind](kind, e).bind(153)), plan)
    assert found == pytest.approx(reference, abs=1e-6)
    assert power(found) >= 0.9 - 1e-9
    # Every piece of a whole parameter is wider than a thousandth there.
    assert all(power(each) < 0.9 for each in np.linspace(found / 2, found - 1e-9, 1500))


@pytest.mark.parametrize("kind", PROTOCOLS)
def test_floor_noise_and_saturation_are_those_of_the_closed_forms(kind: str) -> None:
    protocol, chosen = bound(kind), oracle(kind)
    assert chosen.variance == pytest.approx(item_variance(protocol, 1))
    assert chosen.variance + 0.3 * chosen.slope == pytest.approx(item_variance(protocol, 1, 0.3))
    saturated = planner.saturation_users(chosen, PLAN)
    at = replace(PLAN, users=saturated * (1 - PLAN.share))
    assert planner.noise_threshold(chosen, at) == pytest.approx(planner.attack_floor(chosen, at))
    assert planner.saturation_users(chosen, planner.without_fakes(PLAN)) == float("inf")


@pytest.mark.parametrize("kind", ["oue", "olh"])
def test_a_plan_holds_in_simulation(kind: str) -> None:
    protocol, chosen = bound(kind), oracle(kind)
    plan = replace(PLAN, frequency=planner.least_frequency(chosen, PLAN))
    fakes = round(plan.users * plan.share / (1 - plan.share))
    held = np.zeros(plan.items, dtype=np.int64)
    held[0] = round(plan.users * plan.frequency)
    held[1] = plan.users - held[0]
    rng, trials, target = np.random.default_rng(3), 4000, plan.items - 1
    counts = protocol.sample_counts(np.tile(held, (trials, 1)), rng)
    counts += protocol.find_law(Ask("crafted", np.array([target]), SEEDS)).counts(
        np.full(trials, fakes), rng
    )
    estimates = protocol.estimates(counts, round(plan.users) + fakes).frequencies
    threshold = planner.attack_floor(chosen, plan) + planner.noise_threshold(chosen, plan)
    hits = int((estimates[:, 0] > threshold).sum())
    power = planner.found_power(chosen, plan, lowered=True)
    assert budget.proportion(hits, trials, power)
    assert not budget.proportion(hits, trials, planner.found_power(chosen, replace(plan, share=0)))
    floor = planner.attack_floor(chosen, plan)
    spread = chosen.variance / plan.reports
    assert budget.mean(estimates[:, target], floor, spread)
    assert not budget.mean(estimates[:, target], floor * 1.1, spread)


def test_what_cannot_be_reached_says_why() -> None:
    chosen = oracle("oue")
    low = replace(PLAN, frequency=0.01)
    with pytest.raises(ScenarioError, match=r"frequency must be above .* the attack floor alone"):
        planner.users_needed(chosen, low)
    with pytest.raises(ScenarioError, match="the attack floor alone"):
        planner.largest_power(chosen, low)
    with pytest.raises(ScenarioError, match="is found without any fake"):
        planner.largest_share(chosen, replace(PLAN, frequency=0.001))
    with pytest.raises(ScenarioError, match="the least that is found with ε = 20"):
        planner.least_epsilon(
            lambda e: Oracle.of(PROTOCOLS["oue"]("oue", e).bind(40)),
            replace(PLAN, users=20, share=0, frequency=0.011),
        )
    with pytest.raises(ScenarioError, match="share must be in"):
        replace(PLAN, share=1.0)
