"""The oracle checks itself: enumerated laws against each other, and what they say about privacy."""

import itertools
import math

import numpy as np
import pytest
from support.cases import CASES, EXTREMES, bind
from support.count_laws import Moments, counts_law
from support.report_laws import Case, hashed, matched_law, subset_bits


@pytest.mark.parametrize("case", [*CASES, *EXTREMES], ids=str)
def test_a_law_adds_up_and_shows_p_and_q(case: Case) -> None:
    for item in range(case.domain_size):
        law = case.honest(item)
        assert law.sum() == pytest.approx(1, rel=1e-12)
        rates = law @ subset_bits(law.size)
        assert rates[item] == pytest.approx(case.p, rel=1e-12)
        assert np.delete(rates, item) == pytest.approx(case.q, rel=1e-12)


@pytest.mark.parametrize("case", [*CASES, *EXTREMES], ids=str)
def test_core_has_the_same_p_and_q(case: Case) -> None:
    protocol = bind(case)
    assert (protocol.p, protocol.q) == pytest.approx((case.p, case.q), rel=1e-12)
    assert (protocol.domain_size, protocol.epsilon) == (case.domain_size, case.epsilon)


@pytest.mark.parametrize(("d", "g"), [(2, 2), (5, 2), (4, 3), (4, 4), (3, 8)])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 8.0])
def test_hashing_supports_items_independently(d: int, g: int, epsilon: float) -> None:
    """Over all g^d functions: the law that lets support counts be drawn as binomials."""
    case = Case("olh", d, epsilon, g)
    for item in range(d):
        assert hashed(case, item) == pytest.approx(case.honest(item), rel=1e-9)


def worst_ratio(case: Case, protocol: object) -> float:
    """Largest ratio of probabilities that two items give to one report, over all reports."""
    p, q, d = protocol.p, protocol.q, case.domain_size  # type: ignore[attr-defined]
    if case.code is not None:
        table = protocol.enumerate_reports().probabilities  # type: ignore[attr-defined]
    elif case.one_item:
        table = np.full((d, d), q) + (p - q) * np.eye(d)
    elif case.subset_size is not None:
        # Each of the sets with the item is as likely as another, and so is each without it.
        w = case.subset_size
        bits = subset_bits(2**d)
        held = bits[bits.sum(axis=1) == w].astype(bool)
        table = np.where(held, p / math.comb(d - 1, w - 1), (1 - p) / math.comb(d - 1, w)).T
    elif case.hash_range is None:
        bits = subset_bits(2**d)
        ones = np.where(bits == 1, q, 1 - q)
        own = np.where(bits == 1, p, 1 - p)
        table = np.array([ones.prod(axis=1) / ones[:, v] * own[:, v] for v in range(d)])
    else:
        # For any one function, an item's report is randomised response over its g buckets.
        g = case.hash_range
        functions = itertools.islice(itertools.product(range(g), repeat=d), 4096)
        other = (1 - p) / (g - 1)
        table = np.array(
            [[p if sent == h[v] else other for v in range(d)] for h in functions for sent in (0, 1)]
        ).T
    return float((table.max(axis=0) / table.min(axis=0)).max())


@pytest.mark.parametrize("case", [*CASES, *EXTREMES], ids=str)
def test_the_worst_ratio_is_e_to_the_epsilon(case: Case) -> None:
    protocol = bind(case)
    assert math.log(worst_ratio(case, protocol)) == pytest.approx(case.real_epsilon, rel=1e-8)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_moments_are_those_of_the_joint_law(case: Case) -> None:
    laws = [case.honest(0), case.honest(2)]
    joint = counts_law(laws)
    outcomes = np.indices(joint.shape).reshape(joint.ndim, -1)
    if case.code is not None and case.code.signed:
        outcomes = np.where(outcomes > len(laws), outcomes - len(joint), outcomes)
    mean = outcomes @ joint.ravel()
    both = np.einsum("uk,vk,k->uv", outcomes, outcomes, joint.ravel())
    moments = Moments.of(laws[0]) + Moments.of(laws[1])
    assert moments.mean == pytest.approx(mean, rel=1e-12)
    assert moments.covariance == pytest.approx(both - np.outer(mean, mean), rel=1e-9, abs=1e-12)


def test_matched_law_by_hand() -> None:
    # Two targets, two buckets, one seed: together in half of the functions.
    assert matched_law(2, 2, 1, "anchor") == pytest.approx([0, 1 / 2, 1 / 2])
    assert matched_law(2, 2, 2, "anchor") == pytest.approx([0, 1 / 4, 3 / 4])
    # Three targets, two buckets: one holds all with probability 1/4, else one holds two.
    assert matched_law(3, 2, 1, "bucket") == pytest.approx([0, 0, 3 / 4, 1 / 4])
