"""The form of one tab of the lab."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widget import Widget

from ...catalogue.help import lab_field_help
from ...lab.forms import FORMS, TITLES, Entry, Step, Tab, shown
from ...widgets.field import Field, Steps, ValueInput
from ...widgets.fitting import fitted

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
    """Fields for the values of a tab; edits are posted as `KeyEdited` of `lab.TAB.NAME`.

    A field of type "rows" is a field for each of its texts, and an empty one to add another.
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
        Binding("enter,down,j", "enter", "Edit", show=False, id="lab.edit"),
    ]

    def __init__(self, tab: Tab) -> None:
        super().__init__(id=f"form-{tab}")
        self.tab = tab
        self.border_title = TITLES[tab]
        self._last: Widget | None = None

    def compose(self) -> ComposeResult:
        for entry in FORMS[self.tab]:
            if entry.type == "rows":
                yield from (self._row(entry, at) for at in range(ROWS))
            else:
                yield self._field(entry, entry.name)

    def _row(self, entry: Entry, at: int) -> Field:
        field = self._field(entry, f"{entry.name}.{at}", f"release {at + 1}")
        if isinstance(field.control, ValueInput):
            field.control.placeholder = "name=ε,δxN"
        return field

    def _field(self, entry: Entry, name: str, label: str = "") -> Field:
        found = lab_field_help(entry.name)
        title = label or (found.title if found is not None else entry.name)
        field = Field(
            f"lab.{self.tab}.{name}",
            "" if entry.bare else title,
            "text" if entry.type == "rows" else entry.type,
            options=entry.options,
            rows=3 if entry.bare else 1,
            grouped=entry.name != "seed",
            optional=entry.optional,
        )
        if entry.steps:
            field.steps = STEPS[entry.steps]
        if entry.type in ("integer", "number"):
            from core.bounds import Range

            ends = "[]" if entry.low or entry.type == "integer" else "(]"
            field.bounds = Range(entry.low, entry.high, ends)  # type: ignore[arg-type]
        return field

    def on_mount(self) -> None:
        fitted(self, self._fit)

    def _fit(self) -> None:
        self.set_class(self.size.width >= SIDE_BY_SIDE, "-side")

    def show(self, values: Mapping[str, Any], problems: Mapping[str, str]) -> None:
        """Show the values, and under its field the sentence about each that is wrong."""
        fields = {field.key.rpartition(f"lab.{self.tab}.")[2]: field for field in self.query(Field)}
        for entry in FORMS[self.tab]:
            if entry.type == "rows":
                self._show_rows(entry, values.get(entry.name) or [], problems)
            elif entry.name in fields:
                field = fields[entry.name]
                field.display = shown(entry, values)
                field.show(values.get(entry.name), problems.get(entry.name, ""))

    def _show_rows(self, entry: Entry, texts: Sequence[str], problems: Mapping[str, str]) -> None:
        """A field for each text, and an empty one; fields that are left over are hidden."""
        there = list(self._rows(entry))
        for at in range(len(there), len(texts) + 1):
            field = self._row(entry, at)
            self.mount(field, after=there[-1])
            there.append(field)
        for at, field in enumerate(there):
            field.display = at <= len(texts)
            text = texts[at] if at < len(texts) else ""
            field.show(text, problems.get(f"{entry.name}.{at}", ""))

    def _rows(self, entry: Entry) -> Iterator[Field]:
        start = f"lab.{self.tab}.{entry.name}."
        return (field for field in self.query(Field) if field.key.startswith(start))

    def offer(self, offers: Mapping[str, Sequence[str]]) -> None:
        """Words that fields complete."""
        for field in self.query(Field):
            words = offers.get(field.key.rpartition(".")[2])
            if words is not None:
                field.offer(words)

    # The focus.

    def focus_first(self) -> None:
        """Put the focus where it was last in this form, or into the first field."""
        last = self._last
        if last is None or not last.focusable:
            last = next((one for one in self.query("*") if one.focusable), self)
        last.focus()

    def action_enter(self) -> None:
        self.focus_first()

    def on_descendant_focus(self) -> None:
        self._last = self.screen.focused if self.screen.focused is not self else self._last
