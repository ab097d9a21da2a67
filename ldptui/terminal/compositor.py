"""A screen that is drawn seldom, and a compositor that draws all that appears.

It asks only changed widgets what they show.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Final

from textual._compositor import ChopsUpdate, Compositor, ReflowResult
from textual.geometry import Region, Size
from textual.screen import UPDATE_PERIOD, Screen
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

TURNS: Final = 3
"""Turns of the event loop in which a key reaches its widgets, and their news the screen."""


class FrugalScreen(Screen[None]):
    """A screen that draws what a key changes in one frame, and of it the changed regions."""

    def __init__(self) -> None:
        super().__init__()
        self._compositor = ChangedRegionsCompositor()
        self._frames: Timer | None = None

    @property
    def _update_timer(self) -> Timer:
        """The timer of the frames. Textual's draws one with the first change: a second one has
        the rest, which the messages of the same key were to bring.
        """
        if self._frames is None:
            self._frames = self.set_interval(UPDATE_PERIOD, self._draw, name="frames", pause=True)
        return self._frames

    async def _draw(self) -> None:
        for _ in range(TURNS):
            await asyncio.sleep(0)
        self._on_timer_update()


class ChangedRegionsCompositor(Compositor):
    """Textual's asks all between two changes: with the last line changed, the whole screen."""

    def __init__(self) -> None:
        super().__init__()
        self._changed: frozenset[Region] = frozenset()
        self._reflowed = self._full_map

    def reflow(self, parent: Widget, size: Size) -> ReflowResult:
        """Lay out, and mark what differs from the layout before.

        Who asks for the place of a widget after something was scrolled has all places computed
        anew. Textual's compares with those, and what came or moved meanwhile is not drawn.
        """
        self._full_map = self._reflowed
        result = super().reflow(parent, size)
        self._reflowed = self._full_map
        return result

    def update_widgets(self, widgets: set[Widget]) -> None:
        """Mark what has changed; Textual's lays out all where a hidden widget is among it."""
        visible = self.visible_widgets
        super().update_widgets({each for each in widgets if each in visible or _is_shown(each)})

    def render_partial_update(self) -> ChopsUpdate | None:
        self._changed = frozenset(self._dirty_regions)
        try:
            return super().render_partial_update()
        finally:
            self._changed = frozenset()

    def _get_renders(
        self, crop: Region | None = None
    ) -> Iterable[tuple[Region, Region, list[Strip]]]:
        if not self._changed:
            yield from super()._get_renders(crop)
            return
        for widget, (region, clip) in self.visible_widgets.items():
            seen = region.intersection(clip)
            if seen and any(changed.overlaps(seen) for changed in self._changed):
                yield region, clip, widget.render_lines(seen.translate(-region.offset))


def _is_shown(widget: Widget) -> bool:
    """True where neither the widget nor what it is in is hidden: it may have a place soon."""
    return all(each.display for each in widget.ancestors_with_self if isinstance(each, Widget))
