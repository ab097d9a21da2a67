"""The shared part of panes with a form: the field to come back to, and a form that closes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from textual import events
from textual.reactive import var
from textual.timer import Timer
from textual.widget import Widget

from ...terminal.keyboard import first_focus, takes_focus
from ...widgets.field import Field
from ...widgets.form import Form, FormLine, FormRow

if TYPE_CHECKING:
    from ...session.draft import Draft


BLOCK_S: Final = 0.7
"""Seconds that a script may be broken before the form closes: typing breaks it all the time."""


class FormPane(Widget, can_focus=True):
    """A pane that remembers its field with the focus, and closes while the script is broken."""

    DEFAULT_CSS = """
    FormPane {
        border: round $foreground 25%;
        border-title-color: $text-muted;
        border-subtitle-color: $text-error;
        layout: vertical;
        height: 1fr;
        & Scrolled {
            scrollbar-color: $foreground 25%;
            scrollbar-background: $background;
        }
    }
    """

    draft: var[Draft | None] = var(None, always_update=True)

    _last: Widget | None = None
    _block_timer: Timer | None = None
    _wanted = ""  # the place of the field that gets the focus once it is there

    # The focus.

    @property
    def stop(self) -> Widget:
        """The widget that had the focus last in this pane, or its first stop."""
        last = self._last
        return last if last is not None and takes_focus(last, self) else self.first_stop()

    def focus_first(self) -> None:
        """Put the focus where it was last in this pane, or on its first stop."""
        self.screen.set_focus(self.stop)

    def action_enter(self) -> None:
        self.focus_first()

    def first_stop(self) -> Widget:
        """The widget that takes the focus where none of the pane had it yet."""
        return first_focus(self.query_one(Form)) or self

    def last_stop(self) -> Widget:
        """The last row of the form."""
        rows = [each for each in self.query_one(Form).query("*") if takes_focus(each, self)]
        return rows[-1] if rows else self

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        if event.widget is not self:
            self._last = event.widget

    @property
    def focused_key(self) -> str:
        """The key of the row with the focus, "" outside of all."""
        around = self.screen.focused.ancestors_with_self if self.screen.focused is not None else ()
        return next((node.key for node in around if isinstance(node, Field | FormLine)), "")

    # Downwards.

    def rows(self, draft: Draft) -> Iterable[FormRow]:
        """The rows of the form for a draft."""
        raise NotImplementedError

    def watch_draft(self, draft: Draft | None) -> None:
        if draft is not None and self.is_mounted:
            self.block(draft)
            self.show()

    def show(self) -> None:
        """Show the rows of the draft, and put the focus on the one that was wanted."""
        if self.draft is None or not self.draft.parses:
            return
        form = self.query_one(Form)
        form.fill(self.draft, self.rows(self.draft))
        if self._wanted and (field := form.field(self._wanted)) is not None:
            self._wanted = ""
            self.call_after_refresh(field.control.focus)

    # The script.

    def block(self, draft: Draft) -> None:
        """While the script does not parse, the form cannot write into it: soon it closes."""
        if draft.parses:
            if self._block_timer is not None:
                self._block_timer.stop()
                self._block_timer = None
            self.close(False)
        elif self._block_timer is None:
            self._block_timer = self.set_timer(BLOCK_S, self._close_if_broken)

    def _close_if_broken(self) -> None:
        if self.draft is not None and not self.draft.parses:
            self.close(True)

    def close(self, closed: bool) -> None:
        """Let nobody edit the fields, or let them again."""
        line = self.draft.problems[0].line if closed and self.draft is not None else None
        subtitle = f"✗ script, line {line}" if line is not None else ""
        if subtitle != (self.border_subtitle or ""):
            self.border_subtitle = subtitle
        self.query_one(Form).disabled = closed
