"""The view of two reports: a genuine user's and a fake one's, step by step."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable
from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from rich import box
from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.geometry import Size
from textual.reactive import reactive
from textual.widgets import Static

from ...charts.rows import pad
from ...text import format as fmt
from ...widgets.blank import Scroll
from ...widgets.plot import look_of
from ...widgets.words import spell_text, text_of

if TYPE_CHECKING:
    from ldptui.core.cell import Cell
    from ldptui.core.law.pure import BoolArray

    from ...charts.rows import Look
    from ...explain.report_values import ReportHistory, ReportStep, StepBits
    from ...session.draft import Draft

NOTHING: Final = "no valid scenario yet"
NO_ATTACK: Final = "The scenario has no attack, so no report of one: 3 opens the attacks."
NOT_HERE: Final = "The attack is Python code. It runs in the background process alone, never here."
TWO_COLUMNS: Final = 70
"""The least width, in cells, for the two users side by side."""
AIRY: Final = 36
"""Rows from which a blank one stands between two steps."""
ROOMY: Final = 58
"""From this width a column has the names of the steps beside their texts."""
INDENT: Final = 16
"""Cells for the number and the name of a step, where its text stands beside them."""
TEXTURE: Final = 8
"""The least number of other bits that is worth drawing."""
WIDEST: Final = 8
"""Cells of a label over a bit, at most."""


class ReportSheet(Static):
    """The widget that draws the reports of a `ReportView`."""

    def render(self) -> RenderableType:
        view = self.query_ancestor(ReportView)
        return view.drawing(view.look)


class ReportView(Vertical):
    """The tab One report: a genuine and a fake report of the draft, step by step, side by side if
    there is room.

    Random draws stay the same while the scenario changes, so that only the effect of an edit is
    seen.
    """

    BINDINGS = [  # noqa: RUF012
        Binding("n", "new_report", "New report", id="report.new"),
        Binding("w", "new_user", "New user", id="report.user"),
        Binding("i", "step_item(1)", "Next item", id="report.next"),
        Binding("I", "step_item(-1)", "Item before", show=False, id="report.previous"),
    ]

    draft: reactive[Draft | None] = reactive(None, always_update=True, init=False)

    _report = 0  # the number of the draws, of this user's reports
    _user = 0  # the number of the user
    _item: int | None = None  # chosen by hand; None: what the user drew
    _histories: tuple[ReportHistory, ReportHistory | str] | None = None

    def compose(self) -> ComposeResult:
        with Scroll():
            yield ReportSheet()

    def watch_draft(self) -> None:
        self._redraw()
        if self.is_mounted:
            self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Return False for the keys of other reports while no report is shown."""
        return not self._why_none or action not in ("new_report", "new_user", "step_item")

    def action_new_report(self) -> None:
        """Show another report of the same user with the same value."""
        self._report += 1
        self._redraw()

    def action_new_user(self) -> None:
        """Show the report of another user, whose value is drawn from the population."""
        self._user += 1
        self._report, self._item = 0, None
        self._redraw()

    def action_step_item(self, by: int) -> None:
        """Show the report with the same random draws for the next or previous value."""
        histories = self.histories
        if histories is not None and self.draft is not None and self.draft.cell is not None:
            held = histories[0].item or 0
            self._item = (held + by) % self.draft.cell.population.domain_size
            self._redraw()

    @property
    def histories(self) -> tuple[ReportHistory, ReportHistory | str] | None:
        """The steps of the genuine report and of the fake one, or the reason why there is no fake;
        None if there is neither.
        """
        cell = self.draft.cell if self.draft is not None else None
        if self._histories is None and cell is not None and not self._why_none:
            # A campaign shows the reports of its most attacked round.
            self._histories = self._draw(cell.peak.task.ask_user(cell.peak, self._user))
        return self._histories

    @property
    def _why_none(self) -> str:
        """The reason why there is no report to show; "" if there is one."""
        cell = self.draft.cell if self.draft is not None else None
        if cell is None:
            return NOTHING
        from ...explain.family_explanation import reports_of

        reports = reports_of(cell.peak)
        return reports if isinstance(reports, str) else ""

    def as_text(self) -> str:
        """The reports as plain text."""
        return text_of(self.drawing(self.look), self.look.width, self.look.charset)

    @property
    def look(self) -> Look:
        """The width, height and colours that the reports are drawn with."""
        width = self.query_one(ReportSheet).size.width
        return look_of(self.app, Size(width, self.size.height))

    def _redraw(self) -> None:
        self._histories = None
        if self.is_mounted:
            self.query_one(ReportSheet).refresh(layout=True)

    def _draw(self, cell: Cell) -> tuple[ReportHistory, ReportHistory | str]:
        from ldptui.core.base.streams import stream

        from ...explain.example_users import fake_report, genuine_report, random_user

        seed, user = cell.seed, f"one report: user {self._user}"
        item = self._item
        if item is None or item >= cell.population.domain_size:
            item = random_user(cell, stream(seed, user, "population"))
        name = f"{user}, report {self._report}"
        # A client may keep permanent noise from one report to the next.
        kept = stream(seed, f"{user} keeps for {item}", "genuine")
        genuine = genuine_report(cell, item, stream(seed, name, "genuine"), kept)
        if cell.attack is None:
            return genuine, NO_ATTACK
        if cell.python_attacks:
            return genuine, NOT_HERE
        return genuine, fake_report(cell, stream(seed, name, "malicious"))

    def drawing(self, look: Look) -> RenderableType:
        """The drawing of both reports; where they stand side by side and have room, equal steps
        begin at one height.
        """
        histories = self.histories
        if histories is None:
            why = spell_text(self, self._why_none)
            return Text(why, look.palette.muted, justify="center")
        between = int(look.height >= AIRY)
        if look.width < TWO_COLUMNS or isinstance(histories[1], str):
            pen, below = ReportStyle(look, look.width), (0, 0, between, 0)
            return Group(
                *(
                    Padding(part, below)
                    for history in histories
                    for part in pen.history_lines(history)
                )
            )
        pen = ReportStyle(look, (look.width - 3) // 2)
        table = Table(
            box=box.MINIMAL, show_header=False, show_edge=False, leading=between, pad_edge=False
        )
        for _ in histories:
            table.add_column(width=pen.width)
        columns = [pen.history_lines(history) for history in histories]
        alone = [[Group(*lines) for lines in columns]]
        for pair in zip_longest(*columns, fillvalue="") if between else alone:
            table.add_row(*pair)
        return table


class ReportStyle(Struct, frozen=True):
    """The width and colours of a column of reports."""

    look: Look
    width: int

    @property
    def indent(self) -> int:
        """The number of columns before the text of a step."""
        return INDENT if self.width >= ROOMY else 2

    def words(self, text: str, style: str) -> Text:
        """Text in a style, spelled in ASCII if the app's charset is ASCII."""
        return Text(fmt.to_ascii(text) if self.look.charset == "ascii" else text, style)

    def history_lines(self, history: ReportHistory | str) -> list[RenderableType]:
        """The title and the steps of a report, or the reason why there is none."""
        palette = self.look.palette
        if isinstance(history, str):
            title = Text("No fake users", f"bold {palette.muted}")
            return [title, self.words(history, palette.muted)]
        tone = f"bold {palette.attacked if history.fake else palette.clean}"
        steps = (self._step(at, step, tone) for at, step in enumerate(history.steps, 1))
        return [self.words(history.title, tone), *steps]

    def _step(self, number: int, step: ReportStep, tone: str) -> RenderableType:
        """A step: its name and text, the possible outcomes, its cells, and its result."""
        palette, room = self.look.palette, self.width - self.indent
        chances = Table.grid(padding=(0, 2, 0, 0))
        for style in (palette.foreground, palette.theory, palette.foreground):
            chances.add_column(style=style)
        for each in step.outcomes:
            chance = f"{each.symbol} = {fmt.short(each.probability)}"
            chances.add_row(*(self.words(text, "") for text in (each.event, chance, each.outcome)))
        head, text = f"{number} {step.name}", self.words(step.text, palette.foreground)
        above: list[RenderableType] = [text, chances] if step.outcomes else [text]
        below: list[RenderableType] = [self.words(each, palette.muted) for each in step.detail]
        if step.meter is not None:
            expected = f"expected {fmt.short(step.meter.expected, 3)}"
            words = f"{step.meter.value} of {step.meter.total} targets, {expected}"
            cells = min(20, step.meter.total)
            full = max(0, round(cells * step.meter.value / step.meter.total))
            bar = Text("█" * full + "·" * (cells - full), palette.target)
            below.insert(0, bar.append(f"  {words}", palette.foreground))
        if step.bits is not None and -(-step.bits.size // room) <= self.look.height // 8:
            below.append(self._bits(step.bits, step.marked))
        middle = self._cells(step.cells) if step.cells is not None else []
        if self.indent < INDENT:
            lines = textwrap.wrap(
                f"{head}  {text.plain}", max(3, self.width), subsequent_indent="  "
            )
            first = Text("\n".join(lines), palette.foreground)
            first.stylize(tone, 0, len(head))
            parts: list[RenderableType] = [
                first,
                *(Padding(each, (0, 0, 0, 2)) for each in above[1:]),
            ]
        else:
            named = Table.grid()
            named.add_column(width=INDENT)
            named.add_row(Text(head, tone), Group(*above))
            parts = [named]
        return Group(*parts, *middle, *(Padding(each, (0, 0, 0, self.indent)) for each in below))

    def _bits(self, bits: BoolArray, marked: Iterable[int] | None) -> Text:
        """All the bits of a report, the targets in their colour."""
        palette, targets = self.look.palette, set() if marked is None else {*map(int, marked)}
        tones = (palette.target if at in targets else palette.muted for at in range(bits.size))
        marks = (("█" if bit else "·", tone) for bit, tone in zip(bits, tones, strict=True))
        return Text.assemble(*marks, overflow="fold")

    def _cells(self, cells: StepBits) -> list[RenderableType]:
        """Bits in groups of columns: their labels, their numbers, then each row of bits."""
        names = [cells.over, *(name for name, _ in cells.rows), "changed"]
        heads: list[tuple[str, Callable[[int], str]]] = [(cells.over, cells.label)]
        if cells.numbers is not None:
            name, numbers = cells.numbers
            names.append(name)
            heads.append((name, lambda member: str(int(numbers[member]))))
        margin = max(INDENT * (self.indent == INDENT), 3 + max(map(len, names)))
        groups = arrange_groups(cells, self.width - margin)
        marks: list[tuple[str, Callable[[int], str]]] = [
            (name, lambda member, bits=bits: "█" if bits[member] else "·")  # type: ignore[misc]
            for name, bits in cells.rows
        ]
        if len(cells.rows) == 2:
            (_, was), (_, now) = cells.rows
            marks.append(("changed", lambda member: change(was[member], now[member])))
        muted = self.look.palette.muted
        lines: list[RenderableType] = [
            self._line("", margin, ((each, each.name, muted) for each in groups))
        ]
        for name, word in heads if any(group.pitch > 1 for group in groups) else ():
            texts = (spread(each, word) if each.pitch > 1 else "" for each in groups)
            parts = ((each, text, muted) for each, text in zip(groups, texts, strict=True))
            lines.append(self._line(name, margin, parts))
        for name, word in marks:
            tones = ((each, spread(each, word), self._tone(each.name)) for each in groups)
            lines.append(self._line(name, margin, tones))
        rest = rest_of(cells, groups)
        return [*lines, Padding(self.words(rest, muted), (0, 0, 0, self.indent))] if rest else lines

    def _line(self, name: str, margin: int, parts: Iterable[tuple[ShownGroup, str, str]]) -> Text:
        line = Text(f"  {name}".ljust(margin), self.look.palette.muted, no_wrap=True)
        for at, (group, text, style) in enumerate(parts):
            if at and group.width:
                line.append(" │ ", self.look.palette.muted)
            line.append(pad(self.look.clean(text), group.width), style)
        return line

    def _tone(self, name: str) -> str:
        palette = self.look.palette
        tones = {"own": f"bold {palette.true}".replace("bold bold", "bold")}
        return {**tones, "targets": palette.target, "sent": palette.attacked}.get(
            name, palette.muted
        )


class ShownGroup(Struct, frozen=True):
    """The members of a group of bits that are shown, each in a column of `pitch` cells."""

    name: str
    members: tuple[int, ...]
    pitch: int
    width: int
    hidden: tuple[int, ...] = ()


def spread(group: ShownGroup, word: Callable[[int], str]) -> str:
    """The words of a group's shown members, each right-aligned in its column."""
    if group.pitch == 1:
        return "".join(map(word, group.members))
    return " ".join(pad(word(member), group.pitch - 1, right=True) for member in group.members)


def arrange_groups(cells: StepBits, width: int) -> list[ShownGroup]:
    """The groups of bits with as many members as fit in `width`, labelled if labels fit."""
    others = cells.rest().count
    named = [member for group in cells.groups for member in group.members]
    named += cells.others(width) if others <= width // 3 else ()
    numbers = [] if cells.numbers is None else [str(int(cells.numbers[1][m])) for m in named]
    longest = max(map(cell_len, [*map(cells.label, named), *numbers]), default=1)
    pitch, room, shown = min(WIDEST, longest) + 1, width, list[ShownGroup]()
    for group in cells.groups:
        most = max(0, min(len(group.members), (room + 1) // pitch))
        wide = max(0, min(room, max(len(group.name), most * pitch - 1)))
        members, hidden = group.members[:most], group.members[most:]
        shown.append(ShownGroup(group.name, members, pitch, wide, hidden))
        room -= wide + len(" │ ")
    name = "others" if shown else f"{cells.over}s"
    if others and (wide := max(len(name), others * pitch - 1)) <= room:
        shown.append(ShownGroup(name, cells.others(others), pitch, wide))
    elif others and room >= max(len(name), min(TEXTURE, others)):
        members = cells.others(room)
        left_out = f"{len(members)} of {fmt.count(others)} {name}"
        if len(members) < others and len(left_out) <= room:
            name = left_out
        shown.append(ShownGroup(name, members, 1, max(len(name), len(members))))
    return shown


def change(was: bool, now: bool) -> str:
    return "↑" if now and not was else "↓" if was and not now else " "


def rest_of(cells: StepBits, groups: list[ShownGroup]) -> str:
    """A sentence about the bits that are not shown."""
    parts = []
    name, bits = cells.rows[-1]
    state = "supported" if name.startswith("support") else "1"
    for group in groups:
        if group.hidden:
            ones = int(bits[list(group.hidden)].sum())
            more = f"{fmt.count(len(group.hidden))} more {group.name}"
            parts.append(f"{ones} of {more} {'is' if ones == 1 else 'are'} {state}")
    rest = cells.rest()
    if rest.count and (cells.rate is not None or len(groups[-1].members) < rest.count):
        ones, others = rest.ones[-1], fmt.count(rest.count) + " others" * bool(cells.groups)
        words = f"{fmt.count(ones)} of the {others} {'is' if ones == 1 else 'are'} {state}"
        if cells.rate is not None:
            words += f", expected {fmt.short(rest.count * cells.rate)}"
        elif not ones:
            words = f"the {others} are 0"
        parts.append(words)
    return "; ".join(parts)
