"""The intervals that charts draw hold what they say they hold."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import stdtrit
from support import budget

from ldptui.text.interval import NORMAL_95, mean_words, reach_95


@pytest.mark.parametrize("trials", [2, 3, 4, 5, 6, 20, 1000, 10**6])
def test_intervals_are_students(trials: int) -> None:
    assert reach_95(trials) == pytest.approx(stdtrit(trials - 1, 0.975), rel=4e-4)


@pytest.mark.parametrize("trials", [2, 3, 5])
def test_intervals_of_few_trials_have_their_coverage(trials: int, rng: np.random.Generator) -> None:
    drawn = rng.standard_normal((100_000, trials))
    errors = drawn.std(axis=1, ddof=1) / np.sqrt(trials)
    held = np.abs(drawn.mean(axis=1)) < reach_95(trials) * errors
    assert budget.proportion(held.sum(), held.size, 0.95)
    short = np.abs(drawn.mean(axis=1)) < NORMAL_95 * errors
    assert not budget.proportion(short.sum(), short.size, 0.95)


def test_a_table_names_the_level_of_its_intervals() -> None:
    assert mean_words([3, 3]) == (
        "mean ± standard error over 3 trials: times 4.30 for 95 % by Student's t"
    )
    assert "over the trials, 5 or more: times 2.78" in mean_words([20, 5])
    assert mean_words([1]) == "one trial: no standard error"
