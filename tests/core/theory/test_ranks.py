"""Simultaneous intervals and the confidence that an item is in the top k: their coverage."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from support import budget

from ldptui.core.base.sampling import Floats
from ldptui.core.protocols import OUE
from ldptui.core.theory import (
    item_variances,
    simultaneous_confidence,
    simultaneous_width,
    top_confidence,
)

TRIALS, USERS, ITEMS, TOP = 4000, 20_000, 12, 3
CONFIDENCE = 0.9


def collections() -> tuple[Floats, Floats, Floats]:
    """Frequencies close together around the third place; estimates and deviations of trials."""
    truth = np.array([0.2, 0.16, 0.12, 0.112, 0.1, *[0.308 / 7] * 7])
    protocol, rng = OUE(ITEMS, 1.0), np.random.default_rng(5)
    histogram = np.round(truth * USERS).astype(np.int64)
    counts = protocol.sample_counts(np.tile(histogram, (TRIALS, 1)), rng)
    estimates = protocol.estimates(counts, int(histogram.sum())).frequencies
    clipped = np.clip(estimates, 0, 1)
    spread = np.sqrt([item_variances(protocol, USERS, each) for each in clipped])
    return histogram / histogram.sum(), estimates, spread


def no_more(misses: int, chance: float) -> budget.Verdict:
    """A verdict on misses that are to be as rare as `chance`, or rarer."""
    return budget.proportion(misses, TRIALS, min(chance, misses / TRIALS))


def test_simultaneous_intervals_cover_together() -> None:
    truth, estimates, spread = collections()
    width = simultaneous_width(ITEMS, CONFIDENCE)
    inside = (np.abs(estimates - truth) <= width * spread).all(axis=1)
    assert no_more(int((~inside).sum()), 1 - CONFIDENCE)
    assert (~inside).mean() > 0.5 * (1 - CONFIDENCE)  # no wider than they have to be
    single = (np.abs(estimates - truth) <= simultaneous_width(1, CONFIDENCE) * spread).all(axis=1)
    assert not no_more(int((~single).sum()), 1 - CONFIDENCE)


def wrongly(named: Callable[[Floats, Floats], Floats]) -> int:
    """Trials in which an item that is not among the top is named with CONFIDENCE."""
    _, estimates, spread = collections()
    return sum(
        bool((named(values, deviations)[TOP:] >= CONFIDENCE).any())
        for values, deviations in zip(estimates, spread, strict=True)
    )


def test_items_named_in_the_top_are_there() -> None:
    assert no_more(wrongly(lambda values, spread: top_confidence(values, spread, TOP)), 0.1)
    _, estimates, spread = collections()
    named = [top_confidence(*each, TOP)[:TOP] for each in zip(estimates, spread, strict=True)]
    assert (np.array(named)[:, 0] >= CONFIDENCE).mean() > 0.8  # the first item is found


@pytest.mark.parametrize("items", [1, 2, 500, 2**20])
def test_width_and_confidence_are_inverse(items: int) -> None:
    for confidence in (0.5, 0.95, 0.999):
        width = simultaneous_width(items, confidence)
        assert simultaneous_confidence(items, width) == pytest.approx(confidence, rel=1e-6)
    assert simultaneous_confidence(items, 0.0) == 0


def test_plain_cases_of_the_top() -> None:
    values, spread = np.array([0.5, 0.3, 0.2]), np.full(3, 0.01)
    assert top_confidence(values, spread, 3).tolist() == [1, 1, 1]
    by_hand = [simultaneous_confidence(3, (0.5 - 0.3) / 0.02), 0, 0]
    assert top_confidence(values, spread, 1).tolist() == pytest.approx(by_hand)
    by_hand = [simultaneous_confidence(3, 0.3 / 0.02), simultaneous_confidence(3, 0.1 / 0.02), 0]
    assert top_confidence(values, spread, 2).tolist() == pytest.approx(by_hand)
