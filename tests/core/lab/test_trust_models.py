"""Plans of the trust models: each number from the others, and all of it by simulation."""

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
from ldptui.core.bounds.rehearsal import rehearse_plan
from ldptui.core.lab import trust_models
from ldptui.core.lab.trust_models import TRUST_MODELS, Terms, mechanism, smallest_batch

TERMS = Terms(1.0, 1e-6)
PLAN = Plan(64, 20_000, 0.002, 0.05, 0.05, 0.9)
TARGETS, KIND = 5, "oue"


def planned(trust: str) -> tuple[Any, Any, Plan]:
    """The mechanism of a trust model, its oracle, and the least frequency that it finds."""
    made = mechanism(TRUST_MODELS[trust], KIND, PLAN.items, int(PLAN.users), TERMS)
    oracle = TRUST_MODELS[trust].oracle(made, TARGETS)
    return made, oracle, replace(PLAN, frequency=planner.least_frequency(oracle, PLAN))


EVERY = pytest.mark.parametrize(
    "trust",
    [
        pytest.param(trust, marks=[pytest.mark.long] * row.hides)
        for trust, row in TRUST_MODELS.items()
    ],
)


@EVERY
def test_each_number_from_the_others(trust: str) -> None:
    _, oracle, plan = planned(trust)
    steps = (
        0.0 if TRUST_MODELS[trust].by_reports else 0.1
    )  # the noise of servers is of whole numbers
    assert plan.power * (1 - 1e-9) <= planner.found_power(oracle, plan) <= plan.power + steps + 1e-9
    assert planner.largest_share(oracle, plan) == pytest.approx(plan.share, rel=1e-6)
    if TRUST_MODELS[trust].hides:
        users = smallest_batch(TRUST_MODELS[trust], KIND, plan, TERMS, TARGETS)
        assert users == pytest.approx(plan.users, rel=1e-4)
        assert users >= plan.users * (1 - 1e-5)
        return
    assert planner.users_needed(oracle, plan) == pytest.approx(plan.users)
    at = replace(plan, users=planner.saturation_users(oracle, plan) * (1 - plan.share))
    assert planner.noise_threshold(oracle, at) == pytest.approx(planner.attack_floor(oracle, at))


@EVERY
def test_a_plan_holds_in_simulation(trust: str) -> None:
    """The item is found as often as planned, and targets are lifted to the attack floor."""
    made, oracle, plan = planned(trust)
    row, trials = TRUST_MODELS[trust], 4000
    claimed = trust_models.alarms(made, oracle, plan) if row.hides else None
    seen = rehearse_plan(
        made, oracle, plan, trials, np.random.default_rng(3), TARGETS,
        proved=row.proves, alarms_planned=claimed,
    )  # fmt: skip
    power = seen["power_planned"]
    hits, alarms = (round(trials * seen[name]) for name in ("power", "alarms"))
    assert budget.proportion(hits, trials, power)
    assert not budget.proportion(hits, trials, 0.9 * power)
    expected = seen["alarms_planned"]
    assert stats.binom.sf(alarms - 1, trials, expected * (1.1 if row.by_reports else 1)) > 1e-9
    assert not stats.binom.sf(alarms - 1, trials, plan.alpha / 10) > 1e-9
    if claimed is not None:  # so little noise is not normal
        assert claimed > 1.2 * plan.alpha
        assert not stats.binom.sf(alarms - 1, trials, plan.alpha) > 1e-9
    for name in ("item", "target"):
        off = seen[name] - seen[f"{name}_planned"]
        assert abs(off) < 6.5 * seen[f"{name}_standard_error"], name
    assert 0.1 * seen["item_planned"] > 6.5 * seen["item_standard_error"]  # a tenth would be seen


@pytest.mark.long
def test_no_batch_finds_what_is_below_the_attack_floor() -> None:
    plan = replace(PLAN, frequency=1e-4)
    with pytest.raises(ScenarioError, match="is found by no batch of 1e"):
        smallest_batch(TRUST_MODELS["shuffled"], KIND, plan, TERMS, TARGETS)
    with pytest.raises(ScenarioError, match="must be above"):
        planner.users_needed(planned("curator")[1], plan)
