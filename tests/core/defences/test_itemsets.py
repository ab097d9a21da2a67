"""Mining against plain loops over every set; thresholds against their definitions."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from ldptui.core.defences import TrialReports, itemsets
from ldptui.core.defences.fiad import FIAD
from ldptui.core.defences.itemsets import (
    mine_itemsets,
    report_columns,
    support_of,
    unpack_bits,
    users_in,
)
from ldptui.core.kernels.bits import binomial_threshold, chebyshev_threshold
from ldptui.core.law.pure import PureProtocol
from ldptui.core.protocols import BLH, OLH, OUE, SUE


@pytest.mark.every(11)
@pytest.mark.parametrize("users", [1, 63, 64, 65, 200, 8193])
@pytest.mark.parametrize("protocol", [OUE(11, 1.0), SUE(3, 1.0), OLH(9, 1.0), BLH(17, 2.0)])
def test_columns_are_the_supports(
    protocol: PureProtocol, users: int, rng: np.random.Generator
) -> None:
    reports = protocol.perturb(rng.integers(0, protocol.domain_size, users), rng)
    columns = report_columns(protocol, reports)
    supports = protocol.supports(reports)
    assert columns.shape == (protocol.domain_size, -(-users // 64))
    for column, supporters in zip(columns, supports.T, strict=True):
        assert np.array_equal(unpack_bits(column, users), supporters)
        assert users_in(column) == supporters.sum()  # nobody behind the last user
    both = support_of(columns, np.array([0, 2]))
    assert np.array_equal(unpack_bits(both, users), supports[:, 0] & supports[:, 2])


@pytest.mark.usefixtures("loops")
def test_a_small_domain_is_mined_completely(rng: np.random.Generator) -> None:
    protocol, users = OUE(9, 1.0), 500
    reports = protocol.perturb(rng.integers(0, 9, users), rng)
    bits = protocol.supports(reports)
    for least in (1, 20, 60):
        found = {
            tuple(items): int(support)
            for level in mine_itemsets(report_columns(protocol, reports), users, least, 6)
            for items, support in zip(level.sets.tolist(), level.support, strict=True)
        }
        every = {
            items: int(bits[:, items].all(axis=1).sum())
            for size in range(1, 7)
            for items in combinations(range(9), size)
        }
        assert found == {items: support for items, support in every.items() if support >= least}


@pytest.mark.usefixtures("loops")
def test_pairs_beyond_chance_are_kept(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """30 of 190 pairs are kept: the 28 of eight items that 300 of 5,000 users share, first."""
    monkeypatch.setattr(itemsets, "KEPT", 30)
    protocol, users = OUE(20, 1.0), 5000
    bits = protocol.supports(protocol.perturb(rng.integers(0, 20, users), rng)).copy()
    bits[:300, :8] = True
    columns = report_columns(protocol, np.packbits(bits, axis=1))
    levels = {level.size: level for level in mine_itemsets(columns, users, 250, 8)}
    shared = {tuple(items) for items in combinations(range(8), 2)}
    assert {tuple(pair) for pair in levels[2].sets.tolist()[:28]} == shared
    assert levels[8].sets.tolist() == [[*range(8)]]
    assert levels[8].support[0] == bits[:, :8].all(axis=1).sum()


@pytest.mark.usefixtures("loops")
def test_mining_ends_where_nothing_is_frequent() -> None:
    columns = np.zeros((4, 2), dtype=np.uint64)
    assert [level.support.size for level in mine_itemsets(columns, 100, 1, 5)] == [0]


@pytest.mark.parametrize("users", [50, 1000, 410_415])
@pytest.mark.parametrize("rate", [0.5, 0.1345, 1e-5])
@pytest.mark.parametrize("eta", [0.1, 0.01])
def test_thresholds_are_the_least_that_keep_the_promise(
    users: int, rate: float, eta: float
) -> None:
    mean = users * rate
    level = chebyshev_threshold(users, rate, eta)

    def bounded(count: int) -> bool:
        return count > mean and mean * (1 - rate) <= eta * (count - mean) ** 2 * (1 + 1e-12)

    assert bounded(level)
    assert not bounded(level - 1)
    assert stats.binom.sf(level - 1, users, rate) <= eta  # Chebyshev's bound is one
    exact = binomial_threshold(users, rate, eta)
    assert stats.binom.sf(exact - 1, users, rate) <= eta < stats.binom.sf(exact - 2, users, rate)
    assert exact <= level


@pytest.mark.usefixtures("loops")
def test_sets_without_a_larger_one_end_the_mining(rng: np.random.Generator) -> None:
    """Two pairs that share no item: no set of three has kept pairs alone."""
    held = np.zeros((200, 6), dtype=np.bool_)
    held[:100, :2] = held[100:, 2:4] = True
    columns = report_columns(OUE(6, 1.0), np.packbits(held, axis=1))
    sizes = [level.sets.tolist() for level in mine_itemsets(columns, 200, 50.0, 5)]
    assert sizes == [[[0], [1], [2], [3]], [[0, 1], [2, 3]]]


def test_mining_names_its_sets(rng: np.random.Generator) -> None:
    protocol, told = OUE(12, 1.0), list[str]()
    reports = protocol.perturb(rng.integers(0, 12, 500), rng)
    FIAD(min_support=0.0, max_size=4).sift(TrialReports(protocol, reports, rng, tell=told.append))
    assert told[0] == "pairs of items"
    assert [words for words in told if words.endswith("100 %")] == [
        f"sets of {size} items, 100 %" for size in (3, 4)
    ]


@pytest.mark.parametrize(("items", "size"), [(9, 3), (9, 7), (1000, 6), (1000, 7), (2, 5)])
def test_sets_without_repetitions_are_those_of_numpy(
    items: int, size: int, rng: np.random.Generator
) -> None:
    """Also where the sets are too large to be numbers of 63 bits."""
    sets = np.sort(rng.integers(0, min(items, 9), (500, size)), axis=1)
    first = np.unique(sets, axis=0, return_index=True, return_inverse=True)
    for mine, theirs in zip(itemsets._different(sets, items), first, strict=True):
        assert np.array_equal(mine, np.reshape(theirs, mine.shape))
