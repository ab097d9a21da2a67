"""Rankings of items against their definitions, by plain loops."""

import math

import numpy as np
import pytest

from ldptui.core.base.sampling import Floats
from ldptui.core.metrics.ranking import Leaders, Ranking, in_top


def ranking(estimates: Floats, truth: Floats, k: int) -> Ranking:
    return Ranking(estimates, truth, Leaders.of(truth, k))


def test_ties_in_the_top_go_to_the_lower_index() -> None:
    assert in_top(np.array([1.0, 2.0, 2.0, 2.0]), 2).tolist() == [False, True, True, False]
    assert in_top(np.array([3.0, 2.0, 3.0, 2.0]), 3).tolist() == [True, True, True, False]
    assert in_top(np.zeros(3), 1).tolist() == [True, False, False]
    assert in_top(np.array([-1.0, -2.0]), 2).tolist() == [True, True]


@pytest.mark.parametrize("k", [1, 2, 9, 10])
def test_top_of_many_rows_with_many_ties(k: int, rng: np.random.Generator) -> None:
    rows = rng.integers(0, 4, size=(200, 10)).astype(float)
    for row, chosen in zip(rows.tolist(), in_top(rows, k), strict=True):
        expected = sorted(range(10), key=lambda v: (-row[v], v))[:k]
        assert np.flatnonzero(chosen).tolist() == sorted(expected)


def by_loops(estimate: list[float], truth: list[float], k: int) -> tuple[float, float, float]:
    """Recall, NDCG and rank error of one trial, by their definitions."""
    d = len(truth)

    def order(values: list[float]) -> list[int]:
        return sorted(range(d), key=lambda v: (-values[v], v))

    def rank(values: list[float], v: int) -> float:
        places = [i + 1 for i, other in enumerate(order(values)) if values[other] == values[v]]
        return sum(places) / len(places)

    def gain(items: list[int]) -> float:
        return sum(truth[v] / math.log2(i + 2) for i, v in enumerate(items[:k]))

    best = order(truth)[:k]
    recall = len({*best} & {*order(estimate)[:k]}) / k
    off = sum(abs(rank(estimate, v) - rank(truth, v)) for v in best) / k
    return recall, gain(order(estimate)) / gain(best), off


@pytest.mark.parametrize("k", [1, 4, 9, 50])
def test_rankings_against_their_definitions(k: int, rng: np.random.Generator) -> None:
    """With ties in the truth and in the estimates."""
    d, trials = 9, 40
    truth = rng.multinomial(20, np.ones(d) / d) / 20
    estimates = np.round(rng.normal(truth, 0.1, (trials, d)), 1)
    ranked = ranking(estimates, truth, k)
    expected = [by_loops(row, truth.tolist(), min(k, d)) for row in estimates.tolist()]
    found = (ranked.recall(), ranked.ndcg(), ranked.rank_error())
    assert pytest.approx(np.array(expected)) == np.array(found).T
    assert (ranked.top == in_top(estimates, min(k, d))).all()


def test_a_right_ranking_is_the_best() -> None:
    truth = np.array([0.1, 0.4, 0.3, 0.2])
    right, wrong = ranking(truth[None] * 3 + 1, truth, 2), ranking(truth[None, ::-1], truth, 2)
    assert (right.recall(), right.ndcg(), right.rank_error()) == (1, 1, 0)
    assert wrong.ndcg() < 1
    assert wrong.rank_error() > 0


def test_the_leaders_of_a_truth_with_ties() -> None:
    leaders = Leaders.of(np.array([0.0, 0.25, 0.5, 0.25]), 3)
    assert leaders.items.tolist() == [2, 1, 3]
    assert leaders.ranks.tolist() == [1, 2.5, 2.5]
    assert leaders.most == pytest.approx(0.5 + 0.25 / math.log2(3) + 0.25 / 2)
