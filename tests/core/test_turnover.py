"""Churn and drift: the users of a collection in rounds."""

import itertools
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from support import budget

from ldptui.core.population import Explicit, Zipf
from ldptui.core.population.turnover import Turnover, turnover

Floats = NDArray[np.float64]

FIRST = Explicit((500, 300, 200, 0)).bind(0, Path())
SECOND = Explicit((0, 1, 1, 6)).bind(0, Path())
DRAWS = 1500


def place_law(rounds: int, churn: float, drifts: bool, steps: int = 1) -> list[Floats]:
    """Transition matrices of one place among the users, round by round from the first.

    States: item v of the first population, then item v of the second.
    """
    d = 4
    w, second = FIRST.law, SECOND.law
    now, found = np.eye(2 * d), [np.eye(2 * d)]
    for number in range(1, rounds):
        share = number / (rounds - 1) if drifts else 0.0
        fresh = np.concatenate([(1 - share) * w, share * second])
        step = np.tile(churn * fresh, (2 * d, 1)) + (1 - churn) * np.eye(2 * d)
        if drifts:
            swap = 1 / (rounds - number)
            step[:d, :d] -= (1 - churn) * swap * np.eye(d)
            step[:d, d:] += (1 - churn) * swap * second
        now = now @ step
        found.append(now)
    return found


def held(matrix: Floats) -> tuple[Floats, Floats]:
    """Mean and covariance of the histogram, of places whose first items are FIRST's."""
    law = matrix[:4, :4] + matrix[:4, 4:]
    users = FIRST.histogram
    mean = users @ law
    covariance = np.diag(mean) - (law * users[:, None]).T @ law
    return mean, covariance


def drawn(rounds: int, churn: float, drifts: bool, seed: int) -> list[Turnover]:
    second = SECOND if drifts else None
    return [turnover(FIRST, rounds, churn, second, seed + at) for at in range(DRAWS)]


CASES = [(4, 0.3, False), (4, 0.0, True), (5, 0.25, True), (3, 1.0, False)]


@pytest.mark.every(5)
@pytest.mark.parametrize(("rounds", "churn", "drifts"), CASES)
def test_every_round_has_the_law_of_its_places(
    rounds: int, churn: float, drifts: bool, seed: int
) -> None:
    many = drawn(rounds, churn, drifts, seed)
    wrong = place_law(rounds, churn / 2, drifts)
    for number, matrix in enumerate(place_law(rounds, churn, drifts)):
        seen = np.array([turnover.populations[number].histogram for turnover in many])
        assert budget.moments(seen, *held(matrix))
        assert (seen.sum(axis=1) == FIRST.users).all()
        if number == 1 and churn:
            assert not budget.moments(seen, *held(wrong[number]))


@pytest.mark.every(5)
@pytest.mark.parametrize(("rounds", "churn", "drifts"), CASES)
def test_as_many_leave_as_should(rounds: int, churn: float, drifts: bool, seed: int) -> None:
    """Given a round, the users of an item leave independently; the closed form by state."""
    many = drawn(rounds, churn, drifts, seed)
    laws = place_law(rounds, churn, drifts)
    for number in range(1, rounds):
        swap = 1 / (rounds - number) if drifts else 0.0
        leaves = np.repeat([1 - (1 - churn) * (1 - swap), churn], 4)
        gone = laws[number - 1][:4] * leaves  # [first item, state]
        by_item = gone[:, :4] + gone[:, 4:]
        mean = FIRST.histogram @ by_item
        variance = FIRST.histogram @ (by_item * (1 - by_item))
        seen = np.array([turnover.left[number] for turnover in many])
        assert budget.mean(seen, mean, variance) & budget.spread(seen, mean, variance)
        assert not budget.mean(seen, mean * 1.05 + 1, variance)
    assert all((turnover.left[0] == 0).all() for turnover in many)


def test_the_share_of_the_second_population_rises_evenly(seed: int) -> None:
    """Items that only one of the two has tell the parts apart: t / (R-1) of the users."""
    first, second = Explicit((1000, 0)).bind(0, Path()), Explicit((0, 7)).bind(0, Path())
    many = [turnover(first, 5, 0.4, second, seed + at) for at in range(300)]
    for number in range(5):
        share = number / 4
        seen = np.array([turnover.populations[number].histogram[1] for turnover in many])
        assert budget.mean(seen, 1000 * share, 1000 * share * (1 - share))
        assert not budget.mean(seen, 1000 * share + 10, 1000 * share * (1 - share) + 1)


def enumerated(churn: float) -> Counter[Any]:
    """The joint law of (histogram of round 1, who left, histogram of round 2), two users."""
    found: Counter[Any] = Counter()
    first = Explicit((1, 1)).bind(0, Path())
    fates = [(False, 0), *((True, item) for item in (0, 1))]
    chance = {(False, 0): 1 - churn, (True, 0): churn * 0.5, (True, 1): churn * 0.5}
    assert first.law.tolist() == [0.5, 0.5]
    for fate in itertools.product(fates, repeat=4):
        items, outcome, probability = [0, 1], [], 1.0
        for number in range(2):
            left = [0, 0]
            for user, (replaced, item) in enumerate(fate[2 * number : 2 * number + 2]):
                probability *= chance[replaced, item]
                if replaced:
                    left[items[user]] += 1
                    items[user] = item
            outcome += [tuple(left), (items.count(0), items.count(1))]
        found[tuple(outcome)] += probability
    return found


def test_the_joint_law_of_two_users_by_enumeration(seed: int) -> None:
    first, runs = Explicit((1, 1)).bind(0, Path()), 6000
    law, seen = enumerated(0.3), Counter[Any]()
    assert sum(law.values()) == pytest.approx(1)
    for at in range(runs):
        one = turnover(first, 3, 0.3, None, seed + at)
        seen[tuple(
            tuple(part.tolist())
            for number in (1, 2)
            for part in (one.left[number], one.populations[number].histogram)
        )] += 1  # fmt: skip
    outcomes = sorted(law)
    assert set(seen) <= set(outcomes)
    assert budget.law([seen[key] for key in outcomes], [law[key] for key in outcomes])
    other = enumerated(0.4)
    assert not budget.law([seen[key] for key in outcomes], [other[key] for key in outcomes])


def test_without_churn_and_drift_the_users_are_the_same() -> None:
    same = turnover(FIRST, 3)
    assert all(population.histogram is FIRST.histogram for population in same.populations)
    assert not np.any(same.left)
    addresses = [population.address for population in same.populations]
    assert len(set(addresses)) == 3


def test_users_are_drawn_once_a_seed_and_later_rounds_change_no_earlier_one() -> None:
    population = Zipf(50, 10_000, 1.0).bind(3, Path())
    short, long = turnover(population, 4, 0.2, seed=3), turnover(population, 9, 0.2, seed=3)
    other = turnover(population, 4, 0.2, seed=4)
    for one, same in zip(short.populations, long.populations, strict=False):
        assert np.array_equal(one.histogram, same.histogram)
        assert one.address == same.address
    assert not np.array_equal(other.populations[1].histogram, short.populations[1].histogram)
    first = turnover(population, 9, 0.2, population, seed=3).populations[1]
    assert first.address != short.populations[1].address
