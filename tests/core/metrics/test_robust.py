"""Robust metrics by plain loops, on both paths, and the certified floor of a defence."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ldptui
from ldptui.core.base.arms import ATTACKED, CLEAN
from ldptui.core.bounds.fakes import floor_of_counts
from ldptui.core.bounds.robust import ballot_of, robust_intervals
from ldptui.core.law.pure import Estimates
from ldptui.core.metrics import FrequencyConclusion
from ldptui.core.metrics.measuring import measure
from ldptui.core.metrics.ranking import Leaders
from ldptui.core.protocols import GRR, OUE

TRUTH = np.array([0.5, 0.3, 0.2, 0.0])


@pytest.mark.parametrize("make", [GRR, OUE])
def test_each_is_the_same_number_by_plain_loops(make: Any) -> None:
    protocol, rng = make(4, 1.0), np.random.default_rng(0)
    counts = protocol.sample_counts(np.tile([450, 270, 180, 0], (5, 1)), rng)
    counts[:, 3] += 100
    made = Estimates(protocol.estimates(counts, 1000).frequencies)
    found = measure(
        FrequencyConclusion(
            {CLEAN: made, ATTACKED: made}, TRUTH, Leaders.of(TRUTH, 2), np.array([2, 3]),
            900, 100, protocol,
        )
    )  # fmt: skip
    for trial, row in enumerate(counts):
        low, high = robust_intervals(protocol, row / 1000, 1000, 0.1)
        assert found["robust_low"][trial] == pytest.approx((low[2] + low[3]) / 2)
        assert found["robust_high"][trial] == pytest.approx((high[2] + high[3]) / 2)
        covered = sum(low[v] <= TRUTH[v] <= high[v] for v in range(4)) / 4
        assert found["robust_coverage"][trial] == pytest.approx(covered)
        first, second = sorted(row)[-1], sorted(row)[-2]
        assert found["overturning_share"][trial] == pytest.approx((first - second) / 1000)
        floor = floor_of_counts(protocol, row, 1000)
        assert found["certified_fakes"][trial] == pytest.approx(floor.share)
    assert ballot_of(protocol).gap > 0


def test_what_has_no_support_law_has_none_of_them() -> None:
    made = Estimates(np.tile(TRUTH, (2, 1)))
    both = {CLEAN: made, ATTACKED: made}
    found = measure(FrequencyConclusion(both, TRUTH, Leaders.of(TRUTH, 2), np.array([1])))
    names = ("robust_low", "robust_high", "robust_coverage", "overturning_share")
    assert all(np.isnan(found[name]).all() for name in (*names, "certified_fakes"))


def scenario(**more: Any) -> dict[str, Any]:
    return {
        "population": {"kind": "zipf", "items": 64, "users": 20_000, "exponent": 1.0},
        "protocol": {"kind": "oue", "epsilon": 1.0},
        "attack": {"kind": "mga", "share": 0.05, "targets": {"pick": "least-frequent", "count": 8}},
        "trials": 6,
        **more,
    }


def test_a_run_covers_in_spite_of_the_attack_and_a_floor_is_certified() -> None:
    """MGA moves its targets out of every naive interval; robust ones hold. 5 % are 4.8 at least."""
    results = ldptui.run(scenario())
    assert results.estimate("robust_coverage").mean > 0.98
    assert results.estimate("robust_low").mean < 0.01
    assert results.estimate("certified_fakes").mean < 0.01  # counts alone prove little here
    again = ldptui.run(scenario(defence=[{"kind": "floor"}]))
    assert 0.048 < again.estimate("certified_fakes").mean <= 0.05
    assert again.estimate("alarm_rate").mean == 1.0
    assert again.estimate("false_alarm_rate").mean == 0.0
    assert again.estimate("gain_after").mean == pytest.approx(again.estimate("gain").mean)
