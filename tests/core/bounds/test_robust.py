"""Robust intervals: both ends are reached, the sharp set is a programme's, the noise covers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.stats import beta, binomtest, norm
from support import budget
from support.cases import CASES, bind
from support.report_laws import Case

from ldptui.core.base.errors import ScenarioError
from ldptui.core.base.sampling import Floats
from ldptui.core.bounds.programme import possible
from ldptui.core.bounds.robust import (
    SKEWED,
    Ballot,
    ballot_of,
    conditional_set,
    deviation,
    exact_intervals,
    honest_mean,
    intervals,
    marginal_set,
    noise_factor,
    robust_intervals,
    with_noise,
)
from ldptui.core.law.exchangeable import Exchangeable
from ldptui.core.protocols import KINDS, PROTOCOLS
from ldptui.core.protocols.grr import GRR


def said(case: Case) -> Floats:
    """float64[outcomes, d]: what a report says of each item, by the outcomes of the laws."""
    base = 3 if len(case.honest(0)) == 3**case.domain_size else 2
    digits = (
        np.arange(base**case.domain_size)[:, None] // base ** np.arange(case.domain_size) % base
    )
    return np.where(digits == 2, -1, digits).astype(float)


def law_of(case: Case) -> Floats:
    """float64[d, outcomes]."""
    return np.array([case.honest(item) for item in range(case.domain_size)])


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("share", [0.0, 0.03, 0.4])
def test_both_ends_of_the_marginal_set_are_reached(case: Case, share: float) -> None:
    ballot, frequencies = ballot_of(bind(case)), np.array([0.5, 0.3, 0.2, 0.0, 0.0])
    honest = frequencies @ law_of(case) @ said(case)
    best, worst = said(case).max(axis=0), said(case).min(axis=0)
    lifted = marginal_set((1 - share) * honest + share * best, share, ballot)
    lowered = marginal_set((1 - share) * honest + share * worst, share, ballot)
    np.testing.assert_allclose(lifted[0], frequencies, atol=1e-12)
    np.testing.assert_allclose(lowered[1], frequencies, atol=1e-12)
    width = share * ballot.reach / ((1 - share) * (ballot.p - ballot.q))
    np.testing.assert_allclose(lifted[1] - lifted[0], width, atol=1e-12)


def test_a_mean_of_numbers_and_an_aggregated_histogram_are_cases() -> None:
    low, high = honest_mean(0.1, 0.05, -2.0, 2.0)
    assert (0.95 * low + 0.05 * 2, 0.95 * high - 0.05 * 2) == pytest.approx((0.1, 0.1))
    low, high = marginal_set(np.array([0.2]), 0.05, Ballot())
    assert (low[0], high[0]) == pytest.approx((0.15 / 0.95, 0.2 / 0.95))


def programme(law: Floats, seen: Floats, share: float, item: int, sign: float) -> float:
    """The least or the largest frequency of an item with (1 − β) M f ≤ R, f a histogram."""
    aim = np.zeros(len(law))
    aim[item] = sign
    answer = linprog(
        aim,
        A_ub=(1 - share) * law.T,
        b_ub=seen,
        A_eq=np.ones((1, len(law))),
        b_eq=[1.0],
        bounds=(0, 1),
        method="highs",
    )
    assert answer.success
    return float(answer.x[item])


def test_the_sharp_set_is_that_of_a_linear_programme() -> None:
    """100 random small cases: protocols in turn, another share, another histogram."""
    rng, tight = np.random.default_rng(0), 0
    for at in range(100):
        case = CASES[at % len(CASES)]
        share, seen = float(rng.uniform(0.01, 0.3)), rng.dirichlet(np.full(5, 0.6))
        law = law_of(case)
        low, high = (np.clip(end, 0, 1) for end in conditional_set(bind(case), seen, share))
        item = int(rng.integers(5))
        for end, sign in ((low[item], 1.0), (high[item], -1.0)):
            best = programme(law, seen @ law, share, item, sign)
            assert end == pytest.approx(best, abs=1e-7), (str(case), share, seen, item, sign)
            # A mutant, the marginal set, is told from it wherever that is wider.
            ballot = ballot_of(bind(case))
            wide = np.clip(marginal_set(ballot.means(seen), share, ballot), 0, 1)[int(sign < 0)]
            assert (wide[item] - best) * sign <= 1e-7
            tight += abs(wide[item] - best) > 1e-4
    assert tight > 50


def test_the_programme_of_listed_reports_agrees_with_the_closed_form() -> None:
    protocol = GRR(5, 1.0)
    seen = np.array([0.6, 0.3, 0.1, 0.0, 0.0])
    listed = protocol.enumerate_reports()
    assert listed is not None
    made = possible(listed.probabilities, seen, 0.1)
    for one, other in zip(made, conditional_set(protocol, seen, 0.1), strict=True):
        np.testing.assert_allclose(np.clip(one, 0, 1), np.clip(other, 0, 1), atol=1e-7)


def test_the_factor_solves_its_equation_and_lies_between_one_and_two_sides() -> None:
    distance = np.array([0.0, 1e-4, 0.3, 1.0, 3.0, 11.99, 100.0])
    for confidence in (0.3, 0.9, 0.95, 0.999):
        z = noise_factor(distance, 1.0, confidence)
        np.testing.assert_allclose(norm.cdf(z + distance) - norm.cdf(-z), confidence, atol=1e-12)
        assert (np.diff(z) <= 0).all()
    assert noise_factor(distance, 1.0, 0.95)[0] == pytest.approx(norm.ppf(0.975))
    assert noise_factor(distance, 1.0, 0.95)[-1] == pytest.approx(norm.ppf(0.95))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_noise_is_never_too_small(case: Case) -> None:
    """√(c(1 − c)/N) is at least the deviation of honest reports among deterministic fakes."""
    protocol = bind(case)
    frequencies = np.array([0.7, 0.2, 0.1, 0.0, 0.0])
    law, values = frequencies @ law_of(case), said(case)
    honest = law @ values
    spread = law @ values**2 - honest**2
    for share in (0.0, 0.05, 0.4):
        for fake in (values.max(axis=0), values.min(axis=0)):
            means = (1 - share) * honest + share * fake
            if protocol.least_support < 0:  # the ends of the set are what noise is asked of
                ballot = ballot_of(protocol)
                means = ballot.means(marginal_set(means, share, ballot)[1])
            claimed = deviation(protocol, means, 1000)
            assert (claimed**2 >= (1 - share) * spread / 1000 - 1e-12).all()


@pytest.mark.parametrize("distance", [0.0, 0.5, 2.0])
def test_intervals_with_noise_cover_at_both_ends(distance: float) -> None:
    """Truth at either end of the set, 4,000 draws: 0.95 at the worst, a mutant with less."""
    rng = np.random.default_rng(5)
    centre = rng.normal(size=4000)
    low, high = with_noise((centre, centre + distance), 1.0, 0.95)
    for truth in (0.0, distance):
        covered = int(((low <= truth) & (truth <= high)).sum())
        assert budget.proportion(covered, 4000, 0.95)
    short = with_noise((centre, centre + distance), 0.7, 0.95)
    covered = int(((short[0] <= 0) & (short[1] >= 0)).sum())
    assert not budget.proportion(covered, 4000, 0.95)


@pytest.mark.parametrize("seen", [0, 1, 17, 200])
def test_exact_intervals_are_those_of_clopper_and_pearson(seen: int) -> None:
    """Of one open vote a report, where nobody is fake; fakes take βN from C on one side."""
    reports, ballot, mean = 200, Ballot(votes=1), np.array([seen / 200])
    spread = np.sqrt(mean * (1 - mean) / reports)
    low, high = exact_intervals(ballot, (mean, mean), 0.0, spread, reports, 0.95)
    exact = binomtest(seen, reports).proportion_ci(0.95, method="exact")
    assert [low[0], high[0]] == pytest.approx([exact.low, exact.high], abs=1e-12)
    ends = marginal_set(mean, 0.1, ballot)
    low, high = exact_intervals(ballot, ends, 0.1, spread, reports, 0.95)
    honest = 180
    fewest, most = max(seen - 20, 0), min(seen, honest)
    tail = 0.05 if spread[0] else 0.025  # without noise the set's width tells nothing
    assert low[0] == pytest.approx(beta.ppf(tail, fewest, honest - fewest + 1) if fewest else 0)
    assert high[0] == pytest.approx(
        beta.ppf(1 - tail, most + 1, honest - most) if most < honest else 1
    )


def test_intervals_are_exact_where_the_number_of_supports_is_skewed() -> None:
    """GRR's rare items at few reports; the normal ends leave too much out there."""
    protocol = GRR(16, 1.0)
    for reports, exact in ((1000, True), (100_000, False)):
        means = np.array([protocol.q])
        low, high = robust_intervals(protocol, means, reports, 0.05)
        spread = deviation(protocol, means, reports)
        ends = marginal_set(means, 0.05, ballot_of(protocol))
        normal = intervals(ballot_of(protocol), ends, 0.05, spread, 0.95)
        assert (low[0], high[0] > normal[1][0]) == (0.0, exact)
        assert (high[0] == normal[1][0]) != exact


@pytest.mark.parametrize("sharp", [False, True])
def test_intervals_of_many_items_are_those_of_each_alone(sharp: bool) -> None:
    """Few supports and many, of two trials at once; ends between the knots of the noise too."""
    protocol, rng = GRR(16, 1.0), np.random.default_rng(8)
    for reports, share in ((300, 0.05), (3000, 0.002), (10**6, 0.0)):
        row = rng.multinomial(reports, np.arange(1, 17) / 136)
        means = row / reports if sharp else np.stack([row, row[::-1]]) / reports
        whole = robust_intervals(protocol, means, reports, share, sharp=sharp)
        spread = deviation(protocol, means, reports)
        ballot = ballot_of(protocol)
        ends = marginal_set(means, share, ballot)
        if sharp:
            ends = conditional_set(protocol, ballot.frequencies(means), share)
        skewed = np.abs(1 - 2 * means) > SKEWED * spread * reports
        exact = exact_intervals(ballot, ends, share, spread, reports, 0.95)
        normal = intervals(ballot, ends, share, spread, 0.95)
        for found, rare, common in zip(whole, exact, normal, strict=True):
            told = np.where(skewed, rare, common)
            np.testing.assert_allclose(found, told, rtol=1e-9, atol=1e-15)


def test_robust_intervals_are_clipped_and_widen_with_the_share() -> None:
    protocol: Any = KINDS["oue"](kind="oue", epsilon=1.0).bind(8)
    means = ballot_of(protocol).means(np.array([0.5, 0.3, 0.2, 0.0, 0.0, 0.0, 0.0, 0.0]))
    before = robust_intervals(protocol, means, 10**4, 0.0)
    z = norm.ppf(0.975) * np.sqrt(means * (1 - means) / 10**4) / (protocol.p - protocol.q)
    np.testing.assert_allclose(before[1][:3] - before[0][:3], 2 * z[:3], rtol=1e-9)
    for share in (0.01, 0.05, 0.3, 0.9):
        ends = robust_intervals(protocol, means, 10**4, share)
        assert (ends[0] >= 0).all()
        assert (ends[1] <= 1).all()
        assert (ends[0] <= before[0]).all()
        sharp = robust_intervals(protocol, means, 10**4, share, sharp=True)
        assert (sharp[0] >= ends[0]).all()
        assert (sharp[1] <= ends[1]).all()
        before = ends


def test_a_protocol_without_a_support_law_is_refused_in_a_sentence() -> None:
    without = [kind for kind in KINDS if kind not in PROTOCOLS]
    assert len(without) > 5
    for kind in without:
        protocol = KINDS[kind](kind=kind, epsilon=1.0).bind(8)
        with pytest.raises(ScenarioError, match="no support law bounds what a fake can say"):
            ballot_of(protocol)


def test_the_sharp_set_is_refused_where_reports_are_too_many_to_list() -> None:
    protocol = KINDS["hr"](kind="hr", epsilon=1.0).bind(3000)
    assert not isinstance(protocol, Exchangeable)
    with pytest.raises(ScenarioError, match="sharp"):
        conditional_set(protocol, np.full(3000, 1 / 3000), 0.1)
