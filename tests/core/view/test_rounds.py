"""The view of the rounds of a campaign: its closed forms are those of the table."""

from __future__ import annotations

from typing import Any

import pytest
from support.cases import cell

from ldptui.core import Cell
from ldptui.core.view.round_view import RoundExpectations

LASSO = {"bits": 4, "hashes": 2, "cohorts": 2, "items": 60}
SHARED = {"bits": 4, "hashes": 1, "cohorts": 2, "items": 6}
TOLD_APART = {"bits": 16, "hashes": 2, "cohorts": 16, "items": 20}


def campaign(items: int, **filters: Any) -> Cell:
    """Two rounds of RAPPOR under attack."""
    return cell(
        {"kind": "zipf", "items": items, "users": 3000, "exponent": 1.0},
        {"kind": "rappor", "f": 0.25, **filters},
        {"kind": "mga", "share": 0.1, "targets": {"items": [1, 2, 3]}},
        campaign={"rounds": 2},
    )


@pytest.mark.parametrize(
    ("filters", "selects", "indistinct"),
    [(LASSO, True, True), (SHARED, False, True), (TOLD_APART, False, False)],
)
def test_the_timeline_has_a_closed_form_where_the_table_has_one(
    filters: dict[str, Any], selects: bool, indistinct: bool
) -> None:
    one = campaign(**filters)
    protocol: Any = one.protocol
    assert (protocol.design.selects, bool(protocol.design.indistinct)) == (selects, indistinct)
    expected = RoundExpectations.of(one)
    for theory, estimate in zip(expected.theories, expected.estimates, strict=True):
        assert (estimate is None) == (theory["gain"] is None) == selects
