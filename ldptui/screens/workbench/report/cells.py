"""The bits over items or buckets: groups of columns under their names, and the rest in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len

from ....charts.rows import Look, Row, pad
from ....text import format as fmt
from ....text.prose import wrapped

if TYPE_CHECKING:
    from ....explain.report import Cells

TEXTURE: Final = 8
"""The least number of other bits that is worth drawing."""

SEPARATOR: Final = 3


@dataclass(frozen=True)
class Pen:
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
    groups = arranged(cells, width - margin)
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
    for line in wrapped(pen.look.clean(rest), width - at) if rest else []:
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


@dataclass(frozen=True)
class ShownGroup:
    """A group as it is shown: its first members, a column of `pitch` cells for each."""

    name: str
    members: tuple[int, ...]
    pitch: int
    width: int
    hidden: tuple[int, ...] = ()


def arranged(cells: Cells, width: int) -> list[ShownGroup]:
    """The groups with as much as fits: labels where they can, bits alone where they must."""
    others = cells.rest().count
    labels = [cells.label(m) for group in cells.groups for m in group.members]
    if cells.over == "bucket" or others <= width // 3:
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
    state = "supported" if name == "support" else "1"
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
