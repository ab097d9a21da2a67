"""Two lives of reports as rows: steps beside or below each other, bits in groups of columns."""

from __future__ import annotations

from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from rich.cells import cell_len

from ...charts.rows import Look, Row, length, pad
from ...text import format as fmt
from ...text.prose import wrap_text

if TYPE_CHECKING:
    from ldptui.core.law.pure import BoolArray

    from ...explain.report_values import Cells, ReportHistory, Step


TEXTURE: Final = 8
"""The least number of other bits that is worth drawing."""

SEPARATOR: Final = 3


class Pen(Struct, frozen=True):
    """The look of rows; `spare` rows are left for all bits of a report."""

    look: Look
    spare: int = 0


def cell_rows(pen: Pen, cells: Cells, width: int, indent: int, least: int) -> list[Row]:
    """The rows of cells; their names take `least` cells at least, the indent included."""
    names = [name for name, _ in cells.rows] + [cells.over]
    if len(cells.rows) == 2:
        names.append("changed")
    if cells.numbers is not None:
        names.append(cells.numbers[0])
    margin = max(least, indent + max(map(len, names)) + 1)
    groups = arrange_groups(cells, width - margin)
    tones = [tone_of(pen, group.name) for group in groups]
    muted = [pen.look.palette.muted] * len(groups)
    table: list[tuple[str, list[list[str]], list[str]]] = []
    if any(group.pitch > 1 for group in groups):
        labels = [[cells.label(m) for m in g.members] if g.pitch > 1 else [] for g in groups]
        table.append((cells.over, labels, muted))
    if cells.numbers is not None:
        name, values = cells.numbers
        each = [[str(int(values[m])) for m in group.members] for group in groups]
        fits = [
            all(len(text) < max(2, group.pitch) for text in texts)
            for texts, group in zip(each, groups, strict=True)
        ]
        shown = [texts if fit else [] for texts, fit in zip(each, fits, strict=True)]
        table.append((name, shown, muted))
    for name, bits in cells.rows:
        marks = [["█" if bits[m] else "·" for m in group.members] for group in groups]
        table.append((name, marks, tones))
    if len(cells.rows) == 2:
        (_, was), (_, now) = cells.rows
        marks = [[change(was[m], now[m]) for m in group.members] for group in groups]
        table.append(("changed", marks, tones))
    named = [group.name[: group.width] for group in groups]
    rows = [line_of(pen, "", indent, margin, groups, named, muted)]
    for name, texts, styles in table:
        written = [spread(pen, part, g.pitch) for part, g in zip(texts, groups, strict=True)]
        rows.append(line_of(pen, name, indent, margin, groups, written, styles))
    rest, at = rest_of(cells, groups), least or indent
    for line in wrap_text(pen.look.clean(rest), width - at) if rest else []:
        rows.append([(" " * at + line, pen.look.palette.muted)])
    return rows


def spread(pen: Pen, parts: list[str], pitch: int) -> str:
    """Each part at the right of its column; the blank between columns is at the left."""
    if pitch == 1:
        return pen.look.clean("".join(parts))
    return " ".join(pad(pen.look.clean(part), pitch - 1, right=True) for part in parts)


def line_of(
    pen: Pen,
    name: str,
    indent: int,
    margin: int,
    groups: list[ShownGroup],
    texts: list[str],
    styles: list[str],
) -> Row:
    row: Row = [(f"{' ' * indent}{name}".ljust(margin), pen.look.palette.muted)]
    for at, (group, text) in enumerate(zip(groups, texts, strict=True)):
        if at and group.width:
            row.append((pen.look.clean(" │ "), pen.look.palette.muted))
        row.append((pad(pen.look.clean(text), group.width), styles[at]))
    return row


def tone_of(pen: Pen, name: str) -> str:
    if name == "own":
        return f"bold {pen.look.palette.true}".replace("bold bold", "bold")
    if name == "targets":
        return pen.look.palette.target
    return pen.look.palette.attacked if name == "sent" else pen.look.palette.muted


class ShownGroup(Struct, frozen=True):
    """A group as it is shown: its first members, a column of `pitch` cells for each."""

    name: str
    members: tuple[int, ...]
    pitch: int
    width: int
    hidden: tuple[int, ...] = ()


def arrange_groups(cells: Cells, width: int) -> list[ShownGroup]:
    """The groups with as much as fits: labels where they can, bits alone where they must."""
    others = cells.rest().count
    labels = [cells.label(m) for group in cells.groups for m in group.members]
    if others <= width // 3:
        labels += [cells.label(m) for m in cells.others(width)]
    pitch = min(8, max((cell_len(label) for label in labels), default=1)) + 1
    used = sum(width_of(g.name, len(g.members), pitch) + SEPARATOR for g in cells.groups)
    dense = used - SEPARATOR > width
    shown: list[ShownGroup] = []
    room = width
    for group in cells.groups:
        step = 1 if dense and len(group.members) > 1 else pitch
        most = len(group.members)
        while most > 0 and most * step - (step > 1) > room:
            most -= 1
        wide = max(0, min(room, width_of(group.name, most, step)))
        members, hidden = group.members[:most], group.members[most:]
        shown.append(ShownGroup(group.name, members, step, wide, hidden))
        room -= wide + SEPARATOR
    if not others:
        return shown
    name = "others" if shown else f"{cells.over}s"
    if (wide := width_of(name, others, pitch)) <= room:
        shown.append(ShownGroup(name, cells.others(others), pitch, wide))
    elif room >= max(len(name), min(TEXTURE, others)):
        members = cells.others(room)
        shown.append(ShownGroup(name, members, 1, max(len(name), len(members))))
    return shown


def width_of(name: str, count: int, pitch: int) -> int:
    """Cells that a group takes: its columns without the blank after the last, or its name."""
    return max(len(name), count * pitch - (pitch > 1))


def change(was: bool, now: bool) -> str:
    return "↑" if now and not was else "↓" if was and not now else " "


def rest_of(cells: Cells, groups: list[ShownGroup]) -> str:
    """A sentence about the bits that are not shown one by one."""
    parts = []
    name, bits = cells.rows[-1]
    state = "supported" if name.startswith("support") else "1"
    for group in groups:
        if group.hidden:
            ones = int(bits[list(group.hidden)].sum())
            are = "is" if ones == 1 else "are"
            parts.append(
                f"{ones} of {fmt.count(len(group.hidden))} more {group.name} {are} {state}"
            )
    rest = cells.rest()
    if rest.count and (cells.rate is not None or len(groups[-1].members) < rest.count):
        ones = rest.ones[-1]
        others = f"{fmt.count(rest.count)} others" if cells.groups else f"{fmt.count(rest.count)}"
        are = "is" if ones == 1 else "are"
        if cells.rate is not None:
            expected = fmt.short(rest.count * cells.rate)
            parts.append(f"{fmt.count(ones)} of the {others} {are} {state}, expected {expected}")
        elif not ones:
            parts.append(f"the {others} are 0")
        else:
            parts.append(f"{fmt.count(ones)} of the {others} {are} {state}")
    return "; ".join(parts)


TWO_COLUMNS: Final = 70
"""The least width, in cells, for the two users side by side."""

INDENT: Final = 16
"""Cells for the number and the name of a step, where its text stands beside them."""

ROOMY: Final = 58
"""From this width a column has the names of the steps beside their texts."""


def life_rows(genuine: ReportHistory, fake: ReportHistory | str, look: Look) -> list[Row]:
    """Both lives, their steps at one height where they stand side by side.

    Rows that are left over show all the bits of a report.
    """
    width, pen = look.width, Pen(look)
    if width < TWO_COLUMNS:
        rows = stack_blocks(blocks_of(pen, genuine, width), 1)
        return [*rows, [], *stack_blocks(blocks_of(pen, fake, width), 1)]
    blocks = pair_blocks(genuine, fake, width, pen)
    spare = look.height - sum(map(len, blocks)) - len(blocks) + 1
    if spare > 0:
        blocks = pair_blocks(genuine, fake, width, Pen(look, spare))
    return stack_blocks(blocks, 1 if spare >= 0 else 0, beside(pen, [], (width - 3) // 2, []))


def pair_blocks(
    genuine: ReportHistory, fake: ReportHistory | str, width: int, pen: Pen
) -> list[list[Row]]:
    """The blocks of both lives beside each other."""
    left = (width - 3) // 2
    ours, theirs = blocks_of(pen, genuine, left), blocks_of(pen, fake, width - 3 - left)
    blocks: list[list[Row]] = []
    for our_row, other in zip_longest(ours, theirs, fillvalue=()):
        rows: list[Row] = []
        for at in range(max(len(our_row), len(other))):
            right = other[at] if at < len(other) else []
            rows.append(beside(pen, our_row[at] if at < len(our_row) else [], left, right))
        blocks.append(rows)
    return blocks


def stack_blocks(blocks: list[list[Row]], gap: int, between: Row | None = None) -> list[Row]:
    """The blocks below each other, with a row between them where there is a gap."""
    rows: list[Row] = []
    for block in blocks:
        if rows and gap:
            rows.append(between or [])
        rows += block
    return rows


def beside(pen: Pen, row: Row, left: int, other: Row) -> Row:
    room = left - length(row)
    return [*row, (" " * room + " ", ""), (pen.look.clean("│ "), pen.look.palette.muted), *other]


def blocks_of(pen: Pen, life: ReportHistory | str, width: int) -> list[list[Row]]:
    """The title and the steps of a life, or why there is none, each a block of rows."""
    if isinstance(life, str):
        title = (pad(pen.look.clean("No fake users"), width), f"bold {pen.look.palette.muted}")
        rows: list[Row] = [
            [(line, pen.look.palette.muted)] for line in wrap_text(pen.look.clean(life), width)
        ]
        return [[[title]], rows]
    tone = pen.look.palette.attacked if life.fake else pen.look.palette.clean
    blocks: list[list[Row]] = [[[(pad(pen.look.clean(life.title), width), f"bold {tone}")]]]
    for number, step in enumerate(life.steps, 1):
        later = (other.cells for other in life.steps[number:] if other.cells is not None)
        again = any(
            step.cells is not None and len(cells.rows) == 2 and cells.over == step.cells.over
            for cells in later
        )
        if again and width < ROOMY:  # the cells are the first row of those to come
            step = replace(step, cells=None)
        blocks.append(step_rows(pen, number, step, width, tone))
    return blocks


def step_rows(pen: Pen, number: int, step: Step, width: int, tone: str) -> list[Row]:
    """A step: its name and text, what could happen, its cells, and what it comes to."""
    palette = pen.look.palette
    roomy = width >= ROOMY
    indent = INDENT if roomy else 2
    room = width - indent
    head = f"{number} {step.name}"
    head = head.ljust(indent) if roomy else f"{head}  "
    lines = wrap_text(pen.look.clean(step.text), room, width - len(head))
    rows: list[Row] = [[(head, f"bold {tone}"), (lines[0], palette.foreground)]]
    body: list[Row] = [[(line, palette.foreground)] for line in lines[1:]]
    body += chance_rows(pen, step, room)
    rows += [[(" " * indent, ""), *row] for row in body]
    if step.cells is not None:
        rows += cell_rows(pen, step.cells, width, 2, INDENT if roomy else 0)
    body = meter_rows(pen, step, room)
    for detail in step.detail:
        body += [[(line, palette.muted)] for line in wrap_text(pen.look.clean(detail), room)]
    if step.bits is not None and step.marked is not None:
        body += bit_rows(pen, step.bits, set(step.marked.tolist()), room)
    return rows + [[(" " * indent, ""), *row] for row in body]


def chance_rows(pen: Pen, step: Step, width: int) -> list[Row]:
    """A table of what could happen; sentences where it is too wide."""
    palette = pen.look.palette
    table = [
        (pen.look.clean(c.event), pen.look.clean(f"{c.symbol} = {fmt.short(c.probability)}"),
         pen.look.clean(c.outcome))
        for c in step.outcomes
    ]  # fmt: skip
    widths = [max(map(cell_len, column)) for column in zip(*table, strict=True)]
    rows: list[Row] = []
    for event, chance, outcome in table:
        if sum(widths) + 4 <= width:
            rows.append([
                (pad(event, widths[0] + 2), palette.foreground),
                (pad(chance, widths[1] + 2), palette.theory),
                (outcome, palette.foreground),
            ])  # fmt: skip
        else:
            lines = wrap_text(f"{event}, {chance}: {outcome}", width)
            rows += [[(line, palette.foreground)] for line in lines]
    return rows


def bit_rows(pen: Pen, bits: BoolArray, marked: set[int], width: int) -> list[Row]:
    """All bits in lines, the targets in their colour; or none if they need too many lines."""
    if -(-bits.size // width) > pen.spare:
        return []
    rows: list[Row] = []
    for start in range(0, bits.size, width):
        row: Row = []
        for at in range(start, min(start + width, bits.size)):
            style = pen.look.palette.target if at in marked else pen.look.palette.muted
            mark = pen.look.clean("█" if bits[at] else "·")
            if row and row[-1][1] == style:
                row[-1] = (row[-1][0] + mark, style)
            else:
                row.append((mark, style))
        rows.append(row)
    return rows


def meter_rows(pen: Pen, step: Step, width: int) -> list[Row]:
    """The rows of a meter: the number of targets that a report supports, and its mean."""
    meter = step.meter
    if meter is None:
        return []
    cells = min(20, meter.total)
    full = max(0, round(cells * meter.value / meter.total))
    expected = fmt.short(meter.expected, 3)
    sentence = f"{meter.value} of {meter.total} targets, expected {expected}"
    brief = f"{meter.value} of {meter.total}, expected {expected}"
    bar = (pen.look.clean("█" * full + "·" * (cells - full)), pen.look.palette.target)
    for words in (sentence, brief):
        if cells + 2 + len(words) <= width:
            return [[bar, (f"  {words}", pen.look.palette.foreground)]]
    return [[bar], *([(line, pen.look.palette.foreground)] for line in wrap_text(sentence, width))]
