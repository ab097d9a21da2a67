"""A compositor that asks only those widgets what they show that have changed on the screen."""

from __future__ import annotations

from collections.abc import Iterable

from textual._compositor import ChopsUpdate, Compositor
from textual.geometry import Region
from textual.strip import Strip


class ChangedRegionsCompositor(Compositor):
    """Textual's asks all between two changes: with the last line changed, the whole screen."""

    def __init__(self) -> None:
        super().__init__()
        self._changed: frozenset[Region] = frozenset()

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
