"""How many fake users it takes: the answers to a goal, one for each cell. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from ldptui import format as fmt
from ldptui.figures.table import Column, Table, Value
from ldptui.snapshot import CellView

_METRICS = {
    "gain": "gain",
    "target_frequency": "frequency of the targets",
    "targets_in_top_k": "targets in the top k",
}


def answer_table(cells: Sequence[CellView]) -> Table | None:
    """A row for each cell with a goal: the smallest attack that reaches it, and how that is known.

    Of a cell that no attack brings there, the one that comes closest. None without an answer.
    """
    found = [(cell, cell.answer) for cell in cells if cell.answer is not None]
    if not found:
        return None
    keys = [key for key in found[0][0].parameters if not key.startswith(("attack.share", "goal."))]
    kinds = {key for key in keys if len({str(cell.parameters.get(key)) for cell, _ in found}) > 1}
    varied = [key for key in keys if key in kinds or key == "protocol.kind"]
    metrics = sorted({one["metric"] for _, one in found})
    levels = {one["at_least"] for _, one in found}
    rows: list[tuple[Value, ...]] = []
    for cell, one in found:
        measured = cell.metrics.get(one["metric"])
        mean = measured.mean if measured is not None else None
        rows.append((
            *(_value(cell.parameters.get(key)) for key in varied),
            *([_METRICS[one["metric"]]] if len(metrics) > 1 else []),
            *([one["at_least"]] if len(levels) > 1 else []),
            "yes" if one["reached"] else "no attack reaches it; closest:",
            one["malicious"], 100 * one["share"], one["value"], mean,
            measured.standard_error if measured is not None else None, _method(one),
        ))  # fmt: skip
    names = [key.rpartition(".")[2] if key != "protocol.kind" else "protocol" for key in varied]
    names += ["goal"] if len(metrics) > 1 else []
    names += ["at least"] if len(levels) > 1 else []
    title = "Fake users that it takes"
    if len(metrics) == 1:
        title += f" for {_METRICS[metrics[0]]}"
        title += f" ≥ {fmt.short(min(levels))}" if len(levels) == 1 else ""
    heads = [Column(name) for name in (*names, "reached", "fakes m")]
    numbers = [
        Column("share %", 3),
        Column("value there", 4),
        Column("simulated", 4),
        Column("±", 4),
        Column("by"),
    ]
    return Table(title, (*heads, *numbers), tuple(rows))


def _value(value: object) -> Value:
    return value if isinstance(value, str | int | float) else str(value)


def _method(answer: object) -> str:
    """`closed form`, or what a search has shown."""
    assert isinstance(answer, dict)
    if answer["low"] is None:
        return str(answer["by"])
    sure = fmt.percent(answer["confidence"])
    return f"search, {sure} sure that m > {fmt.count(answer['low'])}"
