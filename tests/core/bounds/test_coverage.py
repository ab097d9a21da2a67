"""What robust intervals hold, of many items at once, against the intervals themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.kinds import ONE_OF_EACH

from ldptui.core.bounds import coverage
from ldptui.core.bounds.coverage import covered
from ldptui.core.bounds.robust import ballot_of, robust_intervals
from ldptui.core.protocols import KINDS, PROTOCOLS

ITEMS = 60


def counted(protocol: Any, users: int, share: float) -> tuple[Any, Any, int]:
    """Estimates of six trials with fakes at two items, what is true, and the number of reports."""
    rng = np.random.default_rng(8)
    held = rng.multinomial(users, rng.dirichlet(np.full(ITEMS, 0.3)))
    fakes = round(users * share / (1 - share))
    counts = protocol.sample_counts(np.tile(held, (6, 1)), rng)
    counts[:, :2] += fakes // 2
    return protocol.estimates(counts, users + fakes).frequencies, held / users, users + fakes


@pytest.mark.parametrize("kind", [kind for kind in ONE_OF_EACH if kind in PROTOCOLS])
@pytest.mark.parametrize("users", [500, 10**4, 10**9])
def test_each_interval_is_asked_or_known_to_hold(
    kind: str, users: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    protocol = KINDS[kind](kind=kind, epsilon=1.0).bind(ITEMS)
    unlike = 0
    for share in (0.0, 0.001, 0.05, 0.3):
        estimates, truth, reports = counted(protocol, users, share)
        means = ballot_of(protocol).means(estimates)
        low, high = robust_intervals(protocol, means, reports, share)
        holds = (low <= truth) & (truth <= high)
        assert (covered(protocol, estimates, truth, reports, share) == holds).all()
        with monkeypatch.context() as patch:  # more noise than there is
            patch.setattr(coverage, "deviation", lambda _, ends, reports: np.ones_like(ends))
            patch.setattr(coverage, "skewed_at", lambda ends, reports: np.zeros(1, dtype=bool))
            unlike += (covered(protocol, estimates, truth, reports, share) != holds).sum()
    assert unlike
