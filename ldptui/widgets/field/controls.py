"""An input of a value and a choice of words, as fields hold them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.app import RenderResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Offset, Size
from textual.message import Message
from textual.reactive import Reactive, reactive
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input
from textual.widgets.input import Selection

from ...terminal.keyboard import ALT_DIGITS, takes_focus
from ..words import spelled


def muted(widget: Widget) -> str:
    """The style of quiet words. ($text-muted is a colour that only CSS can resolve.)"""
    return "dim" if widget.app.native_ansi_color else "$foreground-muted"


def faint(widget: Widget) -> str:
    """The style of controls that cannot be used now."""
    return "dim" if widget.app.native_ansi_color else "$foreground 38%"


SWEPT: Final = "↔ "
"""The mark of what takes more than one value in a run."""


def style_of(mark: str, style: str) -> str:
    """The style of a mark: that of what is swept has a colour of its own."""
    return "$text-secondary" if mark == SWEPT else style


ROW_KEYS: Final[list[BindingType]] = [
    Binding("up,k", "row(-1)", "Row above", show=False, id="field.above"),
    Binding("down,j", "row(1)", "Row below", show=False, id="field.below"),
]
"""The keys of every row of a form."""


class Row:
    """A control that is a row of a form: arrows go to the rows around, esc to the pane."""

    def on_hide(self: Any) -> None:
        """An edit may hide the field that has the focus: the focus stays in the pane."""
        if self.has_focus:
            leave(self)

    def action_leave(self: Any) -> None:
        leave(self)

    def action_row(self: Any, by: int) -> None:
        go_to_row(self, by)


def go_to_row(widget: Widget, by: int) -> None:
    """Put the focus on the row above or below a widget, inside the pane that both are in."""
    pane = _pane_of(widget)
    if pane is not None:
        rows = [each for each in pane.query("*") if takes_focus(each, pane)]
        at = rows.index(widget) + by if widget in rows else 0
        if 0 <= at < len(rows):
            rows[at].focus()


def is_typing(widget: Widget | None) -> bool:
    """Return whether keys are typed into this widget now."""
    return isinstance(widget, ValueInput) and widget.is_edited


class ValueInput(Row, Input):
    """One row of text. Enter or a click begins to edit it, its value selected; enter, esc end that.

    While it is not edited, left and right nudge it, and all other keys are those of the screen.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        *ROW_KEYS,
        Binding("right,l", "nudge(True, False)", "More", show=False, id="field.more"),
        Binding("left,h", "nudge(False, False)", "Less", show=False, id="field.less"),
        Binding("shift+right,L", "nudge(True, True)", "Much more", False, id="field.much-more"),
        Binding("shift+left,H", "nudge(False, True)", "Much less", False, id="field.much-less"),
        Binding("enter", "edit", "Edit", id="field.edit"),
        Binding("enter", "done", "Done, digits type here", id="field.done"),
        Binding("escape", "done", "Done", show=False, id="field.done.too"),
        Binding("escape", "leave", "Leave the field", show=False, id="field.leave"),
    ]

    is_edited: reactive[bool] = reactive(False)

    def check_consume_key(self, key: str, character: str | None) -> bool:
        return (
            self.is_edited and key not in ALT_DIGITS and super().check_consume_key(key, character)
        )

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Keys of a row act while it is not edited, those that edit text while it is."""
        if action in ("edit", "nudge", "leave"):
            return not self.is_edited
        if action == "row":  # letters are typed, and no bindings then
            return True
        return self.is_edited and action != "submit"

    @property
    def least_width(self) -> int:
        """Cells that the text and the cursor take."""
        return cell_len(self.value) + 1

    # One row of a fixed width: its text growing by a letter lays out nothing anew.
    virtual_size = Reactive(Size(0, 0), layout=False)

    @dataclass(eq=False)
    class Nudged(Message):
        """A key asks for the next number up or down."""

        up: bool
        big: bool

    class Ended(Message):
        """It is edited no longer."""

    def watch_is_edited(self, before: bool, after: bool) -> None:
        if before and not after:
            self.post_message(self.Ended())
        self.set_class(self.is_edited, "-edited")
        self.refresh_bindings()

    def action_nudge(self, up: bool, big: bool) -> None:
        self.post_message(self.Nudged(up, big))

    def action_edit(self) -> None:
        """Begin to edit; what is typed replaces the value, which is selected."""
        self.is_edited = True
        self.action_select_all()

    def action_done(self) -> None:
        """End it; the row keeps the focus."""
        self.is_edited = False
        self.selection = Selection.cursor(self.cursor_position)

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

    def render_line(self, y: int) -> Strip:
        """The row of text; an ellipsis at an edge says that it goes on there."""
        strip, room, first = super().render_line(y), self.size.width, self.scroll_offset.x
        cursor = cell_len(self.value[: self.cursor_position]) - first if self.is_edited else -1
        beyond = cell_len(self.value) > first + room
        for at, more in ((0, first > 0), (room - 1, beyond)):
            if more and y == 0 and at != cursor:
                (cell, *_) = strip.crop(at, at + 1)
                sign = Strip([Segment("…", cell.style)])
                strip = Strip.join((strip.crop(0, at), sign, strip.crop(at + 1)))
        return strip


def leave(widget: Widget) -> None:
    """Give the focus to the pane around a widget."""
    widget.screen.set_focus(_pane_of(widget))


def _pane_of(widget: Widget) -> Widget | None:
    """The pane around a widget: the nearest one that can have the focus itself."""
    panes = (node for node in widget.ancestors if isinstance(node, Widget) and node.focusable)
    return next(panes, None)


class Choice(Row, Widget, can_focus=True):
    """A few words to choose one from, side by side; where they do not fit, one with arrows.

    Moving chooses: what follows the hand can be seen at once.
    """

    DEFAULT_CSS = """
    Choice {
        height: auto;
        width: 1fr;
        pointer: pointer;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *ROW_KEYS,
        Binding("left,h", "move(-1)", "Previous", show=False, id="choice.previous"),
        Binding("right,l,space", "move(1)", "Next", show=False, id="choice.next"),
        Binding("enter", "ask", "All choices", id="choice.ask"),
        Binding("escape", "leave", "Leave the field", show=False, id="choice.leave"),
    ]

    value: reactive[Any] = reactive(None)
    options: reactive[tuple[tuple[Any, str], ...]] = reactive(())

    @dataclass(eq=False)
    class Chosen(Message):
        """Another option was chosen."""

        value: Any

    @dataclass(eq=False)
    class Asked(Message):
        """The list of all options is wanted."""

    def __init__(self, options: Sequence[tuple[Any, str]], *, rows: int = 1) -> None:
        super().__init__()
        self.rows = rows
        self.set_reactive(Choice.options, tuple(options))

    def watch_options(
        self, before: tuple[tuple[Any, str], ...], after: tuple[tuple[Any, str], ...]
    ) -> None:
        if self.rows > 1 and len(before) != len(after):
            self.refresh(layout=True)

    @property
    def least_width(self) -> int:
        """Cells that the chosen word takes, between arrows."""
        return 2 + cell_len(self._word)

    @property
    def _word(self) -> str:
        return next((word for value, word in self._spelled if value == self.value), "")

    @property
    def _spelled(self) -> list[tuple[Any, str]]:
        """The options, their words in the app's charset."""
        return [(value, spelled(self, word)) for value, word in self.options]

    def action_move(self, by: int) -> None:
        values = [value for value, _ in self.options]
        at = values.index(self.value) + by if self.value in values else 0
        if values and 0 <= at < len(values):
            self._choose(values[at])

    def action_ask(self) -> None:
        self.post_message(self.Asked())

    def choose(self, value: Any) -> None:
        """Choose one of the options."""
        if any(value == other for other, _ in self.options):
            self._choose(value)

    def _choose(self, value: Any) -> None:
        if value != self.value:
            self.value = value
            self.post_message(self.Chosen(value))

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        places = self._places(self.size.width)
        if offset is None:
            return
        if places is None:
            self.action_move(-1 if offset.x < 2 else 1)
            return
        for (value, word), place in zip(self._spelled, places, strict=True):
            if offset.y == place.y and place.x <= offset.x < place.x + cell_len(word) + 2:
                self._choose(value)

    def _places(self, width: int) -> list[Offset] | None:
        """The start of each option, in as few rows as can be; None if they need too many."""
        laid_out = [self._laid_out(width, gap) for gap in (2, 1)]
        fitting = [places for places in laid_out if places and places[-1].y < self.rows]
        return min(fitting, key=lambda places: places[-1].y, default=None)

    def _laid_out(self, width: int, gap: int) -> list[Offset]:
        """The options side by side with a gap; empty where one is wider than a row."""
        places: list[Offset] = []
        x = y = 0
        for _, word in self._spelled:
            long = cell_len(word) + 2
            if long > width:
                return []
            if x and x + long > width:
                x, y = 0, y + 1
            places.append(Offset(x, y))
            x += long + gap
        return places

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        places = self._places(width)
        return places[-1].y + 1 if places else 1

    def render(self) -> RenderResult:
        places = self._places(self.size.width)
        if self.is_disabled:
            quiet = bright = faint(self)
        else:
            quiet = muted(self)
            bright = "$text-accent bold" if self.has_focus else "$foreground bold"
        if places is None:
            word = self._word
            arrow = "$text-accent" if self.has_focus and not self.is_disabled else quiet
            gap = " " if cell_len(word) + 4 <= self.size.width else ""
            return Content.assemble((f"‹{gap}", arrow), (word or "–", bright), (f"{gap}›", arrow))
        lines: list[Content] = [Content("")] * (places[-1].y + 1 if places else 1)
        for (value, word), place in zip(self._spelled, places, strict=True):
            line = lines[place.y].pad_right(place.x - lines[place.y].cell_length)
            chosen = value == self.value
            lines[place.y] = Content.assemble(
                line, ("● " if chosen else "○ ", bright if chosen else quiet),
                (word, bright if chosen else quiet),
            )  # fmt: skip
        return Content("\n").join(lines)
