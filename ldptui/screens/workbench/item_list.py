"""A short list of the form: the parts of a mixture, the phases, the steps of a defence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content

from ...widgets.field import faint
from .row_list import RowList


@dataclass(frozen=True)
class Item:
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
        return text.truncate(max(1, width - 5), ellipsis=True)
