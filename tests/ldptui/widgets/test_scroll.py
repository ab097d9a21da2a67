"""A container that scrolls looks as its content asks, whatever it held before."""

from __future__ import annotations

from support.styled_app import StyledApp
from textual.app import ComposeResult
from textual.widgets import Static

from ldptui.widgets.blank import Scroll

ROWS, WIDTH = 5, 20
ROW = "a" * (WIDTH - 1)
"""A word that fills a row to the column of the scrollbar."""


class Words(StyledApp):
    """Words that need five rows where one column is the scrollbar's."""

    CSS = f"""
    Scroll {{ width: {WIDTH}; height: {ROWS}; }}
    .auto {{ height: auto; max-height: 8; }}
    Static {{ height: auto; }}
    """

    def compose(self) -> ComposeResult:
        with Scroll():
            yield Static(" ".join([ROW] * ROWS), id="words")
            yield Static("more\nmore", id="more")


async def test_what_fits_exactly_has_no_scrollbar_whatever_was_there_before() -> None:
    app = Words()
    async with app.run_test() as pilot:
        scroll, more = app.query_one(Scroll), app.query_one("#more")
        assert scroll.show_vertical_scrollbar
        more.display = False
        await pilot.pause()
        assert not scroll.show_vertical_scrollbar
        assert app.query_one("#words").size == (WIDTH - 1, ROWS)


async def test_a_height_of_its_own_is_that_of_what_it_holds() -> None:
    app = Words()
    async with app.run_test() as pilot:
        scroll = app.query_one(Scroll)
        scroll.add_class("auto")
        scroll.styles.height = "auto"
        await pilot.pause()
        assert scroll.size.height == ROWS + 2
        assert not scroll.show_vertical_scrollbar
