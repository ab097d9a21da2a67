"""Uniform subsets as packed bits: their law where all subsets can be listed."""

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray
from support import budget
from support.budget import Verdict

from ldptui.core.base.sampling import packed_picks, packed_subsets, subsets

Rng = np.random.Generator


def follows(items: int, size: int, packed: NDArray[np.uint8], has: int, lacks: int) -> Verdict:
    """The chi-square test of subsets that have these items, of a mask, and lack those."""
    assert not np.unpackbits(packed, axis=1)[:, items:].any()
    weights = 1 << np.arange(items)
    drawn = np.unpackbits(packed, axis=1, count=items) @ weights
    every = [sum(1 << v for v in some) for some in itertools.combinations(range(items), size)]
    law = np.zeros(1 << items)
    law[[mask for mask in every if mask & has == has and not mask & lacks]] = 1
    return budget.law(np.bincount(drawn, minlength=law.size), law / law.sum())


@pytest.mark.parametrize("items", [2, 3, 5, 9])
def test_subsets_are_uniform(items: int, rng: Rng) -> None:
    for size in range(items + 1):
        packed = packed_subsets(20_000, items, size, rng)
        verdict = follows(items, size, packed, 0, 0)
        assert verdict, (size, verdict)


@pytest.mark.parametrize("held", [False, True])
@pytest.mark.parametrize("items", [2, 3, 5, 9])
def test_the_own_item_is_there_just_where_it_is_held(items: int, held: bool, rng: Rng) -> None:
    own = items - 1
    for size in range(1, items):
        count = 20_000
        packed = packed_subsets(count, items, size, rng, np.full(count, own), np.full(count, held))
        verdict = follows(items, size, packed, held << own, (not held) << own)
        assert verdict, (size, verdict)


@pytest.mark.parametrize("picked", [[1], [0, 3, 4, 8], list(range(9))])
def test_picks_are_uniform_among_the_items_picked(picked: list[int], rng: Rng) -> None:
    """Rows of several sizes at once; each size has the law of its own subsets."""
    items, places = 9, np.array(picked)
    sizes = rng.integers(0, places.size + 1, 40_000)
    packed = packed_picks(places, sizes, items, rng)
    others = sum(1 << v for v in range(items) if v not in picked)
    for size in range(places.size + 1):
        assert follows(items, size, packed[sizes == size], 0, others), size
    if places.size == 4:
        assert not follows(items, 2, packed_picks(places[:3], sizes * 0 + 2, items, rng), 0, others)


@pytest.mark.parametrize("rate", [1, 96, 128, 255])
def test_coins_have_their_rate(rate: int, rng: Rng) -> None:
    def verdict(of: int) -> Verdict:
        ones = np.unpackbits(subsets._coins((2000, 16), of, rng)).sum()
        return budget.proportion(ones, 2000 * 128, rate / 256)

    assert verdict(rate)
    assert not verdict(rate ^ 8)
