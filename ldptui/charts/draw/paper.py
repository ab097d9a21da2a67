"""Charts for paper, as vector graphics: the one gate to matplotlib (the extra `plot`).

All letters have the size of a paper's captions at the width at which the figure is printed.
"""

from __future__ import annotations

import io
import math
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import chdir, contextmanager, nullcontext
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from ldptui.core.base.files import is_there, whole_file

from ...text import format as fmt
from ..series import Bars, Chart, Grid, Panels, Plot
from .lettering import LINE, SIZE, balance_lines, fill_lines, in_columns, protect_spaces, width_of
from .printed import Entries, draw_chart, name_ends

WIDTHS: Final = {1: 84.0, 2: 174.0}
"""Millimetres of one column of a paper, and of two."""
INCH: Final = 25.4
POINTS: Final = 72.0
"""Points in an inch."""
DPI: Final = 300
SHAPE: Final = 0.62
"""The height of a chart by its width."""
PANEL: Final = 0.85
"""The height of one of several panels by its width."""
MOST: Final = 216.0
"""Points of height that a chart has at most; one of names has as many as these need."""
PAGE: Final = 540.0
"""Points of height that all rows of panels have at most: a page has room for the words too."""
ROW: Final = 14.0
"""Points from one name at the y-axis to the next."""
RIM: Final = 45.0
"""Points that the numbers and the name of an axis take."""
HANDLE: Final = 4.5 * SIZE
"""Points that an entry of the legend takes besides its letters."""
STYLE: Final[Any] = {
    "font.size": SIZE, "axes.labelsize": SIZE, "axes.titlesize": SIZE, "xtick.labelsize": SIZE,
    "ytick.labelsize": SIZE, "legend.fontsize": SIZE, "figure.labelsize": SIZE,
    "axes.linewidth": 0.5, "lines.linewidth": 0.9, "lines.markersize": 3.0,
    "xtick.major.width": 0.5, "ytick.major.width": 0.5, "xtick.minor.width": 0.4,
    "ytick.minor.width": 0.4, "svg.fonttype": "none", "font.sans-serif": ["DejaVu Sans"],
    "svg.hashsalt": "ldptui",
    "pdf.fonttype": 42, "axes.spines.top": False,
    "axes.spines.right": False, "legend.frameon": False, "legend.handlelength": 2.4,
    "legend.columnspacing": 1.3, "legend.handletextpad": 0.6, "legend.borderpad": 0.0,
    "legend.labelspacing": 0.35,
}  # fmt: skip


class _Layout(Struct, frozen=True):
    """The panels side by side and below one another; points of one panel."""

    across: int
    down: int
    width: float
    height: float


def fault_to_draw() -> str:
    """A sentence with the command that installs matplotlib for this Python; "" if it is there."""
    if find_spec("matplotlib") is not None:
        return ""
    python = sys.executable
    pip = f"{python} -m pip install" if find_spec("pip") else f"uv pip install --python {python}"
    return f"figures need matplotlib: {pip} matplotlib"


def write_figure(chart: Chart, path: Path, *, columns: int, caption: str, embedded: str) -> None:
    """Write a chart to a file, as wide as one or two columns of a paper; the suffix decides the
    format.

    caption : the text below the figure, after the chart's own title and note.
    embedded : a text stored in the file.
    Raises ImportError without matplotlib, FileError if the file cannot be written; the file is
        written whole or not at all.
    """
    with _style():
        _save(_draw_figure(chart, columns, caption), path, embedded)


def figure_of(chart: Chart, *, columns: int, caption: str) -> Any:
    """A chart as a figure of matplotlib; raises ImportError without it."""
    with _style():
        return _draw_figure(chart, columns, caption)


@contextmanager
def _style() -> Iterator[None]:
    # Its import reads a matplotlibrc of the current folder, whatever that is.
    with chdir(os.sep) if is_there("matplotlibrc") else nullcontext():
        import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE)
        yield


def _draw_figure(chart: Chart, columns: int, caption: str) -> Any:
    """The figure of a chart, with its legend and its caption."""
    from matplotlib.figure import Figure

    width = WIDTHS[columns] / INCH * POINTS
    plots = chart.plots if isinstance(chart, Panels) else (chart,)
    layout = _layout(chart, len(plots), columns, width)
    figure = Figure(layout="constrained", facecolor="white")
    grid = figure.subplots(layout.down, layout.across, sharex=True, sharey=True, squeeze=False)
    places = list(grid.flat)
    entries: Entries = {}
    for place, plot in zip(places, plots, strict=False):
        for label, handle in draw_chart(place, plot, layout.width, layout.height).items():
            entries.setdefault(label, handle)
    for place in places[len(plots) :]:
        place.set_axis_off()
    if isinstance(chart, Plot):
        for name in name_ends(places[0], chart, layout.height):
            entries.pop(name, None)
    above = _add_legend(figure, entries, places[len(plots) :], layout, width)
    if isinstance(chart, Panels):
        _name_panels(figure, places, chart.plots, layout)
    below = _add_caption(figure, _caption(chart, caption), width)
    height = layout.down * (layout.height + RIM) + (above + below + 1) * LINE
    figure.set_size_inches(width / POINTS, height / POINTS)
    return figure


def _layout(chart: Chart, plots: int, columns: int, width: float) -> _Layout:
    across = min(plots, 3 if columns == 2 else 2)
    down = -(-plots // across)
    room = (width - RIM) / across
    if isinstance(chart, Panels):
        return _Layout(across, down, room, min(MOST, PANEL * room, PAGE / down - RIM))
    names: Sequence[object] = ()
    match chart:
        case Plot() if chart.y.ticks and not chart.y.log:
            names = chart.y.ticks
        case Grid():
            return _Layout(1, 1, room, max(5 * ROW, ROW * len(chart.rows)))
        case Bars():
            names = chart.bars
    return _Layout(1, 1, room, max(ROW * len(names), min(MOST, SHAPE * width) - RIM))


def _add_legend(
    figure: Any, entries: Entries, free: Sequence[Any], layout: _Layout, width: float
) -> int:
    """Add the legend in a free place of the panels, or else above; returns the number of lines that
    it takes there.
    """
    if not entries:
        return 0
    labels = sorted(entries, key=lambda label: label.startswith("line = "))  # of no series: last
    if free and HANDLE + max(map(width_of, labels)) <= layout.width:
        free[0].legend([entries[label] for label in labels], labels, loc="center")
        return 0
    columns, order = in_columns(labels, HANDLE, width)
    shown = [labels[at] for at in order]
    figure.legend([entries[label] for label in shown], shown, loc="outside upper center",
                  ncols=columns)  # fmt: skip
    return -(-len(labels) // columns)


def _name_panels(
    figure: Any, places: Sequence[Any], plots: Sequence[Plot], layout: _Layout
) -> None:
    """Set the titles of panels; only the left and the lowest panels get numbers and
    names of axes.
    """
    for number, (place, plot) in enumerate(zip(places, plots, strict=False)):
        left, lowest = number % layout.across == 0, number + layout.across >= len(plots)
        place.set_title(plot.title)
        place.tick_params(labelleft=left, labelbottom=lowest)
        if not lowest:
            place.set_xlabel("")
        if not left or layout.down > 1:
            place.set_ylabel("")
    if layout.down > 1:  # one name for all rows, which are low
        height = layout.down * layout.height
        figure.supylabel(balance_lines(plots[0].y.label.replace(" - ", " − "), height))


def _caption(chart: Chart, caption: str) -> list[str]:
    """The paragraphs below a chart: what it shows, and what it was made from."""
    plot = chart.plots[0] if isinstance(chart, Panels) else chart
    linear = plot.y.linear if isinstance(plot, Plot) else 0.0
    power = fmt.power_of_ten(round(math.log10(linear))) if linear else ""
    scale = f"the y-axis is linear within ± {power}" if linear else ""
    own = "; ".join(filter(None, (chart.title, chart.note, scale)))
    own = own.replace("± ", protect_spaces("± ")).replace(" %", protect_spaces(" %"))
    title, *facts = caption.split(" · ")
    whole = [", ".join(map(protect_spaces, fact.split(", "))) for fact in facts]
    return [own, f"{protect_spaces(' · ')[:-1]} ".join([title, *whole])]


def _add_caption(figure: Any, paragraphs: Sequence[str], width: float) -> int:
    """Write the paragraphs below the figure; returns the number of their lines."""
    text = "\n".join(fill_lines(words, width - SIZE) for words in paragraphs if words)
    figure.supxlabel(text, x=0.01, ha="left", color="#333333", linespacing=1.25, parse_math=False)
    return text.count("\n") + 1


def _save(figure: Any, path: Path, embedded: str) -> None:
    drawn, form = io.BytesIO(), path.suffix.removeprefix(".")
    match form:
        case "svg":
            about = {"Description": embedded, "Date": None}
            figure.savefig(drawn, format=form, metadata=about)
        case "pdf":
            about = {"Keywords": embedded, "CreationDate": None}
            figure.savefig(drawn, format=form, dpi=DPI, metadata=about)
        case _:
            figure.savefig(drawn, format=form, dpi=DPI, metadata={"Description": embedded})
    with whole_file(path) as file:
        file.write(drawn.getvalue())
