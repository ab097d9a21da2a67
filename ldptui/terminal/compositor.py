"""A compositor that draws all that appears, and asks only changed widgets what they show."""

from __future__ import annotations

from collections.abc import Iterable

from textual._compositor import ChopsUpdate, Compositor, ReflowResult
from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget


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
