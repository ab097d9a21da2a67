"""The status line: a long sentence, a note's few seconds, how far a run is."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from support.fake_engine import base_snapshot
from support.styled_app import StyledApp
from support.waiting import seen, until
from textual.app import ComposeResult

from ldptui.core.base.summary import Estimate
from ldptui.messages import StatusNote
from ldptui.session.cell_table import address_of
from ldptui.session.snapshot import Snapshot
from ldptui.widgets.status import StatusLine


class Alone(StyledApp):
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
        line.note = "wrote gain.pdf"
        line.keep_note()
        await pilot.pause(0.05)
        assert "wrote gain.pdf" in seen(app)
        line.drop_kept_note()
        assert "epsilon must be positive" in line.render().plain


async def test_a_refused_key_gives_way_to_a_problem_and_to_an_edit() -> None:
    app = Alone()
    async with app.run_test(size=(40, 3)):
        line = app.query_one(StatusLine)
        line.take(StatusNote("x: no such key here", refuses_key=True))
        assert "no such key" in line.render().plain
        line.problem = "epsilon must be positive"
        assert "epsilon must be positive" in line.render().plain
        line.take(StatusNote("x: no such key here", refuses_key=True))
        assert "epsilon must be positive" in line.render().plain
        line.problem = ""
        line.take(StatusNote("x: no such key here", refuses_key=True))
        line.drop_refusal()
        assert "no such key" not in line.render().plain
        line.take(StatusNote("copied 3 lines"))
        line.drop_refusal()
        assert "copied 3 lines" in line.render().plain


async def test_progress_and_remaining_time_of_a_run() -> None:
    app = Alone()
    async with app.run_test(size=(90, 3)) as pilot:
        line = app.query_one(StatusLine)
        line.snapshot = Snapshot(1, "running", done=50, total=192, seconds=10.0, full=True)
        await pilot.pause()
        words = "● run ███░░░░░░░░░  26 %  50 of 192 trials · 5/s · 28 s left"
        assert words in seen(app)


async def test_the_first_metric_is_told_with_its_error() -> None:
    app = Alone()
    async with app.run_test(size=(90, 3)) as pilot:
        line, views = app.query_one(StatusLine), base_snapshot(1).cells
        cell = replace(views[0], metrics={"gain": Estimate(0.5, 0.02, 0.5)}, trials=20)
        line.snapshot = Snapshot(
            1, "running", done=20, total=99, cells=(cell,), base=address_of(cell.parameters)
        )
        await pilot.pause()
        assert "20 of 99 trials · gain 0.5 ± 0.02" in seen(app)
