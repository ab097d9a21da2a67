"""Samplers of one number or one set at a time, against their laws."""

import itertools

import numpy as np
import pytest
from support import budget

from ldptui.core.base.sampling import (
    binomial,
    binomials,
    laws,
    multinomial,
    random_subsets,
    uniform_multinomial,
)

Rng = np.random.Generator


@pytest.mark.parametrize(("items", "size"), [(5, 2), (5, 3), (6, 1), (6, 5)])
def test_random_subsets_are_uniform(items: int, size: int, rng: Rng) -> None:
    drawn = random_subsets(200_000, items, size, rng)
    assert drawn.shape == (200_000, size)
    marks = (1 << drawn).sum(axis=1)
    number = {
        sum(1 << item for item in subset): at
        for at, subset in enumerate(itertools.combinations(range(items), size))
    }
    seen = np.bincount([number[mark] for mark in marks.tolist()], minlength=len(number))
    assert budget.law(seen, np.full(len(number), 1 / len(number)))
    skewed = np.full(len(number), 1 / len(number))
    skewed[:2] += [0.01, -0.01]
    assert not budget.law(seen, skewed)


def test_random_subsets_without_a_choice(rng: Rng) -> None:
    assert random_subsets(3, 4, 0, rng).shape == (3, 0)
    assert np.sort(random_subsets(3, 4, 4, rng), axis=1).tolist() == [[0, 1, 2, 3]] * 3


@pytest.mark.parametrize("chunk", [1, 7, 64, 1000])
def test_binomial_does_not_depend_on_its_chunks(
    chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    n = np.arange(600).reshape(20, 30) * 10
    whole = binomial(n, 0.3, np.random.default_rng(5))
    monkeypatch.setattr(laws, "CHUNK", chunk)
    assert (binomial(n, 0.3, np.random.default_rng(5)) == whole).all()
    transposed = binomial(n.T, 0.3, np.random.default_rng(5))
    assert transposed.shape == (30, 20)


@pytest.mark.parametrize("chunk", [1, 7, 1000])
def test_many_binomials_of_a_number_are_those_side_by_side(
    chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    n = np.array([[0, 3, 10**12], [5000, 5000, 1]])
    beside = binomial(np.repeat(n[..., None], 40, axis=-1), 0.3, np.random.default_rng(5))
    monkeypatch.setattr(laws, "CHUNK", chunk)
    assert (binomials(n, 0.3, 40, np.random.default_rng(5)) == beside).all()


def test_binomial(rng: Rng) -> None:
    n = np.array([10**12, 10**6, 10**4])
    assert budget.proportion(binomial(n, 0.3, rng), n, 0.3)
    assert not budget.proportion(binomial(n, 0.301, rng), n, 0.3)
    assert binomial(np.array([0, 5, 7]), 1.0, rng).tolist() == [0, 5, 7]


def test_multinomial(rng: Rng) -> None:
    weights = np.array([0.5, 0.3, 0.2])
    drawn = multinomial(np.array([[10**6, 0], [1, 5]]), weights, rng)
    assert drawn.shape == (2, 2, 3)
    assert drawn.sum(axis=-1).tolist() == [[10**6, 0], [1, 5]]
    assert budget.law(drawn[0, 0], weights)
    assert not budget.law(drawn[0, 0], [0.49, 0.31, 0.2])
    even = uniform_multinomial(np.array([10**12]), 7, rng)
    assert even.shape == (1, 7)
    assert budget.law(even, np.full(7, 1 / 7))


@pytest.mark.parametrize(("half", "picks"), [(-1, 2), (7, 2), (3, -1), (3, 7)])
def test_what_cannot_be_picked_has_no_law(half: int, picks: int) -> None:
    with pytest.raises(ValueError, match="must pick 0 to 6"):
        laws.hypergeometric_weights(6, half, picks)
