"""The answers to a goal: the number of fake users it takes in each cell. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ldptui.core.view import CellView

from ...catalogue import key_words, metric_words
from ...text import format as fmt
from ...text.interval import with_reach
from ...text.swept import setting_words
from ..series import TONES, Axis, Plot, Series
from .table import Column, Frame, Table, Value

AT_LEAST: Final = "goal.at_least"
TENFOLD: Final = 10
"""From this ratio of the largest to the least on an axis is logarithmic."""


def answer_table(cells: Sequence[CellView]) -> Table | None:
    """A row for each cell with a goal: the smallest attack that reaches it, and how that is known.

    Where no attack reaches the goal, the row has the closest one. None without an answer.
    Few words: all of it stands beside the forms of a screen of 120 columns.
    """
    answered = [(cell, cell.answer) for cell in cells if cell.answer is not None]
    if not answered:
        return None
    varied = _varied([cell.parameters for cell, _ in answered], always="protocol.kind")
    metrics = sorted({answer["metric"] for _, answer in answered})
    levels = {answer["at_least"] for _, answer in answered}
    sure = all(answer["reached"] for _, answer in answered)
    rows: list[tuple[Value, ...]] = []
    for cell, answer in answered:
        measured = cell.metrics.get(answer["metric"])
        mean = measured.mean if measured is not None else None
        rows.append((
            *(_value(cell.parameters.get(key), upper=key.endswith(".kind")) for key in varied),
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
    heads = [*map(Column, names), Column("fakes m", grouped=True)]
    numbers = [
        Column("β %", 3),
        Column("value", 4),
        Column("measured", 4),
        Column("±", digits=2),
        Column("by"),
    ]
    title = with_reach(title, [cell.trials for cell, _ in answered])
    return Table(title, (*heads, *numbers), tuple(rows))


def answer_plot(cells: Sequence[CellView]) -> Plot | None:
    """The fake users it takes over the swept number with most values, a line for each setting.

    The cells that do not reach their goal have a mark alone, of the closest attack. None where no
    number is swept, or fewer than two of its values are answered.
    """
    answered = [(cell, cell.answer) for cell in cells if cell.answer is not None]
    varied = [AT_LEAST, *_varied([cell.parameters for cell, _ in answered])]
    values = {key: {_number(cell, key) for cell, _ in answered} for key in varied}
    axis = max(varied, key=lambda key: len(values[key] - {None}))
    if len(values[axis]) < 2 or None in values[axis]:
        return None
    others = [key for key in varied if key != axis]
    reached: dict[str, list[tuple[float, float]]] = {}
    closest: list[tuple[float, float]] = []
    for cell, answer in answered:
        pair = float(_number(cell, axis) or 0.0), float(answer["malicious"])
        group = reached.setdefault(_setting(cell, others), [])
        (group if answer["reached"] else closest).append(pair)
    series = list[Series]()
    for at, (name, pairs) in enumerate(reached.items()):
        places, tone = _columns(pairs), TONES[at % len(TONES)]
        series.append(Series(name, *places, tone, legend=False))
        series.append(Series(name or "fake users", *places, tone, "points"))
    if closest:
        series.append(Series("not reached", *_columns(closest), "muted", "points"))
    goals = {metric_words(answer["metric"]).name for _, answer in answered}
    goal = f"{goals.pop()}, at least" if axis == AT_LEAST and len(goals) == 1 else ""
    xs, ys = [x for each in series for x in each.x], [y for each in series for y in each.y]
    return Plot(
        f"Fake users it takes over the {key_words(axis).short}",
        Axis(goal or key_words(axis).title, log=_is_wide(xs)),
        Axis("fake users m", log=_is_wide(ys)),
        tuple(series),
        note="lines join the cells that are answered",
    )


def _columns(pairs: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    """The places and the numbers of pairs, by place."""
    ordered = sorted(pairs)
    return [x for x, _ in ordered], [y for _, y in ordered]


def _is_wide(values: Sequence[float]) -> bool:
    """True where all values are above 0 and the largest is ten times the least, or more."""
    return min(values) > 0 and max(values) >= TENFOLD * min(values)


def _number(cell: CellView, key: str) -> float | None:
    """The number that a cell has for a key; None for a word or a list."""
    value = cell.parameters.get(key)
    return float(value) if isinstance(value, int | float) else None


def _setting(cell: CellView, keys: Sequence[str]) -> str:
    """The values of these keys in few words."""
    return " ".join(setting_words(cell.parameters, (key for key in keys if key != AT_LEAST)))


def _varied(parameters: Sequence[Mapping[str, Any]], always: str = "") -> list[str]:
    """The keys that tell answered cells apart, besides those of the answer; `always` too."""
    keys = dict.fromkeys(key for values in parameters for key in values)
    return [
        key
        for key in keys
        if not key.startswith(("attack.share", "goal."))
        # What some cells alone have follows from their kinds.
        and (key == always or len({str(values[key]) for values in parameters if key in values}) > 1)
    ]


def _value(value: object, *, upper: bool) -> Value:
    """A value of a column; a kind in capitals, as it is called elsewhere."""
    if value is None or isinstance(value, int | float):
        return value
    return str(value).upper() if upper else str(value)


def _method(answer: object) -> str:
    """`formula`, `approximation`, or the numbers that a search has found the answer between."""
    assert isinstance(answer, dict)
    if answer["low"] is None:
        return "approximation" if answer["by"] == "approximation" else "formula"
    sure = fmt.percent(answer["confidence"])
    least, most = fmt.count(answer["low"] + 1), fmt.count(answer["malicious"])
    return f"search: {least} … {most}, {sure} sure"


def frame(cells: Sequence[CellView]) -> Frame | None:
    """The answers of cells with a goal; None before the first one."""
    table = answer_table(cells)
    return None if table is None else Frame(table, answer_plot(cells))
