"""A small app around one pane of the form: it holds the draft, as the workbench does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from textual.app import ComposeResult
from textual.pilot import Pilot
from textual.widget import Widget

from ldptui.messages import (
    ChoicesAsked,
    FieldFocused,
    KeyEdited,
    KeysProposed,
    StatusNote,
    TextEdited,
)
from ldptui.screens.workbench.attack_rows import edit_of_choice
from ldptui.session.draft import Draft, draft_of, edit_key, edit_keys, edit_text
from ldptui.widgets.field import Field, ValueInput
from ldptui.widgets.picker import pick
from support.styled_app import StyledApp

SCENARIO = """\
format = 1
title = "a test"  # with a comment
seed = 7

[population]
kind = "zipf"
items = 64
users = 1_000_000
exponent = 1.1

[protocol]
kind = "olh"
epsilon = 1.0

[attack]
kind = "mga"
share = 0.05
targets = { pick = "random", count = 3 }
"""
SWEEP = '\n[sweep]\n"attack.share" = { from = 0.0, to = 0.2, points = 5 }\n'


class FormApp(StyledApp):
    """One pane, the draft that it edits, and all that it posted."""

    def __init__(
        self, pane: Callable[[], Widget], text: str = SCENARIO, folder: Path = Path(), **size: int
    ) -> None:
        super().__init__()
        self.pane = pane()
        self.draft: Draft = draft_of(text, folder)
        self.posted: list[Any] = []
        self.notes: list[str] = []
        self.pane.styles.width = size.get("width", "1fr")
        self.pane.styles.height = size.get("height", "1fr")

    def compose(self) -> ComposeResult:
        yield self.pane

    def on_mount(self) -> None:
        self.show(self.draft)

    def show(self, draft: Draft) -> None:
        self.draft = draft
        self.pane.draft = draft  # type: ignore[attr-defined]

    def retype(self, text: str) -> None:
        self.show(edit_text(self.draft, text))

    def on_key_edited(self, event: KeyEdited) -> None:
        self.posted.append((event.key, event.value))
        self.show(edit_key(self.draft, event.key, event.value))

    def on_keys_proposed(self, event: KeysProposed) -> None:
        self.show(edit_keys(self.draft, event.edits, event.sweeps_stay))

    def on_choices_asked(self, event: ChoicesAsked) -> None:
        pick(event, self.draft, edit_of_choice)

    def on_text_edited(self, event: TextEdited) -> None:
        self.posted.append(event.text)
        self.retype(event.text)

    def on_status_note(self, event: StatusNote) -> None:
        self.notes.append(event.note)

    def on_field_focused(self, event: FieldFocused) -> None:
        self.focused_key = event.key

    # Looking.

    def field(self, key: str) -> Field:
        return next(field for field in self.query(Field) if field.key == key and field.display)

    def shown(self, key: str) -> Any:
        return self.field(key).control.value

    def said(self, key: str) -> str:
        problems = [line for line in self.field(key).query(".problem") if line.display]
        return str(problems[0].render()) if problems else ""

    async def type_into(self, pilot: Pilot[None], key: str, text: str) -> None:
        """Replace the text of a field, key by key."""
        control = self.field(key).control
        assert isinstance(control, ValueInput)
        control.focus()
        control.action_edit()
        await pilot.press(*(text or ["backspace"]))
