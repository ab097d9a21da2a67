"""The pieces of a chart: small frozen values, free of any drawing library.

`figures` makes them from results and theory; `chart` turns them into terminal rows. Numbers are
plain floats in tuples or NumPy arrays (anything `numpy.asarray` takes), so that this module costs
nothing to import.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal

from msgspec import Struct

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = Sequence[float] | NDArray[Any]
else:
    Numbers = tuple[float, ...]  # as they are read from what was sent

Tone = Literal[
    "true", "clean", "measured", "attacked", "theory", "target", "muted",
    "series-0", "series-1", "series-2", "series-3", "series-4", "series-5",
]  # fmt: skip
"""The meaning of a colour; `draw` maps it to the theme, the charset and a marker of its own."""
TONES: Final[tuple[Tone, ...]] = (
    "series-0", "series-1", "series-2", "series-3", "series-4", "series-5",
)  # fmt: skip
"""The colours of curves beside each other, in order; more of them cannot be told apart."""


class LateError(Exception):
    """Raised if closed-form curves take too long for the screen; `work` computes and caches them.

    about : what identifies these curves.
    """

    def __init__(self, work: Callable[[], object], about: tuple[object, ...]) -> None:
        super().__init__("working out closed forms")
        self.work, self.about = work, about


class Series(Struct, frozen=True):
    """One line or cloud of points: `x`, `y` and `error` have one length; NaN breaks a line.

    error : the half-width of the interval drawn around y (± error).
    style : a "band" is a line through the points, by x, within the intervals; a "floor" is the area
        between zero and the points.
    cloud : very many points may be drawn as dots; if False, each keeps its mark. A line without
        points is only an entry of the legend.
    end : the name at the right end of the line, in place of an entry of the legend, if there is
        room.
    """

    label: str
    x: Numbers
    y: Numbers
    tone: Tone
    style: Literal["line", "dotted", "points", "band", "floor"] = "line"
    error: Numbers | None = None
    legend: bool = True
    cloud: bool = True
    end: str = ""


class Axis(Struct, frozen=True):
    """An axis of a plot: its label with the unit, its scale and its limits (None: from the data).

    linear : above 0 for a symlog axis: linear within ± linear, logarithmic beyond.
    bands : above 0 for an axis of this number of equally high rows.
    """

    label: str
    log: bool = False
    linear: float = 0.0
    low: float | None = None
    high: float | None = None
    ticks: Sequence[tuple[float, str]] | None = None
    bands: int = 0


class Plot(Struct, frozen=True, tag=True):
    """A chart with two axes: curves, points, error bars and horizontal reference lines.

    levels : the value and the label of each reference line.
    cursor : the x of the cursor, drawn as a vertical line; None for none.
    """

    title: str
    x: Axis
    y: Axis
    series: tuple[Series, ...]
    levels: tuple[tuple[float, str], ...] = ()
    note: str = ""
    cursor: float | None = None


class Panels(Struct, frozen=True):
    """Plots of the same series side by side, with one legend and one pair of axes.

    own : the least columns and rows of a panel, if each has a y-axis of its own.
    """

    title: str
    plots: tuple[Plot, ...]
    note: str = ""
    own: tuple[int, int] | None = None


Finding = Literal["", "detected", "missed", "false"]
"""A test's verdict on an item: held and detected or not, or detected though nobody holds it."""
FINDINGS: Final[tuple[Finding, ...]] = ("detected", "missed", "false")


class Bar(Struct, frozen=True):
    """One item of a bar chart: a true mark, an estimate ± error, and the change an attack made.

    value : the length of the bar.
    error : the half-width of its interval.
    true : the mark.
    before : the estimate without attack.
    others : the estimates of other runs, None if a run lacks the item.
    """

    label: str
    value: float
    error: float | None = None
    true: float | None = None
    before: float | None = None
    target: bool = False
    finding: Finding = ""
    others: tuple[float | None, ...] = ()


class Rest(Struct, frozen=True):
    """A summary of the items without a bar: their number, the targets among them, and their sums.

    value, true : the sums of the bars' and the marks' values; None if they are not known for all
        items.
    """

    count: int
    targets: int = 0
    value: float | None = None
    true: float | None = None


class Bars(Struct, frozen=True, tag=True):
    """Horizontal bars, one item a row; `rest` summarises the items without a bar.

    item, value, truth : the heads of the labels, the numbers and the marks (8 letters at most).
    others : the names of the runs of each bar's `others`, and the tones of their marks.
    cursor : the label of the bar at the cursor.
    gap : the empty rows after each bar, if all bars have room for them.
    own_digits : each number is rounded by its own error, not all by the smallest.
    """

    title: str
    bars: tuple[Bar, ...]
    unit: str = ""
    rest: str | Rest = ""
    note: str = ""
    item: str = "item"
    value: str = "estimate"
    truth: str = "true"
    others: tuple[tuple[str, Tone], ...] = ()
    cursor: str = ""
    gap: int = 0
    own_digits: bool = False


class Grid(Struct, frozen=True):
    """A number for each pair of two swept values: a heat map whose cells are read as numbers.

    rows, columns : the names of the values.
    row, column : the names of the two keys.
    values : a row for each of `rows`, with a number or None for each of `columns`.
    cursor : the row and the column at the cursor.
    inside : a bool for each value, True inside the outline of the map.
    line : the outline's meaning.
    nouns : the full names of the rows' and the columns' keys, for paper.
    """

    title: str
    row: str
    column: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: tuple[tuple[float | None, ...], ...]
    note: str = ""
    cursor: tuple[str, str] | None = None
    inside: tuple[tuple[bool, ...], ...] = ()
    line: str = ""
    nouns: tuple[str, str] = ("", "")


Chart = Plot | Panels | Bars | Grid

Place = tuple[float, float] | tuple[str, str] | str
"""A place in a chart's data: x and y of a plot, names of a row and a column, the name of a bar."""
