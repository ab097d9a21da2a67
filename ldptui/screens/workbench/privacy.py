"""The panel of the privacy of kept answers, and its price: numbers, and ε over many reports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.reactive import reactive

from ...charts.rows import Look, Row, centred, length, pad
from ...text import format as fmt
from ...text.prose import wrapped
from ...widgets.blank import fitted
from ...widgets.plot import ChartView
from .rows_view import RowsView

if TYPE_CHECKING:
    from ...explain.story import Bargain, Group, Panel
    from ...session.draft import Draft

SIDE_BY_SIDE: Final = 114
"""From this width the chart stands beside the numbers."""

BESIDE: Final = 24
"""The cells that a formula needs to stand beside its number; with fewer it stands below."""

LOW: Final = 24
"""Below this height the chart leaves more rows to the numbers."""

LOWEST: Final = 15
"""Below this one half of the rows."""

NOTHING: Final = "only kinds whose users keep an answer have this panel"


class PrivacyView(Vertical):
    """The numbers of `draft`'s kept answers, and the chart of many reports."""

    DEFAULT_CSS = """
    PrivacyView {
        height: 1fr;
        & > RowsView { width: 1fr; height: 1fr; }
        & > ChartView { width: 1fr; height: 12; }
        &.-low > ChartView { height: 9; }
        &.-lowest > ChartView { height: 6; }
        &.-side { layout: horizontal; }
        &.-side > RowsView { width: 76; }
        &.-side > ChartView { height: 1fr; margin: 0 0 0 2; }
    }
    """
    BINDINGS = [  # noqa: RUF012
        Binding("j", "scroll_by(1)", "Down", show=False, id="privacy.down"),
        Binding("k", "scroll_by(-1)", "Up", show=False, id="privacy.up"),
    ]

    draft: reactive[Draft | None] = reactive(None, always_update=True, init=False)
    _panel: Panel | None = None

    def compose(self) -> ComposeResult:
        yield RowsView(self._rows)
        yield ChartView()

    def _fit(self) -> None:
        self.set_class(self.size.width >= SIDE_BY_SIDE, "-side")
        self.set_class(self.size.height < LOW, "-low")
        self.set_class(self.size.height < LOWEST, "-lowest")

    def on_mount(self) -> None:
        fitted(self, self._fit)
        self.watch_draft()

    def watch_draft(self) -> None:
        if not self.is_mounted:
            return
        panel = self._panel = self._told()
        self.query_one(RowsView).rebuild()
        self.query_one(ChartView).chart = None if panel is None else panel.rounds

    def _told(self) -> Panel | None:
        """The panel of the draft's cell; None where its users keep nothing."""
        cell = self.draft.cell if self.draft is not None else None
        if cell is None:
            return None
        from ...explain import users

        return users.panel(cell)

    def action_scroll_by(self, lines: int) -> None:
        """Scroll where the numbers do not fit."""
        self.query_one(RowsView).scroll_relative(y=lines, animate=False)

    def as_text(self) -> str:
        """The numbers and the chart as plain text."""
        return self.query_one(RowsView).as_text() + "\n" + self.query_one(ChartView).as_text()

    def _rows(self, look: Look) -> list[Row]:
        panel = self._panel
        if panel is None:
            return centred(NOTHING, look)
        rows = list[Row]()
        for group in panel.groups():
            rows += [[]] if rows else []
            rows += _facts(group, look)
        if bargains := panel.bargains():
            rows += [[], *_bargains(bargains, look)]
        return rows


def _facts(group: Group, look: Look) -> list[Row]:
    title = wrapped(look.clean(group.title), look.width)
    rows: list[Row] = [[(line, look.strong)] for line in title]
    names = 3 if look.charset != "ascii" else 12
    words = min(28, look.width - names - 11)
    for fact in group.facts:
        row: Row = [
            (pad(look.clean(fact.symbol), names), look.palette.theory),
            (pad(look.clean(fact.label), words), look.palette.foreground),
            (
                pad(look.clean(fact.value), 9, right=True) + "  ",
                look.strong,
            ),
        ]
        indent = length(row)
        if look.width - indent < BESIDE:
            rows.append(row)
            lines, indent = wrapped(look.clean(fact.why), look.width - 3), 3
        else:
            first, *lines = wrapped(look.clean(fact.why), look.width - indent)
            rows.append([*row, (first, look.palette.muted)])
        rows += [[(" " * indent + line, look.palette.muted)] for line in lines]
    return rows


def _bargains(bargains: tuple[Bargain, ...], look: Look) -> list[Row]:
    """A row for each alternative; numbers that differ from the current ones are bright."""
    heads = ("", "ε₁", "ε∞", "σ", "strings", "0.8 k m")

    def texts(bargain: Bargain) -> tuple[str, ...]:
        bound = bargain.epsilon_infinity
        return (
            bargain.name,
            fmt.short(bargain.epsilon_one, 3, zeros=True),
            "unbounded" if bound is None else fmt.short(bound, 3, zeros=True),
            fmt.short(bargain.std, 3, zeros=True),
            fmt.short(bargain.strings, 3, zeros=True),
            "" if bargain.room is None else fmt.count(int(bargain.room)),
        )

    table = [heads, *map(texts, bargains)]
    least = [13, 9, 11, 11, 9, 9]
    sizes = [
        max(size, length([(look.clean(head), "")]) + 2)
        for size, head in zip(least, heads, strict=True)
    ]
    if bargains[0].room is None:
        sizes.pop()
    while sum(sizes) > look.width:
        sizes.pop()
    rows: list[Row] = [[("What each number buys", look.strong)]]
    for number, line in enumerate(table):
        row: Row = []
        for at, size in enumerate(sizes):
            text = pad(look.clean(line[at]), size, right=at > 0)
            same = number > 1 and at > 0 and line[at] == table[1][at]
            style = look.palette.muted if number == 0 or same else look.palette.foreground
            row.append((text, f"bold {style}" if number == 1 else style))
        rows.append(row)
    words = "σ of a rare frequency; strings of equal frequency that N users can reveal" + (
        "; 0.8 k m candidates that can be estimated together" if bargains[0].room else ""
    )
    return rows + [[(line, look.palette.muted)] for line in wrapped(look.clean(words), look.width)]
