"""A sweep as rows of text: `0 → 0.2, 12` from where to where and how many, or its values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ...catalogue import title_of
from ...session.draft import own_problem, sweep_of
from ...text.format import count
from ...widgets.field import read, write
from ...widgets.form import FormRow

if TYPE_CHECKING:
    from ...session.draft import Draft


def sweep_text(values: Any) -> str:
    """The values of a sweep as they are typed: a range, or a list."""
    if not isinstance(values, Mapping):
        return write(values)
    ends = f"{write(values.get('from'))} → {write(values.get('to'))}"
    scale = ", log" if values.get("scale") == "log" else ""
    return f"{ends}, {write(values.get('points'))}{scale}"


_RANGE = re.compile(
    r"\s*(?P<start>[^\s,→]+?)\s*(?:→|->|\.\.+|…|\bto\b)\s*(?P<stop>[^\s,]+)"
    r"(?:[\s,]+(?P<points>\d+)(?:\s*points?)?)?(?:[\s,]+(?P<scale>log|linear))?\s*"
)


def sweep_read(text: str) -> Any:
    """The values that a text stands for: a range of numbers, or a list; None for no text."""
    if not text.strip():
        return None
    found = _RANGE.fullmatch(text)
    if found is None:
        return read(text, "list")
    values = {
        "from": read(found["start"], "number"),
        "to": read(found["stop"], "number"),
        "points": int(found["points"] or 10),
    }
    return {**values, "scale": "log"} if found["scale"] == "log" else values


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
            f"sweep.{key}", sweep_text(values), label=title_of(key), type="text",
            problem=message, optional=True,
        )  # fmt: skip


def amount(draft: Draft) -> str:
    """The cells and trials of the whole sweep; "" for a single cell."""
    if draft.scenario is None or draft.cell is None or draft.problems:
        return ""
    cells, trials = draft.scenario.cells, draft.cell.trials
    return f"{count(cells)} × {count(trials)} trials" if cells > 1 else ""
