"""Results and closed forms to charts and tables, exactly."""

from __future__ import annotations

import dataclasses
import math

import pytest
from msgspec.structs import replace
from support.chart_cases import along, cells, frequencies, scenario, swept

from ldptui.charts import curves, figures
from ldptui.charts.draw.marks import marks_of
from ldptui.charts.figures.curves import coinciding
from ldptui.charts.figures.maps import cell_words
from ldptui.charts.figures.measurement import Coordinates, Over
from ldptui.charts.rows import DARK, Look
from ldptui.charts.series import Plot, Rest, Series
from ldptui.core import compile, theory
from ldptui.core.base.summary import Estimate
from ldptui.core.bounds.programme import optimum
from ldptui.core.law.mechanism import is_a
from ldptui.core.law.pure import PlacedItems
from ldptui.core.protocols import KINDS
from ldptui.core.view import Estimates, Frequencies
from ldptui.session.cells import Cells, same_settings
from ldptui.session.draft import UnreadError, ready
from ldptui.session.snapshot import Overlay, Snapshot
from ldptui.text.interval import reach_95


def named(plot: Plot) -> dict[str, Series]:
    return {series.label: series for series in plot.series}


# --- Rank plot


def test_rank_plot_with_an_attack() -> None:
    plot = figures.rank_plot(frequencies())
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
    plot = figures.rank_plot(frequencies(clean=(0.52, 0.0, 0.16, 0.05, -0.02)))
    assert plot.note == "1 of 5 estimates ≤ 0"  # of the attacked ones: -0.04
    assert plot.y.ticks is not None
    floor, label = plot.y.ticks[0]
    assert label == "<10⁻³"
    assert named(plot)["after"].y[-1] == floor
    assert plot.y.low is not None
    assert plot.y.low < floor < plot.y.ticks[1][0]
    clean = figures.rank_plot(frequencies(clean=(0.5, 0.0, 0.1, 0.05, -0.02), attacked=None))
    assert clean.note == "2 of 5 estimates ≤ 0"
    assert list(named(clean)) == ["true", "estimate"]


def test_a_tiny_estimate_is_below_the_axis_and_not_below_zero() -> None:
    plot = figures.rank_plot(frequencies(clean=(0.5, 0.3, 0.1, 1e-30, -0.1), attacked=None))
    assert plot.y.ticks is not None
    floor, label = plot.y.ticks[0]
    assert list(named(plot)["estimate"].y[-2:]) == [floor, floor]
    assert label.startswith("<10")
    assert plot.note == "1 of 5 estimates ≤ 0"


def test_small_estimates_widen_an_axis_without_a_floor() -> None:
    true = (0.5, 0.3, 0.15, 0.04, 0.01)
    shown = frequencies(true=true, clean=true, attacked=(0.6, 0.3, 0.09, 0.009, 1e-4), sigma=1e-5)
    plot = figures.rank_plot(shown)
    assert plot.y.low is not None
    assert plot.y.low <= 1e-4


def test_no_floor_where_the_noise_is_far_from_zero() -> None:
    exact = frequencies(clean=(0.5, 0.3, 0.15, 0.04, 0.01), attacked=None, sigma=1e-4)
    plot = figures.rank_plot(exact)
    assert plot.y.ticks is None
    assert plot.note == ""


def test_limits_of_the_rank_plot_stand_still() -> None:
    early = figures.rank_plot(frequencies())
    late = figures.rank_plot(frequencies(attacked=(0.49, 0.28, 0.15, 0.31, -0.01)))
    assert (early.y.low, early.y.high) == (late.y.low, late.y.high)
    out = figures.rank_plot(frequencies(attacked=(0.48, 0.27, 0.14, 3.2, -0.04)))
    assert (out.y.low, out.y.high) == (early.y.low, 5)


def test_an_item_that_nobody_holds_breaks_the_line() -> None:
    plot = figures.rank_plot(frequencies(true=(0.7, 0.3, 0.0, 0.0, 0.0)))
    assert [math.isnan(y) for y in named(plot)["true"].y] == [False, False, True, True, True]


def test_overlay_of_the_same_items_only() -> None:
    other = frequencies(attacked=(0.4, 0.2, 0.1, 0.6, 0.1))
    fewer = frequencies(true=(0.5, 0.5), clean=(0.5, 0.5), attacked=(0.4, 0.6), targets=(1,))
    overlays = laid(("run 1", other), ("run 2", fewer), ("run 3", other))
    plot = figures.rank_plot(frequencies(), overlays)
    found = named(plot)
    assert list(found["targets, run 1"].y) == list(found["targets, run 3"].y) == [0.6]
    assert found["targets, run 1"].tone != found["targets, run 3"].tone
    assert not any("run 2" in name for name in found)
    assert "run 2: other items" in plot.note

    bars = figures.top_bars(frequencies(), 3, overlays=overlays)
    assert [name for name, _ in bars.others] == ["run 1", "run 3"]
    assert bars.bars[0].others == (0.6, 0.6)
    assert "run 2: other items" in bars.note

    scores = figures.residuals(frequencies(), overlays=overlays)
    assert len(named(scores)["targets, run 1"].x) == 1
    assert "run 2: other items" in scores.note

    table = figures.frequency_table(frequencies(), overlays)
    names = [column.name for column in table.columns]
    assert names[names.index("±") + 1 : names.index("change")] == ["run 1", "run 3"]
    target = next(row for row in table.rows if row[1] == "target")
    assert target[names.index("run 3")] == 0.6


def laid(*runs: tuple[str, Frequencies]) -> tuple[Overlay, ...]:
    return tuple(
        Overlay(name, Snapshot(place, "done", frequencies=one))
        for place, (name, one) in enumerate(runs)
    )


# --- Bars


def test_bars_targets_first_then_the_most_frequent() -> None:
    bars = figures.top_bars(frequencies(), 3)
    assert [(bar.label, bar.target) for bar in bars.bars] == [
        ("3", True),
        ("0", False),
        ("1", False),
    ]
    first = bars.bars[0]
    assert (first.value, first.before, first.true) == (0.3, 0.05, 0.04)
    assert first.error == pytest.approx(0.02 / 2)  # σ / √4
    assert bars.rest == Rest(2, true=pytest.approx(0.16), value=pytest.approx(0.1))
    assert bars.note == "mean of 4 trials ± standard error"


def test_targets_take_half_of_the_rows_at_most() -> None:
    many = frequencies(targets=(1, 2, 3, 4))
    bars = figures.top_bars(many, 2)
    assert [bar.label for bar in bars.bars] == ["1", "0"]
    assert bars.rest == Rest(3, 3, pytest.approx(0.2), pytest.approx(0.4))
    assert [bar.label for bar in figures.top_bars(many, 9).bars] == ["1", "2", "3", "4", "0"]
    assert figures.top_bars(many, 9).rest == ""


def test_bars_without_attack() -> None:
    bars = figures.top_bars(frequencies(attacked=None), 9)
    assert [bar.before for bar in bars.bars] == [None] * 5
    assert [bar.value for bar in bars.bars] == [0.52, 0.29, 0.16, 0.05, -0.02]
    assert bars.title == "Most frequent items"


def test_one_trial_has_the_closed_form_error() -> None:
    bars = figures.top_bars(frequencies(trials=1, std=None), 9)
    assert {bar.error for bar in bars.bars} == {0.02}
    assert bars.note == "one trial ± σ"


def test_rest_of_a_domain_that_is_not_all_here() -> None:
    part = replace(frequencies(), domain_size=5000)
    assert figures.top_bars(part, 3).rest == Rest(4997, true=pytest.approx(0.16))


def test_compact_bars_have_few_words() -> None:
    bars = figures.top_bars(frequencies(), 3, compact=True)
    assert bars.title == "Targets, top items"
    assert bars.note == "mean of 4 trials ± std error"
    assert figures.top_bars(frequencies(), 3, note="old").note == "old; ± standard error"


# --- Residuals


def test_scores_are_in_units_of_the_deviation_of_the_mean() -> None:
    # σ of one trial 0.02, of the mean of four 0.01.
    assert figures.scores(frequencies(), clean=True) == pytest.approx((2, -1, 1, 1, -3))
    assert figures.scores(frequencies()) == pytest.approx((-2, -3, -1, 26, -5))
    assert math.isnan(figures.scores(frequencies(sigma=0.0))[0])


def test_residuals_to_scale() -> None:
    plot = figures.residuals(frequencies(attacked=None))
    (series,) = plot.series
    assert list(series.y) == pytest.approx([2, -1, 1, 1, -3])
    assert (plot.y.low, plot.y.high) == (-5, 5)
    assert plot.levels == ((figures.NORMAL_95, "+1.96"), (-figures.NORMAL_95, "-1.96"))
    assert plot.note == "40 % outside of ±1.96 (5 % if unbiased)"


def test_far_residuals_compress_the_scale() -> None:
    plot = figures.residuals(frequencies())
    found = named(plot)
    assert list(found["targets"].x) == [3]
    assert list(found["targets"].y) == pytest.approx([math.asinh(13)])
    assert plot.y.label.endswith("compressed")
    assert plot.y.high == pytest.approx(math.asinh(25))
    assert plot.y.low == pytest.approx(-math.asinh(2.5))
    assert plot.y.ticks is not None
    assert [label for _, label in plot.y.ticks] == ["0", "10"]
    assert plot.note.endswith("before the attack 40 %")


def test_axis_has_room_for_the_bias_of_the_whole_run() -> None:
    # 26 σ after 4 trials are 260 σ after 400.
    early = figures.residuals(frequencies(), wanted=400)
    assert early.y.high == pytest.approx(math.asinh(250))


def test_many_items_come_as_least_and_greatest_of_neighbours() -> None:
    d = 1000
    values = tuple(0.01 * ((at * 37) % 11 - 5) for at in range(d))
    many = frequencies(true=(0.0,) * d, clean=values, attacked=None, trials=1, sigma=0.01, std=None)
    (series,) = figures.residuals(many, columns=20).series
    assert len(series.x) <= 80
    assert (min(series.y), max(series.y)) == pytest.approx((-5, 5))
    assert list(series.x) == sorted(series.x)


@pytest.mark.parametrize("attacked", [True, False])
def test_defended_estimates_are_marked_and_listed(attacked: bool) -> None:
    found = frequencies() if attacked else frequencies(attacked=None)
    corrected = Estimates((0.45, 0.25, 0.1, 0.2, 0.0), (0.01,) * 5, (0.01,) * 5)
    arms = {**found.arms, "clean_defended": corrected, "attacked_defended": corrected}
    defended = replace(found, arms=arms)
    series = figures.rank_plot(defended).series[-1]
    assert series.label == ("targets defended" if attacked else "defended")
    assert series.y[0] == (0.2 if attacked else 0.45)
    assert len(series.y) == (1 if attacked else 5)
    assert [series.label for series in figures.rank_plot(found).series] == [
        series.label for series in figures.rank_plot(defended).series[:-1]
    ]
    table = figures.frequency_table(defended)
    place = [column.name for column in table.columns].index("defended")
    assert [row[place] for row in table.rows] == list(corrected.mean)


# --- Gain and error


def test_single_gain_curve() -> None:
    made = scenario()
    variable = curves.axes(made)[0]
    found = curves.gain_curve(made, variable, 11)
    part = along(made, variable)
    assert part is not None
    views = cells(part.document)
    plot = figures.gain_plot(Over(found, Cells(views), variable))
    line, points = plot.series
    assert (line.label, line.end, line.style) == ("MGA on OUE, closed form", "MGA on OUE", "line")
    assert (points.label, points.style) == ("simulated", "points")
    assert list(points.x) == [cell.parameters["attack.share"] for cell in views]
    assert list(points.y) == pytest.approx(list(line.y))
    assert points.error is not None
    assert points.error[-1] == pytest.approx(0.1 * reach_95(20) * points.y[-1])
    assert plot.note == "points: mean of 20 trials ± 95 %"
    assert (plot.x.low, plot.x.high) == (0.0, 0.1)


@pytest.mark.parametrize("kind", ["ria", "mga"])
def test_the_lines_that_a_gain_is_held_against(kind: str) -> None:
    """Dotted lines of shapes and colours of their own; that of MGA where no curve is it."""
    made = scenario(attack__kind=kind)
    variable = curves.axes(made)[0]
    found = curves.gain_and_lines(made, variable)
    plot = figures.gain_plot(Over(found, Cells(), variable), bounds=True)
    names = ["MGA"] * (kind != "mga") + ["proved, or kept back", "undetectable", "proved reports"]
    dotted = [series for series in plot.series if series.style == "dotted"]
    assert [series.label for series in dotted] == names
    assert len({series.tone for series in plot.series}) == len(plot.series)
    assert plot.levels == ((0.0, "proved items"),)
    assert figures.gain_plot(Over(found, Cells(), variable, log_y=True), bounds=True).levels == ()
    for charset in ("braille", "ascii"):
        marks = marks_of(plot, Look(60, 0, DARK, charset), 60)
        assert len({mark.sample for mark in marks}) == len(marks)
    part = along(made, variable)
    assert part is not None
    table = figures.gain_table(Over(found, Cells(cells(part.document)), variable))
    heads = [column.name for column in table.columns]
    assert heads[:7] == ["series", "β", "closed form", "measured", "± error", "z", "trials"]
    assert {*heads[7:]} == {*names, "proved items", "± one run"}
    by_label = {line.label: dict(zip(line.x, line.y, strict=True)) for line in found if line.line}
    for row in table.rows:  # a value in every column, where every cell is
        assert row[0] == f"{kind.upper()} on OUE"
        assert None not in row[6:]
        for name, value in zip(heads[7:-1], row[7:-1], strict=True):
            assert value == by_label[name][float(str(row[1]))]
    alone = [curve for curve in found if not curve.line]
    assert alone == list(curves.gain_curve(made, variable))


def test_an_undetectable_line_without_a_closed_form_is_optimised_beside_the_screen() -> None:
    """At fewer points, and only where that is asked for."""
    made = scenario(protocol__kind="hr", attack__kind="ria")
    variable = curves.axes(made)[0]
    at_once = curves.gain_and_lines(made, variable, listed=False)
    assert curves.lists_more(at_once)
    found = curves.gain_and_lines(made, variable)
    assert not curves.lists_more(found)
    (hidden,) = (curve for curve in found if curve.line == "undetectable")
    verified = next(curve for curve in found if curve.line == "verified")
    assert 3 <= len(hidden.x) < len(verified.x)
    assert all(y >= verified.y[verified.x.index(x)] for x, y in zip(hidden.x, hidden.y, strict=True)
               if x in verified.x)  # fmt: skip
    cell = compile(made.with_value("attack.share", hidden.x[-1])).cells[0]
    law = cell.pure.enumerate_reports().probabilities
    best = optimum(law, cell.population.frequencies, cell.targets, cell.share).gain
    assert hidden.y[-1] == pytest.approx(best)


@pytest.mark.parametrize(
    "kind", [kind for kind, spec in KINDS.items() if is_a(spec.mechanism, PlacedItems)]
)
def test_sums_over_items_are_left_to_a_thread(kind: str) -> None:
    made = scenario(protocol__kind=kind)
    variable = curves.axes(made)[0]
    with pytest.raises(UnreadError, match="every item"):
        curves.gain_and_lines(made, variable, draw=ready)


def test_what_no_one_knows_the_best_of_has_a_least_line() -> None:
    made = scenario(protocol__kind="cms", protocol__buckets=64, protocol__rows=64)
    lines = {curve.line: curve for curve in curves.gain_lines(made, curves.axes(made)[0])}
    assert list(lines) == [key for key in theory.LINES if key in lines]
    assert lines["least"].label == "undetectable, at least"
    assert "undetectable" not in lines  # its reports are too many to be listed


def test_a_series_for_each_kind_and_the_marker_names_it() -> None:
    made = swept(scenario(), {"attack.kind": ["ria", "mga"]})
    variable = curves.axes(made)[0]
    found = curves.gain_curve(made, variable, 11)
    part = along(made, variable)
    assert part is not None
    before = figures.gain_plot(Over(found, Cells(), variable))
    assert [(s.label, s.legend) for s in before.series] == [("RIA", True), ("MGA", True)]
    after = figures.gain_plot(Over(found, Cells(cells(part.document)), variable))
    assert [(s.label, s.style, s.legend) for s in after.series] == [
        ("RIA", "line", False),
        ("MGA", "line", False),
        ("RIA", "points", True),
        ("MGA", "points", True),
        ("line = closed form", "line", True),
    ]
    assert len({s.tone for s in after.series[:-1]}) == 2


def test_many_points_are_a_line_within_a_band() -> None:
    """From thirty on: points would hide the closed form, which then names the series."""
    sweep = {"attack.kind": ["ria", "mga"], "attack.share": {"from": 0.01, "to": 0.2, "points": 30}}
    made = swept(scenario(), sweep)
    variable = curves.axes(made)[0]
    part = along(made, variable)
    assert part is not None
    plot = figures.gain_plot(
        Over(curves.gain_curve(made, variable, 11), Cells(cells(part.document)), variable)
    )
    assert [(s.label, s.style, s.legend) for s in plot.series[:4]] == [
        ("RIA", "line", True),
        ("MGA", "line", True),
        ("RIA", "band", False),
        ("MGA", "band", False),
    ]
    assert list(plot.series[3].x) == sorted(plot.series[3].x)
    assert "bands: mean of" in plot.note


def test_axes_stand_still_while_the_points_come_in() -> None:
    made = scenario()
    variable = curves.axes(made)[0]
    found = curves.gain_curve(made, variable, 11)
    part = along(made, variable)
    assert part is not None
    empty = figures.gain_plot(Over(found, Cells(), variable)).y
    some = figures.gain_plot(Over(found, Cells(cells(part.document, off=1.02)[:4]), variable)).y
    assert (empty.low, empty.high) == (some.low, some.high)
    far = figures.gain_plot(Over(found, Cells(cells(part.document, off=3.0)), variable)).y
    assert far.high is not None
    assert empty.high is not None
    assert far.high > 2 * empty.high


def test_a_gain_next_to_nothing_has_room_for_its_noise() -> None:
    made = scenario(protocol__kind="olh", attack__kind="rpa")
    variable = curves.axes(made)[0]
    (curve,) = curves.gain_curve(made, variable, 11)
    plot = figures.gain_plot(Over([curve], Cells(), variable))
    assert plot.y.low is not None
    assert plot.y.high is not None
    for y, std in zip(curve.y, curve.std, strict=True):
        assert plot.y.low <= y - std / 2
        assert y + std / 2 <= plot.y.high
    assert plot.y.high > max(curve.y)


def test_points_of_other_settings_are_muted() -> None:
    made, other = scenario(), scenario(protocol__epsilon=2.0)
    variable = curves.axes(made)[0]
    part = along(other, variable)
    assert part is not None
    plot = figures.gain_plot(
        Over(curves.gain_curve(made, variable), Cells(cells(part.document)), variable)
    )
    stale = named(plot)["other settings"]
    assert (stale.tone, stale.error) == ("muted", None)
    assert "simulated" not in named(plot)


def test_points_of_another_axis_are_dropped() -> None:
    made = scenario()
    share, epsilon = curves.axes(made)[:2]
    part = along(made, epsilon)
    assert part is not None
    # Their share is the same in all of them; all but one have another epsilon.
    plot = figures.gain_plot(
        Over(curves.gain_curve(made, share), Cells(cells(part.document)), share)
    )
    assert [series.label for series in plot.series] == ["MGA on OUE, closed form"]


def test_trials_and_path_make_no_other_settings() -> None:
    made = scenario()
    variable = curves.axes(made)[0]
    (curve,) = curves.gain_curve(made, variable, 3)
    part = along(made, variable)
    assert part is not None
    cell = cells(part.document)[0]
    preview = {**cell.parameters, "trials": 3, "simulate.path": "counts"}
    assert same_settings(preview, curve.parameters, curve.key)
    assert not same_settings({**preview, "seed": 5}, curve.parameters, curve.key)
    unseeded = {key: value for key, value in preview.items() if key != "seed"}
    assert not same_settings(unseeded, curve.parameters, curve.key)


def test_long_lists_come_in_words() -> None:
    wanted = {"population.counts": list(range(1200)), "x": 1}
    assert same_settings({"population.counts": "1200 values", "x": 1}, wanted)
    assert not same_settings({"population.counts": "1300 values", "x": 1}, wanted)


def test_log_axes() -> None:
    made = scenario(protocol__kind="olh", attack__kind="rpa")  # a negative gain
    variable = curves.axes(made)[0]
    found = curves.gain_curve(made, variable, 11)
    plot = figures.gain_plot(Over(found, Cells(), variable, log_x=True, log_y=True))
    assert plot.x.log
    assert plot.x.low == pytest.approx(1e-4)
    assert plot.note == "values ≤ 0 have no place on a log axis"
    linear = figures.gain_plot(Over(found, Cells(), variable))
    assert linear.y.low is not None
    assert linear.y.low < 0
    mixed = [replace(found[0], y=tuple(y + 0.001 for y in found[0].y))]
    assert figures.gain_plot(Over(mixed, Cells(), variable)).levels == ((0.0, ""),)


def test_error_plot_of_both_quantities() -> None:
    made = scenario()
    variable = curves.error_axes(made)[0]
    found = curves.error_curves(made, variable, 11)
    views = cells(along(made, variable, "error").document)
    mse = figures.error_plot(Over(found, Cells(views), variable))
    std = figures.error_plot(Over(found, Cells(views), variable), "std")
    assert mse.note.endswith("; other protocols: only where chosen or swept")
    assert "only where" not in figures.error_plot(Over(found[:2], Cells(), variable)).note
    assert mse.series[-1].label == curves.FLOOR
    assert all(low <= high for low, high in zip(found[-1].y, found[1].y, strict=True))
    assert mse.y.label == "mean squared error of a frequency"
    assert std.y.label == "standard deviation of a frequency"
    assert mse.y.log
    squares = [y**2 for y in named(std)["OUE"].y]
    assert squares == pytest.approx(list(named(mse)["OUE"].y))
    points, roots = (
        next(s for s in plot.series if s.label == "OUE" and s.style == "points")
        for plot in (mse, std)
    )
    assert points.error is not None
    assert roots.error is not None
    # d√y = dy / 2√y
    assert roots.error[0] == pytest.approx(points.error[0] / (2 * roots.y[0]))


def test_overlay_points() -> None:
    made, other = scenario(), scenario(protocol__epsilon=2.0)
    variable = curves.axes(made)[0]
    part = along(other, variable)
    assert part is not None
    plot = figures.gain_plot(
        Over(
            curves.gain_curve(made, variable),
            Cells(),
            variable,
            overlays=[
                ("run 2", Cells(cells(part.document))),
                ("run 3", Cells(cells(part.document)[:1])),
            ],
        )
    )
    assert named(plot)["run 2"].style == "points"
    assert "run 3" not in named(plot)  # one point is no curve over this axis
    assert "run 3: no points over this axis" in plot.note
    table = figures.gain_table(
        Over(
            curves.gain_curve(made, variable),
            Cells(),
            variable,
            [("run 2", Cells(cells(part.document)))],
        )
    )
    rows = [row for row in table.rows if row[0] == "run 2"]
    assert len(rows) == len(cells(part.document))
    assert all(len(row) == len(table.columns) for row in table.rows)


def test_steady_limits() -> None:
    assert figures.steady_limits([0, 0.93], []) == (0, 1.0)
    assert figures.steady_limits([0, 0.93], [0.99]) == (0, 1.0)
    assert figures.steady_limits([0, 0.93], [1.01]) == pytest.approx((0, 1.2))
    assert figures.steady_limits([3e-4, 0.04], [], log=True) == pytest.approx((2e-4, 0.05))
    assert figures.steady_limits([], []) == (None, None)
    assert figures.steady_limits([math.nan], [5.0])[0] is not None
    low, high = figures.steady_limits([2.0], [])
    assert low is not None
    assert high is not None
    assert low <= 2 <= high
    assert low < high


# --- Tables


def test_frequency_table() -> None:
    table = figures.frequency_table(frequencies())
    names = [column.name for column in table.columns]
    assert names == [
        "item", "", "true", "before", "after", "±", "change", "z", "± before", "z before", "rank",
    ]  # fmt: skip
    row = dict(zip(names, table.rows[3], strict=True))
    assert row == {
        "item": "3", "": "target", "true": 0.04, "before": 0.05, "after": 0.3, "±": 0.02,
        "change": pytest.approx(0.25), "z": pytest.approx(26), "± before": 0.02,
        "z before": pytest.approx(1), "rank": 4,
    }  # fmt: skip
    shown = [c.text(v) for c, v in zip(table.columns, table.rows[3], strict=True)]
    assert shown == [
        "3", "target", "0.040", "0.050", "0.300", "0.020", "+0.250", "+26.00", "0.020", "+1.00",
        "4",
    ]  # fmt: skip
    clean = figures.frequency_table(frequencies(attacked=None))
    assert [column.name for column in clean.columns] == [
        "item", "true", "estimate", "±", "z", "rank",
    ]  # fmt: skip


def test_gain_table_beside_the_closed_form() -> None:
    made = scenario()
    variable = curves.axes(made)[0]
    found = curves.gain_curve(made, variable, 11)
    part = along(made, variable)
    assert part is not None
    table = figures.gain_table(Over(found, Cells(cells(part.document, off=1.05)), variable))
    assert [column.name for column in table.columns] == [
        "series", "β", "closed form", "measured", "± error", "z", "trials", "± one run",
    ]  # fmt: skip
    last = table.rows[-1]
    assert last[:2] == ("MGA on OUE", 0.1)
    assert last[2] == pytest.approx(found[0].y[-1])
    assert last[7] == pytest.approx(found[0].std[-1])
    assert last[5] == pytest.approx(0.5)  # 5% off, a tenth of error
    alone = figures.gain_table(Over(found, Cells(), variable))
    assert len(alone.rows) == 11
    assert alone.rows[3][3:7] == (None, None, None, None)


def test_a_point_in_doubt_has_no_z() -> None:
    estimate = Estimate(0.3, 0.01, 0.2, "rare")
    [view] = cells(scenario().document)[:1]
    view = replace(view, metrics={"gain": estimate})
    at = Coordinates("attack.share", "gain")
    assert at.placed([view]) == [view]
    assert at.numbers(view) == (0.2, 0.3, 0.01, None, view.trials)
    root = replace(at, root=True).estimate(view)
    assert root == Estimate(0.3**0.5, 0.01 / 2 / 0.3**0.5, 0.2**0.5, "rare")
    undoubted = dataclasses.replace(estimate, doubt=None)
    assert at.numbers(replace(view, metrics={"gain": undoubted}))[3] == pytest.approx(10)
    words = cell_words(view, (), "gain")
    assert not any(word.startswith("z") for word in words)


def test_table_as_text() -> None:
    table = figures.Table(
        "t", (figures.Column("a"), figures.Column("b", 2)), (("x", 0.123456), ("y", None))
    )
    assert table.as_text() == "a\tb\nx\t0.123456\ny\t\n"


def test_columns_of_numbers() -> None:
    assert figures.Column("", 3).text(0.12345) == "0.123"
    assert figures.Column("", 3, sign=True).text(0.12345) == "+0.123"
    assert figures.Column("", digits=3).text(1.5e-7) == "1.50e-7"
    assert figures.Column("", digits=3).text(0.0) == "0"
    assert figures.Column("").text(0.25) == "0.25"
    assert figures.Column("").text(7) == "7"
    assert figures.Column("", 3).text(None) == "–"


# --- RAPPOR


def test_the_closed_form_of_rappor_is_that_of_its_cells() -> None:
    made = swept(scenario(), {"attack.share": [0.0, 0.05, 0.1]})
    made = made.with_value("protocol", {"kind": "rappor", "bits": 128, "hashes": 1, "cohorts": 8})
    share = curves.axes(made)[0]
    found, part = curves.gain_curve(made, share), along(made, share)
    assert part is not None
    views = cells(part.document)
    assert not any(map(math.isfinite, found[0].y))
    theory = [view.metrics["gain"].theory for view in views]
    line = figures.gain_plot(Over(found, Cells(views), share)).series[0]
    assert (list(line.x), list(line.y)) == ([0.0, 0.05, 0.1], theory)
    assert [row[2] for row in figures.gain_table(Over(found, Cells(views), share)).rows] == theory
    # Nothing is made up before there are results.
    assert not figures.gain_plot(Over(found, Cells(), share)).series[0].x
    assert figures.gain_table(Over(found, Cells(), share)).rows == ()


def test_an_error_that_is_not_known_is_no_zero() -> None:
    column = [column.name for column in figures.frequency_table(frequencies()).columns].index("±")
    unknown = figures.frequency_table(frequencies(sigma=0.0, std=None, trials=1))
    assert {row[column] for row in unknown.rows} == {None}
    never = figures.frequency_table(frequencies(sigma=0.0, std=0.0, trials=20))
    assert {row[column] for row in never.rows} == {0.0}


def decoded() -> Frequencies:
    """Item 0 detected, 1 missed, 2 detected though nobody holds it, 3 a target, 4 not held."""
    return replace(frequencies(true=(0.5, 0.3, 0.0, 0.2, 0.0)), detected=(1.0, 0.25, 0.5, 1.0, 0.0))


def test_what_is_detected_missed_and_false() -> None:
    found = decoded()
    assert figures.findings(found) == ("detected", "missed", "false", "detected", "")
    assert figures.findings(frequencies()) == ("",) * 5
    plot = figures.rank_plot(found)
    assert [(series.label, len(series.x)) for series in plot.series] == [
        ("true", 5), ("not detected", 2), ("detected", 1), ("falsely detected", 1),
        ("targets before", 1), ("targets after", 1),
    ]  # fmt: skip
    assert len({series.tone for series in plot.series}) == 6  # a mark of its own for each
    assert "2 of 3 detected, 1 falsely" in plot.note


def test_false_findings_have_bars_before_the_rest() -> None:
    bars = figures.top_bars(decoded(), 4).bars
    assert [(bar.label, bar.finding) for bar in bars] == [
        ("3", "detected"), ("2", "false"), ("0", "detected"), ("1", "missed"),
    ]  # fmt: skip
    many = replace(
        frequencies(true=(1.0, *(0.0,) * 9), clean=(0.1,) * 10, attacked=None, trials=1),
        detected=(1.0,) * 10,
    )
    found = [bar.finding for bar in figures.top_bars(many, 8).bars]
    assert found == ["false", "false", "detected", *["false"] * 5]  # a quarter of the rows first


def test_the_table_says_what_was_detected_and_how_often() -> None:
    table = figures.frequency_table(decoded())
    names = [column.name for column in table.columns]
    rows = [dict(zip(names, row, strict=True)) for row in table.rows]
    assert {row["item"]: (row["test"], row["share detected"]) for row in rows} == {
        "0": ("detected", 1.0), "1": ("missed", 0.25), "2": ("false", 0.5),
        "3": ("detected", 1.0), "4": ("", 0.0),
    }  # fmt: skip
    assert "test" not in [column.name for column in figures.frequency_table(frequencies()).columns]


def test_a_flat_gain_is_not_drawn_as_noise() -> None:
    steady = curves.Curve("mga", "population.items", {}, (10.0, 100.0), (0.5, 0.5001), (0.01, 0.01))
    variable = next(axis for axis in curves.axes(scenario()) if axis.key == "population.items")
    plot = figures.gain_plot(Over((steady,), Cells(), variable))
    assert plot.y.low is not None
    assert plot.y.high is not None
    assert plot.y.low <= 0.45
    assert plot.y.high >= 0.55


def test_error_bars_end_inside_the_axis() -> None:
    one = scenario()
    variable = next(v for v in curves.axes(one) if v.key == "attack.share")
    part = along(one, variable)
    assert part is not None
    found = [
        replace(
            view, metrics={"gain": dataclasses.replace(view.metrics["gain"], standard_error=2.0)}
        )
        for view in cells(part.document)
    ]
    plot = figures.gain_plot(Over(curves.gain_curve(one, variable), Cells(found), variable))
    (points,) = [s for s in plot.series if s.style == "points"]
    assert points.error is not None
    assert plot.y.low is not None
    assert plot.y.high is not None
    for y, error in zip(points.y, points.error, strict=True):
        assert plot.y.low <= y - error < y + error <= plot.y.high


def test_curves_that_coincide_are_named() -> None:
    one = scenario()
    variable = next(v for v in curves.error_axes(one) if v.key == "protocol.epsilon")
    plot = figures.error_plot(Over(curves.error_curves(one, variable), Cells(), variable))
    assert "OUE = OLH within 1 %" not in plot.note  # g is rounded: they differ by more at ε = 4
    same = [("OUE", (1.0, 2.0), (3.0, 4.0)), ("GRR", (1.0, 2.0), (9.0, 4.0)),
            ("OLH", (1.0, 2.0), (3.01, 4.02))]  # fmt: skip
    assert coinciding(same) == "OUE = OLH within 1 %"
    assert coinciding(same[:2]) == ""


def bloom(**more: object) -> object:
    made = swept(scenario(), {"attack.share": [0.0, 0.05, 0.1]})
    table = {"kind": "rappor", "bits": 128, "hashes": 1, "cohorts": 8, **more}
    return made.with_value("protocol", table)


def test_the_gain_of_rappors_bits_goes_beside_the_decoded_one() -> None:
    made = bloom()
    share = curves.axes(made)[0]
    found, part = curves.gain_curve(made, share), along(made, share)
    assert part is not None
    views = [
        replace(view, bits={"bit_support_gain": 0.1 * at})
        for at, view in enumerate(cells(part.document))
    ]
    plot = figures.gain_plot(Over(found, Cells(views), share))
    labels = [series.label for series in plot.series]
    assert labels == ["MGA on RAPPOR, closed form", figures.BIT_SUPPORT, "simulated"]
    dotted = plot.series[1]
    assert (dotted.style, list(dotted.y)) == ("dotted", list(found[0].support))
    table = figures.gain_table(Over(found, Cells(views), share))
    assert table.columns[7].name == figures.BIT_SUPPORT
    assert [row[7] for row in table.rows] == [0.0, 0.1, 0.2]
    # Known before any run, so that there is something to see.
    assert [series.label for series in figures.gain_plot(Over(found, Cells(), share)).series][
        1
    ] == labels[1]


def test_the_error_of_rappor_is_that_of_its_cells() -> None:
    made = bloom()
    axis = next(axis for axis in curves.error_axes(made) if axis.key == "population.users")
    found, part = curves.error_curves(made, axis), along(made, axis, "error")
    assert [curve.label for curve in found][-2:] == ["RAPPOR", curves.FLOOR]
    views = [view for view in cells(part.document) if view.parameters["protocol.kind"] == "rappor"]
    theory = [view.metrics["mse_clean"].theory for view in views]
    plot = figures.error_plot(Over(found, Cells(views), axis))
    line = plot.series[len(found) - 2]
    assert list(line.y) == theory
    assert all(value > 0 for value in theory)
