"""Pane 1: the protocols, why to pick each, the one that fits, and what the choice means."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar, Final

from rich.cells import cell_len
from textual import events
from textual.app import RenderResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Size
from textual.reactive import Reactive, var
from textual.widget import Widget

from ...catalogue import families, kind_words, listed_kinds, shelves
from ...messages import ChoicesAsked, FieldFocused, KeyEdited
from ...session.draft import kind_of, sweep_of
from ...widgets.field import SWEPT, muted, style_of
from ...widgets.words import spelled

if TYPE_CHECKING:
    from ...session.draft import Draft
    from .protocol_facts import Facts

HEAD: Final = "σ of one estimate"
LAST_HEAD: Final = f"{HEAD}, last valid setting"
"""The words over the σ of the kinds, and those where the draft is not valid."""
ROOM_FOR_HEAD: Final = 12
"""Rows of the pane from which these words have a line."""
LEAST_ROWS: Final = 4
"""Rows of the list that stay, however many lines the facts below it want."""


class ProtocolPane(Widget, can_focus=True):
    """A list in which moving is choosing: the charts follow. It scrolls where it is too long.

    The kinds are those of core's table. The usual ones are always shown; the others stand on
    shelves, a line each, and the shelf of the chosen kind is open: who moves on opens the next. A
    column names the families where the pane is wide.
    """

    BORDER_TITLE = "1 Protocol"
    DEFAULT_CSS = """
    ProtocolPane {
        border: round $foreground 25%;
        border-title-color: $text-muted;
        border-subtitle-color: $text-muted;
        padding: 0 1;
        height: 1fr;
        overflow: hidden;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", "Next", show=False, id="protocol.next"),
        Binding("up,k", "move(-1)", "Previous", show=False, id="protocol.previous"),
        Binding("enter", "ask", "All protocols", id="protocol.ask"),
        Binding("home", "move(-999)", "First", show=False, id="protocol.first"),
        Binding("end", "move(999)", "Last", show=False, id="protocol.last"),
    ]

    draft: var[Draft | None] = var(None, always_update=True)  # what changed redraws itself
    virtual_size = Reactive(Size(0, 0), layout=False, repaint=False)  # as in a form

    def __init__(self, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._kind = ""
        self._swept: frozenset[str] = frozenset()
        self._facts: Facts | None = None
        self._blocked = ""
        self._valid = True
        self._top = 0  # the first line of the list that is in view
        self._follows = True  # the list scrolls to what is chosen
        self._drawn: list[str | None] = []  # the kind that a click on each line in view chooses

    @property
    def stop(self) -> Widget:
        """The widget that takes the focus of the pane."""
        return self

    def focus_first(self) -> None:
        self.screen.set_focus(self)

    def watch_draft(self, draft: Draft | None) -> None:
        if draft is None:
            return
        from .protocol_facts import facts_of

        before = self._kind, self._swept, self._facts, self._blocked, self._valid
        self._kind = kind_of(draft, "protocol")
        swept = sweep_of(draft).get("protocol.kind")
        self._swept = frozenset(kind for kind in swept or () if isinstance(kind, str))
        self._facts, self._valid = facts_of(draft), not draft.problems
        problem = draft.problem("protocol.kind")
        if not draft.parses:
            self._blocked = f"the script has an error in line {draft.problems[0].line}: 3, then s"
        else:
            self._blocked = problem.message if problem is not None else ""
        if before != (self._kind, self._swept, self._facts, self._blocked, self._valid):
            self._refresh()

    @property
    def setting(self) -> str:
        """The protocol in a few words, with its numbers where the draft is valid."""
        numbers = self._facts.numbers if self._facts is not None and self._valid else ""
        return f"{self._kind.upper()}  {numbers}".strip()

    def on_focus(self) -> None:
        self.post_message(FieldFocused("protocol.kind"))

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds in the order of their shelves: core's, before it is there the catalogue's."""
        kinds = listed_kinds("protocol") if self._facts is None else self._facts.families
        order = ["", *shelves()]
        return tuple(sorted(kinds, key=lambda kind: order.index(_shelf(kind))))

    def _family(self, kind: str) -> str:
        """The family of a kind, in words."""
        known = self._facts.families if self._facts is not None else {}
        family = known.get(kind, kind_words("protocol", kind).family)
        return families().get(family, family)

    # Choosing.

    def action_move(self, by: int) -> None:
        kinds = self.kinds
        at = kinds.index(self._kind) + by if self._kind in kinds else 0
        self._choose(kinds[min(max(at, 0), len(kinds) - 1)])

    def action_ask(self) -> None:
        """Show all kinds with a sentence each, in a list that filters as one types."""
        options = [(kind, kind.upper()) for kind in self.kinds]
        self.post_message(
            ChoicesAsked(self, "protocol.kind", "protocol", options, self._kind, self._choose)
        )

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is not None and 0 <= offset.y < len(self._drawn):
            self._choose(self._drawn[offset.y] or self._kind)

    def on_mouse_scroll_down(self) -> None:
        self._scroll(1)

    def on_mouse_scroll_up(self) -> None:
        self._scroll(-1)

    def _scroll(self, by: int) -> None:
        """Show other rows; the choice stays, and comes back into view when it moves."""
        self._follows = False
        self._top = max(self._top + by, 0)
        self.refresh()

    def _choose(self, kind: str) -> None:
        if self.draft is not None and self.draft.parses and kind != self._kind:
            self._kind = kind
            self._refresh()
            self.post_message(KeyEdited("protocol.kind", kind))

    def _refresh(self) -> None:
        """Draw anew, with the chosen kind in view."""
        self._follows = True
        self.refresh()

    # The picture.

    def render(self) -> RenderResult:
        width, height = self.size
        facts, (reason, prose) = self._fact_lines(width), self._word_lines(width)
        rows = self._rows(width, height - len(facts), LEAST_ROWS)
        facts = facts[: max(0, height - len(rows))]
        # The reason goes below the list where there is room for it, then a blank line, then prose.
        lines = [*rows, *facts]
        if len(lines) + len(reason) <= height:
            lines = [*rows, *reason, *facts]
        if facts and len(lines) < height:
            lines.insert(len(lines) - len(facts), Content(""))
        if prose and len(lines) + 1 + len(prose) <= height:
            lines += [Content(""), *prose]
        return Content("\n").join(lines)

    def _rows(self, width: int, room: int, least: int) -> list[Content]:
        """The rows that are in view; `room` lines are free, `least` are taken if need be."""
        kinds = self.kinds
        drawn, shown = self._list(kinds, width), max(room, least)
        head = []
        if self.size.height >= ROOM_FOR_HEAD and self._facts is not None:
            words = spelled(self, HEAD if self._valid else LAST_HEAD)
            head, shown = [Content.styled(words.rjust(width), muted(self))], shown - 1
        if self._follows and self._kind in kinds:
            at = [kind for kind, _ in drawn].index(self._kind)
            at += at + 1 < len(drawn) and drawn[at][0] == drawn[at + 1][0]  # below its shelf's line
            self._top = min(max(self._top, at - shown + 1), at)
        self._top = min(self._top, max(len(drawn) - shown, 0))
        in_view = drawn[self._top : self._top + shown]
        rows = [row for _, row in in_view]
        more = {0: "↑"} if self._top > 0 else {}
        more |= {len(rows) - 1: "↓"} if self._top + shown < len(drawn) else {}
        for at, arrow in more.items():
            rows[at] = _marked(rows[at], arrow, 2 + _widest(kinds))
        self._drawn = [*[None] * len(head), *(kind for kind, _ in in_view)]
        return [*head, *rows]

    def _list(self, kinds: tuple[str, ...], width: int) -> list[tuple[str, Content]]:
        """All rows, each with the kind that it is of: mark, name, star, why to pick it, its σ.

        A closed shelf is one row, with its first kind; an open one has its row, and all its kinds.
        """
        briefs = {kind: kind_words("protocol", kind).brief for kind in kinds}
        reasons = {kind: kind_words("protocol", kind).reason for kind in kinds}
        known = self._facts.spreads if self._facts is not None else {}
        spreads = {kind: spelled(self, spread) for kind, spread in known.items()}
        name, right = _widest(kinds), _widest(spreads.values()) + 1
        groups = _widest(map(self._family, kinds)) + 2
        free = width - 2 - name - 3 - right
        texts = reasons if _widest(reasons.values()) + groups <= free else briefs
        column = groups if _widest(texts.values()) + groups <= free else 0
        rows: list[tuple[str, Content]] = []
        family = shelf = ""
        for kind in kinds:
            before, family = family, self._family(kind)
            if _shelf(kind) != shelf:
                shelf = _shelf(kind)
                rows.append((kind, self._shelf_row(shelf, kinds)))
            if shelf not in ("", _shelf(self._kind)):
                continue
            row = self._row(kind, name)
            style = "$foreground" if kind == self._kind else muted(self)
            # Without a column behind it a text goes up to the σ of its own row.
            spare = 0 if column else right - 1 - cell_len(spreads.get(kind, ""))
            text = Content(texts[kind]).truncate(max(0, free - column + spare), ellipsis=True)
            row += Content.styled(text.plain, style)
            if column:
                gap = 6 + name + free - column - row.cell_length
                new = family * (family != before)
                row += Content(" " * gap) + Content.styled(new, muted(self))
            gap = width - row.cell_length - cell_len(spreads.get(kind, ""))
            row += Content(" " * max(0, gap)) + Content.styled(spreads.get(kind, ""), style)
            rows.append((kind, row))
        return rows

    def _shelf_row(self, shelf: str, kinds: tuple[str, ...]) -> Content:
        """The line of a shelf: whether it is open, its title, and the number of its kinds."""
        held = [kind for kind in kinds if _shelf(kind) == shelf]
        mark = "▾" if _shelf(self._kind) == shelf else "▸"
        swept = "  ↔ " * bool(self._swept.intersection(held))
        words = f"{mark} {shelves()[shelf]} ({len(held)}){swept}"
        return Content.styled(words, muted(self))

    def _row(self, kind: str, name: int) -> Content:
        """Mark, name and star of a kind."""
        chosen = kind == self._kind
        bright = "$text-accent bold" if self.has_focus else "$foreground bold"
        mark = "● " if chosen else SWEPT if kind in self._swept else "○ "
        starred = self._facts is not None and kind in self._facts.recommended
        return Content.assemble(
            (mark, bright if chosen else style_of(mark, muted(self))),
            (kind.upper().ljust(name), bright if chosen else "$foreground"),
            (" ★ " if starred else "   ", "$foreground bold"),
        )

    def _fact_lines(self, width: int) -> list[Content]:
        """The facts below the choices: the best protocol, why, and the chosen one's numbers."""
        if self._blocked:
            return _wrapped(f"✗ {self._blocked}", width, "$text-error")
        if self._kind and self._kind not in self.kinds:
            return _wrapped(f"● {self._kind.upper()}, set in the script", width, "$foreground bold")
        if self._facts is None:
            return []
        lines = self._facts.numbers, self._facts.asked
        starred: list[Content] = []
        if self._facts.why:
            starred = _wrapped(f"★ {self._facts.why}", width, muted(self))
            starred[0] = starred[0].stylize("$foreground bold", 0, 1)
        return [*starred, *(row for line in lines for row in _wrapped(line, width, muted(self)))]

    def _word_lines(self, width: int) -> tuple[list[Content], list[Content]]:
        """Why to pick the chosen protocol, and what it does."""
        words = kind_words("protocol", self._kind)
        if not words.text or self._facts is None:
            return [], []
        prose = f"{_full_name(words.name)}: {words.text}"
        return _wrapped(words.reason, width, muted(self)), _wrapped(prose, width, muted(self))


def _widest(texts: Iterable[str]) -> int:
    return max(map(cell_len, texts), default=0)


def _shelf(kind: str) -> str:
    """The shelf that a kind stands on; "" of one that is always shown."""
    return kind_words("protocol", kind).shelf


def _marked(row: Content, arrow: str, gap: int) -> Content:
    """A row with an arrow where a star would stand, before its star, or behind a shelf's words."""
    at = gap if row.plain[gap + 1 : gap + 2] == "★" else gap + 1
    if row.plain[at : at + 1] != " ":
        return row + f" {arrow}"
    return row[:at] + Content(arrow) + row[at + 1 :]


def _full_name(name: str) -> str:
    """`OUE (optimised unary encoding)` without its short name."""
    full = name.partition("(")[2].rstrip(")") or name
    return full[0].upper() + full[1:] if full[1:2].islower() else full


def _wrapped(text: str, width: int, style: str) -> list[Content]:
    """Lines of words; a number stays with what it is the value of."""
    held = text.replace(" = ", "\xa0=\xa0")
    lines = textwrap.wrap(held, max(20, width))
    return [Content.styled(line.replace("\xa0", " "), style) for line in lines]
