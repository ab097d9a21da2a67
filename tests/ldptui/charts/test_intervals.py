"""The chart of intervals: those of the bounds, of every trust, wider as β grows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from support.cases import attack, experiment
from support.chart_cases import frequencies as five_items

from ldptui.charts.chart_data import ChartData
from ldptui.charts.figures import Frame, intervals
from ldptui.core import run
from ldptui.core.base.arms import ATTACKED
from ldptui.core.bounds.claims import Sum, above, overturning_share
from ldptui.core.bounds.robust import ballot_of, robust_intervals
from ldptui.core.theory.evidence import of_cell
from ldptui.core.view import Ends
from ldptui.core.view.estimated import LEADING, frequencies
from ldptui.session.snapshot import Snapshot

COUNTS = [4000, 3000, 1500, 800, 400, 200, 50, 30, 10, 10, 0, 0]


def drawn(share: float, trust: dict[str, Any] | None = None, **more: Any) -> tuple[Any, Any, Ends]:
    table = {} if trust is None else {"trust": trust}
    protocol = {"kind": "grr", "epsilon": 2.0}
    work = experiment(COUNTS, protocol, attack("mga", share, [11]), trials=3, **table, **more)
    *_, last = run(work)
    [cell], [measured] = work.cells, last.results.cells
    found = frequencies(cell, measured, {})
    assert found is not None
    assert found.ends is not None
    return cell, measured.arms[ATTACKED].mean, found.ends


def test_the_ends_are_those_of_the_bounds() -> None:
    cell, mean, ends = drawn(0.05)
    reports = cell.users + cell.malicious
    means = ballot_of(cell.pure).means(mean)
    order = np.argsort(-mean, kind="stable")
    low, high = robust_intervals(cell.pure, means, reports, cell.malicious / reports)
    assert ends.low == pytest.approx(low[order[:LEADING]])
    assert ends.high == pytest.approx(high[order[:LEADING]])
    assert ends.estimates == pytest.approx(mean[order[:LEADING]])
    evidence = of_cell(cell, mean)
    claim = above(Sum(order[:2], np.array([1.0, -1.0])))
    found = overturning_share(claim, means, evidence.ballot, evidence.noise)
    assert ends.overturning[0] == pytest.approx(found.share)


def test_the_robust_intervals_widen_with_beta_and_hold_where_naive_ones_do_not() -> None:
    widths = []
    for share in (0.02, 0.1):
        *_, ends = drawn(share)
        seen = replace(five_items(), ends=ends)
        frame = intervals.frame(ChartData(run=Snapshot(1, "done", frequencies=seen)), {})
        assert isinstance(frame, Frame)
        plot = frame.views[""].draw(None, (80, 24))
        widths.append(np.subtract(ends.high, ends.low)[:3])
        assert plot.note.startswith("the truth lies inside 10 of 10, ")
        assert int(plot.note.split()[-1]) < 10
        assert [row[2] for row in frame.table.rows] == list(ends.estimates)
        assert [column.name for column in frame.table.columns][-2:] == ["β*", "true"]
    assert (widths[0] < widths[1]).all()
    alone = intervals.intervals_plot("", replace(ends, share=0.0), None)
    assert [series.label for series in alone.series] == ["if nobody is fake"]


def test_a_server_that_adds_up_is_told_more() -> None:
    """A fake is worth one user: the set of an item is β/(1 − β) wide."""
    *_, local = drawn(0.1)
    for trust in ({"kind": "aggregated"}, {"kind": "curator"}):
        _, _, ends = drawn(0.1, trust)
        width = ends.high[0] - ends.low[0]
        assert 0.1 / 0.9 < width < 0.1 / 0.9 + 0.02 < local.high[0] - local.low[0]
        assert ends.overturning[-1] is not None


def test_what_nothing_bounds_has_no_intervals() -> None:
    oue = {"kind": "she", "epsilon": 1.0}
    [cell] = experiment(COUNTS, oue, None).cells
    assert not cell.has_evidence
