"""The panel of the privacy of kept answers: numbers, and ε over many reports."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, cast

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.reactive import reactive
from textual.widgets import Static

from ldptui.core.law.longitudinal import Memoising

from ...widgets.blank import Scroll
from ...widgets.plot import ChartView, charset_of, palette_of
from ...widgets.words import spell_text, text_of

if TYPE_CHECKING:
    from ldptui.core.cell import Cell

    from ...session.draft import Draft

NOTHING: Final = "only kinds whose users keep an answer have this panel"


class PrivacyView(Vertical):
    """The tab Privacy: the privacy loss of clients that keep answers, in numbers and as a chart
    over the number of reports.
    """

    draft: reactive[Draft | None] = reactive(None, always_update=True, init=False)

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._numbers, self._chart = Static(), ChartView()

    def compose(self) -> ComposeResult:
        yield Scroll(self._numbers)
        yield self._chart

    def on_mount(self) -> None:
        self.watch_draft()

    def watch_draft(self) -> None:
        if self.is_mounted:
            cell = self._cell
            self._numbers.update(self._content(cell))
            self._chart.chart = None
            if cell is not None and isinstance(cell.protocol, Memoising):
                from ...explain.kept_answers import rounds_plot

                self._chart.chart = rounds_plot(cell.protocol)

    @property
    def _cell(self) -> Cell | None:
        """The draft's cell; None before there was one."""
        return None if self.draft is None else self.draft.cell

    def as_text(self) -> str:
        """The numbers and the chart as plain text."""
        drawn, width = self._content(self._cell), self._numbers.size.width
        return f"{text_of(drawn, width, charset_of(self.app))}\n{self._chart.as_text()}"

    def _content(self, cell: Cell | None) -> RenderableType:
        if cell is None or not isinstance(cell.protocol, Memoising):
            return Text(NOTHING, justify="center")
        return Group(*self._groups(cell))

    def _groups(self, cell: Cell) -> Iterator[RenderableType]:
        """Yields the groups of numbers: symbol, name, value, and the reason."""
        from ...explain.kept_answers import number_groups

        palette = palette_of(self.app)
        for group in number_groups(cell, cast("Memoising", cell.protocol)):
            yield Text(spell_text(self, group.title), "bold")
            grid = Table.grid(padding=(0, 2, 0, 0))
            grid.add_column(style=palette.theory)
            grid.add_column(max_width=28)
            grid.add_column(style="bold", justify="right")
            grid.add_column(style=palette.muted)
            for each in group.numbers:
                texts = (each.symbol, each.label, each.value, each.why)
                grid.add_row(*(Text(spell_text(self, text)) for text in texts))
            yield Padding(grid, (0, 0, 1, 0))
