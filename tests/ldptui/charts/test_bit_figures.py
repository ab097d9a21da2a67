"""RAPPOR's bit counts as a chart of one cohort and as a table, from numbers made by hand."""

from __future__ import annotations

import math

import pytest
from msgspec.structs import replace
from support.bit_cases import BITS

from ldptui.charts.figures.bit_counts import (
    bit_plot,
    bit_table,
    expected_shares,
    scores,
    share_std,
    shares,
)

UNKNOWN = replace(BITS, expected_users=None, users_std=None, expected_counts=None, counts_std=None)


def test_a_count_is_debiased_by_the_users_of_its_cohort() -> None:
    assert shares(BITS, 0) == pytest.approx((0.5, -0.1))
    assert shares(BITS, 1) == ()  # nobody is in it
    assert expected_shares(BITS, 0) == pytest.approx((0.5, 0.0))
    assert expected_shares(BITS, 1) == pytest.approx((0.0, 1.0))
    assert expected_shares(UNKNOWN, 0) is None
    assert share_std(BITS, 0) == pytest.approx(math.sqrt(0.25 / 400) / 0.25)


def test_scores_are_in_deviations_of_the_count() -> None:
    assert scores(BITS, 0) == pytest.approx((2.5, 0.0))
    assert scores(BITS, 1) == pytest.approx((-10.0, 0.0))  # no division by a σ of 0
    assert scores(UNKNOWN, 0) is None


def test_the_chart_of_a_cohort() -> None:
    plot = bit_plot(BITS, 0, 10)
    spikes, marks = plot.series
    assert (spikes.label, marks.label) == ("estimated", "expected")
    assert list(spikes.y)[:2] == pytest.approx([0.0, 0.5])
    assert list(spikes.y)[3:5] == pytest.approx([0.0, -0.1])
    assert list(marks.y) == pytest.approx([0.5, 0.0])
    assert plot.note == "400 users, 380 ± 10 expected; 1 of 2 counts beyond ±1.96σ"
    attacked = bit_plot(BITS, 0, 10, attacked=True)
    assert [series.label for series in attacked.series] == [
        "estimated",
        "genuine users",
        "expected",
    ]
    assert len({series.tone for series in attacked.series}) == 3
    narrow = bit_plot(BITS, 0, 1).series[1]
    assert (list(narrow.x), list(narrow.y)) == ([0], pytest.approx([0.5]))  # the bit set most


def test_a_cohort_without_a_user_says_so() -> None:
    plot = bit_plot(BITS, 1, 10)
    assert [series.label for series in plot.series] == ["expected"]
    assert "no user: left out of decoding" in plot.note
    assert all(math.isfinite(y) for series in plot.series for y in series.y)


def test_what_is_not_known_is_not_drawn() -> None:
    plot = bit_plot(UNKNOWN, 0, 10, attacked=True)
    assert [series.label for series in plot.series] == ["estimated", "genuine users"]
    assert plot.note == "400 users"


def test_the_table_has_every_bit_of_every_cohort() -> None:
    table = bit_table(BITS)
    names = [column.name for column in table.columns]
    rows = [dict(zip(names, row, strict=True)) for row in table.rows]
    assert [(row["cohort"], row["bit"]) for row in rows] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert rows[0]["z"] == pytest.approx(2.5)
    assert rows[0]["share"] == pytest.approx(0.5)
    assert (rows[2]["share"], rows[2]["±"], rows[2]["genuine"]) == (None, None, 0.25)
    assert bit_table(UNKNOWN).rows[0][names.index("expected")] is None
    assert "more cohorts" not in table.title
    assert "7 more cohorts not shown" in bit_table(replace(BITS, cohorts=9)).title
