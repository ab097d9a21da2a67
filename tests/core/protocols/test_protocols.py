"""The contract of a protocol, for every one that a scenario can name.

Reports are compared with the enumerated law of one report (`test_reports`, `test_crafted`), counts
with the joint law of the counts of several (`test_counts`): that is everything there is to know
about them. Larger runs check the moments.
"""

from collections.abc import Callable

import pytest
from support.cases import (
    CASES,
    EXTREMES,
    bind,
    of_kind,
)

from ldptui.core.base.errors import ScenarioError
from ldptui.core.law.pure import PureProtocol
from ldptui.core.protocols import BLH, GRR, OLH, OUE, PROTOCOLS, SUE


def test_every_protocol_of_a_scenario_is_tested() -> None:
    assert {case.kind for case in CASES} == set(PROTOCOLS)
    assert {case.kind for case in EXTREMES} == set(PROTOCOLS)


# Parameters.


@pytest.mark.parametrize("make", [GRR, SUE, OUE, BLH, OLH])
@pytest.mark.parametrize(("d", "epsilon"), [(1, 1.0), (0, 1.0), (2, 0.0), (2, -1.0), (2, 20.1)])
def test_parameters_out_of_range_are_refused(
    make: Callable[[int, float], PureProtocol], d: int, epsilon: float
) -> None:
    with pytest.raises(ScenarioError, match="must be"):
        make(d, epsilon)


@pytest.mark.parametrize("kind", PROTOCOLS)
def test_a_budget_too_small_for_doubles_is_refused_in_words(kind: str) -> None:
    with pytest.raises(ScenarioError, match="epsilon"):
        bind(of_kind(kind, 10, 1e-300))
