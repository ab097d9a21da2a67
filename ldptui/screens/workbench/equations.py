"""The formulas with the current numbers, and below them every equation of the project's list."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding
from textual.reactive import reactive

from ...charts.rows import Look, Row, centred, crop, length
from ...text.prose import narrowed, wrapped
from ...widgets.filter_input import Filtered, FilterInput, no_match
from .rows_view import RowsView

if TYPE_CHECKING:
    from ...explain.equations import Equation
    from ...explain.formula import Formula
    from ...session.draft import Draft

VERDICTS: Final = {"ok": "✓", "loose": "≈", "wrong": "✗", "missing": "+"}
"""The mark of a verdict; the word stands beside it."""

SAID: Final = {"ok": "ok", "loose": "loose", "wrong": "wrong", "missing": "rebuilt"}


WIDEST: Final = 112
"""Wider lines only move the sources away from the formulas."""


class Entry(Struct, frozen=True):
    """One formula in the sheet: at which row it starts, and the equation behind it, if any."""

    start: int
    number: int | None
    id: str | None


class EquationsView(Filtered):
    """Live formulas of `draft` over the searchable list; `/` filters both."""

    DEFAULT_CSS = """
    EquationsView {
        height: 1fr;
        & > FilterInput { dock: top; }
    }
    """
    BINDINGS = [  # noqa: RUF012
        Binding("slash", "filter", "Filter", key_display="/", id="equations.filter"),
        Binding("j", "move(1)", "Next", show=False, id="equations.next"),
        Binding("k", "move(-1)", "Previous", show=False, id="equations.previous"),
        Binding("g", "end(0)", "Top", show=False, id="equations.top"),
        Binding("G", "end(-1)", "End", show=False, id="equations.end"),
        Binding("enter", "open", "LaTeX", id="equations.open"),
        Binding("escape", "drop_filter", "Drop the filter", show=False, id="equations.leave"),
    ]

    draft: reactive[Draft | None] = reactive(None, always_update=True, init=False)

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._live: tuple[Formula, ...] | None = None
        self._entries: list[Entry] = []
        self._at = 0
        self._opened: str | None = None

    def compose(self) -> ComposeResult:
        yield RowsView(self._rows)  # first in the order of the focus
        yield FilterInput("filter: words, or a number", RowsView, stays=True)

    @property
    def live(self) -> tuple[Formula, ...]:
        """The formulas of the current protocol and attack; empty before a valid scenario."""
        cell = self.draft.cell if self.draft is not None else None
        if self._live is None and cell is not None:
            from ...explain.formulas import cell_formulas

            self._live = cell_formulas(cell.peak)
        return self._live or ()

    @property
    def selected(self) -> Entry | None:
        """The formula that the cursor is on."""
        return self._entries[self._at] if self._at < len(self._entries) else None

    def as_text(self) -> str:
        """All that the filter lets through, as plain text."""
        return self.query_one(RowsView).as_text()

    def watch_draft(self) -> None:
        self._live = None
        self._redraw()

    def on_filter_input_changed(self, message: FilterInput.Changed) -> None:
        message.stop()
        self._at = 0
        sheet = self.query_one(RowsView)
        sheet.rebuild()
        sheet.scroll_home(animate=False)

    def action_move(self, by: int) -> None:
        """The cursor to the next or the previous formula, and that into sight."""
        if self._entries:
            self._select(min(max(0, self._at + by), len(self._entries) - 1))

    def action_end(self, at: int) -> None:
        if self._entries:
            self._select(at % len(self._entries))

    def action_open(self) -> None:
        """Show or hide an equation's LaTeX; from a live formula, go to its equation."""
        entry = self.selected
        if entry is None:
            return
        if entry.id is not None:
            self._opened = None if self._opened == entry.id else entry.id
            self._redraw()
        elif entry.number is not None:
            wanted = f"eq-{entry.number}"
            places = [at for at, entry in enumerate(self._entries) if entry.id == wanted]
            if places:
                self._select(places[0])

    def _select(self, at: int) -> None:
        self._at = at
        self._redraw()
        sheet, start = self.query_one(RowsView), self._entries[at].start
        after = self._entries[at + 1].start if at + 1 < len(self._entries) else start + 8
        top, height = round(sheet.scroll_offset.y), sheet.size.height
        if at == 0:
            sheet.scroll_home(animate=False)
        elif start < top + 1 or after > top + height:
            sheet.scroll_to(y=max(0, start - 2), animate=False)

    def _redraw(self) -> None:
        if self.is_mounted:
            self.query_one(RowsView).rebuild()

    def _rows(self, look: Look) -> list[Row]:
        from ...explain import equations

        words = self.query_one(FilterInput).words
        pen = _Pen(min(look.width, WIDEST) - 2, 0, look.palette, look.charset)
        live = [formula for formula in self.live if _matches(formula, words)]
        listed = equations.search(words)
        self.query_one(FilterInput).count(
            len(live) + len(listed),
            len(self.live) + len(equations.equations()),
            f"{len(live)} with numbers, {len(listed)} in the list",
        )
        rows: list[Row] = []
        entries: list[Entry] = []

        def add(block: list[Row], number: int | None, id: str | None) -> None:  # noqa: A002
            mark = pen.clean("▌ ") if len(entries) == self._at else "  "
            entries.append(Entry(len(rows), number, id))
            rows.extend([(mark, look.palette.foreground), *row] for row in block)
            rows.append([])

        part = ""
        for formula in live:
            if formula.part != part:
                part = formula.part
                rows += [pen.heading(part), []]
            add(pen.live(formula), formula.number, None)
        part = ""
        for equation in listed:
            if equation.part != part and not words:
                part = equation.part
                rows += [pen.heading(f"The list: {part}"), []]
            elif words and not part:
                part = "found"
                rows += [pen.heading("The list"), []]
            opened = equation.id == self._opened
            add(_equation_rows(equation, pen, opened), equation.number, equation.id)
        self._entries = entries
        if not entries:
            return centred(look.clean(no_match(words)), look)
        return rows[:-1]


def _matches(live: Formula, words: str) -> bool:
    """True if every word begins one of the formula's words; a number has to be one of them."""
    number = "" if live.number is None else f"eq {live.number}"
    vocabulary = f"{live.title} {live.part} {live.source} {number}".casefold().split()
    return all(
        word in vocabulary
        if word.isdecimal()
        else any(known.strip("(,:").startswith(word) for known in vocabulary)
        for word in words.casefold().split()
    )


@functools.cache
def _doubt(number: int) -> str:
    """The mark of an equation that is wrong as it is printed."""
    from ...explain.equations import equations

    verdicts = {equation.number: equation.verdict for equation in equations()}
    return f" {VERDICTS['wrong']}" if verdicts.get(number) == "wrong" else ""


@functools.lru_cache(maxsize=256)
def _equation_rows(equation: Equation, pen: _Pen, opened: bool) -> list[Row]:
    return pen.equation(equation, opened)


class _Pen(Look, frozen=True):
    """Sets formulas in a look, of whatever height."""

    def heading(self, text: str) -> Row:
        text = crop(self.clean(text), self.width)
        rule = self.clean("─") * max(0, self.width + 1 - cell_len(text))
        bold = self.strong.replace("bold default", "bold")
        return [(f"{text} ", bold), (rule, self.palette.muted)]

    def head(self, left: Row, right: str) -> list[Row]:
        """A title with its source at the right end, or below it where both do not fit."""
        right = self.clean(right)
        room = self.width - length(left)
        if cell_len(right) + 2 <= room:
            gap = " " * (room - cell_len(right))
            return [[*left, (gap + right, self.palette.muted)]]
        rows: list[Row] = [[]]
        for text, style in left:
            lines = wrapped(text, self.width - 4, self.width - length(rows[-1]))
            rows[-1].append((lines[0], style))
            rows += [[(f"    {line}", style)] for line in lines[1:]]
        lines = wrapped(right, self.width - 4)
        return [*rows, *([(f"    {line}", self.palette.muted)] for line in lines)]

    def live(self, live: Formula) -> list[Row]:
        palette = self.palette
        number = "" if live.number is None else f"eq {live.number}{_doubt(live.number)}, "
        title = (self.clean(live.title), f"bold {palette.clean}")
        rows = self.head([title], f"{number}{live.source}")
        formula = self.clean(live.formula)
        numeric = live.result[0] in "-0123456789∞"
        result = self.clean(f"{'=' if numeric else '⇒'} {live.result}")
        trivial = live.substituted == live.result or formula.endswith(f"= {live.substituted}")
        put = (
            "" if trivial else self.clean(f"= {live.substituted}" if numeric else live.substituted)
        )
        right = (result, f"bold {palette.foreground}")
        room = self.width - 4
        together = [part for part in (formula, put) if part]
        joined = "  ".join(together) if numeric else ",  ".join(together)
        if formula.endswith(f"= {live.result}"):  # nothing is left to say
            rows.append([(f"    {formula}", palette.foreground)])
        elif cell_len(joined) + 2 + cell_len(result) <= room:
            rows.append([(f"    {joined}  ", palette.foreground), right])
        else:
            rows += [[(f"    {line}", palette.foreground)] for line in wrapped(formula, room)]
            lines = wrapped(put, room - 2) if put else []
            rows += [[(f"      {line}", palette.foreground)] for line in lines]
            if lines and cell_len(lines[-1]) + 2 + cell_len(result) <= room - 2:
                rows[-1] = [*rows[-1], ("  ", ""), right]
            else:
                rows.append([("      ", ""), right])
        return rows

    def equation(self, equation: Equation, opened: bool) -> list[Row]:
        palette = self.palette
        number = "  " if equation.number is None else f"{equation.number:>2}"
        tone = {"ok": palette.theory, "loose": palette.target}.get(
            equation.verdict, palette.attacked
        )
        verdict = self.clean(f"{VERDICTS[equation.verdict]} {SAID[equation.verdict]}")
        bold = self.strong.replace("bold default", "bold")
        left: Row = [
            (f"{number}  ", palette.muted),
            (self.clean(equation.title), bold),
            (f"  {verdict}", tone),
        ]
        rows = self.head(left, equation.source)
        rows += self.formula(equation.printed, palette.foreground)
        for text, style in ((equation.note, tone), (equation.remark, palette.muted)):
            lines = wrapped(self.clean(text), self.width - 4) if text else []
            rows += [[(f"    {line}", style)] for line in lines]
        if equation.corrected:
            rows += self.formula(equation.corrected, palette.theory, self.clean("→ "))
        if opened:
            lines = wrapped(self.clean(f"LaTeX: {equation.latex}"), self.width - 4)
            cut = [line[at : at + self.width - 4] for line in lines
                   for at in range(0, len(line), self.width - 4)]  # fmt: skip
            rows += [[(f"    {line}", palette.muted)] for line in cut]
        return rows

    def formula(self, printed: str, style: str, mark: str = "") -> list[Row]:
        room = self.width - 4
        lines = narrowed([self.clean(line) for line in printed.strip("\n").split("\n")], room)
        gutter = ["  " + mark.ljust(2) if at == 0 else "    " for at in range(len(lines))]
        return [
            [(space, self.palette.theory), (crop(line, room), style)]
            for space, line in zip(gutter, lines, strict=True)
        ]
