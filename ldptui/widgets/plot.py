"""The widget of any chart. The driver sends only the cells that changed."""

from __future__ import annotations

from io import StringIO
from itertools import zip_longest
from typing import Any

from msgspec.structs import replace
from rich.console import Console
from rich.style import Style
from textual.app import App
from textual.color import Color, ColorParseError
from textual.events import Click
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip, StripRenderable
from textual.widget import Widget

from ..charts import rows
from ..charts.rows import Charset, ChartPalette, Look
from ..charts.series import Chart, Panels, Place, Plot
from ..text.svg import with_local_fonts


def palette_of(app: App[Any]) -> ChartPalette:
    """The chart colours under the app's theme: the theme's for text, our own for data.

    Theme colours are not chosen to be distinguishable in a chart or with 16 colours. Under a theme
    of the terminal's own colours only those are used.
    """
    dark = app.current_theme.dark
    if app.native_ansi_color:
        return rows.ANSI_DARK if dark else rows.ANSI_LIGHT
    base = rows.DARK if dark else rows.LIGHT
    try:
        foreground = Color.parse(app.theme_variables["foreground"])
        background = Color.parse(app.theme_variables["background"])
        muted = Color.parse(app.theme_variables["foreground-muted"])
    except (KeyError, ColorParseError):
        return base
    if foreground.ansi is not None or background.ansi is not None:
        return base  # a colour of the terminal has no RGB value to mix
    quiet = background.blend(muted, muted.a, alpha=1.0)
    return base.with_text(foreground.hex, background.hex, quiet.hex)


def charset_of(app: App[Any]) -> Charset:
    """The app's charset (braille or ASCII)."""
    charset: Charset = getattr(app, "charset", "braille")
    return charset


def look_of(app: App[Any], size: Size) -> Look:
    """The size, colours and charset of a picture in the app."""
    return Look(size.width, size.height, palette_of(app), charset_of(app))


class ChartView(Widget, can_focus=True):
    """The widget that draws `chart`, or the sentence `empty` if there is none.

    Rows are drawn once for each size, theme, charset and chart. zoom : the factor by which the
    x-axis is enlarged around the cursor.
    """

    class PointClick(Message):
        """Posted when a place in the plotted data was clicked."""

        def __init__(self, view: ChartView, place: Place) -> None:
            super().__init__()
            self.view, self.place = view, place

        @property
        def control(self) -> ChartView:
            return self.view

    # Charts hold arrays, which have no plain truth value: they must not be compared with !=.
    chart: reactive[Chart | None] = reactive(None, always_update=True, repaint=False, init=False)
    empty: reactive[str] = reactive("")
    zoom: reactive[float] = reactive(1.0)

    def __init__(
        self,
        chart: Chart | None = None,
        *,
        empty: str = "",
        name: str | None = None,
        id: str | None = None,  # noqa: A002 - Textual's name for it
        classes: str | None = None,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._rows: list[Strip] = []
        self._drawn: tuple[object, ...] | None = None
        self.set_reactive(ChartView.empty, empty)
        self.set_reactive(ChartView.chart, chart)

    def render_lines(self, crop: Region) -> list[Strip]:
        self._current_rows()  # once for all lines: to see whether they are current takes time
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        drawn = self._rows
        return drawn[y] if y < len(drawn) else Strip.blank(self.size.width, self.rich_style)

    def watch_chart(self, old: Chart | None, new: Chart | None) -> None:
        if self._drawn is None or not _same(old, new):
            self._drawn = None
            self.call_later(self._refresh_changed)  # first the others hear of what is new

    def _refresh_changed(self) -> None:
        """Draw the rows that changed again; all of them if another frame came before."""
        before = [] if self._drawn is not None else self._rows
        pairs = zip_longest(before, self._current_rows() if before else ())
        changed = [y for y, (row, other) in enumerate(pairs) if row != other]
        self.refresh(*(Region(0, y, self.size.width, 1) for y in changed))

    def watch_zoom(self) -> None:
        self._drawn = None

    def watch_empty(self) -> None:
        if self.chart is None:
            self._drawn = None

    def on_click(self, event: Click) -> None:
        """Post the place in the plotted data that was clicked."""
        from ..charts.draw import place_at

        chart = self._on_screen
        if chart is None:
            return
        place = place_at(chart, event.x, event.y, look_of(self.app, self.size))
        if place is not None:
            self.post_message(self.PointClick(self, place))

    def as_text(self) -> str:
        """The chart as plain text, as wide and high as on the screen, with series told apart by
        markers.
        """
        strips = self._draw(self.chart, replace(self._look, palette=rows.ANSI_DARK))
        return "\n".join(strip.text.rstrip() for strip in strips) + "\n"

    def as_svg(self) -> str:
        """The chart as an SVG picture, in the colours of the screen."""
        look = self._look
        background, foreground = self.colors[2:]
        base = Style.from_color(foreground.rich_color, background.rich_color)
        strips = [strip.apply_style(base) for strip in self._draw(self.chart, look)]
        console = Console(
            width=look.width,
            file=StringIO(),
            record=True,
            force_terminal=True,
            color_system="truecolor",
            legacy_windows=False,
            no_color=False,
        )
        console.print(StripRenderable(strips, look.width))
        title = self.chart.title if self.chart is not None else ""
        drawn = console.export_svg(title=title, theme=self.app.ansi_theme, unique_id="chart")
        return with_local_fonts(drawn)

    def _current_rows(self) -> list[Strip]:
        """The rows for the present state; they are drawn anew only when something changed."""
        style, app = self.rich_style, self.app
        state = (self.size, app.theme, app.native_ansi_color, charset_of(app), style)
        if self._drawn != state:
            drawn = self._draw(self._on_screen, look_of(app, self.size))
            # Blank segments do not inherit the background of the widget.
            self._rows = [strip.apply_style(style) for strip in drawn]
            self._drawn = state
        return self._rows

    @property
    def _on_screen(self) -> Chart | None:
        """The chart as it is drawn on the screen."""
        chart = self.chart
        if not isinstance(chart, Plot | Panels):
            return chart
        if self.zoom > 1:
            from ..charts.draw import zoom_chart

            chart = zoom_chart(chart, self.zoom)
        return chart

    @property
    def _look(self) -> Look:
        """The look of the chart for an export, also before it has a size."""
        return look_of(self.app, Size(self.size.width or 80, self.size.height or 24))

    def _draw(self, chart: Chart | None, look: Look) -> list[Strip]:
        if chart is None:
            return rows.message(self.empty, look)
        from ..charts.draw import draw

        return draw(chart, look)


def _same(old: Chart | None, new: Chart | None) -> bool:
    if old is new:
        return True
    try:
        return bool(old == new)
    except ValueError:  # arrays of more than one element
        return False
