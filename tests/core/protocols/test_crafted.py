"""Crafted reports of every protocol: their law, their counts, and what one of them supports."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from support import budget
from support.cases import (
    CASES,
    bind,
    outcomes_of,
    subset_counts_of,
)
from support.report_laws import Case, Moments, counts_law

from ldptui.core.law.law import Ask
from ldptui.core.law.pure import PlacedItems, SeedSearch
from ldptui.core.law.support import Support
from ldptui.core.protocols import OUE

Rng = np.random.Generator


# Crafted reports. Few seeds, so that the search often fails and its law shows.


CRAFTED = [
    (case, targets, scoring)
    for case in CASES
    for targets in ([3], [3, 0, 4], [0, 1, 2, 3, 4])
    for scoring in (("anchor", "bucket") if case.hash_range else ("anchor",))
]
every_craft = pytest.mark.parametrize(("case", "targets", "scoring"), CRAFTED, ids=str)
REPORTS, TRIALS, SEEDS = 120_000, 20_000, 3


@pytest.mark.every(4)
@every_craft
def test_crafted_reports_follow_their_law(
    case: Case, targets: list[int], scoring: Any, rng: Rng
) -> None:
    protocol = bind(case)
    reports = protocol.craft(np.array(targets), REPORTS, SeedSearch(SEEDS, scoring), rng)
    seen = subset_counts_of(protocol.supports(reports))
    assert budget.law(seen, case.crafted(targets, SEEDS, scoring))
    if case.searches and len(targets) > 1:  # one seed fewer
        assert not budget.law(seen, case.crafted(targets, SEEDS - 1, scoring))
    if len(targets) == 3:
        assert not budget.law(seen, case.crafted([3, 1, 2], SEEDS, scoring))


@pytest.mark.every(11)
@every_craft
def test_crafted_counts_follow_their_joint_law(
    case: Case, targets: list[int], scoring: Any, rng: Rng
) -> None:
    """Two fakes, the joint law of all five counts: of the matched targets, and of the padding."""
    protocol, search = bind(case), SeedSearch(SEEDS, scoring)
    drawn = protocol.find_law(Ask("crafted", np.array(targets), search)).counts(
        np.full(TRIALS, 2), rng
    )
    outcomes = outcomes_of(case, drawn, 2)
    law = case.crafted(targets, SEEDS, scoring)
    assert budget.law(outcomes, counts_law([law, law]))
    if case.searches and len(targets) > 1:
        fewer = case.crafted(targets, SEEDS - 1, scoring)
        assert not budget.law(outcomes, counts_law([fewer, fewer]))


def test_no_padding_where_the_targets_are_more_than_the_expected_ones(rng: Rng) -> None:
    protocol = OUE(6, 3.0)  # 1/2 + 5/21 ones expected
    assert protocol.padding(1) == protocol.padding(4) == 0
    reports = protocol.craft(np.array([5, 0, 1, 2]), 100, SeedSearch(), rng)
    assert protocol.support_counts(reports).tolist() == [100, 100, 100, 0, 0, 100]
    counts = protocol.find_law(Ask("crafted", np.array([5, 0, 1, 2]), SeedSearch())).counts(
        np.array([100]), rng
    )
    assert counts.tolist() == [[100, 100, 100, 0, 0, 100]]


# The support of one report, towards r targets.


def supported(law: Any, targets: list[int]) -> tuple[float, float, float]:
    """Rate of a target (their mean), of another item (or 0), variance of the targets' number."""
    moments = Moments.of(law)
    rates = moments.mean
    others = np.delete(rates, targets)
    variance = moments.covariance[np.ix_(targets, targets)].sum()
    return float(rates[targets].mean()), float(others.mean() if others.size else 0), variance


def same(claimed: Support, law: Any, targets: list[int]) -> bool:
    target, other, variance = supported(law, targets)
    found = [target, other, variance]
    everything = len(targets) == len(Moments.of(law).mean)
    given = [claimed.target, 0 if everything else claimed.other, claimed.variance]
    return bool(np.allclose(given, found, rtol=1e-9, atol=1e-12))


@every_craft
def test_supports_of_theory_are_those_of_the_law(
    case: Case, targets: list[int], scoring: Any
) -> None:
    protocol, r, search = bind(case), len(targets), SeedSearch(SEEDS, scoring)
    if isinstance(
        protocol, PlacedItems
    ):  # towards the first items; towards others see tests/core/attacks
        targets = list(range(r))
    crafted = protocol.find_support("crafted", r, search)
    assert same(protocol.find_support("honest", r), case.held(targets), targets)
    assert same(protocol.find_support("random", r), case.random(), targets)
    assert same(crafted, case.crafted(targets, SEEDS, scoring), targets)
    assert not same(replace(crafted, target=crafted.target - 0.01), case.random(), targets)
