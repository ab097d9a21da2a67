"""Forms over keys of a scenario: fields made from what core declares of them; panes of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from msgspec import Struct
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.reactive import Reactive, var
from textual.widget import Widget
from textual.widgets import Static

from ..catalogue import title_of
from ..messages import FieldFocused
from ..session.draft import own_problem, repair_of, sweep_of, value_of
from ..terminal.keyboard import first_focus, takes_focus
from .blank import PlainScroll
from .field import ROW_KEYS, Field, FormControl, ValueInput
from .path_field import PathSuggester
from .words import put

if TYPE_CHECKING:
    from ..session.draft import Draft


class FormRow(Struct, frozen=True):
    """One row of a form: a scenario key with its value and label.

    key : the key that it edits.
    value : the value shown.
    label : None for the name of the key.
    options : of a choice with other values than the key's own.
    type : of a value that core does not declare.
    follows : the value follows from others.
    optional : empty text removes the key.
    offered : words that complete its text.
    slot : its name in the form, if several rows have one key.
    problem : the sentence below it; None for that of the key.
    remark : text in place of a field.
    """

    key: str
    value: Any = None
    label: str | None = None
    options: Sequence[tuple[Any, str]] | None = None
    type: Any = None
    follows: bool = False
    optional: bool = False
    offered: Sequence[str] = ()
    slot: str = ""
    problem: str | None = None
    remark: str = ""

    @property
    def place(self) -> str:
        """The name of the row, unique in its form."""
        return self.slot or self.key


def own_row(draft: Draft, key: str, **more: Any) -> FormRow:
    """The row of a key with the draft's value."""
    return FormRow(key, value_of(draft, key), **more)


def remark(slot: str, words: str) -> FormRow:
    """A row that is only words."""
    return FormRow("", slot=slot, remark=words)


def problem_words(draft: Draft, key: str) -> str:
    """The problem shown below the field of a key; "" if there is none."""
    problem, repair = own_problem(draft, key), repair_of(draft)
    if problem is None:
        return ""
    return repair.words if repair is not None and problem == draft.problems[0] else problem.message


class FormLine(FormControl, Static, can_focus=True):
    """A row without a field that reacts to enter or a click; `name` says which action."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *ROW_KEYS,
        Binding("enter,space", "press", "Open", id="line.press"),
        Binding("escape", "leave", "Leave the field", show=False, id="line.leave"),
    ]

    class Pressed(Message):
        """Posted when enter was pressed on the line, or when it was clicked."""

        def __init__(self, line: FormLine) -> None:
            super().__init__()
            self.line = line

    def __init__(self, name: str, key: str) -> None:
        super().__init__(name=name, markup=False)
        self.key = key

    def on_focus(self) -> None:
        self.post_message(FieldFocused(self.key))

    def on_click(self) -> None:
        self.action_press()

    def action_press(self) -> None:
        self.post_message(self.Pressed(self))


class Form(PlainScroll):
    """The rows of a form in order, each mounted when it is first shown and hidden while it does not
    apply.
    """

    def __init__(self, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._rows: dict[str, Widget] = {}

    def fill(self, draft: Draft, rows: Iterable[FormRow]) -> None:
        """Show these rows; if several fields have one key, the last shows the problem
        of the key.
        """
        rows = [row for row in rows if row.key or row.remark]
        swept, last = sweep_of(draft), {row.key: row.place for row in rows}
        shown, before = set[str](), None
        for row in rows:
            widget = self._rows.get(row.place)
            if widget is None:
                widget = self._rows[row.place] = _made(row)
                self.mount(widget, **({"after": before} if before else {"before": 0}))
            before = widget
            shown.add(row.place)
            widget.display = True
            if isinstance(widget, Field):
                problem = row.problem if row.problem is not None else problem_words(draft, row.key)
                _fill(widget, row, draft, problem if last[row.key] == row.place else "")
                widget.swept = row.key in swept or row.key.startswith("sweep.")
            elif isinstance(widget, Static):
                put(widget, row.remark)
        for place, widget in self._rows.items():
            if place not in shown:
                widget.display = False

    def field(self, place: str) -> Field | None:
        """The field with the name `place`; None if it is not shown."""
        widget = self._rows.get(place)
        return widget if isinstance(widget, Field) and widget.display else None


def _made(row: FormRow) -> Widget:
    if row.remark:
        return FormLine(row.place, row.key) if row.key else Static(markup=False)
    label = title_of(row.key) if row.label is None else row.label
    return Field(
        row.key, label, row.type, options=row.options, optional=row.optional,
        grouped=row.key != "seed", id=row.slot or None,
    )  # fmt: skip


def _fill(field: Field, row: FormRow, draft: Draft, problem: str) -> None:
    field.follows = row.follows
    field.label = title_of(row.key) if row.label is None else row.label
    if row.options is not None:
        field.choose_from(row.options)
    field.offer(row.offered)
    if row.key.endswith(".path") and isinstance(field.control, ValueInput):
        field.control.suggester = PathSuggester(draft.folder)
    field.show(row.value, problem)


class FormPane(Widget, can_focus=True):
    """A pane with a form, which remembers its focused field and is disabled while the script does
    not parse.
    """

    draft: var[Draft | None] = var(None, always_update=True)

    # What it holds has the room that it has: another size of that lays out nothing anew.
    virtual_size = Reactive(Size(0, 0), layout=False, repaint=False)

    _last: Widget | None = None
    _wanted = ""  # the place of the field that gets the focus once it is there

    # The focus.

    @property
    def stop(self) -> Widget:
        """The widget of the pane that had the focus last, or its first one."""
        last = self._last
        return last if last is not None and takes_focus(last, self) else self.first_stop()

    def focus_first(self) -> None:
        """Put the focus on the widget that had it last, or on the first one."""
        self.screen.set_focus(self.stop)

    def action_enter(self) -> None:
        self.focus_first()

    def first_stop(self) -> Widget:
        """The widget that takes the focus when the pane is first entered."""
        return first_focus(self.query_one(Form)) or self

    def last_stop(self) -> Widget:
        """The last row of the form."""
        form = self.query_one(Form)
        rows = [each for each in form.query("*") if takes_focus(each, form)]
        return rows[-1] if rows else self

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        if event.widget is not self:
            self._last = event.widget

    @property
    def focused_key(self) -> str:
        """The key of the focused row; "" if no row has the focus."""
        around = self.screen.focused.ancestors_with_self if self.screen.focused is not None else ()
        return next((node.key for node in around if isinstance(node, Field | FormLine)), "")

    # Downwards.

    def rows(self, draft: Draft) -> Iterable[FormRow]:
        """The rows of the form for a draft."""
        raise NotImplementedError

    def watch_draft(self, draft: Draft | None) -> None:
        if draft is not None and self.is_mounted:
            # Edits could not be written into a script that does not parse.
            self.query_one(Form).disabled = not draft.parses
            self.show()

    def show(self) -> None:
        """Show the rows of the draft and restore the focus."""
        if self.draft is None or not self.draft.parses:
            return
        form = self.query_one(Form)
        form.fill(self.draft, self.rows(self.draft))
        if self._wanted and (field := form.field(self._wanted)) is not None:
            self._wanted = ""
            # By the field, which does so once it is composed: that may take more than a frame.
            field.call_after_refresh(field.control.focus)
