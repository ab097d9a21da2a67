"""The numbers of docs/reports.md: the overturning shares of a gap of three points."""

from __future__ import annotations

import re

import numpy as np
import pytest
from support.pages import page

from ldptui.core.bounds.claims import Sum, above, overturning_share, report_noise
from ldptui.core.bounds.robust import Ballot, ballot_of
from ldptui.core.protocols import PROTOCOLS

ROWS = re.findall(r"^\| `(\w+)` \| ([\d.]+) \| ([\d.]+) \|$", page("docs/reports.md"), re.M)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_a_gap_of_three_points_is_overturned_by_these_shares(row: tuple[str, str, str]) -> None:
    kind, *shown = row
    claim = above(Sum(np.array([0, 1]), np.array([1.0, -1.0])))
    held = np.zeros(128)
    held[:2] = 0.23, 0.2
    for epsilon, percent in zip((1.0, 4.0), shown, strict=True):
        protocol = PROTOCOLS[kind](kind=kind, epsilon=epsilon).bind(128)
        ballot = ballot_of(protocol)
        noise = report_noise(protocol, 10**6)
        found = overturning_share(claim, ballot.means(held), ballot, noise)
        assert 100 * found.share == pytest.approx(float(percent), abs=6e-4)
    open_vote = overturning_share(claim, held, Ballot(votes=1), lambda *_: 0.0)
    assert open_vote.share == pytest.approx(0.03)


def test_the_table_is_there() -> None:
    assert len(ROWS) == 5
