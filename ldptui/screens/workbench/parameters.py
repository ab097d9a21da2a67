"""Pane 2: the population, the privacy budget, the run and the sweep, as a form."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any, ClassVar, Final

from msgspec.structs import replace
from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from ldptui.core.base.files import is_file

from ...catalogue import key_words, listed_kinds, title_of
from ...messages import FieldFocused
from ...session.draft import kind_of, sweep_of, used_keys, value_of
from ...session.runs import shown
from ...text.format import short
from ...widgets.blank import Rows, Scroll, fitted
from ...widgets.field import Field
from ...widgets.words import put, put_or_hide
from .form_pane import FormPane, Shown, fill, labelled, names_in, own
from .sweep import SweepEditor

if TYPE_CHECKING:
    from pathlib import Path

    from ...session.draft import Draft

SETTING: Final = ("protocol.epsilon", "population.items", "population.users")
"""The keys that the line of the folded pane says; the sweep comes after the first."""

ROOM: Final = 25
"""The columns of that line beside its number and its name, in the column of the forms."""

FORM_TABLES: Final = ("population", "protocol", "trust", "task")
"""The tables whose keys are fields here."""

RUN: Final = ("trials", "seed", "simulate.path", "simulate.top_k")
"""The keys of the run, whose fields are always here."""

SIDE_BY_SIDE: Final = 76
"""Cells of width from which two columns stand side by side."""


OPTIONAL: Final = ("count", "groups", "extension", "options", "levels", "weight", "central_epsilon")
"""Names of keys that stay away where their field is empty."""


def _table_fields(table: str, first: tuple[str, ...]) -> Iterator[Field]:
    """A field for each key of a table with words; those of its kind are shown, before one `first`.

    (With most kinds: then nothing moves when the scenario is there.)
    """
    for name in names_in(table):
        optional = name in OPTIONAL
        rules = () if name == "hash_range" else None  # offered with the number that each gives
        field = labelled(f"{table}.{name}", options=rules, rows=2, optional=optional,
                         placeholder="none" if optional else "")  # fmt: skip
        field.display = name in first
        yield field


class ParametersPane(Scroll, FormPane):
    """Every number of a scenario but the attack's."""

    BORDER_TITLE = "2 Parameters"
    DEFAULT_CSS = """
    ParametersPane {
        border: round $foreground 25%;
        border-title-color: $text-muted;
        border-subtitle-color: $text-error;
        layout: vertical;
        scrollbar-color: $foreground 25%;
        scrollbar-background: $background;
        & > Rows { height: auto; width: 1fr; }
        &.-side { layout: horizontal; }
        &.-side > #numbers { padding-right: 1; }
        &.-roomy .first { margin-top: 1; }
        &.-side .top { margin-top: 0; }
        & .remark { padding: 0 0 0 2; height: auto; color: $text-muted; }
        &:ansi .remark { text-style: dim; }
        & > #meaning {
            display: none;
            dock: bottom;
            height: 4;
            content-align: left bottom;
            padding: 0 2;
            color: $text-muted;
        }
        &:ansi > #meaning { text-style: dim; }
        &.-side.-roomy > #meaning { display: block; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,down,j", "enter", "Edit", show=False, id="parameters.edit"),
    ]

    _key = ""  # of the field with the focus

    def compose(self) -> ComposeResult:
        with Rows(id="numbers"):
            kinds = [(kind, kind) for kind in listed_kinds("population")]
            yield Field("population.kind", "", options=kinds, rows=2)
            yield from _table_fields("population", ("items", "users"))
            for field in _table_fields("protocol", ("epsilon",)):
                field.set_class(field.display, "first")
                yield field
                if field.key == "protocol.hash_range":
                    number = Field(field.key, "  given", "integer", id="given")
                    number.display = False
                    yield number
                if field.key == "protocol.q":
                    letters = Static(id="letters", classes="remark", markup=False)
                    letters.display = False
                    yield letters
            kinds = [(kind, kind) for kind in listed_kinds("trust")]
            yield Field("trust.kind", title_of("trust.kind"), options=kinds)
            yield from _table_fields("trust", ())
            promise = Static(id="promise", classes="remark", markup=False)
            promise.display = False
            yield promise
            kinds = [(kind, kind) for kind in listed_kinds("task")]
            task = Field("task.kind", title_of("task.kind"), options=kinds, rows=2)
            task.display = False
            yield task
            yield from _table_fields("task", ())
            remark = Static(id="remark", classes="remark", markup=False)
            remark.display = False
            yield remark
        with Rows(id="run"):
            trials = labelled("trials", optional=True)
            trials.add_class("first", "top")
            yield trials
            yield labelled("seed", optional=True, grouped=False)
            yield labelled("simulate.path")
            yield labelled("simulate.top_k", optional=True)
            sweep = SweepEditor()
            sweep.add_class("first")
            yield sweep
        yield Static(id="meaning", markup=False)

    def on_mount(self) -> None:
        fitted(self, self._fit)

    def _fit(self) -> None:
        width, height = self.size
        self.update_classes({"-side": width >= SIDE_BY_SIDE, "-roomy": height >= 18})
        self._say_meaning()

    # The focus.

    def on_field_focused(self, event: FieldFocused) -> None:
        """Explain the field with the focus, if there is room."""
        self._key = event.key
        self._say_meaning()

    def _say_meaning(self) -> None:
        key, words = key_words(self._key), self.query_one("#meaning", Static)
        # One that is not shown is left alone: Textual lays out the screen anew for it.
        if key.meaning and words.display:
            words.update(f"{key.title}: {key.meaning}", layout=False)

    # Downwards.

    @property
    def setting(self) -> str:
        """The population, the budget and the sweep, then its size: the last is dropped first.

        The sweep is never dropped: where its keys have no room, it says their number.
        """
        draft = self.draft
        if draft is None or not draft.parses:
            return ""
        values = {key: value_of(draft, key) for key in SETTING}
        budget, *sizes = (
            f"{key_words(key).short} {shown(value)}" if value is not None else ""
            for key, value in values.items()
        )
        population = kind_of(draft, "population")
        keys = [key_words(key).short for key in sweep_of(draft)]
        swept = [f"↔ {' × '.join(keys)}", f"↔ {len(keys)} keys"] if keys else [""]
        told = [(population, budget, words) for words in swept] + [(population, swept[-1])]
        lines = ["  ".join(filter(None, words)) for words in told]
        line = next((line for line in lines if cell_len(line) <= ROOM), lines[-1])
        return "  ".join(filter(None, (line, *sizes)))

    def watch_draft(self, draft: Draft | None) -> None:
        if draft is None or not self.is_mounted:
            return
        self.block(draft)
        if not draft.parses:
            return
        rows = _shown(draft)
        fields = [*self._fields()]
        fill(fields, draft, rows)
        first = next((field for field in fields if field.display
                      and field.key.startswith("protocol.")), None)  # fmt: skip
        for field in fields:
            field.set_class(field is first or field.key in ("task.kind", "trials"), "first")
        self._show_letters(draft, "protocol.f" in rows)
        self._show_promise(draft)
        self._show_remark(draft)
        self.query_one(SweepEditor).show(draft)

    def _fields(self) -> Iterator[Field]:
        """The fields of this pane, not those of the sweep editor inside it."""
        for column in self.query_children(Rows):
            yield from column.query_children(Field)

    def _show_letters(self, draft: Draft, shown: bool) -> None:
        """Below the noise of bits: which way round its letters are, and what they come to."""
        words = self.query_one("#letters", Static)
        cell = draft.cell
        words.display = shown
        facts = {} if cell is None else cell.protocol.facts()
        if words.display and "p_star" in facts:
            sent = f"q* = {short(facts['q_star'])} > p* = {short(facts['p_star'])}"
            name = kind_of(draft, "protocol").upper()
            put(words, f"{sent}: {name}'s p and q are the reverse of Wang's")

    def _show_promise(self, draft: Draft) -> None:
        """Below the trust: what the reports of all users keep together."""
        budgets = {} if draft.cell is None else draft.cell.budgets
        local, central = (budgets.get(name) for name in ("local_epsilon", "central_epsilon"))
        told = f"ε₀ = {short(local)}, central ε ≤ {short(central)}" if local and central else ""
        put_or_hide(self.query_one("#promise", Static), told)

    def _show_remark(self, draft: Draft) -> None:
        """Below the task: how it asks the users."""
        from ...explain.story import task_named

        cell = draft.cell
        task = None if cell is None else task_named(cell.task.kind)
        text = "" if task is None or cell is None else task.remark(cell)
        put_or_hide(self.query_one("#remark", Static), text)

    def close(self, closed: bool) -> None:
        line = self.draft.problems[0].line if closed and self.draft is not None else None
        subtitle = f"✗ script, line {line}" if line is not None else ""
        if subtitle != (self.border_subtitle or ""):
            self.border_subtitle = subtitle
        for column in self.query_children(Rows):
            column.disabled = closed


def _shown(draft: Draft) -> dict[str, Shown]:
    """The fields of the pane: the keys that the kinds of the draft use, and those of the run."""
    used = {
        f"{table}.{name}"
        for table in FORM_TABLES
        for name in ("kind", *used_keys(draft, table))
        if table != "task" or kind_of(draft, "task")  # left out, it is about frequencies
    }
    rows = {key: own(draft, key) for key in (*used, *RUN)}
    rows["trust.kind"] = replace(rows["trust.kind"], value=kind_of(draft, "trust"))
    cell, noisy = draft.cell, "protocol.f" in used
    for key in used & {"population.column", "population.count"}:
        columns = columns_of(draft.folder, str(value_of(draft, "population.path") or ""))
        rows[key] = replace(rows[key], offered=columns)
    if "task.encoding" in used and rows["task.encoding"].value is None and cell is not None:
        from ldptui.core.task.hitters.prefixes import usual_encoding

        usual = usual_encoding(cell.population)
        rows["task.encoding"] = replace(rows["task.encoding"], value=usual)
    if "protocol.epsilon" in used:
        label = "one report ε₁" if noisy else title_of("protocol.epsilon")
        rows["protocol.epsilon"] = replace(rows["protocol.epsilon"], label=label)
    facts = {} if cell is None else cell.protocol.facts()
    if noisy and "f" in facts:
        # One of f and ε₁ is given, and the other follows from it and can take its place.
        follows = {"protocol.f": facts["f"], "protocol.epsilon": facts["epsilon_one"]}
        for key, solved in follows.items():
            if key in rows and rows[key].value is None:
                rows[key] = replace(rows[key], value=float(f"{solved:.4g}"), follows=True)
    return rows | (_rule(draft) if "protocol.hash_range" in used else {})


def _rule(draft: Draft) -> dict[str, Shown]:
    """The rule for g, each with the g it gives at this ε, and "given" for a number."""
    from ldptui.core.protocols.hashing import hash_range_for
    from ldptui.core.scenario import choices_of

    given = own(draft, "protocol.hash_range")
    cell, rules = draft.cell, choices_of(given.key)
    epsilon = cell.parameters.get("protocol.epsilon") if cell is not None else None
    options: list[tuple[Any, str]] = [(rule, rule) for rule in rules]
    if isinstance(epsilon, int | float):
        options = [(rule, f"{rule} {hash_range_for(epsilon, rule)}") for rule in rules]
    g = None if cell is None else cell.protocol.facts().get("hash_range")
    number = given.value if isinstance(given.value, int) else g or 2
    options.append((number, "given"))
    if given.value in rules:
        return {given.key: replace(given, options=options)}
    return {given.key: replace(given, value=number, options=options), "given": given}


def columns_of(folder: Path, path: str) -> list[str]:
    """The columns in the header of a CSV file; none where it cannot be read."""
    if not path.strip():
        return []
    try:
        file = folder / FilePath(path).expanduser()
        if not is_file(file):
            return []  # opening a pipe would wait for somebody to write into it
        with file.open(newline="", encoding="utf-8-sig") as lines:
            return next(csv.reader([lines.readline(100_000)]), [])
    except (OSError, ValueError, RuntimeError, csv.Error):
        return []
