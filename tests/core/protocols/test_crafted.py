"""Crafted reports of every protocol: their law, their counts, and what one of them supports."""

from typing import Any

import numpy as np
import pytest
from support import budget
from support.cases import (
    CASES,
    bind,
    subset_counts_of,
)
from support.report_laws import Case

from ldptui.core.law.law import Ask
from ldptui.core.law.pure import SeedSearch
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
