"""The intervals that charts draw hold what they say they hold."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import stdtrit
from scipy.stats import binom
from support import budget

from ldptui.text.interval import NORMAL_95, mean_words, reach_95, share_words, with_reach


@pytest.mark.parametrize("trials", [2, 3, 4, 5, 6, 20, 1000, 10**6])
def test_intervals_are_students(trials: int) -> None:
    assert reach_95(trials) == pytest.approx(stdtrit(trials - 1, 0.975), rel=1e-12)


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
    assert mean_words([1]) == mean_words([1, 0]) == "one trial: no standard error"
    assert mean_words([0]) == "no trial: nothing is measured"


def test_a_title_has_the_factor_of_the_fewest_trials() -> None:
    assert with_reach("Gain", [20, 5, 20]) == "Gain; 95 %: ± × 2.78"
    assert with_reach("Gain", [1, 1]) == with_reach("Gain", []) == "Gain"


@pytest.mark.parametrize("trials", [2, 20, 200])
def test_a_share_without_a_miss_says_what_it_leaves_open(trials: int) -> None:
    """The exact bound p: all trials are right in 5 % of the cases where each is with 1 - p."""
    words = " ".join(share_words([0.5, 1.0], trials))
    left = float(words.partition(" allows ")[2].split()[0])
    assert binom.pmf(0, trials, left) == pytest.approx(0.05, rel=0.1)
    assert share_words([0.5], trials) == [mean_words([trials])]
    assert share_words([1.0], 1) == ["one trial: no standard error"]
