"""The planner of a mean: each quantity from the others, and a simulation of the worst case."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from scipy import optimize, stats
from support import budget

from ldptui.core.base.errors import ScenarioError
from ldptui.core.bounds import means
from ldptui.core.bounds.hidden_numbers import least_shift
from ldptui.core.law.law import Ask
from ldptui.core.law.numeric_protocol import heard_mean
from ldptui.core.protocols import NUMBERS


def bound(kind: str, epsilon: float = 1.0, items: int = 3) -> Any:
    """A protocol of numbers; 100 bins are enough for a window at ε = 1."""
    bins = {} if kind == "sr" else {"bins": 100}
    return NUMBERS[kind](kind=kind, epsilon=epsilon, **bins).bind(items)


def test_the_error_of_sr_by_hand() -> None:
    """β (c + 1) + z c / √N, and c = (e + 1)/(e − 1)."""
    c = (math.e + 1) / (math.e - 1)
    oracle = means.oracle_of(bound("sr"))
    reports = 10**6 / 0.99
    by_hand = 0.01 * (c + 1) + stats.norm.ppf(0.975) * c / math.sqrt(reports)
    assert means.error(oracle, 10**6, 0.01, 0.05) == pytest.approx(by_hand)
    # Under SR nothing that fakes say can be seen, so that both floors are one.
    assert 0.01 * (c + 1) == pytest.approx(2 * 0.01 * math.e / (math.e - 1))


@pytest.mark.parametrize("kind", NUMBERS)
def test_each_quantity_follows_from_the_others(kind: str) -> None:
    def bind(epsilon: float) -> Any:
        return means.oracle_of(bound(kind, min(epsilon, 4.0)))

    oracle, users, share, alpha = bind(1.0), 10**5, 0.01, 0.05
    within = means.error(oracle, users, share, alpha)
    assert means.users_needed(oracle, share, within, alpha) == pytest.approx(users)
    assert means.largest_share(oracle, users, within, alpha) == pytest.approx(share)
    least = means.least_epsilon(bind, users, share, within, alpha)
    assert means.error(bind(least), users, share, alpha) <= within * (1 + 1e-9)
    assert least <= 1 + 1e-9


@pytest.mark.parametrize(("share", "within", "said"), [
    (0.1, 0.3, "must be above 0.3164, by which fakes alone can move the mean, got 0.3"),
    (0.0, 1e-9, "at most 1e"),
])  # fmt: skip
def test_an_error_that_no_number_of_users_reaches(share: float, within: float, said: str) -> None:
    with pytest.raises(ScenarioError, match=said) as refused:
        means.users_needed(means.oracle_of(bound("sr")), share, within, 0.05)
    assert refused.value.key == "within"
    with pytest.raises(ScenarioError, match="by which noise alone"):
        means.largest_share(means.oracle_of(bound("sr")), 100, 0.01, 0.05)


@pytest.mark.parametrize("kind", NUMBERS)
def test_fakes_at_the_worst_do_not_move_the_mean_further(kind: str, rng: Any) -> None:
    """Users who hold −1, and fakes who say the largest report; noise of 1 − α = 0.9."""
    protocol, users, fakes, trials = bound(kind), 20_000, 2_000, 500
    held = np.tile([users, 0, 0], (trials, 1))
    counts = protocol.sample_counts(held, rng)
    largest = protocol.law_of(Ask("crafted", np.array([2]))).counts(np.full(trials, fakes), rng)
    share = fakes / (users + fakes)
    tallies = counts + largest
    off = np.abs(heard_mean(protocol, tallies)[0] + 1)
    most = means.error(means.oracle_of(protocol), users, share, 0.1)

    def rare(beyond: float) -> bool:
        """Whether 1 − α = 0.9 may hold of an error that is at most this."""
        return bool(stats.binom.sf((off > beyond).sum() - 1, trials, 0.1) > budget.FALSE_ALARM)

    assert rare(most)
    assert not rare(0.95 * share * (protocol.factor + 1))


# What can be hidden whatever the protocol.


def hidden_most(table: Any, values: Any, held: Any, share: float) -> float:
    """The largest shift that is hidden, by a programme over honest populations."""
    best = optimize.linprog(-values, A_ub=-table, b_ub=-(1 - share) * table @ held,
                            A_eq=np.ones((1, values.size)), b_eq=[1.0], bounds=(0, 1))  # fmt: skip
    return float(-best.fun - values @ held)


def subset_table(epsilon: float, values: int) -> Any:
    """A mechanism with a report for every set of numbers, e^ε times as likely for these."""
    sets = np.array(list(itertools.product((0, 1), repeat=values)))[1:-1]
    table = np.exp(epsilon * sets)
    return table / table.sum(axis=0)


def private_table(epsilon: float, values: int, rng: Any) -> Any:
    """A random ε-LDP mechanism: each report e^ε times as likely for some numbers."""
    while True:
        kept = rng.random((12, values)) < rng.random((12, 1))
        spread = np.exp(epsilon * kept * rng.choice([0.5, 1.0], size=(12, 1)))
        weights = np.linalg.lstsq(spread.T, np.ones(values), rcond=None)[0]
        if (weights >= 0).all():  # the columns are laws
            return weights[:, None] * spread


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0])
def test_every_private_mechanism_hides_as_much(epsilon: float, rng: Any) -> None:
    values, held = np.linspace(-1, 1, 5), np.array([0.3, 0.3, 0.2, 0.1, 0.1])
    answer, weaker = subset_table(epsilon, 5), subset_table(0.9 * epsilon, 5)
    others = [private_table(epsilon, 5, rng) for _ in range(5)]
    for share in (0.01, 0.1, 0.4):
        least = least_shift(epsilon, values, held, share)
        assert hidden_most(answer, values, held, share) == pytest.approx(least)
        assert least >= share * (1 - values @ held) / -math.expm1(-epsilon) - 1e-9 or share > 0.3
        for table in others:
            assert table.sum(axis=0) == pytest.approx(np.ones(5))
            assert (table.max(axis=1) <= math.exp(epsilon) * table.min(axis=1) + 1e-9).all()
            assert hidden_most(table, values, held, share) >= least - 1e-7
    assert hidden_most(weaker, values, held, 0.1) > least_shift(
        epsilon, values, held, 0.1
    ) + 1e-3  # fmt: skip
