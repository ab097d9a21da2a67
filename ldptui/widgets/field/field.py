"""A labelled row of a form."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from rich.cells import cell_len
from textual.app import ComposeResult, RenderResult
from textual.content import Content
from textual.reactive import reactive
from textual.suggester import SuggestFromList
from textual.widget import Widget
from textual.widgets import Input, Static

from ...messages import ChoicesAsked, FieldFocused, KeyEdited, StatusNote
from ...session.draft import allowed_range, input_of
from ...session.draft.looking import Type
from ..words import spell_text
from .controls import SWEPT, ChoiceControl, ValueInput, faint_style, style_of
from .typed import Step, nudge_value, read, step_of, write

if TYPE_CHECKING:
    from ldptui.core.base.ranges import Range


LABEL_WIDTH: Final = 24
"""Cells from the left edge of a field to its value: a mark, the label, a gap."""


class Field(Widget):
    """The field of a scenario key: a label, a control and, if the value is wrong, a sentence below.

    key : the dotted key that it edits.
    type_, options : None for those that core declares; options are pairs of a value and its label.
    optional : empty text removes the key.
    """

    focused: reactive[bool] = reactive(False)
    swept: reactive[bool] = reactive(False)
    label: reactive[str] = reactive("")
    follows: reactive[bool] = reactive(False, toggle_class="-follows")
    """True while the value follows from others; an edit ends it."""

    def __init__(
        self,
        key: str,
        label: str,
        type_: Type | None = None,
        *,
        options: Sequence[tuple[Any, str]] | None = None,
        optional: bool = False,
        grouped: bool = True,
        id: str | None = None,  # noqa: A002
    ) -> None:
        super().__init__(id=id)
        if type_ is None and options is None:
            type_, options = input_of(key)
        self.set_reactive(Field.label, label)
        self.key, self.type_ = key, type_ or "text"
        self.optional, self.grouped = optional, grouped
        self.step: Step = ""  # its own; else those of the key
        self.bounds: Range | None = None  # its own; else those of the key
        self.offered: tuple[str, ...] = ()
        self._value: Any = _NOTHING  # what was shown last
        self._sent: list[Any] = []  # what was posted and has not come back yet
        self._problem = ""
        if options is not None:
            self.control: ValueInput | ChoiceControl = ChoiceControl(options)
        else:
            none = "none" if optional else ""
            self.control = ValueInput(compact=True, select_on_focus=False, placeholder=none)
            self.control.cursor_blink = False
        self.set_class(not label, "-bare")

    def compose(self) -> ComposeResult:
        yield self.control
        if self._problem:
            yield Static(self._problem, classes="problem", markup=False)

    def on_mount(self) -> None:
        self.watch(self.screen, "focused", self._mark)
        if isinstance(self.control, ChoiceControl):
            self.watch(self.control, "value", self._place_choice)

    def on_resize(self) -> None:
        self._place_choice()

    def _place_choice(self) -> None:
        """Move a choice nearer to its label if it does not fit beside the column of labels."""
        if isinstance(self.control, ChoiceControl) and self.size.width:
            fits = cell_len(self.control.word) + 4 <= self.size.width - LABEL_WIDTH
            is_short = 0 < cell_len(self.label) < LABEL_WIDTH // 2
            self.set_class(is_short and not fits, "-near")

    def _mark(self, focused: Widget | None) -> None:
        """Mark the field with the focus, in one repaint with its control."""
        self.focused = focused is self.control

    def render(self) -> RenderResult:
        if self.is_disabled:
            mark, style = "  ", faint_style(self)
        elif self._problem:
            mark, style = "✗ ", "$text-error"
        elif self.focused:
            mark, style = "› ", "$text-accent"
        else:
            mark = SWEPT if self.swept else "= " if self.follows else "  "
            style = "dim" if self.app.native_ansi_color else ""  # not by CSS: children inherit it
        label = spell_text(self, self.label)
        if label != self.label and len(label) > LABEL_WIDTH - 3:  # its sign is a word in ASCII
            label = spell_text(self, self.label.rpartition(" ")[0])
        return Content.assemble((mark, style_of(mark, style)), (label, style)).truncate(
            max(1, self.size.width), ellipsis=True
        )

    # Downwards.

    def show(self, value: Any, problem: str = "") -> None:
        """Show a value and its problem, but keep the text that is being typed."""
        self._say(problem)
        if _same(value, self._value) and not (self._sent and not self.control.has_focus):
            return
        self._value = value
        if None in self._sent and self.control.has_focus:  # emptied: a default must not pop up
            del self._sent[: self._sent.index(None) + 1]
            return
        for at, sent in enumerate(self._sent):
            if _same(sent, value):  # the echo of what was typed
                del self._sent[: at + 1]
                return
        self._sent.clear()
        self._rewrite(value)

    def _rewrite(self, value: Any) -> None:
        if isinstance(self.control, ChoiceControl):
            self.control.value = value
            return
        text = write(value, grouped=self.grouped, type_=self.type_)
        if text != self.control.value:
            with self.control.prevent(Input.Changed):
                self.control.value = text
                self.control.cursor_position = len(text)

    def _say(self, problem: str) -> None:
        """Show a sentence below the control; "" hides it. The widget for it is mounted when it is
        first needed: by `compose`, or here once the control is there, so that it comes below.
        """
        if problem == self._problem:
            return
        self._problem = problem
        self.set_class(bool(problem), "-invalid")
        line = next(iter(self.query_children(".problem").results(Static)), None)
        if line is not None:
            line.update(problem)
            line.display = bool(problem)
        elif self.control.is_attached:
            self.mount(Static(problem, classes="problem", markup=False))
        self.refresh()

    def choose_from(self, options: Sequence[tuple[Any, str]]) -> None:
        """Replace the options of a choice.

        options : pairs of a value and its label.
        """
        if isinstance(self.control, ChoiceControl) and tuple(options) != self.control.options:
            self.control.options = tuple(options)

    def offer(self, words: Sequence[str]) -> None:
        """Set the words that a text field completes, and that up and down step through."""
        if tuple(words) != self.offered and isinstance(self.control, ValueInput):
            self.offered = tuple(words)
            self.control.suggester = SuggestFromList(words, case_sensitive=False) if words else None

    # Upwards.

    def _post(self, value: Any, undo_step: Callable[[], None] | None = None) -> None:
        last = self._sent[-1] if self._sent else self._value
        if not _same(value, last):
            self._sent.append(value)
            self.post_message(KeyEdited(self.key, value, undo_step))

    def _undo_step(self) -> None:
        self._sent.clear()
        self._rewrite(self._value)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        empty = self.optional and not event.value.strip()
        self._post(None if empty else read(event.value, self.type_))

    def on_choice_control_value_chosen(self, event: ChoiceControl.ValueChosen) -> None:
        event.stop()
        self._post(event.value)

    def on_choice_control_list_request(self, event: ChoiceControl.ListRequest) -> None:
        event.stop()
        choice = self.control
        assert isinstance(choice, ChoiceControl)
        offered = choice.options, choice.value, choice.choose
        self.post_message(ChoicesAsked(choice, self.key, self.label, *offered))

    def on_value_input_step_request(self, event: ValueInput.StepRequest) -> None:
        event.stop()
        control, text = self.control, None
        assert isinstance(control, ValueInput)
        if self.type_ in ("integer", "number", "share"):
            text = self.nudge_text(event.up, event.big)
        elif (words := list(self.offered)) and control.value in words:
            text = words[(words.index(control.value) + (1 if event.up else -1)) % len(words)]
        elif words:
            text = words[0]
        if text is not None and text != control.value:
            with control.prevent(Input.Changed):
                control.value = text
                control.cursor_position = len(text)
            self._post(read(text, self.type_), self._undo_step)

    def nudge_text(self, up: bool, big: bool) -> str | None:
        """The text of the next allowed number up or down; None if there is none."""
        assert isinstance(self.control, ValueInput)
        value = read(self.control.value, self.type_)
        bounds = self.bounds or allowed_range(self.key)
        if isinstance(value, str):
            value = self._value
        if isinstance(value, dict):
            return None
        if not isinstance(value, int | float):
            value = bounds.low if bounds is not None and math.isfinite(bounds.low) else 0
        number = nudge_value(value, up, big, self.step or step_of(self.key, self.type_))
        if bounds is not None and number not in bounds:
            end = bounds.high if number > value else bounds.low
            if end not in bounds or not math.isfinite(end):
                return None
            number = int(end) if self.type_ == "integer" else end
        return write(number, grouped=self.grouped)

    def on_descendant_focus(self) -> None:
        """Post the key of the focused field, and the full text of a value that is cut."""
        self.post_message(FieldFocused(self.key))
        if isinstance(self.control, ValueInput) and self.control.is_cut:
            title = f"{self.label.strip()}: " * bool(self.label)
            self.post_message(StatusNote(title + self.control.value, refuses_key=True))

    def on_descendant_blur(self) -> None:
        self.on_value_input_edit_end()

    def on_value_input_edit_end(self) -> None:
        """Rewrite a typed number in the form that all numbers have."""
        if isinstance(self.control, ValueInput) and not self._problem:
            value = read(self.control.value, self.type_)
            if self.optional and not self.control.value.strip():
                self._rewrite(self._value)
            elif self.type_ not in ("text", "list", "table") and not isinstance(value, str):
                self._rewrite(value)


_NOTHING: Final = object()
"""No value, not even None: whatever is shown next is new."""


def _same(value: Any, other: Any) -> bool:
    """True if two values are equal and of one type: 1, 1.0 and True differ in a file."""
    return type(value) is type(other) and bool(value == other)
