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
from ldptui.core.protocols.hst import UserCoins


def test_every_protocol_of_a_scenario_is_tested() -> None:
    assert {case.kind for case in CASES} == set(PROTOCOLS)
    assert {case.kind for case in EXTREMES} == set(PROTOCOLS)


# Parameters.


@pytest.mark.parametrize("kind", PROTOCOLS)
def test_a_budget_too_small_for_doubles_is_refused_in_words(kind: str) -> None:
    with pytest.raises(ScenarioError, match="epsilon"):
        bind(of_kind(kind, 10, 1e-300))


def test_an_own_bit_without_noise_is_certain_under_hst() -> None:
    """A sender holds one of three targets; the coins of all other items are fair."""
    support = UserCoins(6, 1.0).find_support("unperturbed", 3)
    assert (support.target, support.other) == pytest.approx((2 / 3, 1 / 2))
    assert (support.variance, support.other_variance) == pytest.approx((2 / 4, 3 / 4))
