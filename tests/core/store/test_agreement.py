"""Means of two computations of one run agree, and those of another law do not."""

from __future__ import annotations

from typing import Any

from scipy.stats import binom
from support.cases import attack, experiment, results_of

from ldptui.core.running.runner import RunResults
from ldptui.core.store.run_replay import FALSE_ALARM, agreement

USERS = {"kind": "counts", "counts": [250] * 8}
PAIRS = 60


def drawn(seed: int, epsilon: float = 1.0, share: float = 0.1, trials: int = 12) -> RunResults:
    protocol: dict[str, Any] = {"kind": "grr", "epsilon": epsilon}
    return results_of(experiment(USERS, protocol, attack=attack("mga", share, [1, 2]),
                                 seed=seed, trials=trials))  # fmt: skip


def test_two_computations_of_one_law_agree_but_for_few() -> None:
    pairs = [(drawn(2 * number), drawn(2 * number + 1)) for number in range(PAIRS)]
    means = [agreement(one.cells, other.cells) for one, other in pairs]
    assert {each.compared for each in means} == {means[0].compared}
    assert means[0].compared > 10
    assert all(each.bound > 3 for each in means)
    alarms = sum(not each.same for each in means)
    assert alarms <= binom.isf(1e-9, PAIRS, FALSE_ALARM)
    assert all((each.largest <= each.bound) == each.same for each in means)


def test_another_law_does_not_agree() -> None:
    for other in (drawn(2, epsilon=1.1), drawn(2, share=0.11)):
        means = agreement(drawn(1).cells, other.cells)
        assert not means.same
        assert means.largest > means.bound


def test_equal_numbers_agree_and_one_trial_is_not_compared() -> None:
    one = drawn(1)
    means = agreement(one.cells, one.cells)
    assert (means.same, means.largest) == (True, 0.0)
    alone = agreement(drawn(1, trials=1).cells, drawn(2, trials=1).cells)
    assert (alone.compared, alone.same) == (0, False)
