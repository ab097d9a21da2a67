"""The contract of a protocol, for every one that a scenario can name.

Reports are compared with the enumerated law of one report (`test_reports`, `test_crafted`), counts
with the joint law of the counts of several (`test_counts`): that is everything there is to know
about them. Larger runs check the moments.
"""

import pytest
from support.cases import (
    CASES,
    EXTREMES,
    bind,
    of_kind,
)

from ldptui.core.base.errors import ScenarioError
from ldptui.core.protocols import PROTOCOLS


def test_every_protocol_of_a_scenario_is_tested() -> None:
    assert {case.kind for case in CASES} == set(PROTOCOLS)
    assert {case.kind for case in EXTREMES} == set(PROTOCOLS)


# Parameters.


@pytest.mark.parametrize("kind", PROTOCOLS)
def test_a_budget_too_small_for_doubles_is_refused_in_words(kind: str) -> None:
    with pytest.raises(ScenarioError, match="epsilon"):
        bind(of_kind(kind, 10, 1e-300))
