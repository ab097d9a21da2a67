"""A table of numbers: sorted, filtered, scrolled; with its title and its filter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar, Final

from msgspec.structs import replace
from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.events import Click
from textual.geometry import Size
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from ..charts.rows import Charset, clean
from ..terminal.keyboard import key_of
from .choice_bar import ChoiceBar
from .option_list import FilteredList, FilterInput, no_match
from .plot import charset_of, palette_of

if TYPE_CHECKING:
    from ..charts.figures import ChartTable, TableColumn, Value

GAP: Final = 2
"""Cells between two columns; the first of them has the arrow of a column that is sorted by."""
SIDEWAYS: Final = 16
"""Cells that a key scrolls to one side."""
TARGET = "target"
"""The text in a row that marks it as one of a target."""


KEYS: Final = {
    "charts.view": "v", "run.start": "ctrl+r", "table.sort": "b", "table.filter": "slash"
}  # fmt: skip
"""The keys that the row over a table names."""


class NumberTable(ScrollView, can_focus=True, inherit_bindings=False):
    """A table of numbers; b sorts by the next column, a click on a header by that column.

    The rows keep their order while the numbers of a run change, unless the sorted column changes.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {"number-table--cursor"}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", show=False, id="table.up"),
        Binding("down,j", "move(1)", "Down", show=False, id="table.down"),
        Binding("pageup,ctrl+b", "move_page(-1)", "Page up", show=False, id="table.page-up"),
        Binding("pagedown,ctrl+f", "move_page(1)", "Page down", show=False, id="table.page-down"),
        Binding("home,g", "move_to(0)", "First", show=False, id="table.first"),
        Binding("end,G", "move_to(-1)", "Last", show=False, id="table.last"),
        Binding("shift+left,H", "column(-1)", "Column before", show=False, id="table.left"),
        Binding("shift+right,L", "column(1)", "Next column", show=False, id="table.right"),
        Binding("b", "sort", "Sort", id="table.sort"),
    ]

    table: reactive[ChartTable | None] = reactive(
        None, always_update=True, repaint=False, init=False
    )
    wanted: reactive[str] = reactive("", init=False)
    cursor: reactive[int] = reactive(0, repaint=False, init=False)
    order: reactive[tuple[int, bool] | None] = reactive(None, repaint=False, init=False)

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._rows: list[tuple[Value, ...]] = []
        self._widths: list[int] = []

    @property
    def rows(self) -> list[tuple[Value, ...]]:
        """The rows that match the filter, in the order shown."""
        return self._rows

    def as_text(self) -> str:
        """The rows shown, tab-separated and in full precision, with a header."""
        if self.table is None:
            return ""
        return replace(self.table, rows=tuple(self._rows)).as_text()

    # The view.

    def watch_table(self, before: ChartTable | None, after: ChartTable | None) -> None:
        if before is None or after is None or before.columns != after.columns:
            self.set_reactive(NumberTable.order, None)
            self.cursor = 0
        self._arrange()

    def watch_wanted(self) -> None:
        self.cursor = 0
        self._arrange()

    def watch_order(self) -> None:
        self._arrange()

    def _arrange(self) -> None:
        """Filter, sort and measure the rows; then repaint the changed part of the screen."""
        table = self.table
        columns: tuple[TableColumn, ...] = table.columns if table is not None else ()
        rows = list(table.rows) if table is not None else []
        words = self.wanted.casefold().split()
        if words:
            rows = [row for row in rows if _matches(row, columns, words)]
        if self.order is not None and self.order[0] < len(columns):
            rows = sort_rows(rows, *self.order)
        self._rows = rows
        charset = charset_of(self.app)
        self._widths = [_width(each, at, rows, charset) for at, each in enumerate(columns)]
        self.cursor = max(0, min(self.cursor, len(rows) - 1))
        size = Size(sum(self._widths) + GAP * max(0, len(columns) - 1), len(rows) + 1)
        if size != self.virtual_size:
            self.virtual_size = size
        self.refresh()

    def render_line(self, y: int) -> Strip:
        width, left = self.size.width, round(self.scroll_x)
        table, index = self.table, round(self.scroll_y) + y - 1
        if table is not None and table.rows and not self._rows and y == 1:
            words = clean(no_match(self.wanted), charset_of(self.app))
            style = self.rich_style + Style.parse(palette_of(self.app).muted)
            return Strip([Segment(words, style)]).crop_extend(0, width, self.rich_style)
        if table is None or index >= len(self._rows):
            return Strip.blank(width, self.rich_style)
        style = self.rich_style
        if y == 0:
            texts = [column.name for column in table.columns]
            style += Style.parse(f"bold {palette_of(self.app).muted}")
            right = [not _is_text(at, table.rows) for at in range(len(texts))]
        else:
            row = self._rows[index]
            texts = [column.text(value) for column, value in zip(table.columns, row, strict=True)]
            right = [not isinstance(value, str) for value in row]
            if TARGET in row:
                style += Style.parse(palette_of(self.app).target)
            if index == self.cursor and self.has_focus:
                style += self.get_component_rich_style("number-table--cursor", partial=True)
        cells = []
        for at, (text, size, flush) in enumerate(zip(texts, self._widths, right, strict=True)):
            shown = clean(text, charset_of(self.app))
            room = " " * max(0, size - cell_len(shown))
            sign = self._arrow if y == 0 and self.order is not None and at == self.order[0] else " "
            cells.append(f"{room + shown if flush else set_cell_size(shown, size)}{sign} ")
        strip = Strip([Segment("".join(cells), style)])
        return strip.crop_extend(left, left + width, self.rich_style)

    @property
    def _arrow(self) -> str:
        """The sign of the order, behind the name of the column sorted by."""
        falling = self.order is not None and self.order[1]
        return clean("↓" if falling else "↑", charset_of(self.app))[:1]

    # Actions.

    def watch_cursor(self) -> None:
        if not self.is_mounted:
            return
        top, room = round(self.scroll_y), max(1, self.scrollable_content_region.height - 1)
        if self.cursor < top:
            self.scroll_to(y=self.cursor, animate=False)
        elif self.cursor >= top + room:
            self.scroll_to(y=self.cursor - room + 1, animate=False)
        self.refresh()

    def action_move(self, by: int) -> None:
        self.cursor = max(0, min(self.cursor + by, len(self._rows) - 1))

    def action_column(self, by: int) -> None:
        """Scroll sideways by one or two columns."""
        self.scroll_relative(x=SIDEWAYS * by, animate=False)

    def action_move_page(self, by: int) -> None:
        self.action_move(by * max(1, self.scrollable_content_region.height - 2))

    def action_move_to(self, index: int) -> None:
        self.cursor = 0 if index == 0 else max(0, len(self._rows) - 1)

    def action_sort(self) -> None:
        """Sort by the next column; after the last one, restore the original order."""
        if self.table is None:
            return
        at = 0 if self.order is None else self.order[0] + 1
        self.order = (at, self._falling(at)) if at < len(self.table.columns) else None

    def _falling(self, at: int) -> bool:
        """True if a column is first sorted with the largest value first: one of numbers, not of
        text.
        """
        return self.table is not None and not _is_text(at, self.table.rows)

    def on_click(self, event: Click) -> None:
        if event.y > 0:
            self.cursor = max(0, min(round(self.scroll_y) + event.y - 1, len(self._rows) - 1))
            return
        start, x = 0, event.x + round(self.scroll_x)
        for at, width in enumerate(self._widths):
            if start <= x < start + width:
                same = self.order is not None and self.order[0] == at
                falling = not self.order[1] if same and self.order else self._falling(at)
                self.order = (at, falling)
            start += width + GAP


class FilteredTable(FilteredList):
    """A `NumberTable` with a text field for its filter, which `/` opens."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "filter", "Filter", key_display="/", id="table.filter"),
        Binding("escape", "drop_filter", "Drop the filter", show=False, id="table.drop-filter"),
    ]

    _shown: tuple[str, tuple[object, ...], str] | None = None

    def compose(self) -> ComposeResult:
        yield ChoiceBar()
        yield NumberTable()
        yield FilterInput("filter: words that a row must hold", NumberTable)

    def show(
        self,
        source: str,
        numbers: tuple[object, ...],
        table_of: Callable[[], ChartTable | None],
        empty: str = "",
    ) -> None:
        """Show a table with its title; `source` is the chart whose table the key of views shows
        next.

        numbers : the values that the table depends on; `table_of` is called only when they change.
        empty : the sentence shown without a table.
        """
        if (source, numbers, empty) == self._shown:
            return
        self._shown = (source, numbers, empty)
        table = self.query_one(NumberTable).table = table_of()
        bar = self.query_one(ChoiceBar)
        view, run, sort, words = (key_of(self.app, name, key) for name, key in KEYS.items())
        bar.prefix = table.title if table else empty or f"no numbers yet: {run} runs the scenario"
        bar.switches = (
            ("source", f"{view} {source}"), ("sort", f"{sort} sort"), ("filter", f"{words} filter")
        )  # fmt: skip
        self._count()

    def as_text(self) -> str:
        """The rows shown, tab-separated and in full precision, with a header."""
        return self.query_one(NumberTable).as_text()

    def on_choice_bar_choice_made(self, message: ChoiceBar.ChoiceMade) -> None:
        if message.choice == "filter":
            message.stop()
            self.action_filter()
        elif message.choice == "sort":
            message.stop()
            self.query_one(NumberTable).action_sort()

    def on_filter_input_changed(self, message: FilterInput.Changed) -> None:
        message.stop()
        self.query_one(NumberTable).wanted = message.words
        self._count()

    def _count(self) -> None:
        shown = self.query_one(NumberTable)
        total = len(shown.table.rows) if shown.table is not None else 0
        self.query_one(FilterInput).count(len(shown.rows), total)


def _matches(row: tuple[Value, ...], columns: tuple[TableColumn, ...], words: list[str]) -> bool:
    """Return whether all words occur in a row; numbers are compared as shown and as typed."""
    shown = [column.text(value) for column, value in zip(columns, row, strict=True)]
    plain = [str(value) for value in row if isinstance(value, int)]
    text = "\t".join([*shown, *plain]).casefold()
    return all(word in text for word in words)


def sort_rows(rows: list[tuple[Value, ...]], at: int, falling: bool) -> list[tuple[Value, ...]]:
    """The rows sorted by one column, undefined values last."""
    known = [row for row in rows if row[at] is not None]
    rest = [row for row in rows if row[at] is None]

    def key(row: tuple[Value, ...]) -> tuple[int, float, str]:
        value = row[at]
        if isinstance(value, str):
            return (0, float(value), "") if value.isdecimal() else (1, 0.0, value.casefold())
        return (0, float(value or 0), "")

    return sorted(known, key=key, reverse=falling) + rest


def _is_text(at: int, rows: Sequence[tuple[Value, ...]]) -> bool:
    return any(isinstance(row[at], str) for row in rows[:1])


def _width(column: TableColumn, at: int, rows: list[tuple[Value, ...]], charset: Charset) -> int:
    """The width of a column; of numbers with fixed decimals only the smallest and the largest are
    measured.
    """
    values = [value for row in rows if (value := row[at]) is not None]
    numbers = [value for value in values if not isinstance(value, str)]
    texts = [value for value in values if isinstance(value, str)]
    if column.places is not None or all(isinstance(value, int) for value in numbers):
        numbers = [min(numbers), max(numbers)] if numbers else []
    shown = [column.name, *map(column.text, numbers), *texts]
    return max(cell_len(clean(text, charset)) for text in shown)
