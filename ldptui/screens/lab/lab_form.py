"""The body of the lab: the form of a topic, and its answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.geometry import Offset, Size
from textual.layout import ArrangeResult
from textual.layouts.vertical import VerticalLayout
from textual.widget import Widget
from textual.widgets import Static

from ...charts.series import Bars
from ...messages import ChoicesAsked
from ...questions.field_help import lab_field_help
from ...questions.options import OptionSpec
from ...questions.question import Question
from ...questions.sheet import AnswerSheet
from ...terminal.keyboard import first_focus, takes_focus
from ...widgets.blank import Scroll
from ...widgets.field import Field, ValueInput
from ...widgets.number_table import NumberTable
from ...widgets.picker import pick
from ...widgets.words import put
from .lab_answer import AROUND_BARS, LabChart, Words

SIDE_BY_SIDE: Final = 70
"""Cells of width from which fields stand in two columns."""
INTO: Final = Binding.Group("into the form")


class FieldColumns(VerticalLayout):
    """The layout of fields in one column, or in two where there is room."""

    def arrange(
        self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True
    ) -> ArrangeResult:
        if size.width < SIDE_BY_SIDE:
            return super().arrange(parent, children, size, greedy)
        half, column = (len(children) + 1) // 2, Size((size.width - 1) // 2, size.height)
        left = super().arrange(parent, children[:half], column, greedy)
        right = super().arrange(parent, children[half:], column, greedy)
        beside = Offset(size.width - column.width, 0)
        return [*left, *(place._replace(region=place.region + beside) for place in right)]


class LabForm(Scroll, inherit_bindings=False):
    """The form of a lab question: a field for each option; an edit is posted as `KeyEdited` with
    the key `lab.TOPIC.NAME`.

    Values and focus may be set before it is mounted. An option of type "rows" has a field for each
    of its texts, and an empty field to add another.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "enter", "Edit", False, id="lab.edit", group=INTO),
        Binding("enter", "begin", "Into the form", show=False, id="lab.begin"),
    ]

    def __init__(self, topic: Question[Any, Any]) -> None:
        super().__init__(id=f"form-{topic.name}")
        self.topic = topic
        self.border_title = topic.question
        # Files that need not be named come last.
        self._options = sorted(
            topic.blanks, key=lambda each: each.type == "rows" and _is_empty(each)
        )
        self._fields = {option.name: list[Field]() for option in self._options}
        self._values: Mapping[str, Any] = {}
        self._problems: Mapping[str, str] = {}
        self._offers: dict[str, Sequence[str]] = {}
        self._filled = False  # its fields are there
        self._wants_focus = False
        self._last: Widget | None = None

    @property
    def layout(self) -> FieldColumns:
        """The layout of the fields."""
        return FieldColumns()

    def compose(self) -> ComposeResult:
        for option in self._options:
            for _ in self._texts(option):
                yield self._add_field(option)

    def _texts(self, option: OptionSpec) -> Sequence[Any]:
        """The values of an option's fields; empty while the option does not apply."""
        value = self._values.get(option.name)
        if option.type == "rows":
            return [*(value or ()), ""]
        return [value] if option.is_shown(self._values) else []

    def _add_field(self, option: OptionSpec) -> Field:
        """One more field of an option."""
        fields = self._fields[option.name]
        if option.type == "rows":
            words, at = lab_field_help(option.name), len(fields)
            label = words.label if words is not None else option.name
            field = self._field(option, f"{option.name}.{at}", f"{label} {at + 1}")
            if isinstance(field.control, ValueInput) and option.blank is not None:
                field.control.placeholder = option.blank.hint
        else:
            field = self._field(option, option.name)
        fields.append(field)
        return field

    def _field(self, option: OptionSpec, name: str, label: str = "") -> Field:
        blank = option.blank
        assert blank is not None
        words = lab_field_help(option.name)
        title = label or (words.title if words is not None else option.name)
        number = option.type in ("integer", "number")
        field = Field(
            f"lab.{self.topic.name}.{name}",
            "" if blank.bare else title,
            option.type if number else "text",  # type: ignore[arg-type]
            options=option.fields or None,
            grouped=option.name != "seed",
            optional=option.is_optional,
        )
        field.step = blank.steps
        if number:
            field.bounds = option.range
        return field

    def on_mount(self) -> None:
        self._filled = True
        self._fill()
        self._complete()
        if self._wants_focus:
            self.focus_first()

    def show(self, values: Mapping[str, Any], problems: Mapping[str, str]) -> None:
        """Show the values of the options, and below each wrong field the sentence about its
        problem.
        """
        self._values, self._problems = values, problems
        if self._filled:
            self._fill()
            self._complete()

    def _fill(self) -> None:
        """Show every value; a field is created when it first applies."""
        last: Field | None = None
        for option in self._options:
            texts, fields = self._texts(option), self._fields[option.name]
            for _ in range(len(fields), len(texts)):
                field = self._add_field(option)
                self.mount(field, before=0) if last is None else self.mount(field, after=last)
                last = field
            for at, field in enumerate(fields):
                field.display = at < len(texts)
                if field.display:
                    name = f"{option.name}.{at}" if option.type == "rows" else option.name
                    field.show(texts[at], self._problems.get(name, ""))
                last = field

    def offer(self, offers: Mapping[str, Sequence[str]]) -> None:
        """Set the words that the fields complete."""
        self._offers |= offers
        if self._filled:
            self._complete()

    def _complete(self) -> None:
        for field in self.query(Field):
            words = self._offers.get(field.key.rpartition(".")[2])
            if words is not None:
                field.offer(words)

    # The focus.

    def focus_first(self) -> None:
        """Put the focus on the last focused field of this form, or on the first one."""
        self._wants_focus = not self._filled
        if not self._filled:
            return
        last = self._last
        if last is None or not takes_focus(last, self):
            last = first_focus(self) or self
        last.focus()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Return False for keys while a field of the form is edited, and for enter if the screen
        uses it.
        """
        if action == "begin":
            return self.screen.focused is self and not self.screen.check_action("take", ())
        return action != "enter" or self.screen.focused is self

    def action_enter(self) -> None:
        self.focus_first()

    def action_begin(self) -> None:
        self.focus_first()

    def on_descendant_focus(self) -> None:
        self._last = self.screen.focused if self.screen.focused is not self else self._last


def _is_empty(option: OptionSpec) -> bool:
    """Return whether a list of texts starts empty."""
    return option.blank is not None and option.blank.start == ()


ROOM_FOR_BOTH: Final = 100
"""Columns from which the form stands beside the answer."""
ROOM_FOR_TABLE: Final = 150
"""Columns from which the table stands below each chart."""
ABOVE: Final = 8
"""Rows of the screen above and below the answer."""
LEAST_ROWS: Final = 10
"""Rows of a chart and of a table at least, where one stands below the other."""


class LabBody(Vertical):
    """The form and the answer of a question below the answer's first sentence; the screen chooses
    the tab and the view.

    A view is a chart or the table; the table is also shown below bars that leave room. In a wide
    terminal a view is two charts above the table; in a narrow one it is below the form, and the
    sentences are a view too.
    """

    def __init__(self) -> None:
        super().__init__()
        self.forms: dict[str, LabForm] = {}
        self.chart, self.table = LabChart(), NumberTable()
        self._verdict, self._text = Words(first=True, id="lab-verdict"), Words()
        self._words = Scroll(self._text, id="lab-words")
        self._words.border_title = "In words"
        self._left = Vertical(self._words, id="lab-left")
        self._chart_box = Vertical(self.chart, classes="lab-box", id="lab-chart-box")
        self._title = Static(markup=False)
        self._table_box = Vertical(self._title, self.table, classes="lab-box", id="lab-table-box")
        self._right = Vertical(self._chart_box, self._table_box, id="lab-right")
        self._answer: AnswerSheet | None = None
        self._before = self._missing = ""

    def compose(self) -> ComposeResult:
        yield self._verdict
        yield Horizontal(self._left, self._right, id="lab-body")

    def open(self, topic: Question[Any, Any]) -> LabForm:
        """Show the form of a question, which is made when it is first shown, and return it."""
        form = self.forms.get(topic.name)
        if form is None:
            form = self.forms[topic.name] = LabForm(topic)
            self._left.mount(form, before=0)
        for each in self.forms.values():
            each.display = each is form
        return form

    def answer(self, answer: AnswerSheet | None, before: str, missing: str) -> None:
        """Take over an answer, to be shown at the next layout.

        before : marks before its first sentence.
        missing : the words shown without an answer.
        """
        self._answer, self._before, self._missing = answer, before, missing
        self.table.table = answer.table if answer is not None else None
        put(self._title, answer.table.title if answer is not None else "")
        self._verdict.show(answer, before)
        self._text.show(answer)

    def shows(self, answer: AnswerSheet | None, before: str, missing: str) -> bool:
        """True if this answer was the last one taken over, with the same words."""
        same = answer is self._answer and before == self._before
        return same and (answer is not None or missing == self._missing)

    def on_choices_asked(self, message: ChoicesAsked) -> None:
        """Show the list of all values that a field can have."""
        message.stop()
        pick(message)

    @property
    def _narrow(self) -> bool:
        return self.app.size.width < ROOM_FOR_BOTH

    @property
    def _across(self) -> int:
        """The number of charts beside each other: two where the table stands below them."""
        return 2 if self.app.size.width >= ROOM_FOR_TABLE else 1

    @property
    def views(self) -> list[str]:
        """The names of the views that `v` goes through at the size of the screen."""
        if self._answer is None:
            return ["Chart"]
        charts = len(self._answer.figures)
        named = [f"Chart {at + 1}" if at else "Chart" for at in range(0, charts, self._across)]
        return [*named, *["Table"] * (self._across == 1 or not charts), *["Words"] * self._narrow]

    def next_view(self, view: int) -> str:
        """The name of the view after this one, with the number of this one: `Table (1 of 3)`."""
        at, many = view % len(self.views), len(self.views)
        return f"{self.views[(at + 1) % many]} ({at + 1} of {many})"

    def lay_out(self, view: int) -> None:
        """Show the parts of the answer that have room; `view` chooses one of those that do not fit
        together.
        """
        views, answer, height = self.views, self._answer, self.app.size.height
        at = view % len(views)
        narrow, wide, shown = self._narrow, self._across > 1, views[at]
        self.set_class(narrow, "-narrow")
        self.set_class(wide, "-wide")
        self._chart_box.display = shown.startswith("Chart")
        figures = answer.figures[at * self._across :][: self._across] if answer is not None else ()
        bars = [len(each.chart.bars) for each in figures if isinstance(each.chart, Bars)]
        rows = max(bars, default=0) + AROUND_BARS
        below = bool(bars) and not narrow and height >= ABOVE + max(rows, LEAST_ROWS) + LEAST_ROWS
        self._chart_box.styles.height = max(rows, LEAST_ROWS) if below and not wide else None
        self._table_box.display = answer is not None and (wide or below or shown == "Table")
        self._words.display = shown == "Words" if narrow else answer is not None
        self._right.display = shown != "Words"
        self._left.set_class(shown == "Words", "-whole")
        self.chart.show(figures, self._missing)

    def as_text(self) -> str:
        """The chart as text; the table, tab-separated, if it is shown alone or has the focus."""
        charts = self._chart_box.display and self.chart.view.chart is not None
        if charts and self.screen.focused is not self.table:
            return self.chart.view.as_text()
        return self.table.as_text()
