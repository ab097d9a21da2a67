"""Fakes who hide: no defence tells their reports from an honest population's."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from scipy import stats
from support.cases import attack, cell, metrics
from support.kinds import ITEM_KINDS, ONE_OF_EACH

from ldptui.core import theory
from ldptui.core.attacks import Hiding, View
from ldptui.core.base.errors import ScenarioError
from ldptui.core.base.sampling import Floats
from ldptui.core.bounds.undetectable import hidden_against
from ldptui.core.defences import ALARMS, FILTERS, TrialReports, inform_server
from ldptui.core.law.exchangeable import Exchangeable
from ldptui.core.law.mechanism import is_a
from ldptui.core.law.pure import Items, Reports, SeedSearch
from ldptui.core.population import Explicit
from ldptui.core.protocols import KINDS, OUE

HELD = np.array([320, 180, 100, 40, 20, 20])
TARGETS = np.array([4, 5])
FAKES = 300
SHARE = FAKES / (HELD.sum() + FAKES)
PROTOCOL: Any = OUE(HELD.size, 1.0)
HIDING = Hiding(Explicit(tuple(HELD.tolist())).bind(0, Path()), FAKES)


def shown(targets: Items) -> Floats:
    """The frequencies f′ of the honest population that the fakes make."""
    plan = hidden_against(PROTOCOL, HELD / HELD.sum(), targets, SHARE)
    return np.asarray((1 - SHARE) * HELD / HELD.sum() + plan.shift)


def received(who: str, targets: Items, rng: np.random.Generator) -> Reports:
    """Reports of users each of whom is a fake with probability β; or of honest ones who hold f′."""
    users = HELD.sum() + FAKES
    if who == "honest":
        return PROTOCOL.perturb(rng.choice(HELD.size, users, p=shown(targets)), rng)
    fakes = rng.binomial(users, SHARE)
    genuine = PROTOCOL.perturb(rng.choice(HELD.size, users - fakes, p=HELD / HELD.sum()), rng)
    forged = (
        HIDING.reports(PROTOCOL, View(targets), fakes, rng)
        if who == "hidden"
        else PROTOCOL.craft(targets, fakes, SeedSearch(), rng)
    )
    return rng.permutation(np.concatenate([genuine, forged]))


def verdicts(kind: str, who: str, rng: np.random.Generator) -> list[float]:
    """The reports that a filter drops in each trial; 1 where it names the one target, or claims."""
    step, outcomes = FILTERS[kind](), []
    # A filter that names items looks for one target, and tells less of it.
    targets, trials = (TARGETS[:1], 250) if kind == "conditional" else (TARGETS, 36)
    for _ in range(trials):
        verdict = step.sift(TrialReports(PROTOCOL, received(who, targets, rng), rng))
        if verdict.kept is not None:
            told = (~verdict.kept).sum()
        else:
            told = targets in verdict.named if kind == "conditional" else verdict.alarm
        outcomes.append(float(told))
    return outcomes


def p_value(one: list[float], other: list[float]) -> float:
    """That of equal laws; 1 where all outcomes are the same, of which SciPy 1.18 knows none."""
    same = len({*one, *other}) == 1
    return 1.0 if same else float(stats.mannwhitneyu(one, other).pvalue)


@pytest.mark.every(2)
@pytest.mark.parametrize(
    "kind",
    [
        kind
        for kind, step in FILTERS.items()
        # Two reports of one user are linked: what hides in one round need not hide in both.
        if step().reads(PROTOCOL) is None and not step.asks_twice
    ],
)
def test_filters_flag_fakes_who_hide_no_more_than_honest_users(
    kind: str, rng: np.random.Generator
) -> None:
    honest = verdicts(kind, "honest", rng)
    assert p_value(verdicts(kind, "hidden", rng), honest) > 1e-9
    assert p_value(verdicts(kind, "mga", rng), honest) < 1e-9


@pytest.mark.parametrize("kind", ALARMS)
def test_alarms_ring_for_fakes_who_hide_no_more_than_for_honest_users(
    kind: str, rng: np.random.Generator
) -> None:
    before = estimates("honest", rng)
    rings = {who: int(alarms(kind, who, before, rng).sum()) for who in ("honest", "hidden", "mga")}
    for who, same in (("hidden", True), ("mga", False)):
        table = [[rings[users], len(before) - rings[users]] for users in ("honest", who)]
        assert bool(stats.fisher_exact(table).pvalue > 1e-9) is same, (who, rings)


def estimates(who: str, rng: np.random.Generator) -> Floats:
    """float64[100, d], what the server makes of the reports of 100 trials."""
    reports = [received(who, TARGETS, rng) for _ in range(100)]
    counts = np.array([PROTOCOL.support_counts(each) for each in reports])
    return np.asarray(PROTOCOL.estimates(counts, int(HELD.sum() + FAKES)).frequencies)


def alarms(kind: str, who: str, before: Floats, rng: np.random.Generator) -> Any:
    here = inform_server(PROTOCOL, int(HELD.sum() + FAKES), TARGETS)
    return ALARMS[kind]().detect_attack(estimates(who, rng), replace(here, before=before))


def hides(kind: str) -> bool:
    return is_a(KINDS[kind].mechanism, Exchangeable)


@pytest.mark.every(3)
@pytest.mark.parametrize("kind", [kind for kind in ONE_OF_EACH if hides(kind)])
def test_the_gain_at_d_1024_is_the_closed_form(kind: str, seed: int) -> None:
    """A plain formula where any subset may be supported; the others are steered far beyond it."""
    zipf = {"kind": "zipf", "items": 1024, "users": 10**6, "exponent": 1.0}
    table = attack("hidden", 0.05, [900, 901, 902])
    one = cell(zipf, {"kind": kind, "epsilon": 1.0}, table, seed=seed)
    expected = theory.expected_metrics(one)["gain"]
    assert expected is not None
    law: Any = theory.fake_support(one)
    held = one.target_frequency
    deviation = theory.gain_std(one.pure, law, 3, one.users, one.malicious, held)
    measured = metrics(one, 1)("gain")
    assert abs(measured.mean() - expected) < 6.5 * deviation / measured.size**0.5
    p, q = one.pure.p, one.pure.q
    bound = one.share * (p * (1 - q) / (p - q) - held)
    if cast("Exchangeable", one.protocol).report_size is None:
        assert expected == pytest.approx(bound, rel=1e-12)
    else:
        assert expected > 1.5 * one.share * (np.e / (np.e - 1) - held)


@pytest.mark.parametrize("kind", [kind for kind in ITEM_KINDS if not hides(kind)])
def test_kinds_whose_reports_hide_nobody_say_so(kind: str) -> None:
    spec: Any = KINDS[kind]
    budget = {"epsilon": 1.0} if "epsilon" in {key.name for key in fields(spec)} else {}
    with pytest.raises(ScenarioError, match=r'attack\.kind must not be "hidden" against \w+'):
        cell([5, 4, 3, 2], {"kind": kind, **budget}, attack("hidden", 0.1, [3]))


def test_each_round_hides_among_its_own_users() -> None:
    one = cell([4000, 3000, 2000, 1000], None, attack("hidden", 0.1, [3]),
               campaign={"rounds": 3, "churn": 0.3})  # fmt: skip
    for collection in one.rounds:
        (fakes,) = collection.fakes
        strategy = fakes.strategy
        assert isinstance(strategy, Hiding)
        assert strategy.population is collection.population
        assert strategy.count == collection.malicious
    expected = theory.expected_metrics(one)["gain"]
    assert expected is not None
    assert abs(metrics(one, 2)("gain").mean() - expected) < 0.05
