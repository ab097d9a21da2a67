"""The swept keys in the form, a row each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from rich.cells import cell_len
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.reactive import reactive

from ...catalogue import title_of
from ...widgets.field import LABEL_WIDTH, muted, write
from ...widgets.words import spelled, spelled_name
from .row_list import RowList


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


class SweepList(RowList):
    """The swept keys, one row each, and a row that adds one."""

    MARKS: ClassVar = ("▾ ", "↔ ")
    OPENS: ClassVar = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", "Next", show=False, id="sweep.next"),
        Binding("up,k", "move(-1)", "Previous", show=False, id="sweep.previous"),
        Binding("enter,space", "ask('open')", "Edit", id="sweep.edit"),
        Binding("a,plus", "ask('add')", "Add", id="sweep.add"),
        Binding("minus,delete,backspace", "ask('remove')", "Remove", id="sweep.remove"),
        Binding("escape", "leave", "Leave", show=False, id="sweep.leave"),
    ]

    opened: reactive[str] = reactive("")
    size_note: reactive[str] = reactive("")

    def watch_at(self) -> None:
        self.refresh_bindings()

    def watch_rows(self) -> None:
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The row that adds a key cannot be removed."""
        return (action, parameters) != ("ask", ("remove",)) or self.at < len(self.rows)

    @property
    def adds(self) -> str:
        return "sweep another key" if self.rows else "sweep a key"

    def opened_at(self, at: int) -> bool:
        return bool(self.rows[at].key == self.opened)

    def head(self, width: int) -> list[Content]:
        heading = Content.assemble(("  sweep", muted(self)))
        gap = width - heading.cell_length - cell_len(self.size_note) - 1
        if self.size_note and gap > 0:
            heading += Content.styled(" " * gap + self.size_note, muted(self))
        return [heading]

    def written(self, at: int, focused: bool, width: int) -> Content:
        row, room = self.rows[at], LABEL_WIDTH - 3
        label = spelled_name(self, title_of(row.key), room).ljust(room)[:room]
        return Content.assemble(
            (label, "$text-accent" if focused else muted(self)),
            " ",
            (spelled(self, described(row.values, width - LABEL_WIDTH - 3)), "$foreground"),
        )
