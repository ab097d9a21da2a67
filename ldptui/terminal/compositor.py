"""A screen that is drawn seldom: its compositor, and the characters that a terminal is shown.

It asks only changed widgets what they show.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Any, Final

from rich.cells import get_character_cell_size
from rich.segment import Segment
from rich.style import Style
from textual._compositor import ChopsUpdate, Compositor, ReflowResult
from textual.color import Color
from textual.events import ScreenResume
from textual.filter import LineFilter
from textual.geometry import Region, Size
from textual.screen import UPDATE_PERIOD, Screen
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from ldptui.core.base.errors import one_line

from ..text.format import shortened, to_ascii

SPELLED: Final = {char: to_ascii(char) for char in "αβγδεϵηθλμπρστφχω±≤≥…→∞"}
"""Signs that are words in ASCII."""
ROOM: Final = " ─━"


class Shown(LineFilter):
    """Lets through the characters that a terminal prints.

    Data may hold others: control characters, separators of lines, marks of direction. One that
    takes a cell leaves a question mark there, one that takes none leaves nothing.
    """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002
        if all(segment.text.isprintable() for segment in segments):
            return segments
        return [
            Segment("".join(map(_shown, segment.text)), segment.style, segment.control)
            for segment in segments
        ]


class Spelled(LineFilter):
    """Spells signs out where there is room beside them: `budget ε    1`, `budget eps  1`.

    Room are spaces, and the rule of a border behind or before its words.

    The line keeps its width, and all that has no such room stays as it is.
    """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002
        if not any(char in SPELLED for segment in segments for char in segment.text):
            return segments
        if any(segment.control for segment in segments):
            return segments
        cells = [(char, segment.style) for segment in segments for char in segment.text]
        at = 0
        while at < len(cells):
            if cells[at][0] in SPELLED:
                at = _spell(cells, at)
            at += 1
        return [
            Segment("".join(char for char, _ in run), style)
            for style, run in groupby(cells, key=itemgetter(1))
        ]


def _spell(cells: list[tuple[str, Style | None]], at: int) -> int:
    """Put the word for the sign at this place, if there is room; the place of its end."""
    char, style = cells[at]
    word = SPELLED[char]
    for letters in (word, shortened(word)):
        more = len(letters) - 1
        before = _spaces(cells, at - more - 1, at)
        gap = next((end for end in range(at + 1, len(cells)) if _gap(cells, end, more)), None)
        if before > more:
            del cells[at - more : at]
            at -= more
        elif gap is not None:
            del cells[gap : gap + more]
        else:
            continue
        cells[at : at + 1] = [(letter, style) for letter in letters]
        return at + more
    return at


def _gap(cells: Sequence[tuple[str, Style | None]], start: int, most: int) -> bool:
    """True if there is room for this number of cells from here, and for one more that stays."""
    return _spaces(cells, start, start + most + 1) == most + 1


def _spaces(cells: Sequence[tuple[str, Style | None]], start: int, end: int) -> int:
    """The spaces, or the cells of a rule, from `start` to `end`; 0 where that leaves the line."""
    inside = start >= 0 and end <= len(cells)
    chars = [char for char, _ in cells[start:end]] if inside else []
    return max((chars.count(char) for char in ROOM), default=0)


def _shown(char: str) -> str:
    return char if char.isprintable() else one_line(char) * get_character_cell_size(char)


TURNS: Final = 4
"""Turns of the event loop in which a key reaches its widgets, and their news the screen."""


class FrugalScreen(Screen[None]):
    """A screen that draws what a key changes in one frame, and of it the changed regions."""

    def __init__(self) -> None:
        super().__init__()
        self._compositor = ChangedRegionsCompositor()
        self._frames: Timer | None = None

    async def _compose(self) -> None:
        """Have the class of its width before what is in it is styled: a resize is told later."""
        width, points = self.app.size.width, self.app.HORIZONTAL_BREAKPOINTS or []
        self.add_class(*self._get_breakpoint_classes(width, points))
        await super()._compose()

    def _on_screen_resume(self, event: ScreenResume) -> None:
        """Style nothing again that was styled when it was mounted."""
        event.refresh_styles = event.refresh_styles and self.stack_updates > 0

    @property
    def _update_timer(self) -> Timer:
        """The timer of the frames. Textual's draws one with the first change: a second one has
        the rest, which the messages of the same key were to bring.
        """
        if self._frames is None:
            self._frames = self.set_interval(UPDATE_PERIOD, self._draw, name="frames", pause=True)
        return self._frames

    def scroll_to_center(self, widget: Widget, animate: bool = False, **more: Any) -> None:
        """Scroll a widget into the middle, at once.

        An animation would go on to where the widget was when the animation began.
        """
        super().scroll_to_center(widget, animate, **more)

    async def _draw(self) -> None:
        for _ in range(TURNS):
            await asyncio.sleep(0)
        self._on_timer_update()


class ChangedRegionsCompositor(Compositor):
    """Asks a widget only for rows of which something is to be drawn and nothing is in front.

    Textual's asks all between two changes: with the last line changed, the whole screen.
    """

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
        """The rows of widgets to be drawn, from the front to the back; no cell is told twice."""
        regions = self._changed or [crop or self.size.region]
        left: dict[int, list[int]] = {}  # the cells of each row between two cuts, by the first one
        for y, start, end in self._regions_to_spans(regions):
            if 0 <= y < len(self.cuts):
                left.setdefault(y, []).extend(
                    cut for cut, after in pairwise(self.cuts[y]) if start < after and cut < end
                )
        for widget, (region, clip) in self.visible_widgets.items():
            seen = region.intersection(clip)
            span = range(seen.x, seen.right)
            rows = [y for y in seen.line_range if any(cut in span for cut in left.get(y, ()))]
            if not rows:
                continue
            for y in rows:
                left[y] = [cut for cut in left[y] if cut not in span]
            part = Region(seen.x, rows[0], seen.width, rows[-1] + 1 - rows[0])
            yield region, part, widget.render_lines(part.translate(-region.offset))


def _is_shown(widget: Widget) -> bool:
    """True where neither the widget nor what it is in is hidden: it may have a place soon."""
    return all(each.display for each in widget.ancestors_with_self if isinstance(each, Widget))
