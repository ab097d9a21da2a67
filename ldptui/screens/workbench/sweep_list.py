"""The swept keys in the form, a row each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from rich.cells import cell_len
from textual import events
from textual.app import RenderResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from ...catalogue import title_of
from ...messages import FieldFocused
from ...widgets.field import LABEL_WIDTH, faint, leave, muted, write
from ...widgets.words import spelled, spelled_name


def described(values: Any, width: int) -> str:
    """`0 → 0.2, 12 points, linear`, or shorter where there is no room for that."""
    if isinstance(values, list):
        texts = [write(value) for value in values]
        for kept in (len(texts), 4, 3, 2):
            text = ", ".join(texts[:kept]) + (f", … {texts[-1]}" if kept < len(texts) else "")
            if cell_len(text) <= width:
                return text
        ends = f"{texts[0]} … {texts[-1]} ({len(texts)})" if texts else ""
        return ends if 0 < cell_len(ends) <= width else f"{len(values)} values"
    if not isinstance(values, Mapping):
        return write(values)
    ends = f"{write(values.get('from'))} → {write(values.get('to'))}"
    points, scale = write(values.get("points")), write(values.get("scale", "linear"))
    short_scale = f" {scale}" if scale != "linear" else ""
    for text in (f"{ends}, {points} points, {scale}", f"{ends}, {points} points{short_scale}",
                 f"{ends} ({points}){short_scale}"):  # fmt: skip
        if cell_len(text) <= width:
            return text
    return f"{points} points{short_scale}"


@dataclass(frozen=True)
class Row:
    """A swept key with its values as the scenario has them; problem : "" while all is well."""

    key: str
    values: Any
    problem: str


class SweepList(Widget, can_focus=True):
    """The swept keys, one row each, and a row that adds one."""

    DEFAULT_CSS = """
    SweepList { height: auto; width: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", "Next", show=False, id="sweep.next"),
        Binding("up,k", "move(-1)", "Previous", show=False, id="sweep.previous"),
        Binding("enter,space", "open", "Edit", id="sweep.edit"),
        Binding("a,plus", "add", "Add", id="sweep.add"),
        Binding("minus,delete,backspace", "remove", "Remove", id="sweep.remove"),
        Binding("escape", "leave", "Leave", show=False, id="sweep.leave"),
    ]

    rows: reactive[tuple[Row, ...]] = reactive((), layout=True)
    at: reactive[int] = reactive(0)
    opened: reactive[str] = reactive("")
    size_note: reactive[str] = reactive("")

    @dataclass(eq=False)
    class Asked(Message):
        """A wish of the hand: what to do, with which key ("" for the row that adds one)."""

        what: str
        key: str

    def on_focus(self) -> None:
        self.post_message(FieldFocused("sweep"))

    def validate_at(self, at: int) -> int:
        return min(max(at, 0), len(self.rows))

    def watch_at(self) -> None:
        self.refresh_bindings()

    def watch_rows(self) -> None:
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """The row that adds a key cannot be removed."""
        return action != "remove" or self.at < len(self.rows)

    def action_move(self, by: int) -> None:
        self.at += by

    def action_open(self) -> None:
        key = self.rows[self.at].key if self.at < len(self.rows) else ""
        self.post_message(self.Asked("open" if key else "add", key))

    def action_add(self) -> None:
        self.post_message(self.Asked("add", ""))

    def action_remove(self) -> None:
        self.post_message(self.Asked("remove", self.rows[self.at].key))

    def action_leave(self) -> None:
        leave(self)

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None or offset.y < 1:
            return
        y = 1
        for at in range(len(self.rows) + 1):
            lines = len(self._row(at, self.size.width)) if at < len(self.rows) else 1
            if y <= offset.y < y + lines:
                self.at = at
                if at < len(self.rows) and offset.x >= self.size.width - 2:
                    self.action_remove()
                else:
                    self.action_open()
                return
            y += lines

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        return sum(len(self._row(at, width)) for at in range(len(self.rows))) + 2

    def render(self) -> RenderResult:
        width = self.size.width
        heading = Content.assemble(("  sweep", muted(self)))
        gap = width - heading.cell_length - cell_len(self.size_note) - 1
        if self.size_note and gap > 0:
            heading += Content.styled(" " * gap + self.size_note, muted(self))
        lines = [heading]
        for at in range(len(self.rows)):
            lines += self._row(at, width)
        focused = self.has_focus and self.at == len(self.rows)
        mark = Content.styled("› " if focused else "  ", "$text-accent")
        add = "sweep another key" if self.rows else "sweep a key"
        style = faint(self) if self.is_disabled else "$text-accent bold" if focused else muted(self)
        return Content("\n").join([*lines, mark + Content.styled(f"+ {add}", style)])

    def _row(self, at: int, width: int) -> list[Content]:
        """The lines of a swept key: its values, and below them what is wrong."""
        row = self.rows[at]
        focused = self.has_focus and at == self.at
        mark = (
            "✗ " if row.problem else "› " if focused else "▾ " if row.key == self.opened else "↔ "
        )
        style = "$text-error" if row.problem else "$text-accent" if focused else muted(self)
        label = spelled_name(self, title_of(row.key), LABEL_WIDTH - 3).ljust(LABEL_WIDTH - 3)
        line = Content.assemble(
            (mark, style),
            (label[: LABEL_WIDTH - 3], "$text-accent" if focused else muted(self)),
            " ",
            (spelled(self, described(row.values, width - LABEL_WIDTH - 3)), "$foreground"),
        )
        line = line.pad_right(max(0, width - 2 - line.cell_length))
        lines = [line + Content.styled("×", muted(self) if focused else faint(self))]
        if row.problem and row.key != self.opened:
            wrapped = Content(row.problem).wrap(max(10, width - 2))
            lines += [Content("  ") + line.stylize("$text-error") for line in wrapped]
        return lines
