"""The form of one topic of the lab."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widget import Widget

from ...lab.options import Option, Step
from ...lab.topics import Topic
from ...lab.words import lab_field_help
from ...widgets.blank import fitted
from ...widgets.field import Field, Steps, ValueInput

SIDE_BY_SIDE: Final = 70
"""Cells of width from which fields stand in two columns."""
ROWS: Final = 3
"""Fields of a list of texts that are there at once; more come when they are filled."""
STEPS: Final[Mapping[Step, Steps]] = {
    "hundredths": Steps("0.01", "0.05"),
    "decades": Steps(decades=True),
    "ladder": Steps(ladder=True),
}


class LabForm(VerticalScroll):
    """Fields for the options of a topic; edits are posted as `KeyEdited` of `lab.TOPIC.NAME`.

    What it shows and where the focus goes can be said before it is mounted. An option of type
    "rows" is a field for each of its texts, and an empty one to add another.
    """

    DEFAULT_CSS = """
    LabForm {
        border: round $foreground 25%;
        border-title-color: $text-muted;
        scrollbar-size-vertical: 1;
        scrollbar-color: $foreground 25%;
        scrollbar-background: $background;
        &:focus-within { border: round $accent; border-title-color: $accent; }
        &:ansi:focus-within { border: heavy $accent; }
        &.-side { layout: grid; grid-size: 2; grid-rows: auto; grid-gutter: 0 2; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "enter", "Edit", show=False, id="lab.edit"),
        Binding("enter", "begin", "Into the form", id="lab.begin"),
    ]

    def __init__(self, topic: Topic) -> None:
        super().__init__(id=f"form-{topic.name}")
        self.topic = topic
        self.border_title = topic.question
        self._values: Mapping[str, Any] = {}
        self._problems: Mapping[str, str] = {}
        self._offers: dict[str, Sequence[str]] = {}
        self._filled = False  # its fields are there
        self._wants_focus = False
        self._last: Widget | None = None

    def compose(self) -> ComposeResult:
        for option in self.topic.blanks:
            if option.type == "rows":
                yield from (self._row(option, at) for at in range(ROWS))
            else:
                yield self._field(option, option.name)

    def _row(self, option: Option, at: int) -> Field:
        words = lab_field_help(option.name)
        label = words.label if words is not None else option.name
        field = self._field(option, f"{option.name}.{at}", f"{label} {at + 1}")
        if isinstance(field.control, ValueInput) and option.blank is not None:
            field.control.placeholder = option.blank.hint
        return field

    def _field(self, option: Option, name: str, label: str = "") -> Field:
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
            rows=3 if blank.bare else 1,
            grouped=option.name != "seed",
            optional=blank.optional,
        )
        if blank.steps:
            field.steps = STEPS[blank.steps]
        if number:
            field.bounds = option.range
        return field

    def on_mount(self) -> None:
        self._filled = True
        fitted(self, self._fit)
        self._fill()
        self._complete()
        if self._wants_focus:
            self.focus_first()

    def _fit(self) -> None:
        self.set_class(self.size.width >= SIDE_BY_SIDE, "-side")

    def show(self, values: Mapping[str, Any], problems: Mapping[str, str]) -> None:
        """Show the values, and under its field the sentence about each that is wrong."""
        self._values, self._problems = values, problems
        if self._filled:
            self._fill()

    def _fill(self) -> None:
        values, problems = self._values, self._problems
        start = f"lab.{self.topic.name}."
        fields = {field.key.removeprefix(start): field for field in self.query(Field)}
        for option in self.topic.blanks:
            if option.type == "rows":
                self._fill_rows(option, values.get(option.name) or [], problems)
            else:
                field = fields[option.name]
                field.display = option.shown(values)
                field.show(values.get(option.name), problems.get(option.name, ""))

    def _fill_rows(self, option: Option, texts: Sequence[str], problems: Mapping[str, str]) -> None:
        """A field for each text, and an empty one; fields that are left over are hidden."""
        fields = list(self._rows(option))
        for at in range(len(fields), len(texts) + 1):
            field = self._row(option, at)
            self.mount(field, after=fields[-1])
            fields.append(field)
        for at, field in enumerate(fields):
            field.display = at <= len(texts)
            text = texts[at] if at < len(texts) else ""
            field.show(text, problems.get(f"{option.name}.{at}", ""))

    def _rows(self, option: Option) -> Iterator[Field]:
        start = f"lab.{self.topic.name}.{option.name}."
        return (field for field in self.query(Field) if field.key.startswith(start))

    def offer(self, offers: Mapping[str, Sequence[str]]) -> None:
        """Words that fields complete."""
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
        """Put the focus where it was last in this form, or into the first field."""
        self._wants_focus = not self._filled
        if not self._filled:
            return
        last = self._last
        if last is None or not last.focusable:
            last = next((widget for widget in self.query("*") if widget.focusable), self)
        last.focus()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Keys go into the form that has the focus itself; enter is the screen's if it can take."""
        if action == "begin":
            return self.has_focus and not self.screen.check_action("take", ())
        return action != "enter" or self.has_focus

    def action_enter(self) -> None:
        self.focus_first()

    def action_begin(self) -> None:
        self.focus_first()

    def on_descendant_focus(self) -> None:
        self._last = self.screen.focused if self.screen.focused is not self else self._last
