"""The panel of the privacy of kept answers, and its price: numbers, and ε over many reports."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from typing import TYPE_CHECKING, Final

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.reactive import reactive
from textual.widgets import Static

from ...text import format as fmt
from ...widgets.blank import Scroll, call_on_resize
from ...widgets.plot import ChartView, charset_of, palette_of
from ...widgets.words import spell_text

if TYPE_CHECKING:
    from ...explain.family_explanation import Bargain, Panel
    from ...session.draft import Draft

SIDE_BY_SIDE: Final = 114
"""From this width the chart stands beside the numbers."""
LOW: Final = 24
"""Below this height the chart leaves more rows to the numbers."""
NOTHING: Final = "only kinds whose users keep an answer have this panel"
BUYS: Final = "σ of a rare frequency; strings of equal frequency that N users can reveal"
ROOM: Final = "; 0.8 k m candidates that can be estimated together"


class PrivacyView(Vertical):
    """The numbers of `draft`'s kept answers, and the chart of many reports."""

    DEFAULT_CSS = """
    PrivacyView {
        height: 1fr;
        & > Scroll { width: 1fr; height: 1fr; }
        & > ChartView { width: 1fr; height: 12; }
        &.-low > ChartView { height: 6; }
        &.-side { layout: horizontal; }
        &.-side > Scroll { width: 76; }
        &.-side > ChartView { height: 1fr; margin: 0 0 0 2; }
    }
    """

    draft: reactive[Draft | None] = reactive(None, always_update=True, init=False)

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._numbers, self._chart = Static(), ChartView()

    def compose(self) -> ComposeResult:
        yield Scroll(self._numbers)
        yield self._chart

    def on_mount(self) -> None:
        call_on_resize(self, self._fit)
        self.watch_draft()

    def _fit(self) -> None:
        self.set_class(self.size.width >= SIDE_BY_SIDE, "-side")
        self.set_class(self.size.height < LOW, "-low")

    def watch_draft(self) -> None:
        if self.is_mounted:
            panel = self._panel
            self._numbers.update(self._content(panel))
            self._chart.chart = None if panel is None else panel.rounds

    @property
    def _panel(self) -> Panel | None:
        """The panel of the draft's cell; None where its users keep nothing."""
        cell = self.draft.cell if self.draft is not None else None
        if cell is None:
            return None
        from ...explain import example_users as users

        return users.panel(cell)

    def as_text(self) -> str:
        """The numbers and the chart as plain text."""
        console = Console(file=StringIO(), width=self._numbers.size.width or 76, color_system=None)
        with console.capture() as written:
            console.print(self._content(self._panel))
        text = written.get()
        text = fmt.ascii_cells(text) if charset_of(self.app) == "ascii" else text
        return f"{text}\n{self._chart.as_text()}"

    def _content(self, panel: Panel | None) -> RenderableType:
        if panel is None:
            return Text(NOTHING, justify="center")
        return Group(*self._facts(panel), *self._bargains(panel.bargains()))

    def _facts(self, panel: Panel) -> Iterator[RenderableType]:
        """The groups of numbers: symbol, name, value, and why it is so."""
        palette = palette_of(self.app)
        for group in panel.groups():
            yield Text(spell_text(self, group.title), "bold")
            grid = Table.grid(padding=(0, 2, 0, 0))
            grid.add_column(style=palette.theory)
            grid.add_column(max_width=28)
            grid.add_column(style="bold", justify="right")
            grid.add_column(style=palette.muted)
            for fact in group.facts:
                texts = (fact.symbol, fact.label, fact.value, fact.why)
                grid.add_row(*(Text(spell_text(self, text)) for text in texts))
            yield Padding(grid, (0, 0, 1, 0))

    def _bargains(self, bargains: tuple[Bargain, ...]) -> Iterator[RenderableType]:
        """A row for each alternative, that of the scenario first."""
        if not bargains:
            return
        muted, has_room = palette_of(self.app).muted, bargains[0].room is not None
        yield Text("What each number buys", "bold")
        table = Table(box=None, header_style=muted, pad_edge=False)
        for head in ("", "ε₁", "ε∞", "σ", "strings", *["0.8 k m"] * has_room):
            table.add_column(spell_text(self, head), justify="right" if head else "left")
        for bargain in bargains:
            row = (spell_text(self, text) for text in _numbers(bargain))
            table.add_row(*row, style="bold" if bargain is bargains[0] else None)
        yield table
        yield Text(spell_text(self, BUYS + ROOM * has_room), muted)


def _numbers(bargain: Bargain) -> list[str]:
    """The name of an alternative and its numbers."""
    numbers = (bargain.epsilon_one, bargain.epsilon_infinity, bargain.std, bargain.strings)
    texts = [
        "unbounded" if number is None else fmt.short(number, 3, zeros=True) for number in numbers
    ]
    room = [] if bargain.room is None else [fmt.count(int(bargain.room))]
    return [bargain.name, *texts, *room]
