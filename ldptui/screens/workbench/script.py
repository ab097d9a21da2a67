"""The scenario as TOML in an editor, and the list of what is wrong with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.widgets import TextArea

from ...messages import FieldFocused, StatusNote, TextEdited
from ...terminal.keyboard import ALT_DIGITS
from ...widgets.field import leave

if TYPE_CHECKING:
    from ...session.draft import Problem

LONGEST_PASTE: Final = 100_000
"""The characters of a paste, at most: each key takes time in proportion to the script."""


class ScriptEditor(TextArea):
    """The editor of the scenario's text: Textual's, in which esc leaves, tab moves on, and only the
    user's edits are posted.

    It has colours if textual[syntax] is installed.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Leave the editor", show=False, id="script.leave"),
    ]

    is_edited: ClassVar[bool] = True  # digits always type here

    def __init__(self) -> None:
        super().__init__(
            language="toml",
            soft_wrap=False,
            compact=True,
            show_line_numbers=True,
            tab_behavior="focus",
        )
        self.cursor_blink = False
        self._shown = ""
        self._sent: list[str] = []  # what was posted and has not come back yet
        self._wrong: frozenset[int] = frozenset()

    def check_consume_key(self, key: str, character: str | None = None) -> bool:
        if key in ALT_DIGITS:
            return False
        return key == "enter" or super().check_consume_key(key, character)

    def show(self, text: str) -> None:
        """Show the draft's text, unless it is the text that the editor has posted itself."""
        if text == self._shown:
            return
        self._shown = text
        if text in self._sent:
            del self._sent[: self._sent.index(text) + 1]
            return
        self._sent.clear()
        if text != self.text:
            with self.prevent(TextArea.Changed):
                self._follow(text)

    def _follow(self, text: str) -> None:
        """Replace only the part of the text that differs, or all of it if it is a
        different text.
        """
        old = self.text
        shorter = min(len(old), len(text))
        head = next((at for at in range(shorter) if old[at] != text[at]), shorter)
        rest = shorter - head
        tail = next((at for at in range(rest) if old[-1 - at] != text[-1 - at]), rest)
        if head + tail < len(text) // 2:
            self.load_text(text)
            self.show_attack()
            return
        document = self.document
        start = document.get_location_from_index(head)  # type: ignore[attr-defined]
        end = document.get_location_from_index(len(old) - tail)  # type: ignore[attr-defined]
        self.replace(text[head : len(text) - tail], start, end)

    def show_attack(self) -> None:
        """Scroll a newly opened text to its table `[attack]`."""
        rows = [
            at for at, line in enumerate(self.document.lines)
            if line.lstrip("[").startswith("attack")
        ] or [0]  # fmt: skip
        self.move_cursor((rows[0], 0), center=True)

    def mark(self, lines: frozenset[int]) -> None:
        """Underline lines (counted from 1) as wrong, and scroll to the first unless the user types
        here.
        """
        if lines != self._wrong:
            self._wrong = lines
            if lines and not self.has_focus:
                row = min(*lines, self.document.line_count) - 1
                y = self.wrapped_document.location_to_offset((row, 0)).y
                self.scroll_to(y=y - self.size.height // 2, animate=False)
            self.notify_style_update()
            self.refresh()

    def get_line(self, line_index: int) -> Text:
        """The text of a line, underlined in the error colour if it is wrong."""
        line = super().get_line(line_index)
        if line_index + 1 in self._wrong:
            line.stylize(f"underline {self.app.theme_variables['error']}")
        return line

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        text = self.text
        if text != (self._sent[-1] if self._sent else self._shown):
            self._sent.append(text)
            self.post_message(TextEdited(text))

    def on_focus(self) -> None:
        self.scroll_cursor_visible(center=True)  # it could not scroll while it was hidden
        self.post_message(FieldFocused("script"))

    def action_leave(self) -> None:
        leave(self)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Return False for leaving the editor while it does not have the focus."""
        return action != "leave" or self.screen.focused is self

    def on_paste(self, event: events.Paste) -> None:
        if len(event.text) > LONGEST_PASTE:
            event.prevent_default()
            rule = f"must be at most {LONGEST_PASTE:,} characters, got {len(event.text):,}"
            self.post_message(StatusNote(f"A paste {rule}: save it as a file and open that"))


def sentence(problem: Problem) -> str:
    """A problem with its line as text: `✗ line 14: attack.share must be in [0, 1), got 1.5`."""
    place = f"line {problem.line}: " if problem.line is not None else ""
    return f"✗ {place}{problem.key} {problem.message}".replace("  ", " ")
