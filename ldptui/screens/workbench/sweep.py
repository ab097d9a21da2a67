"""The sweep in the form: a list of swept keys, and fields for the one that is opened."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final

from msgspec import Struct
from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.reactive import reactive

from ...catalogue import title_of
from ...messages import KeyEdited
from ...session.draft import (
    as_list,
    as_range,
    first_free,
    new_sweep,
    own_problem,
    sweep_of,
    sweepable,
    takes_range,
)
from ...text.format import count
from ...widgets.blank import Rows
from ...widgets.field import LABEL_WIDTH, SWEPT, Field, muted, write
from ...widgets.words import spelled
from .row_list import RowList

if TYPE_CHECKING:
    from ...session.draft import Draft


def described(values: Any, width: int) -> str:
    """`0 → 0.2, 12 points, linear`, or shorter where there is no room for that."""
    if isinstance(values, list):
        texts = [write(value) for value in values]
        for kept in (len(texts), 4, 3, 2):
            text = ", ".join(texts[:kept]) + (f", … {texts[-1]}" if kept < len(texts) else "")
            if cell_len(text) <= width:
                return text
        ends = f"{texts[0]} … {texts[-1]} ({len(texts)})" if texts else ""
        return ends if 0 < cell_len(ends) <= width else f"{len(values)} values"
    if not isinstance(values, Mapping):
        return write(values)
    ends = f"{write(values.get('from'))} → {write(values.get('to'))}"
    points, scale = write(values.get("points")), write(values.get("scale", "linear"))
    short_scale = f" {scale}" if scale != "linear" else ""
    for text in (f"{ends}, {points} points, {scale}", f"{ends}, {points} points{short_scale}",
                 f"{ends} ({points}){short_scale}"):  # fmt: skip
        if cell_len(text) <= width:
            return text
    return f"{points} points{short_scale}"


class Row(Struct, frozen=True):
    """A swept key with its values as the scenario has them; problem : "" while all is well."""

    key: str
    values: Any
    problem: str


class SweepList(RowList):
    """The swept keys, one row each, and a row that adds one."""

    MARKS: ClassVar = ("▾ ", SWEPT)
    OPENS: ClassVar = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", "Next", show=False, id="sweep.next"),
        Binding("up,k", "move(-1)", "Previous", show=False, id="sweep.previous"),
        Binding("enter,space", "ask('open')", "Edit", id="sweep.edit"),
        Binding("a,plus", "ask('add')", "Add", id="sweep.add"),
        Binding("minus,delete,backspace", "ask('remove')", "Remove", id="sweep.remove"),
        Binding("escape", "leave", "Leave", show=False, id="sweep.leave"),
    ]

    opened: reactive[str] = reactive("")
    size_note: reactive[str] = reactive("")

    def watch_at(self) -> None:
        self.refresh_bindings()

    def watch_rows(self) -> None:
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The row that adds a key cannot be removed."""
        return (action, parameters) != ("ask", ("remove",)) or self.at < len(self.rows)

    @property
    def adds(self) -> str:
        return "sweep another key" if self.rows else "sweep a key"

    def opened_at(self, at: int) -> bool:
        return bool(self.rows[at].key == self.opened)

    def head(self, width: int) -> list[Content]:
        heading = Content.assemble(("  sweep", muted(self)))
        gap = width - heading.cell_length - cell_len(self.size_note)
        if self.size_note and gap > 0:
            heading += Content.styled(" " * gap + self.size_note, muted(self))
        return [heading]

    def written(self, at: int, focused: bool, width: int) -> Content:
        row, room = self.rows[at], LABEL_WIDTH - 3
        label = spelled(self, title_of(row.key)).ljust(room)[:room]
        return Content.assemble(
            (label, "$text-accent" if focused else muted(self)),
            " ",
            (spelled(self, described(row.values, width - LABEL_WIDTH - 2)), "$foreground"),
        )


_PARTS: Final = ("key", "form", "from", "to", "points", "scale", "values")
"""The fields of the opened key, by the last parts of their own keys."""


class SweepEditor(Rows):
    """The list, and below it the fields of the key that is opened. Posts `sweep.KEY` edits."""

    DEFAULT_CSS = """
    SweepEditor {
        height: auto;
        & > #axis { height: auto; display: none; }
        &.-open > #axis { display: block; }
    }
    """

    _draft: Draft | None = None
    _wanted = ""  # to be opened once the draft has it

    def compose(self) -> ComposeResult:
        yield SweepList("key", "sweep")
        with Rows(id="axis"):
            yield Field("sweep.key", "", options=())
            yield Field("sweep.form", "values", options=[("range", "range"), ("list", "list")])
            yield Field("sweep.from", "from", "number")
            yield Field("sweep.to", "to", "number")
            yield Field("sweep.points", "points", "integer", like="sweep.points")
            yield Field("sweep.scale", "scale", options=[("linear", "linear"), ("log", "log")])
            yield Field("sweep.values", "one by one", "list")

    @property
    def sweeps(self) -> SweepList:
        return self.query_one(SweepList)

    # Downwards.

    def show(self, draft: Draft) -> None:
        self._draft = draft
        swept = sweep_of(draft)
        rows = []
        for key, values in swept.items():
            problem = draft.problem(f"sweep.{key}")
            if problem is None and own_problem(draft, key) is None:  # not of the key's own value
                problem = draft.problem(key)
            rows.append(Row(key, values, problem.message if problem is not None else ""))
        sweeps = self.sweeps
        sweeps.rows = tuple(rows)
        sweeps.size_note = self._amount(draft)
        if self._wanted in swept:
            sweeps.opened, self._wanted = self._wanted, ""
            sweeps.at = list(swept).index(sweeps.opened)
            self.call_after_refresh(self._focus_axis)
        elif sweeps.opened not in swept:
            sweeps.opened = ""
        sweeps.at = sweeps.at  # in range again
        self.set_class(bool(sweeps.opened), "-open")
        if sweeps.opened:
            self._show_axis(draft, sweeps.opened, swept)

    def _amount(self, draft: Draft) -> str:
        """The cells and trials of the whole sweep; "" for a single cell."""
        if draft.scenario is None or draft.cell is None or draft.problems:
            return ""
        cells, trials = draft.scenario.cells, draft.cell.trials
        if cells < 2:
            return ""
        return f"{count(cells)} cells × {count(trials)} trials"

    def _show_axis(self, draft: Draft, key: str, swept: Mapping[str, Any]) -> None:
        """Show the opened key: which one, its range or its values, what is wrong with them."""
        values = swept[key]
        ranged = isinstance(values, Mapping)
        fields = {field.key.removeprefix("sweep."): field for field in self.query(Field)}
        free = [other for other in sweepable(draft) if other == key or other not in swept]
        if key not in free:
            free.insert(0, key)
        fields["key"].choose_from([(other, title_of(other)) for other in free])
        fields["key"].show(key)
        fields["form"].show("range" if ranged else "list")
        fields["form"].display = takes_range(key, values)
        for name in ("from", "to", "points", "scale"):
            fields[name].display = ranged
            if ranged:
                fields[name].follow("sweep.points" if name == "points" else key)
                problem = draft.problem(f"sweep.{key}.{name}")
                value = values.get(name, "linear" if name == "scale" else None)
                fields[name].show(value, problem.message if problem is not None else "")
        fields["values"].display = not ranged
        problems = {problem.key: problem.message for problem in reversed(draft.problems)}
        problem_text = problems.get(f"sweep.{key}") or problems.get(key, "")
        if ranged:
            fields["scale"].show(values.get("scale", "linear"), problem_text)
        else:
            fields["values"].show(values, problem_text)

    def _focus_axis(self) -> None:
        if self.sweeps.opened:
            self.query(Field).first().control.focus()

    # Upwards.

    def on_row_list_asked(self, event: SweepList.Asked) -> None:
        event.stop()
        if self._draft is None or not self._draft.parses or event.what == "show":
            return
        if event.what == "add":
            self._add()
            return
        key = self.sweeps.rows[event.at].key
        if event.what == "remove":
            self.sweeps.focus()
            self.post_message(KeyEdited(f"sweep.{key}", None))
        else:
            if self.sweeps.opened == key:
                self.sweeps.opened = ""
            else:
                self._wanted = key
            self.show(self._draft)

    def _add(self) -> None:
        """Sweep the most usual key that is not swept yet and can be."""
        assert self._draft is not None
        key = first_free(self._draft)
        if key is not None:
            self._wanted = key
            self.post_message(KeyEdited(f"sweep.{key}", new_sweep(self._draft, key)))

    def on_key_edited(self, event: KeyEdited) -> None:
        part = event.key.removeprefix("sweep.")
        key = self.sweeps.opened
        if part not in _PARTS or self._draft is None:
            return  # one of ours, on its way up
        event.stop()
        swept = sweep_of(self._draft)
        if key not in swept:
            return
        values = swept[key]
        if part == "key":
            self._exchange(key, event.value, swept)
            return
        if part == "form":
            listed = event.value == "list"
            values = as_list(self._draft, key, values) if listed else as_range(key, values)
        elif part == "values":
            values = event.value
        elif isinstance(values, Mapping):
            values = {name: value for name, value in {**values, part: event.value}.items()
                      if (name, value) != ("scale", "linear")}  # fmt: skip
        self.post_message(KeyEdited(f"sweep.{key}", values))

    def _exchange(self, key: str, other: str, swept: Mapping[str, Any]) -> None:
        """Sweep another key in the place of one."""
        assert self._draft is not None
        new = new_sweep(self._draft, other)
        self._wanted, self.sweeps.opened = other, ""
        self.post_message(KeyEdited("sweep", {
            (other if name == key else name): (new if name == key else values)
            for name, values in swept.items()
        }))  # fmt: skip
