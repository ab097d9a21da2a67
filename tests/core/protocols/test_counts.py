"""The counts of every protocol: their joint law for a few users, their moments for more."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from support import budget
from support.budget import Verdict
from support.cases import (
    CASES,
    bind,
    every_case,
    outcomes_of,
)
from support.count_laws import Moments, Poisoned, counts_law
from support.report_laws import Case

from ldptui.core.kernels.hashing import buckets
from ldptui.core.law.law import Ask
from ldptui.core.law.pure import PureProtocol, estimate, item_variance
from ldptui.core.protocols import LocalHashing
from ldptui.core.theory import item_variances, target_sum_variance

Rng = np.random.Generator


# The counts path against the joint law of the counts of a few users.


HELD = [0, 0, 2]
TRIALS = 40_000


def small(case: Case) -> Case:
    """Three items: 64 outcomes of three users."""
    sets = case.subset_size if case.subset_size is None else min(case.subset_size, 2)
    return replace(case, domain_size=3, subset_size=sets)


def honest_counts_follow_their_law(case: Case, protocol: PureProtocol, rng: Rng) -> Verdict:
    histogram = np.bincount(HELD, minlength=case.domain_size)
    drawn = protocol.sample_counts(np.broadcast_to(histogram, (TRIALS, case.domain_size)), rng)
    law = counts_law([case.honest(item) for item in HELD])
    return budget.law(outcomes_of(case, drawn, len(HELD)), law)


@every_case
def test_honest_counts_follow_their_joint_law(case: Case, rng: Rng) -> None:
    assert honest_counts_follow_their_law(small(case), bind(small(case)), rng)


@pytest.mark.every(2)
@every_case
def test_random_counts_follow_their_joint_law(case: Case, rng: Rng) -> None:
    case = small(case)
    drawn = bind(case).find_law(Ask("random")).counts(np.full(TRIALS, 3), rng)
    outcomes = outcomes_of(case, drawn, 3)
    assert budget.law(outcomes, counts_law([case.random()] * 3))
    assert not budget.law(outcomes, counts_law([case.random()] * 2 + [case.honest(0)]))


# Counts path and reports path at a few hundred users: means, variances, covariances.


HISTOGRAM = np.array([400, 60, 30, 10, 0])
ROUNDS = 1500


def genuine(case: Case) -> Moments:
    return Poisoned(case, HISTOGRAM.tolist(), case.random(), 0, []).clean


def by_reports(protocol: PureProtocol, rng: Rng) -> Any:
    values = np.tile(np.repeat(np.arange(5), HISTOGRAM), ROUNDS)
    supports = protocol.supports(protocol.perturb(values, rng))
    return supports.reshape(ROUNDS, -1, 5).sum(axis=1)


def by_counts(protocol: PureProtocol, rng: Rng) -> Any:
    return protocol.sample_counts(np.broadcast_to(HISTOGRAM, (ROUNDS, 5)), rng)


both_paths = pytest.mark.parametrize("draw", [by_reports, by_counts])


@pytest.mark.every(7)
@both_paths
@every_case
def test_estimates_are_unbiased_and_have_the_variance_of_theory(
    case: Case, draw: Callable[[PureProtocol, Rng], Any], rng: Rng
) -> None:
    protocol, truth = bind(case), HISTOGRAM / HISTOGRAM.sum()
    estimates = estimate(draw(protocol, rng), 500, protocol)
    variance = item_variances(protocol, 500, truth)
    assert budget.mean(estimates, truth, variance)  # of the item that nobody holds, too
    assert budget.spread(estimates, truth, variance)
    assert not budget.mean(estimates, truth + 0.03, variance)
    assert not budget.spread(estimates, truth, 1.5 * variance)


@every_case
def test_item_variance_is_that_of_the_law(case: Case) -> None:
    protocol, truth = bind(case), HISTOGRAM / 500
    gap = 500 * (case.p - case.q)
    exact = np.diag(genuine(case).covariance) / gap**2
    assert item_variances(protocol, 500, truth) == pytest.approx(exact, rel=1e-9)
    if case.code is None or not case.code.signed:
        assert item_variance(protocol, 500, truth) == pytest.approx(exact, rel=1e-9)
    if abs(case.p + case.q - 1) > 1e-9:  # else the term with f vanishes
        assert item_variance(protocol, 500) != pytest.approx(exact, rel=1e-3)


@pytest.mark.parametrize("case", [c for c in CASES if c.hash_range], ids=str)
def test_seeds_that_are_the_same_in_every_trial(case: Case, rng: Rng) -> None:
    """Seeds numbered by user are fine in one trial; their error never averages out."""
    protocol = bind(case)
    assert isinstance(protocol, LocalHashing)
    expected = genuine(case)
    counts = np.empty((2 * ROUNDS, 5))
    values = np.repeat(np.arange(5), HISTOGRAM)
    seeds = np.arange(values.size, dtype=np.uint32)
    hashed = buckets(np.arange(5), seeds[:, None], protocol.hash_range).astype(int)
    own = hashed[np.arange(values.size), values]
    for row in range(len(counts)):
        moved = (own + rng.integers(1, protocol.hash_range, size=own.size)) % protocol.hash_range
        sent = np.where(rng.random(own.size) < protocol.p, own, moved)
        counts[row] = (hashed == sent[:, None]).sum(axis=0)
    assert not budget.moments(counts, expected.mean, expected.covariance)


@pytest.mark.parametrize("targets", [[1], [1, 4, 2], [0, 1, 2, 3, 4]], ids=str)
@every_case
def test_target_sum_variance_is_that_of_the_law(case: Case, targets: list[int]) -> None:
    protocol = bind(case)
    covariance = genuine(case).covariance[np.ix_(targets, targets)]
    exact = covariance.sum() / (500 * (case.p - case.q)) ** 2
    truth = HISTOGRAM / 500
    claimed = target_sum_variance(protocol, np.array(targets), truth, 500) / 500
    assert claimed == pytest.approx(exact, rel=1e-9, abs=1e-12)
