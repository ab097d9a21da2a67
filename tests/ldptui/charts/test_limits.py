"""The intervals that charts draw hold what they say they hold."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import stdtrit
from support import budget

from ldptui.charts.figures.limits import NORMAL_95, reach_95


@pytest.mark.parametrize("trials", [2, 3, 4, 5, 6, 20, 1000, 10**6])
def test_intervals_are_students(trials: int) -> None:
    assert reach_95(trials) == pytest.approx(stdtrit(trials - 1, 0.975), rel=4e-4)


@pytest.mark.parametrize("trials", [2, 3, 5])
def test_intervals_of_few_trials_hold_what_they_say(trials: int, rng: np.random.Generator) -> None:
    drawn = rng.standard_normal((100_000, trials))
    errors = drawn.std(axis=1, ddof=1) / np.sqrt(trials)
    held = np.abs(drawn.mean(axis=1)) < reach_95(trials) * errors
    assert budget.proportion(held.sum(), held.size, 0.95)
    short = np.abs(drawn.mean(axis=1)) < NORMAL_95 * errors
    assert not budget.proportion(short.sum(), short.size, 0.95)
