"""Closed forms of the robust metrics, beside simulation; where there is none, there is none."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from support.cases import results_of
from support.kinds import CAO_ATTACKS, CAO_PROTOCOLS

from ldptui.core.experiment import compile as bind
from ldptui.core.scenario import Scenario
from ldptui.core.theory import expected_metrics

DEVIATIONS = 6.3
"""Of Student's law with 399 degrees of freedom one draw in 10^9 is farther out."""
METRICS = ("robust_low", "robust_high", "overturning_share")


def scenario(kind: str, attack: str, counts: list[int], trials: int = 400) -> Scenario:
    table: dict[str, Any] = {"kind": attack, "share": 0.05, "targets": {"items": [0, 3]}}
    return Scenario({
        "format": 1,
        "trials": trials,
        "population": {"kind": "counts", "counts": counts},
        "protocol": {"kind": kind, "epsilon": 1.0},
        "attack": table,
    })  # fmt: skip


@pytest.mark.parametrize("kind", CAO_PROTOCOLS)
@pytest.mark.parametrize("attack", CAO_ATTACKS)
def test_the_closed_forms_are_those_of_simulation(kind: str, attack: str) -> None:
    """The end of item 3 is cut off at 0 in some trials and not in others."""
    experiment = bind(scenario(kind, attack, [600_000, 300_000, 90_000, 4_000, 5_000]))
    [cell], [measured] = experiment.cells, results_of(experiment, frequencies=False).cells
    expected = expected_metrics(cell)
    for metric in METRICS:
        theory, found = expected[metric], measured.estimate(metric)
        assert theory is not None, metric
        assert found.mean is not None
        assert found.standard_error is not None
        tolerance = DEVIATIONS * found.standard_error
        assert found.mean == pytest.approx(theory, abs=tolerance), (metric, found)
        # A mutant: the ends of another share of fakes, or of another gap.
        assert abs(found.mean - 1.1 * theory) > tolerance


def test_there_is_none_where_nobody_knows_who_is_first() -> None:
    [cell] = bind(scenario("oue", "ria", [1000, 1000, 990, 10])).cells
    expected = expected_metrics(cell)
    assert expected["overturning_share"] is None
    assert expected["robust_coverage"] is expected["certified_fakes"] is None
    assert expected["robust_low"] is not None


def test_without_fakes_the_ends_are_those_of_the_naive_interval() -> None:
    document = scenario("oue", "ria", [60_000, 30_000, 9_000, 4_000]).document
    [cell] = bind(Scenario({**document, "attack": {**document["attack"], "share": 0.0}})).cells
    expected = expected_metrics(cell)
    q, gap = cell.pure.q, cell.pure.p - cell.pure.q
    held = cell.population.frequencies[[0, 3]]
    rates = q + gap * held
    half = 1.959964 * np.sqrt(rates * (1 - rates) / cell.users) / gap
    assert expected["robust_high"] == pytest.approx((held + half).mean(), rel=1e-4)
    assert math.isfinite(expected["robust_low"] or math.nan)
