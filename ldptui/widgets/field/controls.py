"""An input of a value and a choice of words, as fields hold them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import Reactive, reactive
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input
from textual.widgets.input import Selection

from ...terminal.keyboard import ALT_DIGITS, key_of, takes_focus
from ..words import spell_text


def muted_style(widget: Widget) -> str:
    """The style of secondary text; the theme's $text-muted can be resolved by CSS only."""
    return "dim" if widget.app.native_ansi_color else "$foreground-muted"


def faint_style(widget: Widget) -> str:
    """The style of controls that cannot be used now."""
    return "dim" if widget.app.native_ansi_color else "$foreground 38%"


SWEPT: Final = "↔ "
"""The mark of what takes more than one value in a run."""


def style_of(mark: str, style: str) -> str:
    """The style of a mark in front of a label; the mark of swept keys has its own colour."""
    return "$text-secondary" if mark == SWEPT else style


ROWS: Final = Binding.Group("rows")
VALUES: Final = Binding.Group("change the value")
EDIT: Final = Binding.Group("ends the edit")
TYPING: Final = Binding.Group("goes on typing in the next field")
FIELD: Final = Binding.Group("leaves the field")
ROW_KEYS: Final[list[BindingType]] = [
    Binding("up,k", "row(-1)", "Row above", show=False, id="field.above", group=ROWS),
    Binding("down,j", "row(1)", "Row below", show=False, id="field.below", group=ROWS),
]
"""The keys of every row of a form."""


class FormControl:
    """The base of the controls of a form row: up and down move to other rows, esc leaves to the
    pane.
    """

    def on_hide(self: Any) -> None:
        """Keep the focus in the pane when an edit hides the focused field."""
        if self.has_focus:
            leave(self)

    def action_leave(self: Any) -> None:
        leave(self)

    def action_row(self: Any, by: int) -> None:
        go_to_row(self, by)


def go_to_row(widget: Widget, by: int) -> None:
    """Put the focus on the row `by` rows below (negative: above) a widget in its pane."""
    pane = _pane_of(widget)
    if pane is not None:
        rows = [each for each in pane.query("*") if takes_focus(each, pane)]
        at = rows.index(widget) + by if widget in rows else 0
        if 0 <= at < len(rows):
            rows[at].focus()


def is_typing(widget: Widget | None) -> bool:
    """True if keys are typed into this widget: it is an edited field or the script."""
    return bool(getattr(widget, "is_edited", False))


QUIET: Final = Style(bold=False, dim=True)


class ValueInput(FormControl, Input):
    """A text input of one row; enter or a click begins to edit it with its value selected, enter or
    esc ends that.

    While it is not edited, left and right change its value, and all other keys go to the screen.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        *Input.BINDINGS,  # beside ours of the same keys
        *ROW_KEYS,
        Binding("left,h", "nudge(False, False)", "Less", False, id="field.less", group=VALUES),
        Binding("right,l", "nudge(True, False)", "More", False, id="field.more", group=VALUES),
        Binding("shift+right,L", "nudge(True, True)", "Much more", False, id="field.much-more"),
        Binding("shift+left,H", "nudge(False, True)", "Much less", False, id="field.much-less"),
        Binding("enter", "edit", "Edit", id="field.edit"),
        Binding("enter", "done", "Done, digits type here", id="field.done"),
        Binding("escape", "done", "Done", False, id="field.done.too", group=EDIT),
        Binding("tab", "next", "Type in the next field", False, id="field.next", group=TYPING),
        Binding("escape", "leave", "Leave the field", False, id="field.leave", group=FIELD),
    ]

    is_edited: reactive[bool] = reactive(False)

    def check_consume_key(self, key: str, character: str | None) -> bool:
        return (
            self.is_edited and key not in ALT_DIGITS and super().check_consume_key(key, character)
        )

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Return False for editing keys while the input is not edited, and for row keys while it
        is.
        """
        if action in ("edit", "nudge", "leave"):
            return not self.is_edited
        if action == "row":  # letters are typed, and no bindings then
            return True
        return self.is_edited and action != "submit"

    # One row of a fixed width: its text growing by a letter lays out nothing anew.
    virtual_size = Reactive(Size(0, 0), layout=False)

    @dataclass(eq=False)
    class StepRequest(Message):
        """Posted when a key asks for the next number up or down.

        big : by a large step.
        """

        up: bool
        big: bool

    class EditEnd(Message):
        """Posted when the input is no longer edited."""

    def watch_is_edited(self, before: bool, after: bool) -> None:
        if before and not after:
            self.post_message(self.EditEnd())
        self.set_class(self.is_edited, "-edited")
        self.refresh_bindings()

    @property
    def is_cut(self) -> bool:
        """True if the value is wider than its room."""
        return 0 < self.scrollable_content_region.width < cell_len(self.value)

    def render_line(self, y: int) -> Strip:
        """The text, while the input is not edited cut with "…" at the end; behind it the key that
        edits it, in the row with the focus.
        """
        strip, room = super().render_line(y), self.scrollable_content_region.width
        start, width = int(self.scroll_offset.x), cell_len(self.value)
        if self.has_focus and not self.is_edited and self.value:
            key = Segment(f" {key_of(self.app, 'field.edit', 'enter')}", self.rich_style + QUIET)
            if y == 0 and width + key.cell_length <= room:
                return Strip([*strip.crop(0, width), key]).adjust_cell_length(room, self.rich_style)
        if y or room < 1 or not (start or width > room):
            return strip
        if not self.is_edited:
            head = set_cell_size(self.value, room - 1) + "…" if width > room else self.value
            return Strip([Segment(head)]).adjust_cell_length(room).apply_style(self.rich_style)
        sign, cursor = Strip([Segment("…", self.rich_style)], 1), self._cursor_offset - start
        if start and cursor != 0:
            strip = Strip.join([sign, strip.crop(1)])
        if width > start + room and cursor != room - 1:
            strip = Strip.join([strip.crop(0, room - 1), sign])
        return strip

    def action_nudge(self, up: bool, big: bool) -> None:
        self.post_message(self.StepRequest(up, big))

    def action_edit(self) -> None:
        """Begin to edit; the value is selected, so that typing replaces it."""
        self.is_edited = True
        self.action_select_all()

    def action_done(self) -> None:
        """End the edit; the row keeps the focus."""
        self.is_edited = False
        self.selection = Selection.cursor(self.cursor_position)

    def action_next(self) -> None:
        """Edit the next field."""
        self.app.action_focus_next()

    def on_blur(self) -> None:
        self.action_done()

    def on_key(self, event: events.Key) -> None:
        if not self.is_edited:
            event.prevent_default()  # Textual's input would type it

    def on_paste(self, event: events.Paste) -> None:
        if not self.is_edited:
            event.prevent_default()

    def on_click(self) -> None:
        if not self.is_edited:
            self.action_edit()


def leave(widget: Widget) -> None:
    """Give the focus to the pane around a widget."""
    widget.screen.set_focus(_pane_of(widget))


def _pane_of(widget: Widget) -> Widget | None:
    """The pane around a widget: the nearest one that can have the focus itself."""
    panes = (node for node in widget.ancestors if isinstance(node, Widget) and node.focusable)
    return next(panes, None)


class ChoiceControl(FormControl, Widget, can_focus=True):
    """A control with one of a few words between arrows; moving chooses at once."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *ROW_KEYS,
        Binding("left,h", "move(-1)", "Previous", False, id="choice.previous", group=VALUES),
        Binding("right,l,space", "move(1)", "Next", False, id="choice.next", group=VALUES),
        Binding("enter", "ask", "All choices", id="choice.ask"),
        Binding("escape", "leave", "Leave the field", False, id="choice.leave", group=FIELD),
    ]

    value: reactive[Any] = reactive(None)
    options: reactive[tuple[tuple[Any, str], ...]] = reactive(())

    @dataclass(eq=False)
    class ValueChosen(Message):
        """Posted when another option was chosen."""

        value: Any

    @dataclass(eq=False)
    class ListRequest(Message):
        """Posted when the list of all options is asked for."""

    def __init__(self, options: Sequence[tuple[Any, str]]) -> None:
        super().__init__()
        self.set_reactive(ChoiceControl.options, tuple(options))

    @property
    def word(self) -> str:
        """The words of the chosen option."""
        word = next((word for value, word in self.options if value == self.value), "–")
        return spell_text(self, word)

    def action_move(self, by: int) -> None:
        values = [value for value, _ in self.options]
        at = values.index(self.value) + by if self.value in values else 0
        if values and 0 <= at < len(values):
            self.choose(values[at])

    def action_ask(self) -> None:
        self.post_message(self.ListRequest())

    def choose(self, value: Any) -> None:
        """Choose one of the options."""
        if value != self.value and any(value == other for other, _ in self.options):
            self.value = value
            self.post_message(self.ValueChosen(value))

    def on_click(self, event: events.Click) -> None:
        """Choose the next or previous option for a click on an arrow; show all for a click between
        them.
        """
        offset, last = event.get_content_offset(self), self.render().cell_length - 1
        if offset is not None and 0 < offset.x < last:
            self.action_ask()
        elif offset is not None and offset.x <= last:
            self.action_move(1 if offset.x else -1)

    def render(self) -> Content:
        quiet = faint_style(self) if self.is_disabled else muted_style(self)
        bright, arrow = "$foreground bold", quiet
        if self.has_focus and not self.is_disabled:
            bright, arrow = "$text-accent bold", "$text-accent"
        word, room = self.word, self.size.width
        gap = " " if cell_len(word) + 4 <= room else ""
        return Content.assemble((f"‹{gap}", arrow), (word, bright), (f"{gap}›", arrow))
