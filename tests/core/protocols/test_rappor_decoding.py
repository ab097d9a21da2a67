"""Decoding RAPPOR's bit counts: unbiased estimates, their deviation, what is detected."""

import math
import sys
from typing import Any

import numpy as np
import pytest
from scipy import stats
from support import budget

from ldptui.core.base.errors import CellError, ScenarioError
from ldptui.core.kernels.threads import one_thread
from ldptui.core.protocols import BitNoise, Rappor
from ldptui.core.protocols.rappor.decoding import (
    Decoding,
    Design,
    Fit,
    decode,
    reject_nulls,
)

Rng = np.random.Generator

HISTOGRAM = np.array([9000, 5000, 3000, 1500, 900, 400, 200, 0, 0, 0])
TRUTH = HISTOGRAM / HISTOGRAM.sum()
NOISES = [
    BitNoise(0.5, 0.5, 0.75),
    BitNoise(0.05, 0.0, 1.0),  # one-time, so little noise that the cohorts' make-up shows
    BitNoise(0.2, 0.05, 0.5),
]
every_noise = pytest.mark.parametrize("noise", NOISES, ids=str)


def protocol(noise: BitNoise = NOISES[0], d: int = 10, **others: Any) -> Rappor:
    given = {"bits": 16, "hashes": 2, "cohorts": 4} | others
    return Rappor(d, noise=noise, **given)


def decodings(one: Rappor, histogram: Any, trials: int, rng: Rng) -> list[Decoding]:
    drawn = one.sample_counts(np.broadcast_to(histogram, (trials, len(histogram))), rng)
    with one_thread():
        return [one.decode(counts) for counts in drawn]


def expected_variance(one: Rappor, truth: Any, users: float) -> Any:
    """In closed form, at the true frequencies and equal cohorts."""
    cohorts = np.full(one.cohorts, users / one.cohorts)
    fit = Fit.of(one.design, cohorts)
    errors = fit.standard_errors(truth, cohorts, one.noise.p_star, one.noise.q_star)
    return errors[one.design.column_of] ** 2


# Estimates.


@pytest.mark.every(2)
@every_noise
def test_estimates_are_unbiased_and_have_the_stated_deviation(noise: BitNoise, rng: Rng) -> None:
    one = protocol(noise)
    found = decodings(one, HISTOGRAM, 500, rng)
    estimates = np.array([each.frequencies for each in found])
    variance = expected_variance(one, TRUTH, HISTOGRAM.sum())
    assert budget.mean(estimates, TRUTH, variance)
    assert budget.spread(estimates, TRUTH, variance)
    assert not budget.mean(estimates, TRUTH + np.sqrt(variance) / 3, variance)
    assert not budget.spread(estimates, TRUTH, 1.9 * variance)
    # A trial's own estimate of its deviation is about that.
    stated = np.array([each.standard_errors for each in found]) ** 2
    assert stated.mean(axis=0) == pytest.approx(variance, rel=0.1)


def test_the_make_up_of_the_cohorts_is_part_of_the_deviation(rng: Rng) -> None:
    """Little noise, frequent items: more than the bits' noise, less than a sample of users."""
    one, users = protocol(NOISES[1], cohorts=8), HISTOGRAM.sum()
    estimates = np.array([x.frequencies for x in decodings(one, HISTOGRAM, 600, rng)])
    variance = expected_variance(one, TRUTH, users)
    assert budget.spread(estimates, TRUTH, variance)
    bits_alone = expected_variance(one, 0 * TRUTH, users)
    assert not budget.spread(estimates, TRUTH, bits_alone)
    assert not budget.spread(estimates, TRUTH, variance + TRUTH * (1 - TRUTH) / users)


def test_one_cohort_and_filters_apart_is_unary_encoding(rng: Rng) -> None:
    """An estimate is the mean over an item's bits where no two items share one."""
    noise, rows = NOISES[0], np.array([[0, 1], [2, 3], [4, 5]])
    design = Design.of(rows, 1, 6)
    users = np.array([1000.0])
    fit = Fit.of(design, users)
    shares = rng.random((1, 6))
    assert fit.coefficients(shares) == pytest.approx(shares.reshape(3, 2).mean(axis=1))
    errors = fit.standard_errors(np.zeros(3), users, noise.p_star, noise.q_star)
    p = noise.p_star
    assert errors == pytest.approx(math.sqrt(p * (1 - p) / 2000) / noise.gap)


def test_without_noise_the_frequencies_come_back_exactly() -> None:
    one = protocol()
    shares = one.design.bits_of(TRUTH)
    users = np.array([100.0, 300.0, 50.0, 7.0])
    fit = Fit.of(one.design, users)
    assert fit.known.all()
    assert fit.coefficients(shares)[one.design.column_of] == pytest.approx(TRUTH, abs=1e-12)


# Significance.


def test_p_values_and_intervals_are_right_as_often_as_they_say(rng: Rng) -> None:
    found = decodings(protocol(), HISTOGRAM, 800, rng)
    p_values = np.array([each.p_values for each in found])
    for absent in (7, 8, 9):  # uniform
        for level in (0.02, 0.2, 0.7):
            hits = (p_values[:, absent] <= level).sum()
            assert budget.proportion(hits, len(found), level)
            assert not budget.proportion(hits, len(found), min(level + 0.2, 5 * level))
    for confidence in (0.5, 0.9):
        reach = stats.norm.ppf(0.5 + confidence / 2)
        held = sum(
            abs(each.frequencies[2] - TRUTH[2]) <= reach * each.standard_errors[2] for each in found
        )
        assert budget.proportion(held, len(found), confidence)
        assert not budget.proportion(held, len(found), confidence - 0.17)


@pytest.mark.every(2)
@pytest.mark.parametrize("adjust", ["bonferroni", "benjamini-hochberg"])
def test_planted_items_are_found_at_the_stated_rate_of_false_discoveries(
    adjust: Any, rng: Rng
) -> None:
    """Ten frequent items among forty; the wrong ones are as few as α says."""
    alpha, trials = 0.2, 400
    one = protocol(d=40, bits=32, cohorts=4, alpha=alpha, adjust=adjust)
    histogram = np.where(np.arange(40) < 10, 40_000, 0)
    found = [each.detected for each in decodings(one, histogram, trials, rng)]
    assert all(detected[:10].all() for detected in found)
    wrong = np.array([detected[10:].sum() for detected in found])
    if adjust == "bonferroni":
        # Each absent candidate in α/M of the trials, on average over them.
        assert budget.proportion(wrong.sum(), trials * 30, alpha / 40)
        assert not budget.proportion(wrong.sum(), trials * 30, 4 * alpha / 40)
    else:
        share = (wrong / (10 + wrong)).mean()
        # Benjamini and Hochberg: at most α, here α times the absent among the candidates.
        assert 0.25 * alpha < share < 1.2 * alpha


def by_definition(p_values: Any, alpha: float) -> Any:
    """Benjamini–Hochberg by adjusted p-values, as SciPy computes them."""
    return stats.false_discovery_control(p_values, method="bh") <= alpha


def test_adjusting_for_many_tests(rng: Rng) -> None:
    for alpha in (0.01, 0.05, 0.3):
        for _ in range(50):
            p_values = rng.random(30) ** 4
            found = reject_nulls(p_values, alpha, "benjamini-hochberg")
            assert found.tolist() == by_definition(p_values, alpha).tolist()
            assert (
                reject_nulls(p_values, alpha, "bonferroni").tolist()
                == (p_values * 30 <= alpha).tolist()
            )
    assert not reject_nulls(np.ones(5), 0.05, "benjamini-hochberg").any()
    assert reject_nulls(np.zeros(5), 0.05, "benjamini-hochberg").all()


# More candidates than bits: selection.


def test_selection_finds_the_few_among_many(rng: Rng) -> None:
    one = protocol(d=1000, bits=32, cohorts=8)
    assert one.design.selects
    histogram = np.zeros(1000, dtype=np.int64)
    present = rng.choice(1000, size=12, replace=False)
    histogram[present] = 80_000
    trials = 12
    found = decodings(one, histogram, trials, rng)
    wrong = 0
    for each in found:
        assert each.detected[present].all()
        assert each.selected.sum() <= 0.8 * 32 * 8
        left_out = ~each.selected
        assert not each.frequencies[left_out].any()
        assert (each.p_values[left_out] == 1).all()
        wrong += each.detected.sum() - 12
        # The absent candidates that were selected move the estimates a little.
        z = (each.frequencies - histogram / histogram.sum()) / each.standard_errors
        assert np.abs(z[present]).max() < 8
    # At most 5% of the trials have any; selection makes the tests a little too bold.
    assert stats.binom.sf(wrong - 1, trials, 0.2) > 1e-9


# Candidates that cannot be told apart, cohorts without users.


def test_candidates_with_the_same_bits_share_one_estimate_and_are_never_detected() -> None:
    design = Design.of(np.array([[0, 1], [2, 3], [1, 0], [3, 3], [4, 5]]), 1, 8)
    assert design.column_of.tolist() == [0, 1, 0, 2, 3]
    assert design.indistinct == 2
    counts = np.array([[700, 700, 400, 300, 500, 500, 200, 200, 1000]])
    found = decode(design, counts, 0.2, 0.8)
    assert found.frequencies[0] == found.frequencies[2] == pytest.approx(5 / 6 / 2)
    assert not found.detected[[0, 2]].any()
    assert found.p_values[[0, 2]].tolist() == [1, 1]
    assert np.isinf(found.standard_errors[[0, 2]]).all()
    assert found.detected[4]


def test_a_sum_of_other_candidates_is_not_determined() -> None:
    """{0}, {1} and {0, 1}: three columns, of rank two; {2} is determined."""
    design = Design.of(np.array([[0, 0], [1, 1], [0, 1], [2, 2]]), 1, 6)
    counts = np.array([[700, 700, 500, 200, 200, 200, 1000]])
    found = decode(design, counts, 0.2, 0.8)
    assert np.isfinite(found.frequencies).all()
    assert np.isinf(found.standard_errors[:3]).all()
    assert not found.detected[:3].any()
    assert found.frequencies[3] == pytest.approx(0.5)
    assert found.detected[3]


def test_a_cohort_without_users_is_left_out(rng: Rng) -> None:
    one = protocol()
    counts = one.sample_counts(HISTOGRAM[None], rng)[0]
    counts[2] = 0
    whole = one.decode(counts)
    others = np.delete(counts, 2, axis=0)
    table = np.delete(one.table, 2, axis=1).astype(np.int64) + 16 * np.arange(3)[:, None]
    fewer = decode(Design.of(table.reshape(10, -1), 3, 16), others, 0.5625, 0.6875)
    assert whole.frequencies == pytest.approx(fewer.frequencies)
    assert whole.standard_errors == pytest.approx(fewer.standard_errors)


def test_no_candidates_and_no_reports_are_refused() -> None:
    with pytest.raises(ScenarioError, match="at least one candidate"):
        Design.of(np.empty((0, 4), dtype=np.int64), 2, 8)
    with pytest.raises(ScenarioError, match="at least one report"):
        protocol().decode(np.zeros((4, 17), dtype=np.int64))


def test_warnings_say_what_is_wrong() -> None:
    assert protocol().doubts(10**6) == ()
    (same,) = Rappor(3, 2, 1, 1, NOISES[0]).doubts(10**6)[:1]
    assert "set the same bits as another one" in same
    assert any("more than 0.8·k·m" in warning for warning in protocol(d=500).doubts(10**6))
    assert protocol(cohorts=1).doubts(1) == ()


def test_selection_without_its_library_is_a_cell_that_fails(
    monkeypatch: pytest.MonkeyPatch, rng: Rng
) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.linear_model", None)  # as if it were not installed
    monkeypatch.setitem(sys.modules, "sklearn.exceptions", None)
    one = protocol(d=1000, bits=32, cohorts=8)
    with pytest.raises(CellError, match=r"scikit-learn, which is not installed: pip install 'ldp"):
        decodings(one, np.full(1000, 10), 1, rng)
