"""A plot as rows: what stands above the data area, the data between their axes, and the note."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from rich.cells import cell_len

from ..rows import Look, Row, crop, pad, titled
from ..series import Plot
from .area import MAX_TICKS, Area, area_of, in_view
from .axes import Scale, ticks
from .raster import rasterise

NARROW: Final = 24
"""Below this width one blank is enough between two labels."""
NO_PLOTEXT = "Plots need plotext, which cannot be used here ({}). The Table tab has the numbers."

NOT_IN_VIEW = "all the data lie outside of the axes"


def plot_rows(
    plot: Plot,
    look: Look,
    *,
    margin: int | None = None,
) -> list[Row]:
    """The plot in rows.

    margin : the cells that the labels of y have beside `width`, 0 where another plot has them;
    None: as many as they need, of `width`.
    """
    try:
        import plotext
    except (ImportError, OSError, AttributeError) as problem:
        # OSError: its compiled kernel does not load on this system.
        text = NO_PLOTEXT.format(str(problem) or type(problem).__name__)
        return titled(plot.title, text, look)
    area = area_of(plot, look, margin=margin)
    if isinstance(area, str):
        return titled(plot.title, area, look)
    x, y, columns, margin, out = area.x, area.y, area.x.cells, area.margin, [*area.heading]
    width = margin + 1 + columns + area.right
    cells = rasterise(plotext, plot, area.marks, x, y, look)
    if not any(style for row in cells for _, style in row):
        return titled(plot.title, NOT_IN_VIEW, look)
    draw_levels(plot, cells, y, look)
    at = None if plot.cursor is None else x.cell(plot.cursor)
    if at is not None:
        draw_cursor(cells, at, look)
    if area.names_floor:
        name_floor(plot, area, cells, look)
    out += _data_rows(cells, area.y_ticks, area.beside, margin, area.right, look)
    room = min(MAX_TICKS, columns // (4 if plot.x.log else 8))
    x_ticks = in_view(ticks(plot.x, x.low, x.high, room), x, width // 2, look)
    places, text = place_across(x_ticks, margin + 1, width)
    if area.has_rule:
        out.append([(" " * margin, ""), *_rule(columns, places, at, look)])
    if area.has_labels:
        out.append([(text, look.palette.muted)])
    if area.x_label:
        inset = margin + 1 + max(0, (columns - cell_len(area.x_label)) // 2)
        inset = max(0, min(inset, width - cell_len(area.x_label)))
        out.append([(" " * inset + area.x_label, look.palette.muted)])
    return out + area.note


def name_floor(plot: Plot, area: Area, cells: Sequence[Row], look: Look) -> None:
    """Write the name of a floor at its upper edge, at the right."""
    for series in plot.series:
        name = f" {look.clean(series.end)} "
        if series.style != "floor" or not len(series.x):
            continue
        ends = area.x.cell(float(series.x[-1])), area.y.cell(float(series.y[-1]))
        if None in ends:
            continue
        last, row = ends[0] or 0, area.y.cells - 1 - (ends[1] or 0)
        first = max(0, last - len(name))
        cells[row][first : first + len(name)] = [(char, look.palette.muted) for char in name]


def plot_place(
    plot: Plot,
    x: int,
    y: int,
    look: Look,
    *,
    margin: int | None = None,
) -> tuple[float, float] | None:
    """x and y in the middle of a cell of the picture; None beside the data area."""
    area = area_of(plot, look, margin=margin)
    if isinstance(area, str):
        return None
    column, row = x - area.margin - 1, y - len(area.heading)
    if column not in range(area.x.cells) or row not in range(area.y.cells):
        return None
    return area.x.value(column), area.y.value(area.y.cells - 1 - row)


def _data_rows(
    cells: Sequence[Row],
    y_ticks: Sequence[tuple[int, str]],
    beside: Mapping[int, Row],
    margin: int,
    right: int,
    look: Look,
) -> list[Row]:
    """The data area between the labels of its ticks and, `right` cells wide, of what ends there."""
    rows = len(cells)
    marked: dict[int, str] = {}
    apart = 0 if 2 * len(y_ticks) <= rows + 1 else 1  # few labels may stand next to each other
    for place, label in y_ticks:
        row = rows - 1 - place
        if not any(near in marked for near in range(row - apart, row + apart + 1)):
            marked[row] = label
    side = ("|", "+") if look.charset == "ascii" else ("│", "┤")
    lines: list[Row] = []
    for row in range(rows):
        label = pad(marked.get(row, ""), margin, right=True) + side[row in marked]
        line: Row = [(label, look.palette.muted), *cells[row]]
        if right and row in beside:
            line += [(" " + crop(text, right - 1), style) for text, style in beside[row]]
        lines.append(line)
    return lines


def _rule(columns: int, places: Sequence[int], cursor: int | None, look: Look) -> Row:
    """The x-axis, with a mark at each tick and at the cursor's column."""
    corner, line, mark, pointer = "+-+^" if look.charset == "ascii" else "└─┬▲"
    rule = corner + "".join(mark if at in places else line for at in range(columns))
    if cursor is None:
        return [(rule, look.palette.muted)]
    before, after = rule[: cursor + 1], rule[cursor + 2 :]
    muted = look.palette.muted
    return [(before, muted), (pointer, look.palette.foreground), (after, muted)]


def draw_levels(plot: Plot, cells: Sequence[Row], y: Scale, look: Look) -> None:
    """Dotted lines across the cells that are still empty."""
    for value, _ in plot.levels:
        unit = y.unit_of(value)
        if unit is None:
            continue
        dot = y.dot(unit)
        row = y.cells - 1 - dot // y.dots
        if look.charset == "braille":
            char = "⡀⠄⠂⠁"[dot % 4]
        else:
            char = "-"
        for column, (present, _) in enumerate(cells[row]):
            if present == " " and (look.charset != "ascii" or column % 2 == 0):
                cells[row][column] = (char, look.palette.muted)


def draw_cursor(cells: Sequence[Row], column: int, look: Look) -> None:
    """A line down a column of cells, behind what is drawn there."""
    line = ":" if look.charset == "ascii" else "┊"
    for row in cells:
        char, style = row[column]
        if char == " " or style == look.palette.muted:
            row[column] = (line, look.palette.foreground)


def place_across(ticks: Sequence[tuple[int, str]], left: int, width: int) -> tuple[list[int], str]:
    """The columns of the x ticks that have room for a label, and the row of labels.

    `left` is the cell of the first column; a label never leaves the row of `width` cells.
    """
    taken: list[tuple[int, int, int, str]] = []
    gap = 1 if width < NARROW else 2
    for column, label in ticks:
        size = cell_len(label)
        start = max(0, min(left + column - (size - 1) // 2, width - size))
        if all(start >= stop + gap or start + size + gap <= begin for begin, stop, *_ in taken):
            taken.append((start, start + size, column, label))
    row, at = "", 0
    for start, stop, _, label in sorted(taken):
        row += " " * (start - at) + label
        at = stop
    return [column for _, _, column, _ in taken], row
