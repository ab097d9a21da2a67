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

    Otherwise text that needs one row more beside a scrollbar could be laid out with or without it,
    depending on what was shown before.
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
    """Call `fit` after every layout that changes the widget's size; to be called in `on_mount`.

    A size without room for content is ignored, as the widget is folded then. Events of the class
    Resize do not suffice: Textual 8 sends none to a widget that is measured between its mounting
    and its first layout (issue 5024 of Textual).
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
