"""The status line: a long sentence, a note's few seconds, how far a run is."""

from __future__ import annotations

import math

import pytest
from msgspec.structs import replace
from support.fake_engine import base_snapshot
from support.waiting import seen, until
from textual.app import App, ComposeResult

from ldptui.core.base.summary import Estimate
from ldptui.session.snapshot import Snapshot
from ldptui.widgets.status import StatusLine


class Alone(App[None]):
    def compose(self) -> ComposeResult:
        yield StatusLine()


async def test_a_long_sentence_says_that_it_goes_on() -> None:
    app = Alone()
    async with app.run_test(size=(40, 3)) as pilot:
        app.query_one(
            StatusLine
        ).note = "a sentence that is longer than the line it has to stand in"
        await pilot.pause()
        text = app.query_one(StatusLine).render_line(0).text.strip()
        assert text.startswith("· a sentence that is longer")
        assert text.endswith("…")


async def test_a_note_gives_way_to_lasting_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ldptui.widgets.status.NOTE_S", 0.01)
    app = Alone()
    async with app.run_test(size=(40, 3)) as pilot:
        line = app.query_one(StatusLine)
        line.problem = "epsilon must be positive"
        line.note = "copied 3 lines"
        assert "copied 3 lines" in line.render().plain
        await until(pilot, lambda: "epsilon must be positive" in seen(app))


async def test_progress_and_remaining_time_of_a_run() -> None:
    app = Alone()
    async with app.run_test(size=(90, 3)) as pilot:
        line = app.query_one(StatusLine)
        line.snapshot = Snapshot(1, "running", done=50, total=192, seconds=10.0, full=True)
        await pilot.pause()
        words = "● run ███▏░░░░░░░░  26 %  50 of 192 trials · 5/s · 28 s left"
        assert words in seen(app)


@pytest.mark.parametrize("charset", ["braille", "ascii"])
async def test_the_error_of_a_run_is_seen_to_fall(charset: str) -> None:
    app = Alone()
    async with app.run_test(size=(80, 3)) as pilot:
        app.charset = charset  # type: ignore[attr-defined]
        line, views = app.query_one(StatusLine), base_snapshot(1).parts["base"]
        for trials in (20, 20, 80, 320, 1280):
            metrics = {"gain": Estimate(0.5, 1 / math.sqrt(trials), 0.5)}
            cell = replace(views[0], metrics=metrics, trials=trials)
            line.snapshot = Snapshot(1, "running", done=trials, total=9999, seconds=1.0,
                                     parts={"base": (cell,)})  # fmt: skip
            await pilot.pause()
            drawn = "± " in seen(app).split("%")[1][:6]
            assert drawn == (trials >= 320), "three errors make a fall"
        # Each has half the height of the one before.
        assert ("± 8421 " if charset == "ascii" else "± █▄▂▁ ") in seen(app)
        line.snapshot = replace(line.snapshot, key=2)  # another run begins anew
        await pilot.pause()
        assert "± █" not in seen(app)
