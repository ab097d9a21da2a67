"""Trials of heavy hitters against the law of their answers by brute force."""

from functools import partial
from typing import Any

import numpy as np
import pytest
from support import budget
from support.hitters import (
    GRR,
    OLH,
    aimed_supports,
    answer_law,
    answers,
    direct_supports,
    hashing_supports,
    hitter_cell_of,
    hitters_cell,
    observed,
)

from ldptui.core.law.pure import item_variance
from ldptui.core.task import HitterCell
from ldptui.core.task.hitters.counting import GroupedFakes
from ldptui.core.task.hitters.prefixes import Prefixes

HELD = {5: 2, 12: 1}
"""Three users, by the code of their item: 0101 twice, and 1100."""
COUNTS = [HELD.get(code, 0) for code in range(16)]
USERS = [code for code, users in HELD.items() for _ in range(users)]
SMALL = {"bits": 4, "groups": 2, "encoding": "index"}
MGA = {"kind": "mga", "share": 0.3, "targets": {"items": [9, 11, 3]}, "seeds": 3}


def small(protocol: Any, k: int, **more: Any) -> HitterCell:
    return hitter_cell_of(hitters_cell(COUNTS, {**SMALL, "k": k}, protocol=protocol, **more))


def law_of(protocol: Any, k: int) -> dict[tuple[int, ...], float]:
    hitters = small(protocol, k)
    supports = (
        partial(_direct, 1.0) if hitters.oracle.whole(0) is not None else partial(_olh, hitters)
    )
    return answer_law(USERS, 4, k, hitters.prefixes.lengths, supports)


@pytest.mark.every(2)
@pytest.mark.parametrize(("protocol", "k"), [(OLH, 1), (GRR, 1), (GRR, 2)])
def test_answers_have_the_law_of_an_enumeration(protocol: Any, k: int) -> None:
    law = law_of(protocol, k)
    assert sum(law.values()) == pytest.approx(1)
    found = answers(small(protocol, k), 500)
    assert budget.law(observed(found, law), [*law.values(), 0.0])


@pytest.mark.every(2)
def test_answers_under_attack_have_the_law_of_an_enumeration() -> None:
    """One fake among the three users; two of its three targets share their first two bits."""
    hitters = small(GRR, 1, attack=MGA)
    assert (hitters.cell.malicious, hitters.prefixes.lengths) == (1, (2, 4))
    honest = partial(_direct, 1.0)
    law, wrong = (
        answer_law(USERS, 4, 1, (2, 4), honest, 1, partial(aimed_supports, targets, 4))
        for targets in ([9, 11, 3], [6, 4, 12])
    )
    assert sum(law.values()) == pytest.approx(1)
    found = answers(hitters, 700, attacked=True)
    assert budget.law(observed(found, law), [*law.values(), 0.0])
    # A fake who takes the bits of the targets for their opposites would be noticed.
    assert not budget.law(observed(found, wrong), [*wrong.values(), 0.0])


def _direct(epsilon: float, own: int | None, candidates: int, length: int) -> Any:
    return direct_supports(own, candidates, 2**length, epsilon)


def _olh(hitters: HitterCell, own: int | None, candidates: int, length: int) -> Any:
    oracle = hitters.oracle.at(0)
    return hashing_supports(own, candidates, oracle.p, oracle.q)


def test_estimates_are_those_of_the_group() -> None:
    counts = [600, 400, *[0] * 14]
    task = {"k": 2, "bits": 4, "groups": 3, "encoding": "random"}
    cell = hitters_cell(counts, task, trials=40)
    hitters = hitter_cell_of(cell)
    # The second item alone has its prefix: the candidates of the first level list it.
    first = hitters.prefixes.cut(hitters.prefixes.codes[[1]], 0)
    assert first.size == 1
    values, hits = [], []
    for block in range(2):
        for tree, _ in hitters.trees(block, 20):
            at = int(np.flatnonzero(tree[0].candidates == first[0])[0])
            values.append(tree[0].estimates[at])
            oracle = hitters.oracle.at(0)
            hits.append((tree[0].counts[at] / 1000 - oracle.q) / (oracle.p - oracle.q))
    mean = sum(
        users for users, code in zip(counts, hitters.prefixes.codes, strict=True)
        if hitters.prefixes.cut(np.array([code]), 0)[0] == first[0]
    ) / 1000  # fmt: skip
    # A third of the users report, drawn without putting any back.
    users = 1000 / 3
    drawn = mean * (1 - mean) * (1 - 1 / 3) / users
    variance = float(item_variance(hitters.oracle.at(0), users, mean)) + drawn
    # Groups differ in size, which the variance leaves out: by 2 % here.
    assert budget.mean(values, mean, 1.1 * variance)
    assert not budget.mean(hits, mean, 1.1 * variance)


def test_both_arms_share_the_genuine_counts() -> None:
    task = {"k": 2, "bits": 8, "groups": 4}
    counts = [500, 300, 100, 50, 20, 10, 5, 0]
    weak = {"kind": "mga", "share": 0.001, "targets": {"items": [7]}}
    strong = {**weak, "share": 0.3}
    plain, little, much = (
        hitters_cell(counts, task, attack, trials=20).block(0, 20).metrics
        for attack in (None, weak, strong)
    )
    for name in ("hitter_recall_clean", "ncr_clean"):
        assert (plain[name] == little[name]).all()
        assert (plain[name] == much[name]).all()
    assert much["targets_in_top_k"].mean() > little["targets_in_top_k"].mean()


def test_a_shorter_block_holds_the_first_trials() -> None:
    attack = {"kind": "ria", "share": 0.1, "targets": {"items": [2, 3]}}
    cell = hitters_cell([50, 30, 10, 0], {"k": 2, "bits": 6, "groups": 2}, attack,
                        trials=20)  # fmt: skip
    whole, part = cell.block(0, 20), cell.block(0, 3)
    assert (whole.fingerprints[:3] == part.fingerprints).all()
    assert cell.block(1, 3).fingerprints.tolist() != part.fingerprints.tolist()


def test_targets_that_share_a_prefix_are_aimed_at_once() -> None:
    attack = {"kind": "mga", "share": 0.1, "targets": {"items": [8, 9, 4]}}
    hitters = hitter_cell_of(hitters_cell(COUNTS, {**SMALL, "k": 1}, attack))
    part = GroupedFakes(hitters.cell.fakes[0], np.array([1, 1]))
    aims = part.aims(hitters.prefixes, 0)
    assert aims.prefixes.tolist() == [0b01, 0b10]
    assert aims.stands.tolist() == [1, 1, 0]


def test_prefixes_are_cut_from_the_front() -> None:
    prefixes = Prefixes(np.array([0b1011, 0b0100], dtype=np.uint64), 4, 2, (2, 4))
    assert prefixes.cut(prefixes.codes, 0).tolist() == [0b10, 0b01]
    assert prefixes.children(prefixes.roots, 0).tolist() == [0, 1, 2, 3]
    assert prefixes.children(np.array([2], dtype=np.uint64), 1).tolist() == [8, 9, 10, 11]
    level = prefixes.levels[0]
    assert level.held.tolist() == [1, 2]
    assert level.users(np.array([7, 5])).tolist() == [5, 7]
    assert level.of(np.array([5, 7]), np.array([0, 1, 2, 3], dtype=np.uint64)).tolist() == [
        0,
        5,
        7,
        0,
    ]
