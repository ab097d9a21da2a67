"""How often intervals cover, measured: exactly where all counts can be listed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom
from support import budget

import ldptui
from ldptui.core.attacks import split
from ldptui.core.base.sampling import Counts, Floats
from ldptui.core.defences.corrections import project
from ldptui.core.law.pure import LocalMechanism
from ldptui.core.reports.counted import Counted
from ldptui.core.reports.coverage import REPETITIONS, coverage, deviations

GRR = ldptui.protocol("grr", items=2, epsilon=1.0)
USERS, WIDTH = 60, 1.96


def estimate(counts: Counts, users: int, protocol: LocalMechanism, **asked: Any) -> Any:
    return ldptui.estimate(Counted(protocol, counts, users), protocol, **asked)


def exact(truth: Floats, corrected: Callable[[Floats], Floats], width: float = WIDTH) -> Floats:
    """The coverage of each of two items: over every number of reports of the first one."""
    held = split(USERS, truth.tolist())
    chances = np.convolve(
        binom.pmf(range(held[0] + 1), held[0], GRR.p),
        binom.pmf(range(held[1] + 1), held[1], GRR.q),
    )
    counts = np.array([[first, USERS - first] for first in range(USERS + 1)])
    estimates = corrected(GRR.estimates(counts, USERS).frequencies)
    half = width * np.array([deviations(GRR, USERS, each) for each in estimates])
    return np.asarray(chances @ (np.abs(estimates - np.array(held) / USERS) <= half))


@pytest.mark.parametrize("corrected", [np.asarray, project])
@pytest.mark.parametrize("truth", [(0.6, 0.4), (0.95, 0.05)])
def test_the_measured_coverage_is_that_of_every_outcome(
    truth: tuple[float, float], corrected: Callable[[Floats], Floats]
) -> None:
    shares = np.array(truth)
    measured = coverage(GRR, USERS, shares, corrected, WIDTH)
    hits = np.rint(measured.items * REPETITIONS)
    assert budget.proportion(hits, REPETITIONS, exact(shares, corrected))
    assert not budget.proportion(hits, REPETITIONS, exact(shares, corrected, WIDTH / 2))
    assert measured.mean == pytest.approx(measured.items.mean())
    assert 0 <= measured.standard_error < 0.5 / REPETITIONS**0.5 + 1e-9


def test_what_is_stated_is_near_the_coverage_of_the_real_truth() -> None:
    """Also of collections whose estimates are a standard deviation off."""
    real = np.array([0.7, 0.3])
    off = float(deviations(GRR, USERS, real)[0])
    for share in (0.7 - off, 0.7, 0.7 + off):
        first = round(USERS * (GRR.q + share * (GRR.p - GRR.q)))
        counts = np.array([first, USERS - first])
        found = estimate(counts, USERS, GRR, corrections=["norm-sub"], coverage=True)
        assert found.measured is not None
        assert found.low is not None
        assert found.measured.mean == pytest.approx(exact(real, project).mean(), abs=0.05)


def test_users_are_whole_and_none_is_lost() -> None:
    assert split(7, [0.5, 0.3, 0.2]) == [4, 2, 1]
    assert sum(split(10**9, [1 / 7] * 7)) == 10**9


def test_intervals_need_a_coverage_after_a_correction() -> None:
    counts = np.array([40, 20])
    assert estimate(counts, USERS, GRR, corrections=["norm-sub"]).std is None
    plain, covered = estimate(counts, USERS, GRR), estimate(counts, USERS, GRR, coverage=True)
    assert covered.low == pytest.approx(plain.low)
    assert "covers" in repr(covered)
    assert [*covered.rows()[0]][-1] == "coverage"
    assert "coverage" not in plain.rows()[0]


def test_of_a_protocol_that_is_not_pure_it_is_refused() -> None:
    protocol: LocalMechanism = ldptui.protocol("cms", items=2, epsilon=1.0)
    with pytest.raises(ldptui.ScenarioError, match="coverage must be left out for a protocol"):
        estimate(np.array([40, 20]), USERS, protocol, coverage=True)
