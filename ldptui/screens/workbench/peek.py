"""The strip under a form that is alone on the screen: what an edit does to the charts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.cells import cell_len
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from ...charts.rows import crop, strip
from ...text.format import short
from ...widgets.plot import look_of
from ...widgets.words import spelled
from .charts.tabs import has_goal

if TYPE_CHECKING:
    from ...charts.rows import Look, Row
    from ...charts.series import Plot
    from .charts import ChartsPane
    from .charts.shown import Shown

ROWS: Final = 5
"""Rows of the strip, its rule included."""
BAR: Final = 14
"""Cells of the longest bar."""
NAME: Final = 12
"""Cells of an item's name at most."""


class Peek(Widget):
    """One line with the gain now and before the edit; below it the curve and the top targets."""

    DEFAULT_CSS = f"""
    Peek {{
        height: {ROWS};
        border-top: solid $foreground 25%;
        padding: 0 1;
        display: none;
    }}
    """

    def __init__(self) -> None:
        super().__init__(id="peek")
        self._lines: list[Strip] = []
        self._now: tuple[int, float] | None = None  # the key of a run and its gain
        self._before: float | None = None

    def follow(self, charts: ChartsPane) -> None:
        """Show what the charts know now."""
        shown, curve = charts.peeked()
        self._remember(shown)
        if not self.display or not self.size.width:
            return
        look = look_of(self.app, Size(self.size.width, ROWS - 1))
        lines = self._drawn(shown, curve, look)
        if lines != self._lines:
            self._lines = lines
            self.refresh()

    def render_line(self, y: int) -> Strip:
        if y < len(self._lines):
            return self._lines[y].apply_style(self.rich_style)
        return Strip.blank(self.size.width, self.rich_style)

    def _remember(self, shown: Shown) -> None:
        """Keep the gain of the run before the last edit."""
        run, gain = shown.snapshot, _gain(shown)
        if run is None or gain is None:
            return
        if self._now is not None and self._now[0] != run.key:
            self._before = self._now[1]
        self._now = run.key, gain

    def _drawn(self, shown: Shown, curve: Plot | None, look: Look) -> list[Strip]:
        """The line of words, then the curve at the left and the targets' bars at the right."""
        from ...charts.draw import draw

        words: Row = [(crop(spelled(self, self._words(shown)), look.width), look.strong)]
        half = look.width // 2
        picture = draw(curve, look.sized(half, look.height - 1)) if curve is not None else []
        bars = self._bars(shown, look.sized(look.width - half - 2, look.height - 1))
        lines = [strip(words, look.width, look.charset)]
        for row in range(look.height - 1):
            left = picture[row] if row < len(picture) else Strip.blank(half)
            right = bars[row] if row < len(bars) else []
            cells: Row = [("  ", ""), *right]
            lines.append(Strip.join([left, strip(cells, look.width - half, look.charset)]))
        return lines

    def _words(self, shown: Shown) -> str:
        """The answer to a goal; else the gain now and before, of a task without one its verdict."""
        if has_goal(shown.draft) and (answered := shown.verdict("answer")):
            return answered[0]
        if self._now is not None and _gain(shown) is not None:
            was = self._before
            before = "" if was is None else f" (was {short(was, 3)})"
            return f"gain {short(self._now[1], 3)}{before}{' · STALE' * shown.stale}"
        said = shown.verdict("gain")
        return said[0] if said else shown.empty

    def _bars(self, shown: Shown, look: Look) -> list[Row]:
        """The targets that gain most: name, change as a bar and as a number."""
        top = sorted(_changes(shown), reverse=True)[: look.height]
        largest = max((abs(value) for value, _ in top), default=0.0) or 1.0
        wide = max((min(NAME, cell_len(look.clean(name))) for _, name in top), default=0)
        mark = "#" if look.charset == "ascii" else "█"
        rows: list[Row] = []
        for value, name in top:
            size = max(0, round(BAR * value / largest))
            label = look.clean(name)[:wide].rjust(wide)
            rows.append([
                (f"{label} ", look.palette.foreground),
                (mark * size + " " * (BAR - size), look.palette.attacked),
                (f" {short(value, 3, sign=True)}", look.palette.foreground),
            ])  # fmt: skip
        return rows


def _changes(shown: Shown) -> list[tuple[float, str]]:
    """The change of each target's estimate, and its name."""
    frequencies = shown.frequencies
    if frequencies is None:
        return []
    both = zip(frequencies.clean.mean, frequencies.attacked.mean, strict=True)
    return [
        (after - before, frequencies.labels[at])
        for at, (before, after) in enumerate(both)
        if frequencies.items[at] in frequencies.targets
    ]


def _gain(shown: Shown) -> float | None:
    """The gain of the cell shown: the sum of those changes; None without an attack."""
    changes = _changes(shown)
    return sum(value for value, _ in changes) if changes else None
