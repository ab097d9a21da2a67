"""A short list of the form that is edited in place: the parts of a mixture, the phases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from textual import events
from textual.app import RenderResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from ...messages import FieldFocused
from ...widgets.field import faint, leave, muted

What = Literal["show", "add", "duplicate", "remove", "up", "down", "mute", "open"]


@dataclass(frozen=True)
class Item:
    """One row: what it says, what is wrong with it, whether it is switched off."""

    text: str
    problem: str = ""
    off: bool = False


class ItemList(Widget, can_focus=True):
    """The rows, the chosen one marked, and a last row that adds one.

    noun : what a row is, for the last row: "part", "phase". help : the key whose help is shown.
    """

    DEFAULT_CSS = """
    ItemList { height: auto; width: 1fr; }
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

    rows: reactive[tuple[Item, ...]] = reactive((), layout=True)
    at: reactive[int] = reactive(0)

    @dataclass(eq=False)
    class Asked(Message):
        """A request to do something with a row; `show` when another row is chosen."""

        items: ItemList
        what: What
        at: int

    def __init__(self, noun: str, help_key: str, *, mutes: bool = False, id: str = "") -> None:  # noqa: A002
        super().__init__(id=id or None)
        self.noun, self.help_key, self.mutes = noun, help_key, mutes

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return self.mutes or (action, parameters) != ("ask", ("mute",))

    def on_focus(self) -> None:
        self.post_message(FieldFocused(self.help_key))

    def validate_at(self, at: int) -> int:
        return min(max(at, 0), len(self.rows))

    def action_move(self, by: int) -> None:
        self._choose(self.at + by)

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
        y = 0
        for at in range(len(self.rows) + 1):
            lines = len(self._row(at, self.size.width)) if at < len(self.rows) else 1
            if y <= offset.y < y + lines:
                self._choose(at)
                if at == len(self.rows):
                    self.action_ask("add")
                elif offset.x >= self.size.width - 2:
                    self.action_ask("remove")
                return
            y += lines

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        return sum(len(self._row(at, width)) for at in range(len(self.rows))) + 1

    def render(self) -> RenderResult:
        lines = [line for at in range(len(self.rows)) for line in self._row(at, self.size.width)]
        focused = self.has_focus and self.at == len(self.rows)
        style = faint(self) if self.is_disabled else "$text-accent bold" if focused else muted(self)
        mark = Content.styled("› " if focused else "  ", "$text-accent")
        return Content("\n").join([*lines, mark + Content.styled(f"+ add a {self.noun}", style)])

    def _row(self, at: int, width: int) -> list[Content]:
        row, chosen = self.rows[at], at == self.at
        focused = self.has_focus and chosen
        mark = "✗ " if row.problem else "› " if focused else "▸ " if chosen else "  "
        style = "$text-error" if row.problem else "$text-accent" if focused else muted(self)
        quiet = self.is_disabled or row.off
        body = faint(self) if quiet else "$foreground bold" if chosen else "$foreground"
        text = Content.styled(row.text, body).truncate(max(1, width - 5), ellipsis=True)
        line = Content.styled(mark, style) + text
        line = line.pad_right(max(0, width - 2 - line.cell_length))
        lines = [line + Content.styled("×", muted(self) if focused else faint(self))]
        if row.problem and not chosen:
            wrapped = Content(row.problem).wrap(max(10, width - 2))
            lines += [Content("  ") + part.stylize("$text-error") for part in wrapped]
        return lines
