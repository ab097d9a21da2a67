"""The answers to a goal: the number of fake users it takes in each cell. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from ...catalogue import metric_words
from ...session.snapshot import CellView
from ...text import format as fmt
from ...text.interval import with_reach
from .table import Column, Table, Value


def answer_table(cells: Sequence[CellView]) -> Table | None:
    """A row for each cell with a goal: the smallest attack that reaches it, and how that is known.

    Where no attack reaches the goal, the row has the closest one. None without an answer.
    Few words: all of it stands beside the forms of a screen of 120 columns.
    """
    answered = [(cell, cell.answer) for cell in cells if cell.answer is not None]
    if not answered:
        return None
    parameters = [cell.parameters for cell, _ in answered]
    keys = dict.fromkeys(key for values in parameters for key in values)
    varied = [
        key
        for key in keys
        if not key.startswith(("attack.share", "goal."))
        # What some cells alone have follows from their kinds.
        and (
            key == "protocol.kind"
            or len({str(values[key]) for values in parameters if key in values}) > 1
        )
    ]
    metrics = sorted({answer["metric"] for _, answer in answered})
    levels = {answer["at_least"] for _, answer in answered}
    sure = all(answer["reached"] for _, answer in answered)
    rows: list[tuple[Value, ...]] = []
    for cell, answer in answered:
        measured = cell.metrics.get(answer["metric"])
        mean = measured.mean if measured is not None else None
        rows.append((
            *(_value(cell.parameters.get(key)) for key in varied),
            *([metric_words(answer["metric"]).name] if len(metrics) > 1 else []),
            *([answer["at_least"]] if len(levels) > 1 else []),
            *([] if sure else ["yes" if answer["reached"] else "no"]),
            answer["malicious"], 100 * answer["share"], answer["value"], mean,
            measured.standard_error if measured is not None else None, _method(answer),
        ))  # fmt: skip
    names = [key.rpartition(".")[2] if key != "protocol.kind" else "protocol" for key in varied]
    names += ["goal"] if len(metrics) > 1 else []
    names += ["≥"] if len(levels) > 1 else []
    names += [] if sure else ["met"]
    title = "Fake users it takes"
    if len(metrics) == 1:
        title += f" for {metric_words(metrics[0]).name}"
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
    title = with_reach(title, [cell.trials for cell, _ in answered])
    return Table(title, (*heads, *numbers), tuple(rows))


def _value(value: object) -> Value:
    return value if value is None or isinstance(value, str | int | float) else str(value)


def _method(answer: object) -> str:
    """`formula`, `approximation`, or the numbers that a search has found the answer between."""
    assert isinstance(answer, dict)
    if answer["low"] is None:
        return "approximation" if answer["by"] == "approximation" else "formula"
    sure = fmt.percent(answer["confidence"])
    least, most = fmt.count(answer["low"] + 1), fmt.count(answer["malicious"])
    return f"search: {least} … {most}, {sure} sure"
