"""A table of numbers under its title, with a text field that filters its rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, Final

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from ..terminal.keyboard import key_of
from .choice_bar import ChoiceBar
from .filter_input import Filtered, FilterInput
from .number_table import GAP, NumberTable

if TYPE_CHECKING:
    from ..charts.figures import Table

KEYS: Final = {
    "charts.view": "v", "run.start": "ctrl+r", "table.sort": "b", "table.filter": "slash"
}  # fmt: skip
"""The keys that the row over a table names."""


class FilteredTable(Filtered):
    """A `NumberTable` with a text field for its filter, which `/` opens."""

    DEFAULT_CSS = """
    FilteredTable { height: 1fr; }
    """
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
        table_of: Callable[[], Table | None],
        empty: str = "",
    ) -> None:
        """Put a table in, with its title and the name of its chart, `source`, over it.

        numbers : what it comes from; only of others than before the table is made. empty : what is
        said where there is none.
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

    @property
    def needs(self) -> tuple[int, int]:
        """The cells of the columns that must be in view; and of all, and all words over them."""
        bar, table = self.query_one(ChoiceBar), self.query_one(NumberTable)
        least = max(table.least_width, cell_len(bar.prefix))
        words = [bar.prefix, *(label for _, label in bar.switches)]
        said = sum(map(cell_len, words)) + GAP * (len(words) - 1)
        return least, max(least, table.virtual_size.width + GAP, said)

    def as_text(self) -> str:
        """The rows shown, tab-separated and in full precision, with a header."""
        return self.query_one(NumberTable).as_text()

    def on_choice_bar_chosen(self, message: ChoiceBar.Chosen) -> None:
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
