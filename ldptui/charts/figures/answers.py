"""How many fake users it takes: the answers to a goal, one for each cell. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from ...session.snapshot import CellView
from ...text import format as fmt
from .table import Column, Table, Value

_METRICS = {
    "gain": "gain",
    "target_frequency": "frequency of the targets",
    "targets_in_top_k": "targets in the top k",
}


def answer_table(cells: Sequence[CellView]) -> Table | None:
    """A row for each cell with a goal: the smallest attack that reaches it, and how that is known.

    Of a cell that no attack brings there, the one that comes closest. None without an answer.
    Few words: all of it stands beside the forms of a screen of 120 columns.
    """
    found = [(cell, cell.answer) for cell in cells if cell.answer is not None]
    if not found:
        return None
    given = [cell.parameters for cell, _ in found]
    keys = dict.fromkeys(key for one in given for key in one)
    varied = [
        key
        for key in keys
        if not key.startswith(("attack.share", "goal."))
        # What some cells alone have follows from their kinds.
        and (key == "protocol.kind" or len({str(one[key]) for one in given if key in one}) > 1)
    ]
    metrics = sorted({one["metric"] for _, one in found})
    levels = {one["at_least"] for _, one in found}
    sure = all(one["reached"] for _, one in found)
    rows: list[tuple[Value, ...]] = []
    for cell, one in found:
        measured = cell.metrics.get(one["metric"])
        mean = measured.mean if measured is not None else None
        rows.append((
            *(_value(cell.parameters.get(key)) for key in varied),
            *([_METRICS[one["metric"]]] if len(metrics) > 1 else []),
            *([one["at_least"]] if len(levels) > 1 else []),
            *([] if sure else ["yes" if one["reached"] else "no"]),
            one["malicious"], 100 * one["share"], one["value"], mean,
            measured.standard_error if measured is not None else None, _method(one),
        ))  # fmt: skip
    names = [key.rpartition(".")[2] if key != "protocol.kind" else "protocol" for key in varied]
    names += ["goal"] if len(metrics) > 1 else []
    names += ["≥"] if len(levels) > 1 else []
    names += [] if sure else ["met"]
    title = "Fake users it takes"
    if len(metrics) == 1:
        title += f" for {_METRICS[metrics[0]]}"
        title += f" ≥ {fmt.short(min(levels))}" if len(levels) == 1 else ""
    title += "" if sure else "; no: the closest"
    heads = [Column(name) for name in (*names, "fakes m")]
    numbers = [
        Column("β %", 3),
        Column("value", 4),
        Column("measured", 4),
        Column("±", digits=2),
        Column("by"),
    ]
    return Table(title, (*heads, *numbers), tuple(rows))


def _value(value: object) -> Value:
    return value if value is None or isinstance(value, str | int | float) else str(value)


def _method(answer: object) -> str:
    """`formula`, or what a search has shown."""
    assert isinstance(answer, dict)
    if answer["low"] is None:
        return "formula"
    sure = fmt.percent(answer["confidence"])
    return f"search: m > {fmt.count(answer['low'])}, {sure} sure"
