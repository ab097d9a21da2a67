"""The frame of a chart: its views, the numbers behind them, and what its keys change."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from ..series import Panels, Plot

if TYPE_CHECKING:
    from ..series import Chart
    from .table import ChartTable

Room: TypeAlias = tuple[int, int]
"""The columns and the rows of a picture."""


class ChartOption(Struct, frozen=True):
    """An option of a chart that a key changes, with its values and the chosen one."""

    values: Mapping[str, str]
    chosen: str

    @property
    def words(self) -> str:
        """The label of the option's chosen value."""
        return self.values[self.chosen]

    @property
    def next_words(self) -> str:
        """What the key of the option shows next: `rank (1 of 3)`, with the number of this one."""
        names = [*self.values]
        at = names.index(self.chosen)
        word = self.values[names[(at + 1) % len(names)]]
        return f"{word} ({at + 1} of {len(names)})" if len(names) > 2 else word


class FrameView(Struct, frozen=True, eq=False):
    """One view of a chart: a function that draws it, and the stops of its cursor.

    words : its name in the switch of views.
    draw : returns the chart with its cursor at a stop (None for no cursor), for a size.
    stops : the cursor's stops in order; if None, the values of the frame's column in its table.
    read : returns the rows at a stop; if None, those of the table.
    click : returns the stop and the row at a clicked place; if None, the nearest stop on the
        x-axis.
    table : its own numbers; if None, those of the frame.
    """

    words: str
    draw: Callable[[Any, Room], Chart]
    stops: Sequence[Any] | None = None
    read: Callable[[Any], ChartTable | None] | None = None
    click: Callable[[Any, Room], tuple[Any, int] | None] | None = None
    table: ChartTable | None = None


class Frame(Struct, frozen=True, eq=False, dict=True):
    """The views, table and options of a chart, before the cursor and the size are known.

    numbers : its table, or a function that returns it.
    options : the further options that keys change, by name: axis, x, y, pick, layer, walk.
    settings_at : returns the keys and values of the cell at a stop and a row of it.
    column : the column that the rows at a stop share.
    picks : True if one of these rows is picked.
    least : the number of rows that are read, however little room there is.
    stride : the distance of the stops above each other in the picture; 0 if there are none.
    at : the stop that is shown without a cursor.
    opens : the view that enter opens at the cursor's stop; "" for none.
    aside : the words below a figure for paper, and beside the charts of the workbench.
    """

    numbers: ChartTable | Callable[[], ChartTable]
    views: Mapping[str, FrameView]
    options: Mapping[str, ChartOption] = field(default_factory=dict)
    settings_at: Callable[[Any, int], list[tuple[str, Any]]] | None = None
    column: int = 1
    picks: bool = False
    least: int = 1
    stride: int = 0
    at: Any = None
    opens: str = ""
    aside: str = ""

    @cached_property
    def table(self) -> ChartTable:
        """The numbers behind the views as a table."""
        return self.numbers() if callable(self.numbers) else self.numbers


Titled = TypeVar("Titled", bound="Chart | ChartTable")


def add_to_title(titled: Titled, words: str) -> Titled:
    """A chart or a table with its round or cell appended to its title."""
    return replace(titled, title=f"{titled.title}, {words}") if words else titled


def draw_plot(chart: Plot | Panels) -> Callable[[Any, Room], Chart]:
    """A function that draws a plot, or panels, with the cursor at a stop."""

    def draw(at: Any, _: Room) -> Chart:
        if isinstance(chart, Panels):
            return replace(chart, plots=tuple(replace(plot, cursor=at) for plot in chart.plots))
        return replace(chart, cursor=at)

    return draw


def plain_frame(table: ChartTable, chart: Plot, **more: Any) -> Frame:
    """The frame of one plot, whose cursor stops at the numbers of its table."""
    return Frame(table, {"": FrameView("", draw_plot(chart))}, **more)


def chosen_option(values: Mapping[str, str], chosen: str | None, usual: str = "") -> ChartOption:
    """The option that has the chosen value, else the usual one, else the first."""
    return ChartOption(
        values, next(each for each in (chosen or "", usual, *values) if each in values)
    )
