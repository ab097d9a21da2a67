"""Differences between groups: alarms where there is none, and where there is one."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from support import budget

import ldptui
from ldptui.core.base.sampling import Counts
from ldptui.core.law.mechanism import LocalMechanism, is_a
from ldptui.core.law.moments import Unbiased
from ldptui.core.protocols import KINDS
from ldptui.core.theory import Difference, differences

TRIALS, ITEMS = 600, 6
UNBIASED = [
    kind
    for kind, spec in KINDS.items()
    if is_a(spec.mechanism, LocalMechanism)
    and isinstance(ldptui.protocol(kind, ITEMS, epsilon=1.0), Unbiased)
]
USERS = (120, 900, 40_000)
"""One group so small that few of its reports support a rare item."""


def alarms(protocol: Any, truths: Any, confidence: float, users: Any = USERS) -> list[bool]:
    """Whether each trial shows a difference. truths : float64[groups, d]."""
    rng, shown = np.random.default_rng(3), []
    drawn = [
        draw_counts(protocol, rng.multinomial(n, truth, size=TRIALS), rng)
        for n, truth in zip(users, truths, strict=True)
    ]
    for trial in range(TRIALS):
        found, comparisons = differences(
            protocol, [counts[trial] for counts in drawn], users, confidence
        )
        assert comparisons == 3 * protocol.domain_size
        shown.append(bool(found))
    return shown


def draw_counts(protocol: Any, held: Counts, rng: Any) -> Counts:
    """The counts [TRIALS, d] of users who hold int64[TRIALS, d] items."""
    if not protocol.by_reports:
        return np.asarray(protocol.sample_counts(held, rng))
    items = np.arange(protocol.domain_size)
    made = [protocol.support_counts(protocol.perturb(np.repeat(items, row), rng)) for row in held]
    return np.array(made)


@pytest.mark.every(20)
@pytest.mark.parametrize("kind", UNBIASED)
def test_equal_groups_raise_few_alarms(kind: str) -> None:
    protocol = ldptui.protocol(kind, ITEMS, epsilon=1.0)
    truth = np.array([0.5, 0.2, 0.15, 0.1, 0.05, 0.0])
    shown = alarms(protocol, [truth] * 3, 0.8)
    seen = sum(shown)
    assert budget.proportion(seen, TRIALS, min(0.2, seen / TRIALS))
    other = np.array([0.2, 0.5, 0.15, 0.1, 0.05, 0.0])
    found = sum(alarms(protocol, [truth, truth, other], 0.8))
    assert not budget.proportion(found, TRIALS, min(0.2, found / TRIALS))


def test_a_small_group_of_rare_supports_raises_few_alarms() -> None:
    """GRR among 2,000 items: one report in a small group is ten normal deviations."""
    protocol = ldptui.protocol("grr", 2000, epsilon=6.0)
    truth = np.full(2000, 1 / 2000)
    shown = sum(alarms(protocol, [truth] * 3, 0.8, (150, 300, 400_000)))
    assert budget.proportion(shown, TRIALS, min(0.2, shown / TRIALS))


@pytest.mark.long
def test_by_normal_scores_alone_the_small_group_does(monkeypatch: pytest.MonkeyPatch) -> None:
    module = sys.modules[Difference.__module__]
    monkeypatch.setattr(module, "_supports_or_is_silent", lambda protocol: False)
    with pytest.raises(AssertionError):
        test_a_small_group_of_rare_supports_raises_few_alarms()


def test_differences_are_told_with_their_groups() -> None:
    protocol = ldptui.protocol("oue", 3, epsilon=2.0)
    counts: list[Counts] = []
    for truth in ([6000, 3000, 1000], [6000, 3000, 1000], [3000, 6000, 1000], [50, 0, 0]):
        rng = np.random.default_rng(0)
        counts.append(protocol.sample_counts(np.array([truth]), rng)[0])
    found, comparisons = differences(protocol, counts, [10_000, 10_000, 10_000, 50], 0.95)
    assert comparisons == 9
    assert {(each.item, each.first, each.second) for each in found} == {
        (0, 0, 2), (0, 1, 2), (1, 0, 2), (1, 1, 2),
    }  # fmt: skip
    for each in found:
        assert isinstance(each, Difference)
        assert each.value == pytest.approx(0.3 if each.item == 0 else -0.3, abs=0.1)
        assert each.p_value < 1e-6
    assert differences(protocol, counts[:1], [10_000], 0.95) == ([], 0)
