"""Charts over the rounds of a campaign: their numbers against the run's, limits, marks, words."""

from __future__ import annotations

import math

import pytest
from msgspec.structs import replace
from support.round_cases import DOCUMENT, GAIN, LABELS, ROUNDS, SNAPSHOT
from support.told import told

from ldptui.charts.draw import draw
from ldptui.charts.figures import rounds as figures
from ldptui.charts.figures.round_table import table
from ldptui.charts.rows import DARK, Look
from ldptui.charts.series import Plot, Series
from ldptui.core.base.summary import Estimate
from ldptui.core.view import RoundSummary
from ldptui.text.interval import reach_95

assert SNAPSHOT.rounds is not None


def named(plot: Plot, label: str) -> Series:
    return next(series for series in plot.series if series.label == label)


def drawn(plot: Plot, size: tuple[int, int] = (74, 26)) -> str:
    return "\n".join(strip.text for strip in draw(plot, Look(*size, DARK)))


def test_estimates_are_those_of_the_rounds() -> None:
    plot = figures.estimates(ROUNDS, LABELS)
    points = named(plot, "target eleven")
    assert list(points.x) == [0, 1, 2, 3, 4, 5]
    assert list(points.y) == [row[1] for row in ROUNDS.attacked_means]
    assert ROUNDS.errors is not None
    assert points.error is not None
    reach = reach_95(ROUNDS.trials)
    assert list(points.error) == pytest.approx([reach * row[1] for row in ROUNDS.errors])
    line = plot.series[plot.series.index(points) - 1]
    assert (line.style, line.tone) == ("line", points.tone)
    assert list(line.y)[::2] == [row[1] for row in ROUNDS.expected if row is not None]
    assert list(line.y)[1::2] == list(line.y)[::2]  # level during each round
    assert list(line.x) == [end for at in range(6) for end in (at - 0.5, at + 0.5)]


def test_one_target_alone_has_its_truth_and_what_was_before() -> None:
    plot = figures.estimates(ROUNDS, LABELS, chosen=0)
    assert "nine" in plot.title
    assert list(named(plot, "true").y)[::2] == [row[0] for row in ROUNDS.true]
    assert list(named(plot, "before").y) == [row[0] for row in ROUNDS.clean]
    assert list(named(plot, "after").y) == [row[0] for row in ROUNDS.attacked_means]


def test_targets_take_turns_among_many_points() -> None:
    many = _repeated(ROUNDS, 10)
    plot = figures.estimates(many, LABELS)
    nine, eleven = named(plot, "target nine"), named(plot, "target eleven")
    assert not set(nine.x) & set(eleven.x)
    assert len(nine.x) + len(eleven.x) == 60
    assert "every 2nd round of each" in plot.note
    assert list(nine.y) == [many.attacked_means[int(x)][0] for x in nine.x]


def test_a_target_without_a_closed_form_has_a_line_through_its_points() -> None:
    plot = figures.estimates(replace(ROUNDS, expected=(None,) * 6), LABELS)
    assert list(plot.series[0].y) == [row[0] for row in ROUNDS.attacked_means]
    assert "closed form" not in plot.y.label


def test_gain_has_its_closed_form_and_the_level_of_all_rounds() -> None:
    plot = figures.metric(ROUNDS, "gain", "Gain", "gain", GAIN)
    measured = ROUNDS.metrics["gain"]
    assert list(named(plot, "simulated").y) == [estimate.mean for estimate in measured]
    assert list(named(plot, "closed form").y)[::2] == [estimate.theory for estimate in measured]
    assert (GAIN.mean, "pooled") in plot.levels
    assert "closed form" in plot.note
    # The pooled gain is that of the rounds, each weighted by its users and fakes.
    users = [n + m for n, m in zip(ROUNDS.users, ROUNDS.malicious, strict=True)]
    gains = [estimate.mean or 0.0 for estimate in measured]
    weighted = sum(g * n for g, n in zip(gains, users, strict=True)) / sum(users)
    assert GAIN.mean == pytest.approx(weighted, abs=0.02)
    assert drawn(plot).count("pooled") >= 1


def test_ranks_have_the_first_place_on_top_and_the_entry_on_the_border() -> None:
    plot = figures.ranks(ROUNDS, LABELS, 12, 3)
    assert plot.y.ticks is not None
    ticks = {label: at for at, label in plot.y.ticks}
    assert ticks["1"] > ticks["2"] > ticks["5"]
    for place, row in enumerate(ROUNDS.rank):
        assert named(plot, "target nine").y[place] == pytest.approx(-math.log10(row[0]))
    ((border, words),) = plot.levels
    assert words == "top 3"
    assert -math.log10(4) < border < -math.log10(3)
    assert ROUNDS.entry is not None
    entry = named(plot, "entry")
    assert (list(entry.x), list(entry.y)) == ([ROUNDS.entry], [border])
    assert f"in {ROUNDS.entered} of 20 trials" in plot.note
    lines = drawn(plot).splitlines()
    first, second = (next(at for at, line in enumerate(lines) if f"{n}┤" in line) for n in (1, 2))
    assert first < second


def test_targets_that_never_enter_have_a_message() -> None:
    never = replace(ROUNDS, entry=None, entry_error=None, entered=0)
    assert figures.ranks(never, LABELS, 12, 3).note == "never all targets in the top 3"
    assert all(series.label != "entry" for series in figures.in_top(never, 3).series)


def test_targets_in_the_top_are_counted_from_none_to_all() -> None:
    plot = figures.in_top(ROUNDS, 3)
    assert (plot.y.low, plot.y.high) == (0, 2)
    found = [estimate.mean for estimate in ROUNDS.metrics["targets_in_top_k"]]
    assert list(named(plot, "simulated").y) == found


def test_privacy_adds_up_with_fresh_noise() -> None:
    plot = figures.budget_plot(ROUNDS)
    assert list(plot.series[0].y) == [2, 4, 6, 8, 10, 12]
    assert "sequential composition" in plot.note
    assert "ε = 12 after all 6" in plot.note
    kept = replace(ROUNDS, spent=(2, 3, 3.5, 3.8, 3.9, 3.95))
    assert "memoised" in figures.budget_plot(kept).note


@pytest.mark.parametrize("cursor", [0, 5])
def test_the_cursor_is_a_line_across(cursor: int) -> None:
    for plot in every_chart(ROUNDS, cursor):
        assert plot.cursor == cursor
        assert drawn(plot) != drawn(replace(plot, cursor=None))


def test_charts_of_one_trial_one_round_and_no_attack() -> None:
    base = {key: value for key, value in DOCUMENT.items() if key != "attack"}
    for document in (
        {**DOCUMENT, "trials": 1},
        {**base, "campaign": {"rounds": 1}},
        {**base, "campaign": {"rounds": 1}, "trials": 1},
    ):
        rounds = told(document)[0].rounds
        assert rounds is not None
        for plot in every_chart(rounds, None):
            words = drawn(plot)
            assert "nan" not in words.lower()
            assert len(words.splitlines()) == 26


def test_the_table_has_a_row_a_round() -> None:
    shown = table(ROUNDS, LABELS, 3)
    names = [column.name for column in shown.columns]
    assert len(shown.rows) == 6
    row = dict(zip(names, shown.rows[3], strict=True))
    assert row["round"] == 3
    assert row["fakes"] == ROUNDS.malicious[3]
    assert row["gain"] == ROUNDS.metrics["gain"][3].mean
    assert row["est. nine"] == ROUNDS.attacked_means[3][0]
    assert row["rank eleven"] == ROUNDS.rank[3][1]
    assert row["z"] == pytest.approx(
        (row["gain"] - row["theory"]) / row["±"]  # type: ignore[operator]
    )
    assert "\tnan" not in shown.as_text()


@pytest.mark.parametrize(
    ("count", "ticks"), [(1, "0"), (6, "0 1 2 3 4 5"), (40, "0 5 10 15 20 25 30 35")]
)
def test_ticks_are_whole_rounds(count: int, ticks: str) -> None:
    assert " ".join(label for _, label in figures._round_ticks(count)) == ticks


def every_chart(rounds: RoundSummary, cursor: int | None) -> list[Plot]:
    pooled = Estimate(0.1, None, None)
    charts = [
        figures.estimates(rounds, LABELS),
        figures.metric(rounds, "gain", "Gain", "gain", pooled),
        figures.ranks(rounds, LABELS, 12, 3),
        figures.in_top(rounds, 3),
        figures.budget_plot(rounds),
    ]
    return [replace(chart, cursor=cursor) for chart in charts]


def _repeated(rounds: RoundSummary, times: int) -> RoundSummary:
    columns = {
        name: getattr(rounds, name) * times
        for name in ("users", "malicious", "share", "spent", "true", "expected", "rank")
    }  # fmt: skip
    errors = rounds.errors * times if rounds.errors is not None else None
    metrics = {name: found * times for name, found in rounds.metrics.items()}
    arms = {name: means * times for name, means in rounds.arms.items()}
    return replace(rounds, **columns, arms=arms, errors=errors, metrics=metrics)
