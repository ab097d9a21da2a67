"""The life of one report: a genuine user's beside a fake user's, step by step."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.reactive import reactive
from textual.widgets import Static

from .. import format as fmt
from ..prose import wrapped
from ..rows import Charset, Palette, Row, centred, clean, length, pad
from .rows_view import RowsView

if TYPE_CHECKING:
    from core.cell import Cell
    from core.pure import BoolArray

    from ..draft import Draft
    from ..life import Cells, Life, Step

TWO_COLUMNS: Final = 70
"""So many cells are enough for the two users side by side."""

INDENT: Final = 16
"""Cells for the number and the name of a step, where its text stands beside them."""

ROOMY: Final = 58
"""From this width a column has the names of the steps beside their texts."""

TEXTURE: Final = 8
"""The other bits are drawn where there is room for at least so many."""

NOTHING: Final = "no valid scenario yet"
NO_ATTACK: Final = "The scenario has no attack. Choose one in pane 3 to see its report here."
NOT_HERE: Final = "The attack is Python code. It runs in the background process alone, never here."

HINTS: Final = (("n", "new report"), ("u", "new user"), ("i", "next item"), ("I", "item before"))


class ReportView(Vertical):
    """One genuine and one fake report of `draft`, two columns where there is room for them.

    The same draws are kept while the scenario changes: what changes on the screen is what the
    change did.
    """

    DEFAULT_CSS = """
    ReportView {
        height: 1fr;
        & > .report--hints { height: 1; color: $text-muted; }
    }
    """
    BINDINGS = [  # noqa: RUF012
        Binding("n", "new_report", "New report", id="report.new"),
        Binding("u", "new_user", "New user", id="report.user"),
        Binding("i", "step_item(1)", "Next item", id="report.next"),
        Binding("I", "step_item(-1)", "Item before", show=False, id="report.previous"),
        Binding("j", "scroll_by(1)", "Down", show=False, id="report.down"),
        Binding("k", "scroll_by(-1)", "Up", show=False, id="report.up"),
    ]

    draft: reactive[Draft | None] = reactive(None, always_update=True, init=False)

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._report = 0  # the number of the draws, of this user's reports
        self._user = 0  # the number of the user
        self._item: int | None = None  # chosen by hand; None: what the user drew
        self._lives: tuple[Life, Life | str] | None = None

    def compose(self) -> ComposeResult:
        yield RowsView(self._rows)
        hints = (f"[bold $text-accent]{key}[/] {what}" for key, what in HINTS)
        yield Static("   ".join(hints), classes="report--hints")

    def watch_draft(self) -> None:
        self._redraw()

    def action_new_report(self) -> None:
        """The same user with the same value: new randomness."""
        self._report += 1
        self._redraw()

    def action_new_user(self) -> None:
        """Another user, whose value is drawn from the population."""
        self._user += 1
        self._report, self._item = 0, None
        self._redraw()

    def action_step_item(self, by: int) -> None:
        """The same user and draws, with the next or the previous value."""
        lives = self.lives
        if lives is not None and self.draft is not None and self.draft.cell is not None:
            held = lives[0].item or 0
            self._item = (held + by) % self.draft.cell.population.domain_size
            self._redraw()

    def action_scroll_by(self, lines: int) -> None:
        """Scroll where the steps do not fit."""
        self.query_one(RowsView).scroll_relative(y=lines, animate=False)

    @property
    def lives(self) -> tuple[Life, Life | str] | None:
        """The genuine user's report and the fake one's, or why there is none; None for neither."""
        cell = self.draft.cell if self.draft is not None else None
        if self._lives is None and cell is not None:
            from ..life import has_steps

            # Of a campaign the reports of its most attacked round.
            self._lives = self._draw(cell.peak) if has_steps(cell.protocol) else None
        return self._lives

    def as_text(self) -> str:
        """What is shown as plain text."""
        return self.query_one(RowsView).as_text()

    def _redraw(self) -> None:
        self._lives = None
        if self.is_mounted:
            self.query_one(RowsView).rebuild()

    def _draw(self, cell: Cell) -> tuple[Life, Life | str]:
        from core.attacks import PythonAttack
        from core.streams import stream

        from ..life import fake_life, genuine_life, random_user

        seed, user = cell.seed, f"one report: user {self._user}"
        item = self._item
        if item is None or item >= cell.population.domain_size:
            item = random_user(cell, stream(seed, user, "population"))
        name = f"{user}, report {self._report}"
        # The client of RAPPOR keeps its permanent noise from one report to the next.
        kept = stream(seed, f"{user} keeps for {item}", "genuine")
        genuine = genuine_life(cell, item, stream(seed, name, "genuine"), kept)
        if cell.attack is None:
            return genuine, NO_ATTACK
        if any(isinstance(some.strategy, PythonAttack) for some in cell.fakes):
            return genuine, NOT_HERE
        return genuine, fake_life(cell, stream(seed, name, "malicious"))

    def _why_none(self) -> str:
        """Why a valid scenario has no report to show."""
        from core.central import Curator

        cell = self.draft.cell if self.draft is not None else None
        if cell is not None and isinstance(cell.protocol, Curator):
            return (
                "a trusted curator gets no reports: users tell it their items as they are, a fake "
                "user any item, and noise is added once, to the counts"
            )
        if cell is not None and cell.noise is not None:
            return "too many items times cohorts to hash their Bloom filters here: fewer, please"
        return "the reports of this protocol are not drawn here"

    def _rows(self, width: int, height: int, palette: Palette, charset: Charset) -> list[Row]:
        lives = self.lives
        if lives is None:
            valid = self.draft is not None and self.draft.cell is not None
            why = self._why_none() if valid else NOTHING
            return centred(why, width, height, palette.muted)
        return life_rows(*lives, width, height, palette, charset)


# Rows.


def life_rows(
    genuine: Life, fake: Life | str, width: int, height: int, palette: Palette, charset: Charset
) -> list[Row]:
    """Both lives, their steps at one height where they stand side by side.

    Rows that are left over show all the bits of a report.
    """
    if width < TWO_COLUMNS:
        pen = _Pen(palette, charset)
        rows = pen.stacked(pen.blocks(genuine, width), 1)
        return [*rows, [], *pen.stacked(pen.blocks(fake, width), 1)]
    blocks = _paired(genuine, fake, width, _Pen(palette, charset))
    spare = height - sum(map(len, blocks)) - len(blocks) + 1
    if spare > 0:
        blocks = _paired(genuine, fake, width, _Pen(palette, charset, spare))
    pen = _Pen(palette, charset)
    return pen.stacked(blocks, 1 if spare >= 0 else 0, pen.beside([], (width - 3) // 2, []))


def _paired(genuine: Life, fake: Life | str, width: int, pen: _Pen) -> list[list[Row]]:
    """The blocks of both lives beside each other."""
    left = (width - 3) // 2
    ours, theirs = pen.blocks(genuine, left), pen.blocks(fake, width - 3 - left)
    blocks: list[list[Row]] = []
    for one, other in zip_longest(ours, theirs, fillvalue=()):
        rows: list[Row] = []
        for at in range(max(len(one), len(other))):
            right = other[at] if at < len(other) else []
            rows.append(pen.beside(one[at] if at < len(one) else [], left, right))
        blocks.append(rows)
    return blocks


class _Pen:
    """Draws steps with one palette and one charset; all bits of a report in `spare` rows."""

    def __init__(self, palette: Palette, charset: Charset, spare: int = 0) -> None:
        self.palette, self.charset, self.spare = palette, charset, spare

    def text(self, text: str) -> str:
        return clean(text, self.charset)

    def stacked(self, blocks: list[list[Row]], gap: int, between: Row | None = None) -> list[Row]:
        rows: list[Row] = []
        for block in blocks:
            if rows and gap:
                rows.append(between or [])
            rows += block
        return rows

    def beside(self, one: Row, left: int, other: Row) -> Row:
        room = left - length(one)
        return [*one, (" " * room + " ", ""), (self.text("│ "), self.palette.muted), *other]

    def blocks(self, life: Life | str, width: int) -> list[list[Row]]:
        """The title and the steps of a life, or why there is none, each a block of rows."""
        if isinstance(life, str):
            title = (pad(self.text("No fake users"), width), f"bold {self.palette.muted}")
            rows: list[Row] = [
                [(line, self.palette.muted)] for line in wrapped(self.text(life), width)
            ]
            return [[[title]], rows]
        tone = self.palette.attacked if life.fake else self.palette.clean
        blocks: list[list[Row]] = [[[(pad(self.text(life.title), width), f"bold {tone}")]]]
        for number, step in enumerate(life.steps, 1):
            later = (other.cells for other in life.steps[number:] if other.cells is not None)
            again = any(
                step.cells is not None and len(cells.rows) == 2 and cells.over == step.cells.over
                for cells in later
            )
            if again and width < ROOMY:  # the cells are the first row of those to come
                step = replace(step, cells=None)
            blocks.append(self.step(number, step, width, tone))
        return blocks

    def step(self, number: int, step: Step, width: int, tone: str) -> list[Row]:
        palette = self.palette
        roomy = width >= ROOMY
        indent = INDENT if roomy else 2
        room = width - indent
        head = f"{number} {step.name}"
        head = head.ljust(indent) if roomy else f"{head}  "
        lines = wrapped(self.text(step.text), room, width - len(head))
        rows: list[Row] = [[(head, f"bold {tone}"), (lines[0], palette.foreground)]]
        body: list[Row] = [[(line, palette.foreground)] for line in lines[1:]]
        body += self.chances(step, room)
        rows += [[(" " * indent, ""), *row] for row in body]
        if step.cells is not None:
            rows += self.cells(step.cells, width, 2, INDENT if roomy else 0)
        body = self.meter(step, room)
        for detail in step.detail:
            body += [[(line, palette.muted)] for line in wrapped(self.text(detail), room)]
        if step.bits is not None and step.marked is not None:
            body += self.bits(step.bits, set(step.marked.tolist()), room)
        return rows + [[(" " * indent, ""), *row] for row in body]

    def chances(self, step: Step, width: int) -> list[Row]:
        """A table of what could happen; sentences where it is too wide."""
        palette = self.palette
        table = [
            (self.text(c.event), self.text(f"{c.symbol} = {fmt.short(c.probability)}"),
             self.text(c.outcome))
            for c in step.chances
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
                lines = wrapped(f"{event}, {chance}: {outcome}", width)
                rows += [[(line, palette.foreground)] for line in lines]
        return rows

    def bits(self, bits: BoolArray, marked: set[int], width: int) -> list[Row]:
        """All bits in lines, the targets in their colour; or none if they need too many lines."""
        if -(-bits.size // width) > self.spare:
            return []
        rows: list[Row] = []
        for start in range(0, bits.size, width):
            row: Row = []
            for at in range(start, min(start + width, bits.size)):
                style = self.palette.target if at in marked else self.palette.muted
                mark = self.text("█" if bits[at] else "·")
                if row and row[-1][1] == style:
                    row[-1] = (row[-1][0] + mark, style)
                else:
                    row.append((mark, style))
            rows.append(row)
        return rows

    def meter(self, step: Step, width: int) -> list[Row]:
        meter = step.meter
        if meter is None:
            return []
        cells = min(20, meter.total)
        full = round(cells * meter.value / meter.total)
        expected = fmt.short(meter.expected, 3)
        said = f"{meter.value} of {meter.total} targets, expected {expected}"
        brief = f"{meter.value} of {meter.total}, expected {expected}"
        bar = (self.text("█" * full + "·" * (cells - full)), self.palette.target)
        for words in (said, brief):
            if cells + 2 + len(words) <= width:
                return [[bar, (f"  {words}", self.palette.foreground)]]
        return [[bar], *([(line, self.palette.foreground)] for line in wrapped(said, width))]

    # Cells: groups of columns under their names, the bits of each row, what changed, and the rest.

    def cells(self, cells: Cells, width: int, indent: int, least: int) -> list[Row]:
        """The rows of cells; their names take `least` cells at least, the indent included."""
        names = [name for name, _ in cells.rows] + [cells.over]
        if len(cells.rows) == 2:
            names.append("changed")
        if cells.numbers is not None:
            names.append(cells.numbers[0])
        margin = max(least, indent + max(map(len, names)) + 1)
        groups = _arranged(cells, width - margin)
        tones = [self._tone(group.name) for group in groups]
        muted = [self.palette.muted] * len(groups)
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
            marks = [[_change(was[m], now[m]) for m in group.members] for group in groups]
            table.append(("changed", marks, tones))
        named = [group.name[: group.width] for group in groups]
        rows = [self._line("", indent, margin, groups, named, muted)]
        for name, texts, styles in table:
            written = [self._spread(part, g.pitch) for part, g in zip(texts, groups, strict=True)]
            rows.append(self._line(name, indent, margin, groups, written, styles))
        said, at = _rest(cells, groups), least or indent
        for line in wrapped(self.text(said), width - at) if said else []:
            rows.append([(" " * at + line, self.palette.muted)])
        return rows

    def _spread(self, parts: list[str], pitch: int) -> str:
        """Each part at the right of its column; the blank between columns is at the left."""
        if pitch == 1:
            return self.text("".join(parts))
        return " ".join(pad(self.text(part), pitch - 1, right=True) for part in parts)

    def _line(
        self,
        name: str,
        indent: int,
        margin: int,
        groups: list[_Columns],
        texts: list[str],
        styles: list[str],
    ) -> Row:
        row: Row = [(f"{' ' * indent}{name}".ljust(margin), self.palette.muted)]
        for at, (group, text) in enumerate(zip(groups, texts, strict=True)):
            if at and group.width:
                row.append((self.text(" │ "), self.palette.muted))
            row.append((pad(self.text(text), group.width), styles[at]))
        return row

    def _tone(self, name: str) -> str:
        if name == "own":
            return f"bold {self.palette.true}".replace("bold bold", "bold")
        if name == "targets":
            return self.palette.target
        return self.palette.attacked if name == "sent" else self.palette.muted


@dataclass(frozen=True)
class _Columns:
    """A group as it is shown: its first members, a column of `pitch` cells for each."""

    name: str
    members: tuple[int, ...]
    pitch: int
    width: int
    hidden: tuple[int, ...] = ()


SEPARATOR: Final = 3


def _arranged(cells: Cells, width: int) -> list[_Columns]:
    """The groups with as much as fits: labels where they can, bits alone where they must."""
    others = cells.rest().count
    labels = [cells.label(m) for group in cells.groups for m in group.members]
    if cells.over == "bucket" or others <= width // 3:
        labels += [cells.label(m) for m in cells.others(width)]
    pitch = min(8, max((cell_len(label) for label in labels), default=1)) + 1
    used = sum(_width(g.name, len(g.members), pitch) + SEPARATOR for g in cells.groups)
    dense = used - SEPARATOR > width
    shown: list[_Columns] = []
    room = width
    for group in cells.groups:
        step = 1 if dense and len(group.members) > 1 else pitch
        most = len(group.members)
        while most > 0 and most * step - (step > 1) > room:
            most -= 1
        wide = max(0, min(room, _width(group.name, most, step)))
        members, hidden = group.members[:most], group.members[most:]
        shown.append(_Columns(group.name, members, step, wide, hidden))
        room -= wide + SEPARATOR
    if not others:
        return shown
    name = "others" if shown else f"{cells.over}s"
    if (wide := _width(name, others, pitch)) <= room:
        shown.append(_Columns(name, cells.others(others), pitch, wide))
    elif room >= max(len(name), min(TEXTURE, others)):
        members = cells.others(room)
        shown.append(_Columns(name, members, 1, max(len(name), len(members))))
    return shown


def _width(name: str, count: int, pitch: int) -> int:
    """Cells that a group takes: its columns without the blank after the last, or its name."""
    return max(len(name), count * pitch - (pitch > 1))


def _change(was: bool, now: bool) -> str:
    return "↑" if now and not was else "↓" if was and not now else " "


def _rest(cells: Cells, groups: list[_Columns]) -> str:
    """What is not shown one by one, in words."""
    said = []
    name, bits = cells.rows[-1]
    one = "supported" if name == "support" else "1"
    for group in groups:
        if group.hidden:
            ones = int(bits[list(group.hidden)].sum())
            are = "is" if ones == 1 else "are"
            said.append(f"{ones} of {fmt.count(len(group.hidden))} more {group.name} {are} {one}")
    rest = cells.rest()
    if rest.count and (cells.rate is not None or len(groups[-1].members) < rest.count):
        ones = rest.ones[-1]
        others = f"{fmt.count(rest.count)} others" if cells.groups else f"{fmt.count(rest.count)}"
        are = "is" if ones == 1 else "are"
        if cells.rate is not None:
            expected = fmt.short(rest.count * cells.rate)
            said.append(f"{fmt.count(ones)} of the {others} {are} {one}, expected {expected}")
        elif not ones:
            said.append(f"the {others} are 0")
        else:
            said.append(f"{fmt.count(ones)} of the {others} {are} {one}")
    return "; ".join(said)
