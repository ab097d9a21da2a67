"""Single trials in a chart and in a table."""

from __future__ import annotations

import pytest

from ldptui.charts.draw import draw
from ldptui.charts.figures.trials import trials_plot
from ldptui.charts.rows import ANSI_DARK, DARK, Charset, Look, style_of
from ldptui.core.view import TrialEstimates

SEEN = TrialEstimates(
    (7, 0, 1), ("seven", "zero", "one"), 1, (0.02, 0.2, 0.1),
    {"clean": ((0.01, 0.03), (0.21, 0.19), (0.1, 0.11)),
     "attacked": ((0.11, 0.14), (0.18, 0.17), (0.09, 0.1))},
    {"clean": ((0.02, 0.01), (0.2, 0.01), (0.1, 0.01))},
)  # fmt: skip


def test_every_trial_has_a_mark_in_the_row_of_its_item() -> None:
    plot = trials_plot(SEEN, 9)
    before, after, true = (
        next(each for each in plot.series if each.label == name)
        for name in ("before", "after", "true")
    )
    assert sorted(before.x) == sorted(x for row in SEEN.arms["clean"] for x in row)
    for x, y in zip(after.x, after.y, strict=True):
        assert x in SEEN.arms["attacked"][2 - round(y)]
    assert [*zip(true.x, true.y, strict=True)] == [(0.02, 2), (0.2, 1), (0.1, 0)]
    lines = [each for each in plot.series if each.style == "line"]
    assert len(lines) == 1  # the closed form is known of one arm
    assert lines[0].x[:2] == pytest.approx([0.02 - 0.0196, 0.02 + 0.0196], rel=1e-3)
    assert "of the first 2 trials" in plot.note


def test_items_without_room_are_counted_and_targets_come_first() -> None:
    plot = trials_plot(SEEN, 1)
    assert plot.y.ticks is not None
    assert [label for _, label in plot.y.ticks] == ["▸ seven"]
    assert "1 of 3 items shown" in plot.note


@pytest.mark.parametrize("height", [14, 15, 18, 21, 22])
@pytest.mark.parametrize("charset", ["ascii", "braille"])
def test_items_stand_in_rows_of_one_height(charset: Charset, height: int) -> None:
    strips = draw(trials_plot(SEEN, 3), Look(76, height, ANSI_DARK, charset))
    rows = [strip.text for strip in strips]
    assert any(row.startswith("item") for row in rows)
    at = [
        next(place for place, row in enumerate(rows) if row.strip("> ▸").startswith(label))
        for label in SEEN.labels
    ]
    assert at[1] - at[0] == at[2] - at[1] >= 2


@pytest.mark.parametrize("height", range(6, 20))
@pytest.mark.parametrize("charset", ["ascii", "braille"])
def test_no_two_items_share_a_row(charset: Charset, height: int) -> None:
    count = 12
    places = tuple((at + 1) / 100 for at in range(count))
    names = tuple(f"i{at:02}" for at in range(count))
    clean = {"clean": tuple((place,) for place in places)}
    seen = TrialEstimates(tuple(range(count)), names, 1, places, clean, {})
    rows = [strip.text for strip in draw(trials_plot(seen, 26), Look(76, height, DARK, charset))]
    body = [row for row in rows if row[5:6] in {*"┤│+|"} and "--" not in row[6:9]]
    assert body
    assert [row[2:5] for row in body] == [*names[: len(body)]]
    true = "@" if charset == "ascii" else "◆"
    assert [row.count(true) for row in body] == [1] * len(body)
    if (left_out := count - len(body)) and height >= 10:  # which have no note below
        assert any(f"{left_out} more not drawn" in row for row in rows)


@pytest.mark.parametrize("charset", ["ascii", "braille"])
def test_a_chosen_trial_stands_out(charset: Charset) -> None:
    strips = draw(trials_plot(SEEN, 3, 1), Look(76, 18, ANSI_DARK, charset))
    rows = [strip.text for strip in strips]
    assert any("trial 2" in row for row in rows)
    # Two arms of three items, and the sample in the legend; marks at one place hide each other.
    if charset == "braille":
        style = style_of(ANSI_DARK.target)
        rows = ["^" for strip in strips for segment in strip if segment.style == style]
        assert 5 <= len(rows) <= 7 + 6  # each in two rows of cells or one
    else:
        assert 5 <= sum(row.count("^" if charset == "ascii" else "△") for row in rows) <= 7
