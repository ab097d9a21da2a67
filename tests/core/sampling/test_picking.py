"""The users who pick each item: exact joint laws where they can be enumerated."""

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from support import budget
from support.budget import Verdict
from support.cases import outcome_counts_of

from ldptui.core.base.sampling import (
    picking,
    subset_counts,
    subset_counts_beside_own,
    uniform_multinomial,
)

Rng = np.random.Generator
Sampler = Callable[[NDArray[np.int64], int, Rng], NDArray[np.int64]]


def subsets_law(items: int, sizes: list[int]) -> NDArray[np.float64]:
    """The number of picks of each item when users pick uniform subsets of these sizes."""
    joint = np.zeros((len(sizes) + 1,) * items)
    joint[(0,) * items] = 1.0
    for size in sizes:
        after = np.zeros_like(joint)
        for subset in itertools.combinations(range(items), size):
            shift = [int(item in subset) for item in range(items)]
            after += np.roll(joint, shift, axis=range(items)) / math.comb(items, size)
        joint = after
    return joint


def picks_follow_their_law(
    sampler: Sampler, items: int, sizes: list[int], rng: Rng, trials: int = 100_000
) -> Verdict:
    pickers = np.bincount(sizes, minlength=max(sizes) + 1)
    drawn = sampler(np.broadcast_to(pickers, (trials, pickers.size)), items, rng)
    assert (drawn.sum(axis=1) == sum(sizes)).all()
    return budget.law(outcome_counts_of(drawn, len(sizes)), subsets_law(items, sizes))


def on_their_own(pickers: NDArray[np.int64], items: int, rng: Rng) -> NDArray[np.int64]:
    """Each user's picks with replacement."""
    picks = pickers @ np.arange(pickers.shape[1])
    return uniform_multinomial(picks, items, rng)


@pytest.mark.every(5)
@pytest.mark.parametrize(
    ("items", "sizes"),
    [(3, [1, 1]), (3, [2, 2]), (4, [2, 1, 3]), (4, [4, 2, 0]), (5, [3, 3]), (2, [1, 2, 2])],
)
@pytest.mark.parametrize("walked", [1, 2, 48])
def test_subset_counts_follow_their_joint_law(
    items: int, sizes: list[int], walked: int, rng: Rng, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Walked item by item, and halved first, which by default only large domains are."""
    monkeypatch.setattr(picking, "WALKED", walked)
    assert picks_follow_their_law(subset_counts, items, sizes, rng)


def test_subset_counts_with_replacement(rng: Rng) -> None:
    pickers = np.broadcast_to(np.bincount([2, 2]), (100_000, 3))
    outcomes = outcome_counts_of(np.minimum(on_their_own(pickers, 3, rng), 2), 2)
    assert not budget.law(outcomes, subsets_law(3, [2, 2]))


@pytest.mark.parametrize(("items", "size"), [(130, 80), (333, 330)])
def test_subset_counts_of_large_domains_have_the_moments_of_their_law(
    items: int, size: int, rng: Rng
) -> None:
    """A few items in all parts of the domain; their counts, their covariances, and the sum."""
    seen = [0, 1, 2, items // 2 - 1, items // 2, items - 2, items - 1]
    pickers = np.zeros((1500, size + 1), dtype=np.int64)
    pickers[:, size] = users = 4000
    drawn = subset_counts(pickers, items, rng)
    assert (drawn.sum(axis=1) == users * size).all()
    one, both = size / items, size * (size - 1) / (items * (items - 1))
    covariance = np.full((7, 7), both - one**2)
    np.fill_diagonal(covariance, one * (1 - one))
    assert budget.moments(drawn[:, seen], np.full(7, users * one), users * covariance)
    assert not budget.moments(drawn[:, seen], np.full(7, users * one), 2 * users * covariance)
    halves = drawn[:, : items // 2].sum(axis=1)  # hypergeometric, user by user
    expected, spread = stats.hypergeom.stats(items, items // 2, size)
    assert budget.mean(halves, users * expected, users * spread)
    assert budget.spread(halves, users * expected, users * spread)
    with_replacement = size / 4
    assert not budget.spread(halves, users * expected, users * with_replacement)


@pytest.mark.parametrize(("items", "most"), [(50, 50), (333, 90), (1014, 265)])
def test_subset_counts_do_not_depend_on_the_size_of_a_call(
    items: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    pickers = np.random.default_rng(1).integers(0, 400, size=(3, most + 1))
    pickers[:, 1:-1:3] = 0
    drawn = []
    for numbers in (1, 1 << 10, 1 << 20):
        monkeypatch.setattr(picking, "DRAWN", numbers)
        rng = np.random.default_rng(2)
        drawn.append([*subset_counts(pickers, items, rng).ravel(), rng.random()])
    assert drawn[0] == drawn[1] == drawn[2]
    assert sum(drawn[0][:-1]) == int((pickers @ np.arange(most + 1)).sum())


@pytest.mark.parametrize(("items", "most"), [(1, 1), (10, 10), (48, 30)])
def test_one_group_alone_is_drawn_as_beside_another(items: int, most: int) -> None:
    """A trial of nobody draws nothing."""
    pickers = np.random.default_rng(1).integers(0, 400, size=(1, most + 1))
    beside = np.concatenate([pickers, np.zeros_like(pickers)])
    drawn, (again, nobody) = (
        subset_counts(users, items, np.random.default_rng(2)) for users in (pickers, beside)
    )
    assert (drawn[0] == again).all()
    assert not nobody.any()


@pytest.mark.parametrize(
    ("pickers", "items", "expected"),
    [
        ([[5, 0]], 3, [[0, 0, 0]]),
        ([[0, 0, 0, 7]], 3, [[7, 7, 7]]),
        ([[9]], 2, [[0, 0]]),
        ([[9]], 0, [[]]),
    ],
)
def test_subset_counts_without_a_choice(
    pickers: list[list[int]], items: int, expected: list[list[int]], rng: Rng
) -> None:
    assert subset_counts(np.array(pickers), items, rng).tolist() == expected


def test_more_distinct_picks_than_items(rng: Rng) -> None:
    with pytest.raises(ValueError, match="cannot pick 3 distinct items of 2"):
        subset_counts(np.array([[0, 0, 0, 1]]), 2, rng)


def test_owners_pick_beside_their_own_item(rng: np.random.Generator) -> None:
    """The covariances are those of subsets that are drawn one by one; a mutant has larger ones."""
    owners, trials = np.array([[3, 0, 2, 1, 4], [1, 5, 0, 2, 0]]), 50_000
    items, tiled = owners.shape[1], np.repeat(owners[:, None], trials, axis=1)
    drawn = subset_counts_beside_own(tiled, 2, np.tile([0, 0, 0, 2], (trials, 1)), rng)
    assert (drawn.sum(axis=1) == 10 * 2 + 8 * 1 + 6).all()
    # One user: indicators of a uniform subset of the other items, or of all for those who own none.
    mean, covariance = np.zeros(items), np.zeros((items, items))
    of_owners = [(own, 2 - at, count) for (at, own), count in np.ndenumerate(owners)]
    for own, chosen, count in [*of_owners, (None, 3, 2)]:
        others = np.array([item != own for item in range(items)], dtype=float)
        size = others.sum()
        rate, both = chosen / size, chosen * (chosen - 1) / (size * (size - 1))
        mean += count * rate * others
        one = np.outer(others, others) * (both - rate**2)
        np.fill_diagonal(one, others * rate * (1 - rate))
        covariance += count * one
    assert budget.moments(drawn, mean, covariance)
    mutant = covariance + np.diag(np.full(items, 0.2))
    assert not budget.moments(drawn, mean, mutant)
