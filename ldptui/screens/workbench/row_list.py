"""Rows of a form that are edited in place, and a last one that adds a row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from msgspec import Struct
from textual import events
from textual.app import RenderResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from ...messages import FieldFocused
from ...widgets.field import faint, go_to_row, leave, muted, style_of

What = Literal["show", "add", "duplicate", "remove", "up", "down", "mute", "open"]


class RowList(Widget, can_focus=True):
    """The rows, each with its `problem`; the chosen one is marked, or the one that is opened.

    noun : the word for a row: "part", "phase". help_key : the key whose help is shown.
    """

    DEFAULT_CSS = """
    RowList { height: auto; width: 1fr; }
    """
    MARKS: ClassVar = ("▸ ", "  ")
    """The mark of an opened row, and of the others."""
    OPENS: ClassVar = False
    """True where a click on a row opens it."""

    rows: reactive[tuple[Any, ...]] = reactive((), layout=True)
    at: reactive[int] = reactive(0)

    @dataclass(eq=False)
    class Asked(Message):
        """A request to do something with a row; `show` when another row is chosen."""

        items: RowList
        what: What
        at: int

    def __init__(self, noun: str, help_key: str, id: str = "") -> None:  # noqa: A002
        super().__init__(id=id or None)
        self.noun, self.help_key = noun, help_key

    # What the rows say.

    @property
    def adds(self) -> str:
        """The words of the last row."""
        raise NotImplementedError

    def opened_at(self, at: int) -> bool:
        """True for the row whose fields are shown, which say what is wrong."""
        return at == self.at

    def written(self, at: int, focused: bool, width: int) -> Content:
        """The text of a row."""
        raise NotImplementedError

    def head(self, width: int) -> list[Content]:  # noqa: ARG002
        """The lines above the rows."""
        return []

    # The hand.

    def on_focus(self) -> None:
        self.post_message(FieldFocused(self.help_key))

    def validate_at(self, at: int) -> int:
        return min(max(at, 0), len(self.rows))

    def action_move(self, by: int) -> None:
        """The next row; beyond the ends the next row of the form."""
        if 0 <= self.at + by <= len(self.rows):
            self._choose(self.at + by)
        else:
            go_to_row(self, by)

    def _choose(self, at: int) -> None:
        before = self.at
        self.at = at
        if self.at != before and self.at < len(self.rows):
            self.post_message(self.Asked(self, "show", self.at))

    def action_ask(self, what: What) -> None:
        last = self.at >= len(self.rows)
        if last and what in ("open", "add"):
            self.post_message(self.Asked(self, "add", len(self.rows)))
        elif not last:
            self.post_message(self.Asked(self, what, self.at + 1 if what == "add" else self.at))

    def action_leave(self) -> None:
        leave(self)

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None:
            return
        width = self.size.width
        y = len(self.head(width))
        for at in range(len(self.rows) + 1):
            lines = len(self._row(at, width)) if at < len(self.rows) else 1
            if y <= offset.y < y + lines:
                self._choose(at)
                if at < len(self.rows) and offset.x >= width - 1:
                    self.action_ask("remove")
                elif self.OPENS or at == len(self.rows):
                    self.action_ask("open")
                return
            y += lines

    # The picture.

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        rows = sum(len(self._row(at, width)) for at in range(len(self.rows)))
        return len(self.head(width)) + rows + 1

    def render(self) -> RenderResult:
        width = self.size.width
        lines = [line for at in range(len(self.rows)) for line in self._row(at, width)]
        focused = self.has_focus and self.at == len(self.rows)
        style = faint(self) if self.is_disabled else "$text-accent bold" if focused else muted(self)
        mark = Content.styled("› " if focused else "  ", "$text-accent")
        last = mark + Content.styled(f"+ {self.adds}", style)
        return Content("\n").join([*self.head(width), *lines, last])

    def _row(self, at: int, width: int) -> list[Content]:
        """The lines of a row: its text, and below it what is wrong unless its fields say so."""
        problem, opened = self.rows[at].problem, self.opened_at(at)
        focused = self.has_focus and at == self.at
        mark = "✗ " if problem else "› " if focused else self.MARKS[not opened]
        style = "$text-error" if problem else "$text-accent" if focused else muted(self)
        line = Content.styled(mark, style_of(mark, style)) + self.written(at, focused, width)
        line = line.pad_right(max(0, width - 1 - line.cell_length))
        lines = [line + Content.styled("×", muted(self) if focused else faint(self))]
        if problem and not opened:
            wrapped = Content(problem).wrap(max(10, width - 2))
            lines += [Content("  ") + part.stylize("$text-error") for part in wrapped]
        return lines


class Item(Struct, frozen=True):
    """One row: what it says, what is wrong with it, whether it is switched off."""

    text: str
    problem: str = ""
    off: bool = False


class ItemList(RowList):
    """A list of Items, which can be moved, duplicated and muted.

    mutes : rows can be switched off.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", "Next", show=False, id="items.next"),
        Binding("up,k", "move(-1)", "Previous", show=False, id="items.previous"),
        Binding("enter,space", "ask('open')", "Edit", id="items.edit"),
        Binding("a,plus", "ask('add')", "Add", id="items.add"),
        Binding("D", "ask('duplicate')", "Duplicate", id="items.duplicate"),
        Binding("minus,delete,backspace", "ask('remove')", "Remove", id="items.remove"),
        Binding("shift+up,K", "ask('up')", "Move up", id="items.up", key_display="⇧↑"),
        Binding("shift+down,J", "ask('down')", "Move down", id="items.down", key_display="⇧↓"),
        Binding("m", "ask('mute')", "Mute", id="items.mute"),
        Binding("escape", "leave", "Leave", show=False, id="items.leave"),
    ]

    def __init__(self, noun: str, help_key: str, *, mutes: bool = False, id: str = "") -> None:  # noqa: A002
        super().__init__(noun, help_key, id)
        self.mutes = mutes

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return self.mutes or (action, parameters) != ("ask", ("mute",))

    @property
    def adds(self) -> str:
        return f"add a {self.noun}"

    def written(self, at: int, focused: bool, width: int) -> Content:  # noqa: ARG002
        row = self.rows[at]
        quiet = self.is_disabled or row.off
        bold = "$foreground bold" if self.opened_at(at) else "$foreground"
        text = Content.styled(row.text, faint(self) if quiet else bold)
        return text.truncate(max(1, width - 4), ellipsis=True)
