"""Thresholds and RSN against their definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm

from ldptui.core.base.errors import ScenarioError
from ldptui.core.base.sampling import Floats
from ldptui.core.defences import ServerKnowledge, inform_server
from ldptui.core.defences.corrections import (
    BaseCut,
    RobustNormSub,
    Significance,
    noisy_frequency,
    threshold,
)
from ldptui.core.protocols import OUE

KNOWN = ServerKnowledge(10, 1000, 0.5, 0.25, 0.04**2)


@pytest.mark.parametrize("alpha", [0.001, 0.05, 2.0, 5.0])
def test_alpha_items_that_nobody_holds_are_above_the_threshold(alpha: float) -> None:
    limit = threshold(alpha, KNOWN)
    assert 10 * norm.sf(limit / 0.04) == pytest.approx(alpha)
    for d in (10, 10**6):  # no digit is lost where α/d is tiny
        t = threshold(1e-12, ServerKnowledge(d, 1000, variance=1.0))
        assert d * norm.sf(t) == pytest.approx(1e-12, rel=1e-9)


def test_base_cut_and_significance_by_hand() -> None:
    limit = threshold(2.0, KNOWN)
    raw = np.array([[0.7, limit + 0.001, limit, 0.0, -0.2]])
    five = ServerKnowledge(5, 1000, variance=KNOWN.variance)
    alpha = 5 * norm.sf(limit / 0.04)
    assert BaseCut(alpha).correct(raw, five)[0] == pytest.approx([0.7, limit + 0.001, 0, 0, 0])
    rest = (1 - 0.701 - limit) / 3
    kept = Significance(alpha).correct(raw, five)[0]
    assert kept == pytest.approx([0.7, limit + 0.001, rest, rest, rest])


@pytest.mark.parametrize(
    ("make", "rule"),
    [
        (lambda: BaseCut(0.0), r"alpha must be greater than 0, got 0\.0"),
        (lambda: BaseCut(5.5).check(KNOWN), r"alpha must be at most d/2 = 5, so that"),
        (lambda: Significance(1.0), r"alpha must be in \(0, 1\), got 1\.0"),
    ],
)
def test_a_threshold_out_of_range_is_refused(make: object, rule: str) -> None:
    assert callable(make)
    with pytest.raises(ScenarioError, match=rule):
        make()


def looped(frequencies: Floats, there: ServerKnowledge) -> Floats:
    """RSN as the paper writes it, in counts of one trial."""
    n, limit = there.users, 2 * there.users * noisy_frequency(there)
    counts = frequencies * n
    counts = counts + (n - counts.sum()) / counts.size
    while (counts < 0).any():
        deficit = counts[counts < 0].sum()
        counts[counts < 0] = 0
        small = (counts > 0) & (counts < limit)
        if not small.any():
            break
        counts[small] += deficit / small.sum()
    return np.asarray(counts / counts.sum())


@pytest.mark.parametrize("users", [300, 3000, 10**6])
def test_rsn_is_the_papers_loop(rng: np.random.Generator, users: int) -> None:
    oue = OUE(40, 1.0)
    there = inform_server(oue, users, np.array([1]))
    truth = rng.dirichlet(np.full(40, 0.3), 60)
    raw = truth + rng.normal(0, there.std, truth.shape)
    raw[:20, 3] += 0.4  # what an attack adds
    made = RobustNormSub().correct(raw, there)
    assert made == pytest.approx(np.array([looped(row, there) for row in raw]), abs=1e-12)


@pytest.mark.parametrize("users", [10, 1000, 10**9])
def test_the_noise_of_the_noisy_frequency_reaches_zero(users: int) -> None:
    oue = OUE(40, 1.0)
    x = noisy_frequency(inform_server(oue, users, np.array([1])))
    p, q = oue.p, oue.q
    deviation = math.sqrt(users * (x * p * (1 - p) + (1 - x) * q * (1 - q)))
    assert 2 * deviation == pytest.approx(users * (p - q) * x)
