"""Honest and random reports of every protocol: p and q by counting, and their law."""

import numpy as np
import pytest
from support import budget
from support.budget import Verdict
from support.cases import (
    CASES,
    EXTREMES,
    bind,
    every_case,
    subset_counts_of,
)
from support.report_laws import Case

from ldptui.core.kernels.hashing import buckets
from ldptui.core.law.pure import PureProtocol
from ldptui.core.protocols import LocalHashing

Rng = np.random.Generator


REPORTS = 120_000
"""Reports of each item: 0.01 more of p is 15 deviations over five items."""


# p and q by counting, both ways.


# The joint law of one report.


def honest_reports_follow_their_law(case: Case, protocol: PureProtocol, rng: Rng) -> Verdict:
    """The subsets of the items that the reports of each item support."""
    d = case.domain_size
    seen, law = [], []
    for item in range(d):
        reports = protocol.perturb(np.full(REPORTS, item), rng)
        seen.append(subset_counts_of(protocol.supports(reports)))
        law.append(case.honest(item) / d)
    return budget.law(np.concatenate(seen), np.concatenate(law))


@pytest.mark.every(3)
@every_case
def test_honest_reports_follow_their_law(case: Case, rng: Rng) -> None:
    assert honest_reports_follow_their_law(case, bind(case), rng)


@pytest.mark.every(2)
@pytest.mark.parametrize("case", [c for c in CASES if c.hash_range], ids=str)
def test_hashing_reports_another_bucket_uniformly(case: Case, rng: Rng) -> None:
    """The distance from the own bucket to the one sent; the seed is uniform."""
    protocol, g = bind(case), case.hash_range
    assert g is not None
    assert isinstance(protocol, LocalHashing)
    values = rng.integers(0, case.domain_size, size=500_000)
    reports = protocol.perturb(values, rng)
    own = buckets(values, reports["seed"].copy(), g).astype(int)
    apart = (reports["value"].astype(int) - own) % g
    law = np.full(g, (1 - case.p) / (g - 1))
    law[0] = case.p
    assert budget.law(np.bincount(apart, minlength=g), law)
    assert not budget.law(np.bincount(apart, minlength=g), np.roll(law, 1))
    top_bits = np.bincount(reports["seed"] >> np.uint32(24), minlength=256)
    assert budget.law(top_bits, np.full(256, 1 / 256))
    assert np.unique(reports["seed"]).size > 499_900  # one fresh seed each


@every_case
def test_random_reports_follow_their_law(case: Case, rng: Rng) -> None:
    protocol = bind(case)
    seen = subset_counts_of(protocol.supports(protocol.random_reports(REPORTS, rng)))
    assert budget.law(seen, case.random())
    assert not budget.law(seen, case.honest(0))


# Support counts.


@pytest.mark.every(7)
@pytest.mark.usefixtures("loops")
@pytest.mark.parametrize("case", [*CASES, *EXTREMES], ids=str)
def test_support_counts_add_up_what_reports_support(case: Case, rng: Rng) -> None:
    protocol = bind(case)
    for n in (0, 1, 255, 256, 257):
        values = rng.integers(0, case.domain_size, size=n)
        for reports in (protocol.perturb(values, rng), protocol.random_reports(n, rng)):
            counts = protocol.support_counts(reports)
            assert counts.dtype == np.int64
            assert counts.tolist() == protocol.supports(reports).sum(axis=0).tolist()
