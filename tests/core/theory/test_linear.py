"""The gain on every linear estimate, against every report there is: items, trees, keys, means."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from ldptui.core.law.support import linear_gain, most_said
from ldptui.core.protocols import NUMBERS

E = math.e


def every(size: int, votes: int | None) -> list[tuple[int, ...]]:
    """All reports of some bits; of a fixed number of votes where it is one."""
    reports = itertools.product((0, 1), repeat=size)
    return [bits for bits in reports if votes is None or sum(bits) <= votes]


@pytest.mark.parametrize("votes", [None, 1, 2])
@pytest.mark.parametrize("low", [0.0, -1.0])
def test_no_report_says_more_of_a_weighted_sum(votes: int | None, low: float) -> None:
    rng = np.random.default_rng(1)
    for weights in rng.normal(size=(20, 5)):
        says = [weights @ (low + (1 - low) * np.array(bits)) for bits in every(5, votes)]
        assert most_said(weights, low, 1.0, votes) == pytest.approx(max(says))
        assert most_said(weights, low, 1.0, votes) > sorted(says)[-2] - 1e-9


def tree(branching: int, levels: int, first: int, last: int) -> np.ndarray:
    """float64[nodes]: the nodes that make up the range [first, last), the fewest there are."""
    weights: list[float] = []
    for level in range(1, levels + 1):
        width = branching ** (levels - level)
        for node in range(branching**level):
            inside = first <= node * width and (node + 1) * width <= last
            parent = node * width // (width * branching) * width * branching
            covered = first <= parent and parent + width * branching <= last
            weights.append(float(inside and not covered))
    return np.array(weights)


def test_a_range_over_a_tree_is_moved_less_than_over_a_flat_histogram() -> None:
    """Per β, OUE at ε = 1: W (1 − q)/(p − q) summed, flat 100 of them, as of the tree few."""
    p, q = 0.5, 1 / (E + 1)
    flat = np.ones(100)
    lifted = linear_gain(most_said(flat), 100, 0.0, 1.0, p, q)
    assert lifted == pytest.approx(100 * 2 * E / (E - 1))
    shares = []
    for branching, levels in ((2, 8), (4, 4), (16, 2)):
        nodes = tree(branching, levels, 30, 130)
        sizes = np.concatenate([np.full(branching**level, branching ** (levels - level))
                                for level in range(1, levels + 1)])  # fmt: skip
        assert nodes @ sizes == 100
        shares.append(linear_gain(most_said(nodes), nodes.sum(), 0.0, 1.0, p, q) / lifted)
    assert shares == sorted(shares)
    assert shares[0] < 0.1


def test_a_key_and_its_value() -> None:
    """PCKV-UE: a report supports a key with one of two signs; 2 (e + 1)/(e − 1) for each key."""
    a, b = 0.5, 2 / (E + 3)
    told = linear_gain(most_said(np.ones(2), votes=1), 1.0, 0.2, 0.05, a, b)
    assert told == pytest.approx(0.05 * (2 * (E + 1) / (E - 1) - 0.2))


@pytest.mark.parametrize("kind", NUMBERS)
def test_a_mean_is_one_of_them(kind: str) -> None:
    """One report of K, each of which says a number: p = 1, q = 0, one vote."""
    protocol = NUMBERS[kind](kind=kind, epsilon=1.0).bind(3)
    most = most_said(protocol.report_values, votes=1)
    assert most == pytest.approx(protocol.reach)
    assert linear_gain(most, 0.0, 0.3, 0.1) == pytest.approx(0.1 * (protocol.reach - 0.3))
