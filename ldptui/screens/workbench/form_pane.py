"""The shared part of panes with fields: the field to come back to, and a form that closes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual import events
from textual.geometry import Size
from textual.reactive import Reactive, var
from textual.timer import Timer
from textual.widget import Widget

if TYPE_CHECKING:
    from ...session.draft import Draft

BLOCK_S: Final = 0.7
"""Seconds that a script may be broken before the form closes: typing breaks it all the time."""


class FormPane(Widget):
    """A pane that remembers its field with the focus, and closes while the script is broken."""

    DEFAULT_CSS = """
    FormPane {
        border: round $foreground 25%;
        border-title-color: $text-muted;
        border-subtitle-color: $text-error;
        &, & Scrolled {
            scrollbar-size-vertical: 1;
            scrollbar-color: $foreground 25%;
            scrollbar-background: $background;
        }
        & .words { color: $text-muted; padding: 0 1 0 2; height: auto; }
        &:ansi .words { text-style: dim; }
    }
    """

    draft: var[Draft | None] = var(None, always_update=True)  # what changed redraws itself

    # Its content takes the room that it has: another size of it lays out nothing anew.
    virtual_size = Reactive(Size(0, 0), layout=False)

    _last: Widget | None = None
    _block_timer: Timer | None = None

    # The focus.

    @property
    def stop(self) -> Widget:
        """The widget that had the focus last in this pane, or its first stop."""
        last = self._last
        return last if last is not None and last.focusable else self.first_stop()

    def focus_first(self) -> None:
        """Put the focus where it was last in this pane, or on its first stop."""
        self.screen.set_focus(self.stop)

    def action_enter(self) -> None:
        self.focus_first()

    def first_stop(self) -> Widget:
        """The widget that takes the focus where none of the pane had it yet."""
        return next((widget for widget in self.query("*") if widget.focusable), self)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        if event.widget is not self:
            self._last = event.widget

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
        raise NotImplementedError
