"""The phases of an attack, round by round, in four rows: share above, mixture below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.app import RenderResult
from textual.content import Content
from textual.geometry import Size
from textual.reactive import reactive
from textual.widget import Widget

from ....text.format import percent
from ....widgets.field import faint, muted

_EIGHTHS = " ▁▂▃▄▅▆▇█"
_ROWS = 2
_MARGIN = 8


@dataclass(frozen=True)
class Stretch:
    """A phase as the strip draws it: its share in each round, its mixture in words."""

    shares: tuple[float, ...]
    mix: str
    off: bool = False


class PhaseStrip(Widget):
    """Share over rounds as a bar chart of eighths, with each phase's mixture in words below it.

    `at` is the phase that is chosen, `cursor` the round that the Timeline shows (None: none).
    """

    DEFAULT_CSS = """
    PhaseStrip { height: auto; width: 1fr; }
    """

    stretches: reactive[tuple[Stretch, ...]] = reactive((), layout=True)
    rounds: reactive[int] = reactive(0)
    at: reactive[int] = reactive(0)
    cursor: reactive[int | None] = reactive(None)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        return _ROWS + 2 if self.stretches else 0

    def render(self) -> RenderResult:
        wide = self.size.width - _MARGIN - 1
        length = max(self.rounds, sum(len(stretch.shares) for stretch in self.stretches))
        if wide < 8 or not length:
            return Content("")
        places = _places([len(stretch.shares) for stretch in self.stretches], length, wide)
        highest = max(
            (share for stretch in self.stretches for share in stretch.shares), default=0.0
        )
        lines = [self._bars(row, places, highest) for row in range(_ROWS)]
        lines.append(self._axis(places, wide))
        lines.append(self._mixes(places, wide))
        return Content("\n").join(lines)

    def _style(self, number: int) -> str:
        if self.stretches[number].off:
            return faint(self)
        return "$text-accent" if number == self.at else "$foreground"

    def _bars(self, row: int, places: Sequence[tuple[int, int]], highest: float) -> Content:
        """A row of the bars, the uppermost first, with the highest share at its left."""
        margin = percent(highest) if row == 0 else "0" if row == _ROWS - 1 else ""
        line = Content.styled(margin.rjust(_MARGIN - 1), muted(self)) + Content(" ")
        for number, (start, stop) in enumerate(places):
            shares = self.stretches[number].shares
            cells = "".join(
                _cell(_mean(shares, at, stop - start) / highest if highest else 0.0, row)
                for at in range(stop - start)
            )
            line += Content.styled(cells, self._style(number))
        return line

    def _axis(self, places: Sequence[tuple[int, int]], wide: int) -> Content:
        """The rounds' axis: where each phase starts, and the round that the Timeline shows."""
        cells = ["─"] * wide
        for start, _ in places:
            cells[start] = "┬" if start else "├"
        if self.cursor is not None and self.rounds:
            cells[min(wide - 1, self.cursor * wide // self.rounds)] = "▲"
        return Content(" " * _MARGIN) + Content.styled("".join(cells), muted(self))

    def _mixes(self, places: Sequence[tuple[int, int]], wide: int) -> Content:
        """The words of each phase below it; those of the last one go on to the right."""
        line = Content(" " * _MARGIN)
        for number, (start, stop) in enumerate(places):
            stretch = self.stretches[number]
            stop = stop if number < len(places) - 1 else wide + 1
            words = f"{stretch.mix} off" if stretch.off else stretch.mix
            room = stop - start
            text = Content.styled(words, self._style(number)).truncate(
                max(0, room - 1), ellipsis=True
            )
            line += text.pad_right(max(0, room - text.cell_length))
        return line


def _places(lengths: Sequence[int], rounds: int, wide: int) -> list[tuple[int, int]]:
    """First and one past the last cell of each phase, in proportion to its rounds; one at least."""
    places, done = [], 0
    for length in lengths:
        start, done = done, done + length
        places.append((start * wide // rounds, done * wide // rounds))
    return places


def _mean(shares: Sequence[float], at: int, cells: int) -> float:
    """The mean share of the rounds under a cell; of the one round that it is a part of."""
    first = at * len(shares) // cells
    last = max(first + 1, (at + 1) * len(shares) // cells)
    under = shares[first:last]
    return sum(under) / len(under)


def _cell(height: float, row: int) -> str:
    """A bar's cell in a row; what is above 0 is seen."""
    eighths = round(height * 8 * _ROWS)
    if height > 0:
        eighths = max(1, eighths)
    left = eighths - 8 * (_ROWS - 1 - row)
    return _EIGHTHS[max(0, min(8, left))]
