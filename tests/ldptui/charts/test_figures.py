"""Results and closed forms to charts and tables, exactly."""

from __future__ import annotations

import math
from typing import Any

import pytest
from msgspec.structs import replace
from support.chart_cases import frequencies

from ldptui.charts.figures import ChartTable, TableColumn
from ldptui.charts.figures.frequencies import findings, frequency_table, scores, top_bars
from ldptui.charts.figures.limits import steady_limits
from ldptui.charts.figures.ranks import rank_plot, residuals
from ldptui.charts.series import Plot, Rest, Series
from ldptui.core.view import EstimateSummary, FrequencySummary
from ldptui.session.snapshot import Overlay, Snapshot
from ldptui.text.interval import NORMAL_95


def named(plot: Plot) -> dict[str, Series]:
    return {series.label: series for series in plot.series}


# --- Rank plot


def test_rank_plot_with_an_attack() -> None:
    plot = rank_plot(frequencies())
    found = named(plot)
    assert list(found) == ["true", "before", "after", "targets before", "targets after"]
    assert found["true"].style == "line"
    assert (list(found["true"].x), list(found["true"].y)) == (
        [1, 2, 3, 4, 5],
        [0.5, 0.3, 0.15, 0.04, 0.01],
    )
    assert (list(found["targets after"].x), list(found["targets after"].y)) == ([4], [0.3])
    assert (list(found["targets before"].x), list(found["targets before"].y)) == ([4], [0.05])
    assert (list(found["after"].x), list(found["after"].y)[:3]) == (
        [1, 2, 3, 5],
        [0.48, 0.27, 0.14],
    )
    assert (list(found["before"].x), list(found["before"].y)[:3]) == (
        [1, 2, 3, 5],
        [0.52, 0.29, 0.16],
    )
    assert all(series.style == "points" for label, series in found.items() if label != "true")
    assert plot.x.log
    assert plot.y.log


def test_estimates_that_are_not_positive_are_on_a_labelled_floor() -> None:
    plot = rank_plot(frequencies(clean=(0.52, 0.0, 0.16, 0.05, -0.02)))
    assert plot.note == "1 of 5 estimates ≤ 0"  # of the attacked ones: -0.04
    assert plot.y.ticks is not None
    floor, label = plot.y.ticks[0]
    assert label == "<10⁻³"
    assert named(plot)["after"].y[-1] == floor
    assert plot.y.low is not None
    assert plot.y.low < floor < plot.y.ticks[1][0]
    clean = rank_plot(frequencies(clean=(0.5, 0.0, 0.1, 0.05, -0.02), attacked=None))
    assert clean.note == "2 of 5 estimates ≤ 0"
    assert list(named(clean)) == ["true", "estimate"]


def test_a_tiny_estimate_is_below_the_axis_and_not_below_zero() -> None:
    plot = rank_plot(frequencies(clean=(0.5, 0.3, 0.1, 1e-30, -0.1), attacked=None))
    assert plot.y.ticks is not None
    floor, label = plot.y.ticks[0]
    assert list(named(plot)["estimate"].y[-2:]) == [floor, floor]
    assert label.startswith("<10")
    assert plot.note == "1 of 5 estimates ≤ 0"


def test_small_estimates_widen_an_axis_without_a_floor() -> None:
    true = (0.5, 0.3, 0.15, 0.04, 0.01)
    shown = frequencies(true=true, clean=true, attacked=(0.6, 0.3, 0.09, 0.009, 1e-4), sigma=1e-5)
    plot = rank_plot(shown)
    assert plot.y.low is not None
    assert plot.y.low <= 1e-4


def test_no_floor_where_the_noise_is_far_from_zero() -> None:
    exact = frequencies(clean=(0.5, 0.3, 0.15, 0.04, 0.01), attacked=None, sigma=1e-4)
    plot = rank_plot(exact)
    assert plot.y.ticks is None
    assert plot.note == ""


def test_limits_of_the_rank_plot_stand_still() -> None:
    early = rank_plot(frequencies())
    late = rank_plot(frequencies(attacked=(0.49, 0.28, 0.15, 0.31, -0.01)))
    assert (early.y.low, early.y.high) == (late.y.low, late.y.high)
    out = rank_plot(frequencies(attacked=(0.48, 0.27, 0.14, 3.2, -0.04)))
    assert (out.y.low, out.y.high) == (early.y.low, 5)


def test_an_item_that_nobody_holds_breaks_the_line() -> None:
    plot = rank_plot(frequencies(true=(0.7, 0.3, 0.0, 0.0, 0.0)))
    assert [math.isnan(y) for y in named(plot)["true"].y] == [False, False, True, True, True]


def test_overlay_of_the_same_items_only() -> None:
    other = frequencies(attacked=(0.4, 0.2, 0.1, 0.6, 0.1))
    fewer = frequencies(true=(0.5, 0.5), clean=(0.5, 0.5), attacked=(0.4, 0.6), targets=(1,))
    overlays = laid(("run 1", other), ("run 2", fewer), ("run 3", other))
    plot = rank_plot(frequencies(), overlays)
    found = named(plot)
    assert list(found["targets, run 1"].y) == list(found["targets, run 3"].y) == [0.6]
    assert found["targets, run 1"].tone != found["targets, run 3"].tone
    assert not any("run 2" in name for name in found)
    assert "run 2: other items" in plot.note

    bars = top_bars(frequencies(), 3, overlays=overlays)
    assert [name for name, _ in bars.others] == ["run 1", "run 3"]
    assert bars.bars[0].others == (0.6, 0.6)
    assert "run 2: other items" in bars.note

    scores = residuals(frequencies(), overlays=overlays)
    assert len(named(scores)["targets, run 1"].x) == 1
    assert "run 2: other items" in scores.note

    table = frequency_table(frequencies(), overlays)
    names = [column.name for column in table.columns]
    assert names[names.index("±") + 1 : names.index("change")] == ["run 1", "run 3"]
    target = next(row for row in table.rows if row[1] == "target")
    assert target[names.index("run 3")] == 0.6


def laid(*runs: tuple[str, FrequencySummary]) -> tuple[Overlay, ...]:
    return tuple(
        Overlay(name, Snapshot(place, "done", frequencies=one))
        for place, (name, one) in enumerate(runs)
    )


# --- Bars


def test_bars_targets_first_then_the_most_frequent() -> None:
    bars = top_bars(frequencies(), 3)
    assert [(bar.label, bar.target) for bar in bars.bars] == [
        ("3", True),
        ("0", False),
        ("1", False),
    ]
    first = bars.bars[0]
    assert (first.value, first.before, first.true) == (0.3, 0.05, 0.04)
    assert first.error == pytest.approx(0.02 / 2)  # σ / √4
    rest: Any = bars.rest
    assert (rest.count, rest.targets) == (2, 0)
    left = frequencies()
    assert rest.true == pytest.approx(left.true[2] + left.true[4])
    assert rest.value == pytest.approx(
        left.attacked_estimates.mean[2] + left.attacked_estimates.mean[4]
    )
    assert bars.note == "mean of 4 trials ± standard error"


def test_targets_take_half_of_the_rows_at_most() -> None:
    many = frequencies(targets=(1, 2, 3, 4))
    bars = top_bars(many, 2)
    assert [bar.label for bar in bars.bars] == ["1", "0"]
    rest: Any = bars.rest
    assert (rest.count, rest.targets) == (3, 3)
    assert [bar.label for bar in top_bars(many, 9).bars] == ["1", "2", "3", "4", "0"]
    assert top_bars(many, 9).rest == ""


def test_bars_without_attack() -> None:
    bars = top_bars(frequencies(attacked=None), 9)
    assert [bar.before for bar in bars.bars] == [None] * 5
    assert [bar.value for bar in bars.bars] == [0.52, 0.29, 0.16, 0.05, -0.02]
    assert bars.title == "Top items"


def test_one_trial_has_the_closed_form_error() -> None:
    bars = top_bars(frequencies(trials=1, std=None), 9)
    assert {bar.error for bar in bars.bars} == {0.02}
    assert bars.note == "one trial ± σ"


def test_rest_of_a_domain_that_is_not_all_here() -> None:
    part = replace(frequencies(), domain_size=5000)
    assert top_bars(part, 3).rest == Rest(4997)


# --- Residuals


def test_scores_are_in_units_of_the_deviation_of_the_mean() -> None:
    # σ of one trial 0.02, of the mean of four 0.01.
    assert scores(frequencies(), clean=True) == pytest.approx((2, -1, 1, 1, -3))
    assert scores(frequencies()) == pytest.approx((-2, -3, -1, 26, -5))
    assert math.isnan(scores(frequencies(sigma=0.0))[0])


def test_residuals_to_scale() -> None:
    plot = residuals(frequencies(attacked=None))
    (series,) = plot.series
    assert list(series.y) == pytest.approx([2, -1, 1, 1, -3])
    assert (plot.y.low, plot.y.high) == (-5, 5)
    assert plot.levels == ((NORMAL_95, "+1.96"), (-NORMAL_95, "-1.96"))
    assert plot.note == "40 % outside of ±1.96 (5 % if unbiased)"


def test_far_residuals_are_logarithmic_and_have_room_for_the_whole_run() -> None:
    plot = residuals(frequencies())
    found = named(plot)
    assert list(found["targets"].x) == [3]
    assert list(found["targets"].y) == pytest.approx([26])
    assert (plot.y.low, plot.y.high, plot.y.linear) == (-5, 50, 8)
    assert plot.note.endswith("before the attack 40 %")
    # 26 σ after 4 trials are 260 σ after 400.
    assert residuals(frequencies(), wanted=400).y.high == 500


@pytest.mark.parametrize("attacked", [True, False])
def test_defended_estimates_are_marked_and_listed(attacked: bool) -> None:
    found = frequencies() if attacked else frequencies(attacked=None)
    corrected = EstimateSummary((0.45, 0.25, 0.1, 0.2, 0.0), (0.01,) * 5, (0.01,) * 5)
    arms = {**found.arms, "clean_defended": corrected, "attacked_defended": corrected}
    defended = replace(found, arms=arms)
    series = rank_plot(defended).series[-1]
    assert series.label == ("targets defended" if attacked else "defended")
    assert series.y[0] == (0.2 if attacked else 0.45)
    assert len(series.y) == (1 if attacked else 5)
    assert [series.label for series in rank_plot(found).series] == [
        series.label for series in rank_plot(defended).series[:-1]
    ]
    table = frequency_table(defended)
    place = [column.name for column in table.columns].index("defended")
    assert [row[place] for row in table.rows] == list(corrected.mean)


# --- Limits


def test_steady_limits() -> None:
    assert steady_limits([0, 0.93], [0.949]) == steady_limits([0, 0.93], [])
    assert steady_limits([0, 0.93], []) == pytest.approx((0, 0.95))
    assert steady_limits([0, 0.93], [1.01]) == pytest.approx((0, 1.1))
    assert steady_limits([3e-4, 0.04], [], log=True) == pytest.approx((2e-4, 0.05))
    assert steady_limits([], []) == (None, None)
    assert steady_limits([math.nan], [5.0])[0] is not None
    low, high = steady_limits([2.0], [])
    assert low is not None
    assert high is not None
    assert low <= 2 <= high
    assert low < high


# --- Tables


def test_table_as_text() -> None:
    table = ChartTable("t", (TableColumn("a"), TableColumn("b", 2)), (("x", 0.123456), ("y", None)))
    assert table.as_text() == "a\tb\nx\t0.123456\ny\t\n"


def test_columns_of_numbers() -> None:
    assert TableColumn("", 3).text(0.12345) == "0.123"
    assert TableColumn("", 3, sign=True).text(0.12345) == "+0.123"
    assert TableColumn("", digits=3).text(1.5e-7) == "1.50e-7"
    assert TableColumn("", digits=3).text(0.0) == "0"
    assert TableColumn("").text(0.25) == "0.25"
    assert TableColumn("").text(7) == "7"
    assert TableColumn("", 3).text(None) == "–"


def decoded() -> FrequencySummary:
    """Item 0 detected, 1 missed, 2 detected though nobody holds it, 3 a target, 4 not held."""
    return replace(frequencies(true=(0.5, 0.3, 0.0, 0.2, 0.0)), detected=(1.0, 0.25, 0.5, 1.0, 0.0))


def test_what_is_detected_missed_and_false() -> None:
    found = decoded()
    assert findings(found) == ("detected", "missed", "false", "detected", "")
    assert findings(frequencies()) == ("",) * 5
    plot = rank_plot(found)
    assert [(series.label, len(series.x)) for series in plot.series] == [
        ("true", 5), ("not detected", 2), ("detected", 1), ("falsely detected", 1),
        ("targets before", 1), ("targets after", 1),
    ]  # fmt: skip
    assert len({series.tone for series in plot.series}) == 6  # a mark of its own for each
    assert "2 of 3 detected, 1 falsely" in plot.note


def test_false_findings_have_bars_before_the_rest() -> None:
    bars = top_bars(decoded(), 4).bars
    assert [(bar.label, bar.finding) for bar in bars] == [
        ("3", "detected"), ("2", "false"), ("0", "detected"), ("1", "missed"),
    ]  # fmt: skip
    many = replace(
        frequencies(true=(1.0, *(0.0,) * 9), clean=(0.1,) * 10, attacked=None, trials=1),
        detected=(1.0,) * 10,
    )
    found = [bar.finding for bar in top_bars(many, 8).bars]
    assert found == ["false", "false", "detected", *["false"] * 5]  # a quarter of the rows first


def test_the_table_says_what_was_detected_and_how_often() -> None:
    table = frequency_table(decoded())
    names = [column.name for column in table.columns]
    rows = [dict(zip(names, row, strict=True)) for row in table.rows]
    assert {row["item"]: (row["test"], row["share detected"]) for row in rows} == {
        "0": ("detected", 1.0), "1": ("missed", 0.25), "2": ("false", 0.5),
        "3": ("detected", 1.0), "4": ("", 0.0),
    }  # fmt: skip
    assert "test" not in [column.name for column in frequency_table(frequencies()).columns]
