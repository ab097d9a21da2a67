"""The status line: what does not fit is cut with an ellipsis."""

from __future__ import annotations

from textual.app import App, ComposeResult

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
