"""Containers: those that draw nothing of their own, and those that scroll.

BLANK : no border, no padding, no text. Textual then fills them without asking line by line, with
every frame, what they show.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Container, Horizontal, Vertical, VerticalScroll
from textual.geometry import Size
from textual.widget import Widget


class Area(Container):
    """A container whose layout is chosen by style."""

    BLANK = True


class PaneColumns(Horizontal):
    """A container whose children stand side by side."""

    BLANK = True


class PaneRows(Vertical):
    """A container whose children stand one below the other."""

    BLANK = True


class Scroll(VerticalScroll):
    """A container that scrolls and always keeps a free column for its scrollbar.

    Words that fold into one row more beside a scrollbar could rest with it as well as without, and
    what was there before would decide.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "scroll_down", "Down", show=False, id="rows.down"),
        Binding("k", "scroll_up", "Up", show=False, id="rows.up"),
    ]

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """The number of rows of the content; Textual 8 measures it without the
        scrollbar's column.
        """
        return super().get_content_height(container, viewport, width - self.scrollbar_size_vertical)


class PlainScroll(Scroll, can_focus=False):
    """A container that scrolls, but does not take the focus."""

    BLANK = True


def call_on_resize(widget: Widget, fit: Callable[[], object]) -> None:
    """Call `fit` after every layout that changes the widget's size.

    One with no room for any content stays as it was: it is folded, and will have its size again.

    For `on_mount`. Resize would tell the same if it always came: Textual 8 sends none to a widget
    that was measured after it was mounted or displayed and before it was laid out (its issue 5024),
    as happens in a busy start, and the widget stays as it was composed.
    """
    last = Size()

    def look(_: object = None) -> None:
        if widget.size and widget.outer_size != last:
            widget.call_next(turn)

    def turn() -> None:
        nonlocal last
        if widget.size and widget.outer_size != last:
            last = widget.outer_size
            fit()

    widget.screen.screen_layout_refresh_signal.subscribe(widget, look, immediate=True)
    look()  # it may have been laid out before it was mounted
