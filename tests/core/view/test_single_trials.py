"""The estimates of single trials."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.cases import attack, experiment
from support.told import told

from ldptui.core.base.arms import ATTACKED, CLEAN
from ldptui.core.cell import Cell
from ldptui.core.task.frequencies import trial_estimates
from ldptui.core.theory import estimate_variances, expected_estimate
from ldptui.core.view.redrawn import ITEMS, single_trials
from ldptui.session.snapshot import ChartSelection

USERS = {"kind": "zipf", "items": 30, "users": 2000, "exponent": 1.0}
OUE = {"kind": "oue", "epsilon": 1.0}
TARGETS = [3, 25, 20]


def cell_of(table: Any, **more: Any) -> Cell:
    (cell,) = experiment(USERS, OUE, table, trials=25, **more).cells
    return cell


@pytest.mark.parametrize("attacked", [True, False])
def test_they_are_those_of_the_run_around_their_closed_forms(attacked: bool) -> None:
    cell = cell_of(attack("mga", 0.1, TARGETS) if attacked else {"kind": "none"})
    seen = single_trials(cell)
    assert seen is not None
    targets = TARGETS if attacked else []
    assert list(seen.items[: seen.targets]) == sorted(targets, key=cell.targets.tolist().index)
    assert len(seen.items) == ITEMS
    truth = cell.population.frequencies
    rest = [truth[item] for item in seen.items[seen.targets :]]
    assert rest == sorted(rest, reverse=True)
    assert seen.trials == 25
    made = trial_estimates(cell, 25)
    for arm in (CLEAN, ATTACKED) if attacked else (CLEAN,):
        np.testing.assert_array_equal(np.array(seen.arms[arm.name]).T, made[arm][:, seen.items])
    expected, variances = expected_estimate(cell), estimate_variances(cell)
    assert expected is not None
    assert variances is not None
    means, sigmas = np.array(seen.expected["attacked" if attacked else "clean"]).T
    np.testing.assert_allclose(means, expected[list(seen.items)])
    np.testing.assert_allclose(sigmas**2, variances[attacked][list(seen.items)])
    assert ("attacked" in seen.arms) == attacked


def test_a_campaign_has_none() -> None:
    cell = cell_of(attack("mga", 0.1, TARGETS), campaign={"rounds": 3})
    assert single_trials(cell) is None


def test_the_cell_at_a_cursor_has_those_that_it_would_have_as_the_base() -> None:
    table = {
        "format": 1,
        "trials": 3,
        "population": USERS,
        "protocol": OUE,
        "attack": attack("mga", 0.1, TARGETS),
    }
    there, base = (
        told(table, ChartSelection(estimates=at_cursor, by_trial=True))[0]
        for at_cursor in (True, False)
    )
    assert there.at_cell is not None
    assert there.at_cell.by_trial == base.by_trial
    assert (base.by_trial is None, there.by_trial, base.at_cell) == (False, None, None)
    unlisted = told(table, ChartSelection(estimates=True))[0].at_cell
    assert unlisted is not None
    assert unlisted.by_trial is None
