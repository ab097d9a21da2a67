"""Pane 1: the usual protocols with σ, the one that fits, and the way to all."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.reactive import var
from textual.widgets import OptionList, Static

from ...catalogue import in_order, kind_words, listed_kinds
from ...messages import ChoicesAsked, FieldFocused, KeyEdited
from ...session.draft import kind_of, swept_words
from ...widgets.blank import call_on_resize
from ...widgets.field import SWEPT, muted_style
from ...widgets.option_list import LineList
from ...widgets.words import put_or_hide, spell_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...session.draft import Draft

NAME: Final = 8
"""Cells of a name, and of σ at the right, at the least."""
NUMBERS: Final = "numbers"
"""The group of the protocols whose users have a number, not an item."""


def usual_kinds(chosen: str = "") -> list[str]:
    """The protocols listed in the pane: those of numbers if the chosen one is of numbers, else the
    usual ones of items.
    """
    group = kind_words("protocol", chosen).group
    wanted = group if group == NUMBERS else ""
    kinds = listed_kinds("protocol")
    return [kind for kind in kinds if kind_words("protocol", kind).group == wanted]


def _row_kinds(draft: Draft) -> list[str]:
    """The usual kinds, the chosen one and the swept ones, in the order of the catalogue."""
    chosen = kind_of(draft, "protocol")
    wanted = {*usual_kinds(chosen), *swept_words(draft, "protocol.kind"), chosen} - {""}
    return list(in_order("protocol", wanted))


class ProtocolList(LineList):
    """The list of protocols in the pane: moving the cursor or a click chooses one; enter, and a
    click on the last row, open the list of all protocols.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "ask", "All protocols", id="protocol.ask"),
    ]

    class AllAsked(Message):
        """Posted when the list of all protocols is to be shown."""

    def action_ask(self) -> None:
        self.post_message(self.AllAsked())

    def on_focus(self) -> None:
        self.post_message(FieldFocused("protocol.kind"))


class ProtocolPane(Vertical):
    """The pane Protocol: usual protocols, each with a reason and the σ of an estimate; ★ marks the
    least error.

    `enter` shows all protocols in a list that filters as one types.
    """

    BORDER_TITLE = "1 Protocol"

    draft: var[Draft | None] = var(None, always_update=True)

    def __init__(self, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._list, self._problem = ProtocolList(), Static(markup=False)
        self._kinds = usual_kinds()  # of the rows
        self._spreads: Mapping[str, str] = {}
        self._least: frozenset[str] = frozenset()  # the kinds with a star

    def compose(self) -> ComposeResult:
        yield self._list
        yield self._problem

    def on_mount(self) -> None:
        call_on_resize(self, self._fill)

    # The focus.

    @property
    def stop(self) -> ProtocolList:
        """The widget that takes the focus of the pane."""
        return self._list

    def focus_first(self) -> None:
        if self.is_attached:  # it is not while the app ends
            self.screen.set_focus(self._list)

    # Downwards.

    @property
    def setting(self) -> str:
        """The protocol, and its σ if the draft is valid, for the folded pane."""
        if self.draft is None:
            return ""
        kind = kind_of(self.draft, "protocol")
        spread = self._spreads.get(kind, "") * (not self.draft.problems)
        return f"{kind.upper()}  {spread}".strip()

    def watch_draft(self, draft: Draft | None) -> None:
        if draft is None:
            return
        from .protocol_facts import facts_of

        self._kinds = _row_kinds(draft)
        facts = facts_of(draft, self._kinds)
        self._spreads, self._least = facts.spreads, facts.recommended
        problem = draft.problem("protocol.kind")
        words = ""
        if not draft.parses:
            words = f"✗ the script has an error in line {draft.problems[0].line}: 3, then s"
        elif problem is not None:
            words = f"✗ {problem.message}"
        put_or_hide(self._problem, words)
        self._list.disabled = not draft.parses
        self._fill()

    def _fill(self) -> None:
        """Write the rows; unchanged rows keep their place."""
        draft, kinds = self.draft, self._kinds
        chosen = kind_of(draft, "protocol") if draft is not None else ""
        swept = swept_words(draft, "protocol.kind") if draft is not None else []
        rows = [self._row(kind, chosen, swept) for kind in kinds]
        count = len(listed_kinds("protocol"))
        rows.append(Content.styled(f"  all {count} protocols …", muted_style(self)))
        options = self._list
        with options.prevent(OptionList.OptionHighlighted):
            options.write_rows(rows)
            if chosen in kinds and options.highlighted != len(kinds):
                options.highlighted = kinds.index(chosen)

    def _row(self, kind: str, chosen: str, swept: list[str]) -> Content:
        """The row of a kind: mark, name, star, the reason to pick it, its σ at the right."""
        words, spread = kind_words("protocol", kind), spell_text(self, self._spreads.get(kind, ""))
        mark = "● " if kind == chosen else SWEPT if kind in swept else "○ "
        width = max(NAME, *map(len, self._kinds))
        name = Content.styled(mark + kind.upper().ljust(width), "bold" if kind == chosen else "")
        start = name + (" ★ " if kind in self._least else "   ")
        room = max(0, self.size.width - start.cell_length - cell_len(spread) - 2)
        reason = words.reason if cell_len(words.reason) <= room else words.brief
        start += Content.styled(
            Content(reason).truncate(room, ellipsis=True).plain, muted_style(self)
        )
        gap = self.size.width - start.cell_length - cell_len(spread) - 1
        return start + Content(" " * max(1, gap)) + Content(spread)

    # Upwards.

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        if self._list.has_focus and event.option_index < len(self._kinds):
            self._choose(self._kinds[event.option_index])

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Show all protocols for a click on the last row; one on another row has chosen."""
        event.stop()
        if event.option_index >= len(self._kinds):
            self._list.action_ask()

    def on_protocol_list_all_asked(self, event: ProtocolList.AllAsked) -> None:
        """Show the list of all protocols with a sentence each, filtered by typing."""
        event.stop()
        if self.draft is not None:
            options = [(kind, kind.upper()) for kind in listed_kinds("protocol")]
            chosen = kind_of(self.draft, "protocol")
            asked = ChoicesAsked(self, "protocol.kind", "protocol", options, chosen, self._choose)
            self.post_message(asked)

    def _choose(self, kind: str) -> None:
        draft = self.draft
        if draft is not None and draft.parses and kind != kind_of(draft, "protocol"):
            self.post_message(KeyEdited("protocol.kind", kind))
