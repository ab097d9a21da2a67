"""The alarm at uneven groups: its false alarms against the law of the groups, its power."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from support import budget
from support.hitters import hitters_cell

from ldptui.core.base.errors import ScenarioError
from ldptui.core.base.sampling import Counts
from ldptui.core.defences.imbalance import Imbalance
from ldptui.core.law.pure import Rng
from ldptui.core.task.hitters.counting import in_groups

USERS, GROUPS = 24, 3


def false_alarms(step: Imbalance) -> float:
    """Its exact rate, over all sizes of the groups of a few users."""
    rate = 0.0
    for sizes in itertools.product(range(USERS + 1), repeat=GROUPS - 1):
        left = USERS - sum(sizes)
        if left < 0:
            continue
        every = [*sizes, left]
        ways = math.factorial(USERS) / math.prod(map(math.factorial, every))
        rate += bool(step.uneven(np.array([every]))[0]) * ways * GROUPS**-USERS
    return rate


def drawn(trials: int, rng: Rng) -> Counts:
    """The sizes of the groups of users who join them at random."""
    histogram = np.array([USERS - 5, 3, 2])
    return np.array([in_groups(histogram, GROUPS, rng).sum(axis=1) for _ in range(trials)])


@pytest.mark.parametrize("alpha", [0.05, 0.3])
def test_false_alarms_are_as_often_as_the_law_of_the_groups_says(alpha: float, rng: Rng) -> None:
    step = Imbalance(alpha)
    exact = false_alarms(step)
    assert exact == pytest.approx(alpha, abs=0.25 * alpha)  # 24 users are few
    alarms = step.uneven(drawn(3000, rng)).sum()
    assert budget.proportion(alarms, 3000, exact)


class OneDegreeMore(Imbalance):
    """A mutant: χ² with G degrees of freedom."""

    def threshold(self, groups: int) -> float:
        return super().threshold(groups + 1)


def test_a_degree_of_freedom_too_many_would_be_noticed(rng: Rng) -> None:
    alarms = OneDegreeMore(0.3).uneven(drawn(3000, rng)).sum()
    assert not budget.proportion(alarms, 3000, false_alarms(Imbalance(0.3)))


@pytest.mark.parametrize(("share", "alarmed"), [(0.0, 0.01), (0.1, 0.6)])
def test_its_power_is_that_of_noncentral_chi_square(share: float, alarmed: float, rng: Rng) -> None:
    step, users, groups, trials = Imbalance(0.01), 5000, 8, 4000
    fakes = np.zeros(groups)
    fakes[:2] = [0.6 * share * users / 2, 0.4 * share * users / 2]
    power = step.power(users, fakes)
    assert power == pytest.approx(alarmed, abs=0.4)
    sizes = rng.multinomial(users, np.full(groups, 1 / groups), size=trials) + fakes.astype(int)
    assert budget.proportion(step.uneven(sizes).sum(), trials, power)
    if share:
        assert not budget.proportion(step.uneven(sizes).sum(), trials, step.power(users, fakes / 2))


def test_a_cell_alarms_where_fakes_crowd_and_not_where_the_server_draws() -> None:
    population = {"kind": "zipf", "items": 1024, "users": 1_000_000, "exponent": 1.3}
    attack = {"kind": "mga", "share": 0.005, "targets": {"pick": "random", "count": 10}}
    rates = {}
    for choice in ("server", "client"):
        task = {"k": 20, "bits": 10, "groups": 10, "group_choice": choice}
        more = {"defence": [{"kind": "imbalance"}]}
        cell = hitters_cell(population, task, attack, trials=20, **more)
        metrics, theory = cell.block(0, 20).metrics, cell.task.expected(cell)
        rates[choice] = metrics["alarm_rate"].mean()
        for name in ("alarm_rate", "false_alarm_rate"):
            expected = theory[name]
            assert expected is not None
            assert budget.proportion(metrics[name].sum(), 20, expected), (choice, name)
    assert rates["client"] > 0.5 > rates["server"]


def test_it_is_refused_where_there_are_no_groups() -> None:
    step = {"defence": [{"kind": "imbalance"}]}
    with pytest.raises(
        ScenarioError, match=r"task\.groups must be at least 2 for groups to differ"
    ):
        hitters_cell([5, 3], {"k": 1, "bits": 2, "groups": 1}, **step)
    with pytest.raises(ScenarioError, match="there are no groups"):
        hitters_cell([5, 3], {"kind": "frequencies"}, **step)
    assert not Imbalance().uneven(np.array([[7], [9]])).any()
