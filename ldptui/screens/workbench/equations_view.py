"""The formulas with the current numbers, and below them every equation of the project's list."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from textwrap import indent
from typing import TYPE_CHECKING, ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.reactive import reactive
from textual.widgets.option_list import Option

from ...text.format import ascii_cells
from ...widgets.option_list import FilteredList, FilterInput, LineList, no_match
from ...widgets.plot import charset_of
from ...widgets.words import spell_text

if TYPE_CHECKING:
    from ...explain.equation_list import Equation
    from ...explain.formula import Formula
    from ...session.draft import Draft

VERDICTS: Final = {"ok": "✓ ok", "loose": "≈ loose", "wrong": "✗ wrong", "missing": "+ rebuilt"}
"""The mark and the word of a verdict."""
TONES: Final = {"ok": "$text-primary", "loose": "$text-warning"}
MUTED: Final = "$foreground-muted"
INDENT: Final = "  "
LONG: Final = 66
"""Letters from which the right side with its numbers has a line of its own."""


class EquationsView(FilteredList):
    """The tab Equations: the formulas of the draft with numbers, above the searchable list of
    equations; `/` filters both.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "filter", "Filter", key_display="/", id="equations.filter"),
        Binding("escape", "drop_filter", "Drop the filter", show=False, id="equations.leave"),
    ]

    draft: reactive[Draft | None] = reactive(None, always_update=True, init=False)

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self.live: tuple[Formula, ...] = ()

    def compose(self) -> ComposeResult:
        yield LineList()  # first in the order of the focus
        yield FilterInput("filter: words, or a number", LineList, stays=True)

    def on_mount(self) -> None:
        self._fill()

    @property
    def marked_row(self) -> str | None:
        """The id of the row under the cursor: `live-2`, or the id of an equation."""
        listed = self.query_one(LineList)
        at = listed.highlighted
        return None if at is None else listed.get_option_at_index(at).id

    def as_text(self) -> str:
        """The rows that match the filter, as plain text."""
        options = self.query_one(LineList).options
        text = "\n\n".join(str(option.prompt).rstrip() for option in options) + "\n"
        return ascii_cells(text) if charset_of(self.app) == "ascii" else text

    def watch_draft(self) -> None:
        """Compute the formulas of the current protocol and attack; none before a scenario."""
        cell = self.draft.cell if self.draft is not None else None
        self.live = ()
        if cell is not None:
            from ...explain.formula_list import cell_formulas

            self.live = cell_formulas(cell.peak)
        self._fill()

    def on_filter_input_changed(self, message: FilterInput.Changed) -> None:
        message.stop()
        self._fill(first=True)

    def on_option_list_option_selected(self, event: LineList.OptionSelected) -> None:
        """Move the cursor from a formula of the draft to its equation."""
        event.stop()
        chosen, listed = event.option_id or "", self.query_one(LineList)
        ids = [option.id for option in listed.options]
        if chosen.startswith("live-"):
            wanted = f"eq-{self.live[int(chosen.removeprefix('live-'))].number}"
            listed.highlighted = ids.index(wanted) if wanted in ids else listed.highlighted

    def _fill(self, *, first: bool = False) -> None:
        """List the rows that match the filter; the cursor stays, or moves to the first match."""
        if not self.is_mounted:
            return
        from ...explain import equation_list as equations

        words = self.query_one(FilterInput).words
        live = [(at, each) for at, each in enumerate(self.live) if _matches(each, words)]
        found = equations.search(words)
        self.query_one(FilterInput).count(
            len(live) + len(found),
            len(self.live) + len(equations.equations()),
            f"{len(live)} with numbers, {len(found)} in the list",
        )
        listed, before = self.query_one(LineList), None if first else self.marked_row
        listed.clear_options()
        listed.add_options(self._options(live, found, words))
        ids = [option.id for option in listed.options]
        rows = [at for at, option in enumerate(listed.options) if not option.disabled]
        if rows:
            listed.highlighted = ids.index(before) if before and before in ids else rows[0]
        if first or before is None:
            listed.scroll_home(animate=False)

    def _options(
        self, live: list[tuple[int, Formula]], found: tuple[Equation, ...], words: str
    ) -> Iterator[Option]:
        part = ""
        for at, formula in live:
            if formula.part != part:
                part = formula.part
                yield Option(Content.styled(spell_text(self, part), "bold"), disabled=True)
            yield Option(_content(self, live_parts(formula)), f"live-{at}")
        part = ""
        for equation in found:
            heading = "The list" if words else f"The list: {equation.part}"
            if heading != part:
                part = heading
                yield Option(Content.styled(heading, "bold"), disabled=True)
            parts = equation_parts(equation)
            yield Option(_content(self, parts), equation.id)
        if not live and not found:
            yield Option(no_match(words), disabled=True)


def _content(view: EquationsView, parts: list[tuple[str, str]]) -> Content:
    return Content.assemble(*((spell_text(view, text), style) for text, style in parts), "\n")


def live_parts(live: Formula) -> list[tuple[str, str]]:
    """The parts of a formula with numbers: its title and source, both sides and the result."""
    number = "" if live.number is None else f"eq {live.number}{_doubt(live.number)}, "
    is_number = live.result[0] in "-0123456789∞"
    sides = [live.formula]
    if live.substituted_text != live.result and not live.formula.endswith(
        f"= {live.substituted_text}"
    ):
        sides.append(f"= {live.substituted_text}" if is_number else live.substituted_text)
    joint = "  " if is_number else ",  "
    if sum(map(len, (*sides, live.result))) > LONG:
        joint = f"\n{INDENT}"
    parts = [(live.title, "bold $text-primary"), (f"  {number}{live.citation}\n", MUTED)]
    parts.append((f"{INDENT}{joint.join(filter(None, sides))}", ""))
    if not live.formula.endswith(f"= {live.result}"):  # else nothing is left to say
        parts.append((f"  {'=' if is_number else '⇒'} {live.result}", "bold"))
    return parts


def equation_parts(equation: Equation) -> list[tuple[str, str]]:
    """The parts of an equation: whether the printed form is right, its source, the printed form,
    notes, the correct form.
    """
    tone = TONES.get(equation.verdict, "$text-error")
    corrected = f"→ {equation.corrected.strip()}" if equation.corrected else ""
    below = (
        (equation.printed, ""), (equation.note, tone), (equation.remark, MUTED),
        (corrected, "$text-primary"),
    )  # fmt: skip
    return [
        ("" if equation.number is None else f"{equation.number}  ", MUTED),
        (equation.title, "bold"),
        (f"  {VERDICTS[equation.verdict]}", tone),
        (f"  {equation.source}", MUTED),
        *((indent("\n" + text.strip("\n"), INDENT), style) for text, style in below if text),
    ]


def _matches(live: Formula, words: str) -> bool:
    """True if every word begins one of the formula's words; a number must be a whole word."""
    number = "" if live.number is None else f"eq {live.number}"
    text = f"{live.title} {live.part} {live.citation} {number} ".casefold()
    ends = ((word, " " if word.isdecimal() else "") for word in words.casefold().split())
    return all(re.search(rf"(?<![^\s(,:]){re.escape(word)}{end}", text) for word, end in ends)


@functools.cache
def _doubt(number: int) -> str:
    """The mark of an equation that is printed wrongly; "" for others."""
    from ...explain.equation_list import equations

    verdicts = {equation.number: equation.verdict for equation in equations()}
    return " ✗" if verdicts.get(number) == "wrong" else ""
