"""Plans of the rungs of trust: each number from the others, and all of it by simulation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats
from support import budget

from ldptui.core.base.errors import ScenarioError
from ldptui.core.bounds import planner
from ldptui.core.bounds.planner import Plan
from ldptui.core.lab import rungs
from ldptui.core.lab.rungs import RUNGS, Terms, mechanism, smallest_batch
from ldptui.core.law.pure import SeedSearch

TERMS = Terms(1.0, 1e-6)
PLAN = Plan(64, 20_000, 0.002, 0.05, 0.05, 0.9)
TARGETS, KIND = 5, "oue"
PROVED = "verified"


def planned(rung: str) -> tuple[Any, Any, Plan]:
    """The mechanism of a rung, its oracle, and the least frequency that it finds."""
    made = mechanism(RUNGS[rung], KIND, PLAN.items, int(PLAN.users), TERMS)
    oracle = RUNGS[rung].oracle(made, TARGETS)
    return made, oracle, replace(PLAN, frequency=planner.least_frequency(oracle, PLAN))


EVERY = pytest.mark.parametrize(
    "rung",
    [pytest.param(rung, marks=[pytest.mark.long] * row.hides) for rung, row in RUNGS.items()],
)


@EVERY
def test_each_number_from_the_others(rung: str) -> None:
    _, oracle, plan = planned(rung)
    steps = 0.0 if RUNGS[rung].by_reports else 0.1  # the noise of servers is of whole numbers
    assert plan.power * (1 - 1e-9) <= planner.found_power(oracle, plan) <= plan.power + steps + 1e-9
    assert planner.largest_share(oracle, plan) == pytest.approx(plan.share, rel=1e-6)
    if RUNGS[rung].hides:
        users = smallest_batch(RUNGS[rung], KIND, plan, TERMS, TARGETS)
        assert users == pytest.approx(plan.users, rel=1e-4)
        assert users >= plan.users * (1 - 1e-5)
        return
    assert planner.users_needed(oracle, plan) == pytest.approx(plan.users)
    at = replace(plan, users=planner.saturation_users(oracle, plan) * (1 - plan.share))
    assert planner.noise_threshold(oracle, at) == pytest.approx(planner.attack_floor(oracle, at))


@EVERY
def test_a_plan_holds_in_simulation(rung: str) -> None:
    """The item is found as often as planned, and targets are lifted to the attack floor."""
    made, oracle, plan = planned(rung)
    fakes, trials, rng = round(plan.users * plan.share / (1 - plan.share)), 4000, _rng()
    held = np.zeros(plan.items, dtype=np.int64)
    held[0] = round(plan.users * plan.frequency)
    held[1] = plan.users - held[0]
    counts = made.sample_counts(np.tile(held, (trials, 1)), rng)
    if not RUNGS[rung].by_reports:
        counts = counts + made.noise_counts(trials, rng)
    aims = np.arange(plan.items - TARGETS, plan.items)
    sent = np.full(trials, fakes)
    if rung == PROVED:
        liars = np.zeros((trials, plan.items), dtype=np.int64)
        liars[:, aims] = rng.multinomial(fakes, np.full(TARGETS, 1 / TARGETS), size=trials)
        fake = made.sample_counts(liars, rng)
    else:
        fake = made.craft_counts(aims, sent, SeedSearch(), rng)
    estimates = made.estimates(counts + fake, int(plan.users) + fakes).frequencies
    exact = replace(plan, share=fakes / (plan.users + fakes), frequency=held[0] / plan.users)
    threshold = planner.attack_floor(oracle, exact) + planner.noise_threshold(oracle, exact)
    power = planner.found_power(oracle, exact, lowered=True)
    hits = int((estimates[:, 0] > threshold).sum())
    assert budget.proportion(hits, trials, power)
    assert not budget.proportion(hits, trials, 0.9 * power)
    quiet = made.estimates(counts, int(plan.users)).frequencies[:, 2:]
    noise = planner.noise_threshold(oracle, planner.unattacked(plan))
    alarms = int((quiet.max(axis=1) > noise).sum())
    claimed = plan.alpha
    if RUNGS[rung].hides:  # so little noise is not normal
        claimed = rungs.alarms(made, oracle, plan)
        assert claimed > 1.2 * plan.alpha
        assert not stats.binom.sf(alarms - 1, trials, plan.alpha) > 1e-9
    assert stats.binom.sf(alarms - 1, trials, claimed) > 1e-9  # α at most
    assert not stats.binom.sf(alarms - 1, trials, plan.alpha / 10) > 1e-9
    spread = oracle.unit_variance(plan.reports) / plan.reports
    spread += fakes / plan.reports**2  # which targets are picked
    lifted = planner.attack_floor(oracle, exact)
    assert budget.mean(estimates[:, -1], lifted, 1.5 * spread)
    assert not budget.mean(estimates[:, -1], lifted + (spread * 90 / trials) ** 0.5, 1.5 * spread)


def _rng() -> np.random.Generator:
    return np.random.default_rng(3)


@pytest.mark.long
def test_no_batch_finds_what_is_below_the_attack_floor() -> None:
    plan = replace(PLAN, frequency=1e-4)
    with pytest.raises(ScenarioError, match="is found by no batch of 1e"):
        smallest_batch(RUNGS["shuffled"], KIND, plan, TERMS, TARGETS)
    with pytest.raises(ScenarioError, match="must be above"):
        planner.users_needed(planned("curator")[1], plan)
