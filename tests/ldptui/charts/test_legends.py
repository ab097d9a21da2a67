"""No legend, note or heading of a chart is cut: every mark that is drawn has its word."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from support import bit_cases, chart_cases, round_cases

from ldptui import scenarios
from ldptui.charts import figures
from ldptui.charts.draw import draw, plots
from ldptui.charts.draw.legend import flow, sentence, shortened
from ldptui.charts.draw.marks import marks_of
from ldptui.charts.figures import bits
from ldptui.charts.figures import rounds as over_time
from ldptui.charts.rows import ASCII_MARKERS, DARK, MARKERS, Charset, Look, Row, length
from ldptui.charts.series import Chart, Plot
from ldptui.core.scenario import load
from ldptui.core.view import Frequencies
from ldptui.session.snapshot import Overlay, Snapshot

NAMES = scenarios.names()
HEIGHTS = (16, 26)  # of the charts at 80x24 and at 120x40


@pytest.fixture
def blank(monkeypatch: pytest.MonkeyPatch) -> None:
    """The words without the picture, which takes most of the time."""

    def rasterise(_: Any, plot: Plot, marks: Any, x: Any, y: Any, palette: Any) -> list[Row]:
        return [[(" ", "bold")] * x.cells for _ in range(y.cells)]

    monkeypatch.setattr(plots, "rasterise", rasterise)


@cache
def estimated(name: str) -> Frequencies:
    """As after some trials: noise of both signs, and tests where the protocol is RAPPOR."""
    made = load(scenarios.path(name))
    found = chart_cases.estimates(made)
    rng = np.random.default_rng(0)
    noise = rng.normal(0.0, 0.01, len(found.true))
    clean = tuple(float(value) for value in np.array(found.true) + noise)
    after = tuple(
        value + 0.1 * (at in found.targets) - 0.003 if found.targets else value
        for at, value in enumerate(clean)
    )
    detected = None
    if made.document["protocol"].get("kind") == "rappor":
        detected = tuple(float(value > 0.01) for value in after)
    arms = {
        "clean": replace(found.clean, mean=clean),
        "attacked": replace(found.attacked, mean=after),
    }
    return replace(found, arms=arms, detected=detected)


def overlays(found: Frequencies, count: int) -> tuple[Overlay, ...]:
    """The runs laid over; the last of them has other items."""
    return tuple(
        Overlay(
            f"run {1200 + place}",
            Snapshot(
                place,
                "done",
                frequencies=chart_cases.frequencies() if place == 3 else found,
            ),
        )
        for place in range(count)
    )


def charts(name: str, count: int) -> list[Chart]:
    found = estimated(name)
    more: dict[str, Any] = {"overlays": overlays(found, count)}
    return [
        figures.rank_plot(found, **more),
        figures.top_bars(found, 12, compact=True, **more),
        figures.top_bars(found, 12, **more),
        figures.residuals(found, 30, **more),
    ]


def others() -> Iterator[Chart]:
    """Charts of rounds, of bits and of sweeps."""
    labels, rounds = round_cases.LABELS, round_cases.ROUNDS
    yield replace(over_time.estimates(rounds, labels), cursor=3.0)
    yield replace(over_time.estimates(rounds, labels, 0), cursor=3.0)
    yield replace(over_time.gain(rounds, round_cases.GAIN), cursor=3.0)
    yield replace(over_time.ranks(rounds, labels, 12, 3), cursor=3.0)
    yield replace(over_time.in_top(rounds, 3), cursor=3.0)
    yield replace(over_time.spent(rounds), cursor=3.0)
    yield bits.bit_plot(bit_cases.BITS, 0, 10, attacked=True)
    yield bits.bit_bars(bit_cases.BITS, 0, 10, attacked=True)


def words(text: str) -> str:
    """The text without line breaks and without the blanks between its parts."""
    return " ".join(text.split())


def check(chart: Chart, width: int, height: int, charset: Charset = "braille") -> None:
    lines = [strip.text for strip in draw(chart, Look(width, height, DARK, charset))]
    assert not any(line.rstrip().endswith(("…", "...")) for line in lines), "\n".join(lines)
    text = words(" ".join(lines))
    if isinstance(chart, Plot):
        for series, mark in zip(
            chart.series, marks_of(chart, Look(width, 0, DARK, charset)), strict=True
        ):
            if series.label and series.legend:
                labels = {series.label, shortened(series.label)}
                assert any(words(f"{mark.sample} {label}") in text for label in labels), "\n".join(
                    lines
                )
    else:
        markers = ASCII_MARKERS if charset == "ascii" else MARKERS
        body = next(at for at, line in enumerate(lines) if line.split()[:1] == [chart.item])
        legend, bars = "\n".join(lines[:body]), "".join(lines[body:])
        known = {"▒": "gained", "░": "lost", "✓": "detected", "○": "missed", "✗": "false"}
        known = {mark: word for mark, word in known.items() if mark in bars}
        known |= {markers[tone]: label for label, tone in chart.others}
        if charset != "ascii":
            for mark, label in [*known.items(), ("⢾⠆", chart.truth)]:
                assert f"{mark} {label}" in legend, "\n".join(lines)
        for label, _ in chart.others:
            assert label in legend, "\n".join(lines)
    for part in words(chart.note).split("; ") if charset != "ascii" else ():
        assert part in text or shortened(part) in text, "\n".join(lines)


@pytest.mark.every(31)
@pytest.mark.parametrize("name", NAMES)
def test_every_scenario_has_all_its_words_at_every_width(name: str, blank: None) -> None:
    offset = NAMES.index(name) % 17
    for count in (0, 1, 4):
        for chart in charts(name, count):
            for width in range(33 + offset, 141, 17):
                for height in HEIGHTS:
                    check(chart, width, height)


@pytest.mark.every(2)
@pytest.mark.parametrize("charset", ["ascii", "braille"])
def test_the_fullest_charts_at_all_widths(charset: Charset, blank: None) -> None:
    for chart in charts("rappor-attack", 4):
        for width in range(33, 141):
            check(chart, width, HEIGHTS[0], charset)


def test_charts_of_rounds_and_bits_at_all_widths(blank: None) -> None:
    for chart in others():
        for width in range(33, 141):
            check(chart, width, HEIGHTS[0])


def test_a_note_breaks_between_its_parts() -> None:
    note = "27 of 100 detected, 9 falsely; 127 of 200 estimates ≤ 0"
    for width, lines in {
        60: [note],
        37: ["27 of 100 detected, 9 falsely;", "127 of 200 estimates ≤ 0"],
        20: ["27 of 100 detected,", "9 falsely;", "127 of 200 estimates", "≤ 0"],
    }.items():
        assert [row_text(row) for row in sentence(note, Look(width, 0, DARK), 9)] == lines
    assert [row_text(row) for row in sentence(note, Look(37, 0, DARK), 1)] == [
        "27 of 100 detected, 9 falsely; …"
    ]


def test_a_legend_goes_on_in_the_next_row() -> None:
    pieces = [[("● ", ""), (text, "")] for text in ("one", "two", "a name that is long")]
    assert [row_text(row) for row in flow(pieces, 12, 2)] == [
        "● one  ● two", "● a name", "  that is", "  long",
    ]  # fmt: skip
    assert all(length(row) <= 12 for row in flow(pieces, 12, 2))


@pytest.mark.long
def test_a_mark_keeps_its_word_when_there_is_little_room() -> None:
    """Heights below those of a terminal of 24 rows say that something is left out."""
    chart = charts("rappor-attack", 4)[0]
    for height in range(5, 16):
        for width in range(34, 80):
            text = "\n".join(strip.text for strip in draw(chart, Look(width, height, DARK)))
            told = [f"run {1200 + place}" in text for place in range(3)]
            assert all(told) or "…" in text


def row_text(row: Row) -> str:
    return "".join(text for text, _ in row)
