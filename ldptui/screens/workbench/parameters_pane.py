"""Pane 2: the population, the privacy budget, the sweep and the run, as a form."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from msgspec.structs import replace
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from ldptui.core.base.files import is_file

from ...catalogue import key_words, listed_kinds, title_of
from ...messages import ChoicesAsked, KeyEdited
from ...session.draft import (
    first_free,
    kind_of,
    new_sweep,
    own_problem,
    sweep_of,
    sweepable,
    used_keys,
    value_of,
)
from ...session.runs import value_words
from ...text.format import count, short
from ...widgets.form import Form, FormLine, FormPane, FormRow, own_row, remark

if TYPE_CHECKING:
    from ...session.draft import Draft


SETTING: Final = ("protocol.epsilon", "population.items", "population.users")
"""The keys that the line of the folded pane says; the sweep comes after the first."""
OPTIONAL: Final = ("count", "groups", "extension", "options", "weight", "central_epsilon")
"""Names of keys that stay away where their field is empty."""
EXPERT: Final = ("seed", "simulate.path", "simulate.top_k")
"""Keys of the run that few change: they are folded, with the trust of a scenario without one."""
ADD: Final = "sweep another key"
MORE: Final = "more: seed, path, top k, trust"


class ParametersPane(FormPane):
    """The pane Parameters: a form of all keys of the scenario except those of the protocol list and
    the attack.
    """

    BORDER_TITLE = "2 Parameters"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,down,j", "enter", "Edit", show=False, id="parameters.edit"),
        Binding("a,plus", "sweep", "Add a sweep", id="sweep.add"),
        Binding("minus,delete,backspace", "unsweep", "Sweep no more", id="sweep.remove"),
    ]

    _is_open = False  # what few change is shown

    def compose(self) -> ComposeResult:
        yield Form()

    # Downwards.

    @property
    def setting(self) -> str:
        """The population, the budget, the sweep and its size in words, for the folded pane."""
        draft = self.draft
        if draft is None or not draft.parses:
            return ""
        values = {key: value_of(draft, key) for key in SETTING}
        budget, *sizes = (
            f"{key_words(key).short} {value_words(value)}" if value is not None else ""
            for key, value in values.items()
        )
        keys = [key_words(key).short for key in sweep_of(draft)]
        swept = " × ".join(keys) if len(keys) < 3 else f"{len(keys)} keys"
        parts = (kind_of(draft, "population"), budget, f"↔ {swept}" * bool(keys), *sizes)
        return "  ".join(filter(None, parts))

    def rows(self, draft: Draft) -> Iterator[FormRow]:
        """The rows of the form: the keys that the kinds of the draft use."""
        kinds = [(kind, kind) for kind in listed_kinds("population")]
        yield own_row(draft, "population.kind", label="", options=kinds)
        yield from _table(draft, "population")
        yield from _protocol(draft)
        yield own_row(draft, "trials", optional=True)
        yield from sweep_rows(draft)
        size = amount(draft)
        yield FormRow("sweep", slot="add", remark=f"+ {ADD}{f' · {size}' * bool(size)}")
        yield from _task(draft)
        trusts = "trust" in (draft.document or {})
        more = self._is_open or any(draft.problem(key) for key in EXPERT)
        if trusts or more:
            yield from _trust(draft)
        if not more:
            yield FormRow("seed", slot="more", remark=f"▸ {MORE}")
            return
        for key in EXPERT:
            yield own_row(draft, key, optional=key != "simulate.path")

    # Upwards.

    def on_form_line_pressed(self, event: FormLine.Pressed) -> None:
        event.stop()
        draft = self.draft
        if event.line.name == "more":
            self._is_open, self._wanted = True, "trust.kind"
            self.show()
        elif draft is not None and draft.parses:
            swept = sweep_of(draft)
            keys = [(key, title_of(key)) for key in sweepable(draft) if key not in swept]
            self.post_message(
                ChoicesAsked(event.line, "sweep.key", "sweep", keys, first_free(draft), self._sweep)
            )

    def _sweep(self, key: str | None) -> None:
        if self.draft is not None and key is not None:
            self.post_message(KeyEdited(f"sweep.{key}", new_sweep(self.draft, key)))

    def action_sweep(self) -> None:
        """Add a sweep of the most usual key that is not swept yet."""
        if self.draft is not None and self.draft.parses:
            self._sweep(first_free(self.draft))

    def action_unsweep(self) -> None:
        """Remove the sweep of the key in the focused row."""
        if (key := self.focused_key).startswith("sweep."):
            self.post_message(KeyEdited(key, None))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        return action != "unsweep" or self.focused_key.startswith("sweep.")


def _table(draft: Draft, table: str) -> Iterator[FormRow]:
    """The rows of the keys that the kind of a table uses."""
    for name in used_keys(draft, table):
        key = f"{table}.{name}"
        row = own_row(draft, key, optional=name in OPTIONAL)
        if key in ("population.column", "population.count"):
            path = str(value_of(draft, "population.path") or "")
            row = replace(row, offered=columns_of(draft.folder, path), optional=True)
        yield row


def _protocol(draft: Draft) -> Iterator[FormRow]:
    """Yields the rows of the protocol; of f and ε₁ one is given, and the other follows."""
    cell = draft.cell
    facts = {} if cell is None else cell.protocol.facts()
    used = used_keys(draft, "protocol")
    follows = {}
    if "f" in used and "f" in facts:
        follows = {"protocol.f": facts["f"], "protocol.epsilon": facts["epsilon_one"]}
    for row in _table(draft, "protocol"):
        if row.key == "protocol.hash_range":
            yield from _hash_range(draft)
            continue
        if row.key == "protocol.epsilon" and "f" in used:
            row = replace(row, label="one report ε₁")
        if row.key in follows and row.value is None:
            row = replace(row, value=float(f"{follows[row.key]:.4g}"), follows=True)
        yield row
    if "f" in used and "p_star" in facts:
        sent = f"q* = {short(facts['q_star'])} > p* = {short(facts['p_star'])}"
        name = kind_of(draft, "protocol").upper()
        yield remark("letters", f"{sent}: {name}'s p and q are the reverse of Wang's")


def _hash_range(draft: Draft) -> Iterator[FormRow]:
    """Yields the rows of g: its rules, each with the g at this ε, and "given" for a number."""
    from ldptui.core.protocols.hashing import hash_range_for
    from ldptui.core.scenario import choices_of

    key = "protocol.hash_range"
    given, cell, rules = value_of(draft, key), draft.cell, choices_of(key)
    epsilon = cell.parameters.get("protocol.epsilon") if cell is not None else None
    options: list[tuple[Any, str]] = [(rule, rule) for rule in rules]
    if isinstance(epsilon, int | float):
        options = [(rule, f"{rule} {hash_range_for(epsilon, rule)}") for rule in rules]
    g = None if cell is None else cell.protocol.facts().get("hash_range")
    number = given if isinstance(given, int) else g or 2
    options.append((number, "given"))
    is_rule = given in rules
    yield FormRow(key, given if is_rule else number, options=options)
    if not is_rule:
        yield FormRow(key, given, label="  given", type="integer", slot="given")


def _trust(draft: Draft) -> Iterator[FormRow]:
    kinds = [(kind, kind) for kind in listed_kinds("trust")]
    yield FormRow("trust.kind", kind_of(draft, "trust"), options=kinds)
    yield from _table(draft, "trust")
    budgets = {} if draft.cell is None else draft.cell.budgets
    local, central = (budgets.get(name) for name in ("local_epsilon", "central_epsilon"))
    if local and central:
        yield remark("promise", f"ε₀ = {short(local)}, central ε ≤ {short(central)}")


def _task(draft: Draft) -> Iterator[FormRow]:
    """Yields the row of the task, if the scenario names one, and a remark on how users
    are asked.
    """
    if not kind_of(draft, "task"):
        return
    from ...explain.family_explanation import find_task_explanation

    kinds = [(kind, kind) for kind in listed_kinds("task")]
    yield own_row(draft, "task.kind", options=kinds)
    cell = draft.cell
    for row in _table(draft, "task"):
        if row.key == "task.encoding" and row.value is None and cell is not None:
            from ldptui.core.task.hitters.prefixes import usual_encoding

            row = replace(row, value=usual_encoding(cell.population))
        yield row
    task = None if cell is None else find_task_explanation(cell.task.kind)
    yield remark("asked", "" if task is None or cell is None else task.remark(cell))


def columns_of(folder: Path, path: str) -> list[str]:
    """The column names in the header of a CSV file; empty if the file cannot be read."""
    if not path.strip():
        return []
    try:
        file = folder / Path(path).expanduser()
        if not is_file(file):
            return []  # opening a pipe would wait for somebody to write into it
        with file.open(newline="", encoding="utf-8-sig") as lines:
            return next(csv.reader([lines.readline(100_000)]), [])
    except (OSError, ValueError, RuntimeError, csv.Error):
        return []


def sweep_rows(draft: Draft) -> Iterator[FormRow]:
    """A row for each swept key."""
    for key, values in sweep_of(draft).items():
        problems = [
            problem for problem in draft.problems
            if f"{problem.key}.".startswith(f"sweep.{key}.")
            or (problem.key == key and own_problem(draft, key) is None)
        ]  # fmt: skip
        message = problems[0].message if problems else ""
        yield FormRow(
            f"sweep.{key}", values, label=title_of(key), type="sweep",
            problem=message, optional=True,
        )  # fmt: skip


def amount(draft: Draft) -> str:
    """The numbers of cells and trials of the sweep in words; "" for a single cell."""
    if draft.scenario is None or draft.cell is None or draft.problems:
        return ""
    cells, trials = draft.scenario.cells, draft.cell.trials
    return f"{count(cells)} × {count(trials)} trials" if cells > 1 else ""
