"""Packed independent bits: the exact law of a byte, of rows, and of what flips them."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from support import budget
from support.budget import Verdict

from ldptui.core.base.sampling import PackedBernoulli, flip_bits, packed_bernoulli, set_bits
from ldptui.core.base.sampling.subsets import BLOCK, NUMBERS

Rng = np.random.Generator

RATES = [1e-9, 0.0024, 0.1192, 0.2689, 0.5, 0.8, 1 - 1e-9]


def byte_law(rate: float) -> NDArray[np.float64]:
    """float64[256]: the probability of each pattern of eight bits."""
    ones = np.array([bin(pattern).count("1") for pattern in range(256)])
    return np.asarray(rate**ones * (1 - rate) ** (8 - ones))


@pytest.mark.parametrize("rate", RATES)
def test_a_table_and_its_rest_have_the_law_of_a_byte(rate: float) -> None:
    coins = PackedBernoulli(rate)
    named = np.bincount(coins._patterns[: coins._whole], minlength=256) / NUMBERS
    rest = np.diff(coins._rest, prepend=0.0)
    left = (1 - coins._whole / NUMBERS) * rest / rest.sum() if coins._whole < NUMBERS else 0.0
    assert named + left == pytest.approx(byte_law(rate), rel=1e-9, abs=1e-17)


def follows(coins: PackedBernoulli, rate: float, rng: Rng) -> Verdict:
    """The chi-square test of the bytes that are drawn; rare patterns are counted together."""
    drawn = np.bincount(coins.draw(2 * BLOCK + 5, 64, rng).ravel(), minlength=256)
    law = byte_law(rate)
    usual = law * drawn.sum() > 10
    return budget.law(
        np.append(drawn[usual], drawn[~usual].sum()), np.append(law[usual], law[~usual].sum())
    )


@pytest.mark.parametrize("rate", RATES[1:-1])
def test_bytes_are_drawn_by_their_law(rate: float, rng: Rng) -> None:
    assert follows(packed_bernoulli(rate), rate, rng)
    assert not follows(packed_bernoulli(rate * 1.1), rate, rng)


def test_what_rounding_leaves_over_is_drawn_from_its_own_law(rng: Rng) -> None:
    """A mutant that gives all of it to one pattern is rejected."""
    coins = PackedBernoulli(0.2689)
    coins._rest = np.where(np.arange(256) < 3, 0.0, 1.0)
    assert not follows(coins, 0.2689, rng)


def test_certain_bits_need_no_number_and_padding_is_zero(rng: Rng) -> None:
    before = rng.bit_generator.state
    assert packed_bernoulli(0.0).draw(2, 11, rng).tolist() == [[0, 0]] * 2
    assert packed_bernoulli(1.0).draw(2, 11, rng).tolist() == [[255, 224]] * 2
    assert rng.bit_generator.state == before
    assert not (packed_bernoulli(0.5).draw(100, 11, rng)[:, 1] & 31).any()


def test_bits_are_flipped_each_on_its_own(rng: Rng) -> None:
    ones = np.tile(np.array([0b10110000], dtype=np.uint8), (40_000, 1))
    rates = np.array([0.9, 0.2, 0.9, 0.9, 0.2])

    def verdict(absent: float, present: float) -> Verdict:
        bits = np.unpackbits(flip_bits(ones, absent, present, 5, rng), axis=1, count=5)
        return budget.moments(bits, rates, np.diag(rates * (1 - rates)))

    assert verdict(0.2, 0.9)
    assert not verdict(0.9, 0.2)


def test_one_bit_of_each_row_is_set() -> None:
    bits = np.array([[0b00100000, 0], [255, 224]], dtype=np.uint8)
    set_bits(bits, np.array([2, 9]), np.array([False, False]))
    assert bits.tolist() == [[0, 0], [255, 160]]
    set_bits(bits, np.array([8, 9]), np.array([True, True]))
    assert bits.tolist() == [[0, 128], [255, 224]]
