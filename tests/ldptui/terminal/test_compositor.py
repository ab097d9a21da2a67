"""Widgets that have not changed are not asked what they show; those that appear are."""

from __future__ import annotations

import asyncio

from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from ldptui.terminal.compositor import ChangedRegionsCompositor, FrugalScreen


class Line(Widget):
    """One row with a word; counts how often it is asked for it."""

    DEFAULT_CSS = "Line { height: 1; }"

    def __init__(self, word: str) -> None:
        super().__init__()
        self.word, self.asked = word, 0

    def render_lines(self, crop: Region) -> list[Strip]:
        self.asked += 1
        return super().render_lines(crop)

    def render(self) -> str:
        return self.word


class Lines(Screen[None]):
    def __init__(self) -> None:
        super().__init__()
        self._compositor = ChangedRegionsCompositor()

    def compose(self) -> ComposeResult:
        yield from map(Line, ("first", "second", "third"))


class Host(App[None]):
    def get_default_screen(self) -> Screen[None]:
        return Lines()


async def test_what_lies_between_two_changes_is_left_alone() -> None:
    app = Host()
    async with app.run_test(size=(20, 4)) as pilot:
        first, second, third = app.screen.query(Line)
        for line in (first, second, third):
            line.asked = 0
        first.word, third.word = "one", "three"
        first.refresh()
        third.refresh(Region(0, 0, 2, 1))
        screen = app.screen
        screen._compositor.update_widgets({first, third})
        update = screen._compositor.render_update()
        assert [line.asked for line in (first, second, third)] == [1, 0, 1]
        drawn = update.render_segments(app.console)  # type: ignore[union-attr]
        assert "one" in drawn
        assert "th" in drawn
        assert "second" not in drawn
        # All of the screen, as a screenshot has it.
        await pilot.pause()
        text = [strip.text.rstrip() for strip in screen._compositor.render_strips()]
        assert text == ["one", "second", "three", ""]


class Sheet(Line):
    """Lines stand on it, and leave it some cells at the right."""

    DEFAULT_CSS = """
    Sheet { layout: vertical; height: 3; }
    Sheet > Line { width: 10; }
    """

    def compose(self) -> ComposeResult:
        yield from map(Line, ("first", "second"))


async def test_what_others_hide_is_not_asked() -> None:
    class Sheets(Lines):
        def compose(self) -> ComposeResult:
            yield Sheet("sheet")

    class Covered(App[None]):
        def get_default_screen(self) -> Screen[None]:
            return Sheets()

    app = Covered()
    async with app.run_test(size=(20, 4)):
        sheet, first, second = app.screen.query(Line)
        compositor = app.screen._compositor
        sheet.asked = first.asked = second.asked = 0
        first.word = "one"
        first.refresh()
        compositor.update_widgets({first})
        assert "one" in compositor.render_update().render_segments(app.console)  # type: ignore[union-attr]
        assert (sheet.asked, first.asked, second.asked) == (0, 1, 0)
        sheet.refresh()
        compositor.update_widgets({sheet})
        compositor.render_update()
        assert (sheet.asked, first.asked, second.asked) == (1, 2, 1)
        text = [strip.text.rstrip() for strip in compositor.render_strips()]
        assert text == ["one", "second", "", ""]


async def test_what_appears_is_drawn_though_its_place_was_asked_for_before() -> None:
    """After a scroll, which lays out what is seen, asking for one place computes all of them."""
    app = Host()
    async with app.run_test(size=(20, 4)) as pilot:
        screen, compositor = app.screen, app.screen._compositor
        second = [*screen.query(Line)][1]
        second.display = False
        await pilot.pause()
        compositor.reflow_visible(screen, screen.size)
        compositor.render_update()
        second.display = True
        assert second in compositor.full_map
        result = compositor.reflow(screen, screen.size)
        assert second in result.shown
        update = compositor.render_update()
        assert "second" in update.render_segments(app.console)  # type: ignore[union-attr]


async def test_a_change_of_what_is_hidden_lays_out_nothing() -> None:
    app = Host()
    async with app.run_test(size=(20, 4)) as pilot:
        first, second, _ = app.screen.query(Line)
        second.display = False
        await pilot.pause()
        compositor = app.screen._compositor
        assert second not in compositor.full_map
        compositor.update_widgets({first, second})
        assert not compositor._full_map_invalidated
        second.display = True
        await pilot.pause()
        assert second in compositor.full_map


async def test_what_changes_a_turn_later_is_in_the_same_frame() -> None:
    class Frugal(App[None]):
        def get_default_screen(self) -> Screen[None]:
            return FrugalScreen()

    app = Frugal()
    async with app.run_test(size=(20, 4)) as pilot:
        line = Line("soon")
        await app.screen.mount(line)
        await pilot.pause()
        line.asked = 0
        frame = app.screen._update_timer._callback
        assert frame is not None
        drawing = asyncio.create_task(frame())
        await asyncio.sleep(0)
        line.refresh()
        app.screen._dirty_widgets.add(line)
        await drawing
        assert line.asked == 1
