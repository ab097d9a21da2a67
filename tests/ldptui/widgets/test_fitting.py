"""Widgets are told their size even where Textual's own Resize does not come."""

from __future__ import annotations

import pytest
from support.waiting import until
from textual.app import App
from textual.geometry import Size
from textual.pilot import Pilot
from textual.widget import Widget

from ldptui.widgets.blank import call_on_resize


class Told(Widget):
    """Keeps the sizes it was told."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[Size] = []

    def on_mount(self) -> None:
        call_on_resize(self, lambda: self.told.append(self.outer_size))


async def reached(pilot: Pilot[None], widget: Told, *sizes: tuple[int, int]) -> None:
    await until(pilot, lambda: len(widget.told) >= len(sizes))
    assert widget.told == [Size(*size) for size in sizes]


@pytest.mark.parametrize("measured", [False, True])
async def test_each_size_is_sent_once(measured: bool) -> None:
    app, widget = App[None](), Told()
    async with app.run_test(size=(80, 24)) as pilot:
        with app.batch_update():  # no layout before it is over
            await app.mount(widget)
            if measured:
                # What a frame does when a new widget asks to be drawn; then somebody measures.
                app.screen._compositor.update_widgets({widget})
                assert widget.region.size == (80, 24)
                assert widget.outer_size == (0, 0)
        await reached(pilot, widget, (80, 24))
        await pilot.resize_terminal(60, 20)
        await reached(pilot, widget, (80, 24), (60, 20))
        widget.display = False
        await pilot.pause()
        widget.display = True
        await pilot.pause()
        await reached(pilot, widget, (80, 24), (60, 20))
