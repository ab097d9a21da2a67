"""The budget accepts correct data, rejects slightly wrong data, and is right about its tails."""

import numpy as np
import pytest
from scipy import stats

from support import budget


def test_proportion() -> None:
    assert budget.proportion(500_000, 10**6, 0.5)
    assert not budget.proportion(504_000, 10**6, 0.5)
    assert budget.proportion([0, 7], [100, 7], [0.0, 1.0])
    assert not budget.proportion([0, 6], [100, 7], [0.0, 1.0])
    assert budget.proportion(3, 10, 0.3).p_value > 0.5
    # 30 heads in a row are 2 * 2^-30 > 10^-9; 31 are less.
    assert budget.proportion(30, 30, 0.5)
    assert not budget.proportion(31, 31, 0.5)


def test_mean(rng: np.random.Generator) -> None:
    values = rng.normal(3, 2, size=(10_000, 4))
    assert budget.mean(values, 3, 4)
    assert not budget.mean(values, [3, 3, 3, 3.3], 4)
    assert budget.mean(np.full(5, 0.1 + 0.2), 0.3, 0)
    assert not budget.mean(np.array([0.3, 0.3, 0.3001]), 0.3, 0)
    assert not budget.mean(np.array([0.3, np.nan]), 0.3, 1)


def test_spread(rng: np.random.Generator) -> None:
    values = rng.normal(3, 2, size=10_000)
    assert budget.spread(values, 3, 4)
    assert not budget.spread(values, 3, 4.8)
    assert not budget.spread(values, 3, 3.2)
    assert budget.spread(np.full(5, 3.0), 3, 0)
    assert not budget.spread(values, 3, 0)


def test_moments(rng: np.random.Generator) -> None:
    covariance = np.array([[2.0, 0.5, -2.5], [0.5, 1.0, -1.5], [-2.5, -1.5, 4.0]])  # sums to 0
    samples = rng.multivariate_normal([1, 2, 3], covariance, size=10_000)
    samples[:, 2] = 6 - samples[:, 0] - samples[:, 1]
    assert budget.moments(samples, [1, 2, 3], covariance)
    assert not budget.moments(samples, [1, 2, 3], np.diag(np.diag(covariance)))
    assert not budget.moments(samples, [1.2, 2, 2.8], covariance)


def test_law(rng: np.random.Generator) -> None:
    weights = np.array([0.5, 0.3, 0.2 - 2e-6, 1e-6, 1e-6, 0.0])
    seen = rng.multinomial(100_000, weights)
    assert budget.law(seen, weights)
    assert not budget.law(seen, [0.48, 0.32, 0.2 - 2e-6, 1e-6, 1e-6, 0.0])
    assert not budget.law(seen + np.eye(6)[5], weights)
    with pytest.raises(ValueError, match="add up"):
        budget.law(seen, weights / 2)


def test_law_pools_rare_outcomes_only() -> None:
    # 1,000 outcomes of expectation 1 would never make a chi-square; together they are a cell.
    weights = np.array([0.5, 0.25, *np.full(1000, 0.25 / 1000)])
    lumped = np.array([2000, 1000, 1000, *np.zeros(999)])
    assert budget.law(lumped, weights)
    assert not budget.law([2000, 1300, 700, *np.zeros(999)], weights)


@pytest.mark.parametrize("claims", [1, 1000])
def test_a_family_shares_the_budget(claims: int) -> None:
    z = stats.norm.isf(budget.FALSE_ALARM / 2)
    values = np.zeros((1, claims))
    values[0, 0] = 1.001 * z
    assert bool(budget.mean(values, 0, 1)) == (claims > 1)
