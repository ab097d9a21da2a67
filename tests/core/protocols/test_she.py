"""SHE: reports against its closed forms; it is no pure protocol, so it has a test of its own."""

import math
from typing import Any

import numpy as np
import pytest
from support import budget
from support.cases import cell, changed

from ldptui.core import theory
from ldptui.core.base.errors import ScenarioError
from ldptui.core.protocols.she import Summation, SummationSpec, honest_bound

HISTOGRAM = np.array([40, 30, 20, 10, 0])
TRIALS = 4000
SHE = Summation(5, 1.0, 3.0)


def by_reports(protocol: Any, rng: np.random.Generator) -> Any:
    values = np.tile(np.repeat(np.arange(5), HISTOGRAM), TRIALS)
    return protocol.perturb(values, rng).reshape(TRIALS, -1, 5).sum(axis=1)


def test_sums_are_unbiased_with_independent_noise(rng: np.random.Generator) -> None:
    covariance = 100 * 8 * np.eye(5)
    assert budget.moments(by_reports(SHE, rng), HISTOGRAM, covariance)
    assert not budget.moments(by_reports(changed(SHE, scale=2.2), rng), HISTOGRAM, covariance)


def test_the_noise_of_a_cell_is_laplace(rng: np.random.Generator) -> None:
    """The law of |noise| is exponential: counted in tenths of the probability, both signs."""
    cells = SHE.random_reports(100_000, rng).ravel()
    ranks = np.floor(10 * np.exp(-np.abs(cells) / 2)).astype(int) + 10 * (cells > 0)
    assert budget.law(np.bincount(ranks, minlength=20), np.full(20, 1 / 20))
    wrong = np.floor(10 * np.exp(-np.abs(cells) / 2.05)).astype(int) + 10 * (cells > 0)
    assert not budget.law(np.bincount(wrong, minlength=20), np.full(20, 1 / 20))


def test_attackers_with_targets_of_their_own_have_the_variance_of_their_cells() -> None:
    parts = [
        {"kind": "mga", "weight": 1, "targets": {"items": [1, 2]}},
        {"kind": "ria", "weight": 1, "targets": {"items": [4]}},
    ]
    mixture = {"share": 0.2, "targets": {"items": [1, 4]}, "mix": parts}
    one = cell(HISTOGRAM.tolist(), {"kind": "she", "epsilon": 1.0, "bound": 3.0}, mixture)
    fakes = theory.collection_parameters(one).fakes
    mga, ria = (law for _, law in fakes)
    assert mga.variance == pytest.approx(8)  # item 4 has noise alone, item 1 none
    assert ria.variance == pytest.approx(2 * 8)
    assert mga.spread.tolist() == pytest.approx([8, 0, 0, 8, 8])
    variances = theory.estimate_variances(one)
    assert variances is not None
    noise = 100 * 8 + sum(count * law.spread for count, law in fakes)
    assert variances[1] == pytest.approx(noise / (100 + one.malicious) ** 2)


def test_two_items_differ_by_epsilon_at_most() -> None:
    loss = SHE.privacy_loss()
    assert loss.maximum == 1.0
    assert loss.tail(1.0) == 0
    assert loss.tail(1.0 - 1e-6) == pytest.approx(0.25, rel=1e-5)  # both cells on the far side


def test_real_users_cannot_send_it() -> None:
    with pytest.raises(ScenarioError, match="must not be SHE for real users, as the low digits"):
        SHE.perturb(np.array([0, 1]))


def test_the_bound_is_a_number_or_that_of_honest_cells() -> None:
    spec = SummationSpec("she", 1.0)
    assert spec.bind(100).bound == pytest.approx(1 + 2 * math.log(50))
    assert spec.bind(100).bound == honest_bound(100, 1.0)
    assert SummationSpec("she", 1.0, 2.5).bind(100).bound == 2.5
    for bound in (0.0, -1.0, math.inf):
        with pytest.raises(ScenarioError, match="bound must be"):
            SummationSpec("she", 1.0, bound)


def test_a_strangers_report_is_clipped() -> None:
    cells = np.array([[0.0, 1e9, -1e9, 1.0, 2.0]])
    assert SHE.validate_reports(cells, 1).tolist() == [[0.0, 3.0, -3.0, 1.0, 2.0]]
    with pytest.raises(ValueError, match="must be numbers, got nan"):
        SHE.validate_reports(cells * math.nan, 1)
    with pytest.raises(ValueError, match=r"float64\[1, 5\]"):
        SHE.validate_reports(cells.astype(int), 1)
