"""The charts of a filter's score, and their table."""

from __future__ import annotations

from msgspec.structs import replace

from ldptui.charts.chart_data import ChartData
from ldptui.charts.draw import draw
from ldptui.charts.figures import Frame, detection
from ldptui.charts.figures.detection import roc_plot, scores_plot
from ldptui.charts.rows import ANSI_DARK, Look
from ldptui.core.view import Detection
from ldptui.session.snapshot import Snapshot

SEEN = Detection(
    "fiad", "suspicious items", (0.0, 1.0, 5.0), (60, 30, 10), (0, 1, 4),
    (0.0, 0.1, 0.4, 1.0), (0.0, 0.8, 1.0, 1.0), 0.93, (0.1, 0.8),
)  # fmt: skip
NOBODY = Detection("fiad", "suspicious items", (0.0,), (100,), (0,), (), (), None, None)


def test_each_group_by_its_score() -> None:
    plot = scores_plot(SEEN)
    genuine, fakes = plot.series
    assert (genuine.x, genuine.y) == ((0, 1, 5), (0.6, 0.3, 0.1))
    assert fakes.y == (0, 0.2, 0.8)
    assert plot.x.label == "score: suspicious items"
    assert plot.note == "one trial: 100 genuine, 5 fake"
    assert plot.y.high == 1.0  # a share has no room above
    few = replace(SEEN, genuine=(40, 30, 30), fakes=(0, 0, 0))
    assert scores_plot(few).y.high is None


def test_the_curve_and_what_the_filter_flags() -> None:
    plot = roc_plot(SEEN)
    chance, curve, flagged = plot.series
    assert plot.title == "ROC curve, area 0.93"
    assert (curve.x, curve.y) == (SEEN.wrong, SEEN.caught)
    assert (chance.x, chance.y) == ((0, 1), (0, 1))
    assert (flagged.x, flagged.y, flagged.label) == ((0.1,), (0.8,), "fiad flags")


def test_a_filter_that_guesses_has_a_curve_in_ascii_too() -> None:
    """It runs along the line of chance, which would hide it if it were drawn later."""
    even = replace(SEEN, wrong=(0.0, 1.0), caught=(0.0, 1.0), area=0.5, flagged=None)
    rows = [strip.text for strip in draw(roc_plot(even), Look(60, 16, ANSI_DARK, "ascii"))]
    picture = "".join(row.partition("|")[2] or row.partition("+")[2] for row in rows[2:-4])
    assert "." not in picture
    assert picture.count("*") > 50


def test_without_fakes_there_is_no_curve() -> None:
    assert roc_plot(NOBODY).series == ()
    assert roc_plot(NOBODY).note == "no fakes"
    (genuine,) = scores_plot(NOBODY).series
    assert genuine.y == (1.0,)
    assert "every report has the same score" in scores_plot(NOBODY).note


def test_the_cursor_stands_at_the_same_score_in_both_views() -> None:
    frame = detection.frame(ChartData(run=Snapshot(1, "done", detection=SEEN)), {})
    assert isinstance(frame, Frame)
    assert [*frame.views] == ["scores", "roc"]
    drawn = [view.draw(1.0, (60, 20)) for view in frame.views.values()]
    # From there on 40 of 100 genuine users are flagged.
    assert [getattr(chart, "cursor", None) for chart in drawn] == [1.0, 0.4]
    click = frame.views["roc"].click
    assert click is not None
    assert click((0.11, 0.7), (60, 20)) == (5.0, 0)
    assert click((0.9, 0.9), (60, 20)) == (0.0, 0)
