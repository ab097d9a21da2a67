"""A scrollable sheet of styled rows, drawn line by line: nothing is laid out that is not seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, TypeAlias

from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from ...charts.rows import Look, Row, strip
from ...text.format import ascii_cells
from ...widgets.plot import charset_of, look_of

Build: TypeAlias = Callable[[Look], list[Row]]
"""The look → the rows, none of them wider than its width."""


class RowsView(ScrollView, can_focus=True):
    """The rows that `build` makes for the present size, theme and charset; `rebuild` asks again."""

    DEFAULT_CSS = """
    RowsView {
        height: 1fr;
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
        background: transparent;
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "scroll_down", "Down", show=False, id="rows.down"),
        Binding("k", "scroll_up", "Up", show=False, id="rows.up"),
    ]

    def __init__(self, build: Build) -> None:
        super().__init__()
        self._build = build
        self._rows: list[Row] = []
        self._drawn: tuple[object, ...] | None = None

    def rebuild(self) -> None:
        """Build again, when it is next seen."""
        self._drawn = None
        self.refresh()

    def on_resize(self) -> None:
        self._current()

    def on_show(self) -> None:
        self._current()

    def as_text(self) -> str:
        """All rows as plain text, also those out of sight."""
        lines = ("".join(text for text, _ in row).rstrip() for row in self._current())
        text = "\n".join(lines) + "\n"
        return ascii_cells(text) if charset_of(self.app) == "ascii" else text

    def render_lines(self, crop: Region) -> list[Strip]:
        self._current()  # once for all lines: telling whether they are current takes time
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        rows, at = self._rows, y + round(self.scroll_offset.y)
        row = rows[at] if at < len(rows) else []
        # Blank segments do not inherit the background of the widget.
        width = self.scrollable_content_region.width
        return strip(row, width, charset_of(self.app)).apply_style(self.rich_style)

    def _current(self) -> list[Row]:
        """The rows for the present state; they are built anew only when something changed."""
        app, size = self.app, self.scrollable_content_region.size
        state = (size, app.theme, app.native_ansi_color, charset_of(app))
        if self._drawn != state:
            self._drawn = state
            self._rows = self._build(look_of(app, size))
            self.virtual_size = Size(size.width, len(self._rows))
        return self._rows
