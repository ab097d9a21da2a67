"""The answers to a goal: the fake users it takes in each cell, as bars and over an axis."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from ldptui.core.view import CellView

from ...catalogue import key_words, metric_words
from ...text import format as fmt
from ...text.interval import with_reach
from ...text.swept import setting_words, where_words
from ...text.verdict import VerdictCell, known_by
from ..chart_data import ChartData
from ..series import TONES, Axis, Bar, Bars, Plot, Series
from .frame import Frame, FrameView, draw_plot
from .table import ChartTable, TableColumn, Value

AT_LEAST: Final = "goal.at_least"
TENFOLD: Final = 10
"""From this ratio of the largest to the least on an axis is logarithmic."""
MOST_SHARE: Final = 0.99
"""A number of fakes with a larger share of everybody is none, as for the search."""


def frame(data: ChartData, _: Mapping[str, str]) -> Frame | str:
    """The chart of a goal: fakes needed for each setting and over a swept number; a message if
    there is no answer yet.
    """
    scenario = data.scenario
    if scenario is None or "goal" not in scenario.document:
        return ""
    from ..curves import select_cells, spite_selections

    cells = data.answers([scenario])
    if (table := answer_table(cells)) is None:
        return ""
    spite = data.answers(select_cells(scenario, each) for each in spite_selections(scenario))
    bars = answer_bars(cells, data.base, spite)

    views = {"bars": FrameView("bars", lambda *_: bars, ())}
    if (plot := answer_plot(cells)) is not None:
        views["curve"] = FrameView("curve", draw_plot(plot), ())
    return Frame(table, views)


# --- The table -----------------------------------------------------------------------------------


def answer_table(cells: Sequence[CellView]) -> ChartTable | None:
    """A row for each cell with a goal: the smallest attack that reaches it, and how it was
    computed.

    If no attack reaches the goal, the row has the closest one. None without an answer.
    """
    answered = [(cell, cell.answer) for cell in cells if cell.answer is not None]
    if not answered:
        return None
    varied = _varied_keys([cell.parameters for cell, _ in answered], always="protocol.kind")
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
    title = with_reach(title + ("" if sure else "; no: the closest"),
                       [cell.trials for cell, _ in answered])  # fmt: skip
    numbers = (TableColumn("fakes m", grouped=True), TableColumn("β %", 3),
               TableColumn("value", 4), TableColumn("measured", 4), TableColumn("±", digits=2),
               TableColumn("by"))  # fmt: skip
    return ChartTable(title, (*map(TableColumn, names), *numbers), tuple(rows))


def _varied_keys(parameters: Sequence[Mapping[str, Any]], always: str = "") -> list[str]:
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
    """A value of a column; kinds in capitals if `upper`."""
    if value is None or isinstance(value, int | float):
        return value
    return str(value).upper() if upper else str(value)


def _method(answer: Mapping[str, Any]) -> str:
    """The way an answer was found: `formula`, `approximation`, or the bounds of a search."""
    if answer["low"] is None:
        return "approximation" if answer["by"] == "approximation" else "formula"
    sure = fmt.percent(answer["confidence"])
    least, most = fmt.count(answer["low"] + 1), fmt.count(answer["malicious"])
    return f"search: {least} … {most}, {sure} sure"


# --- The bars ------------------------------------------------------------------------------------


class SettingAnswer(Struct, frozen=True):
    """A setting and the number of fakes that reaches its goal; None if no number does."""

    name: str
    fakes: int | None

    @property
    def sort_key(self) -> float:
        return math.inf if self.fakes is None else self.fakes


def answer_bars(
    cells: Sequence[CellView], base: CellView | None, spite: Sequence[CellView]
) -> Bars:
    """Bars of the fakes needed for each setting, the fewest first, then of the base cell's goal
    under other defences.

    base : the cell whose answer is the number in the title.
    spite : the cells of the same goal without defences, with each of them, and with all.
    """
    first = _like(cells, base)
    answer = first.answer
    assert answer is not None
    goal = answer["metric"], answer["at_least"]
    alike = [cell for cell in cells
             if (own := cell.answer) and (own["metric"], own["at_least"]) == goal]  # fmt: skip
    keys = _varied_keys([cell.parameters for cell in alike])
    rows = [SettingAnswer(_steps(first), _fakes(first))]
    if len(alike) > 1 and keys:
        rows = [SettingAnswer(where_words(cell.parameters, keys), _fakes(cell)) for cell in alike]
        rows.sort(key=lambda row: row.sort_key)
    rows += [SettingAnswer(_steps(cell), _fakes(cell)) for cell in spite]
    rows += _elsewhere(first, keys)
    unreached = [row.name for row in rows if row.fakes is None]
    notes = [f"found {known_by(VerdictCell(first))}"]
    notes += [f"no number does: {', '.join(unreached)}"] if unreached else []
    everybody = first.users + answer["malicious"]
    title = (
        f"{fmt.count(answer['malicious'])} fake users, {fmt.percent(answer['share'])} of everybody"
        f" ({fmt.count(everybody)}), for {metric_words(answer['metric']).name} ≥ "
        f"{fmt.short(answer['at_least'])}"
    )
    if not answer["reached"]:
        title = f"No number of fakes reaches {metric_words(answer['metric']).name} ≥ "
        title += f"{fmt.short(answer['at_least'])}: at most {fmt.short(answer['value'])}"
    where = f", at {where_words(first.parameters, keys)}" if keys else ""
    bars = (Bar(row.name, float(row.fakes)) for row in rows if row.fakes is not None)
    return Bars(title + where, tuple(bars), note="; ".join(notes), item="setting", value="fakes m")


def _like(cells: Sequence[CellView], base: CellView | None) -> CellView:
    """The cell with the settings of the base; without a base the one in the middle."""
    wanted = {} if base is None else base.parameters
    keys = [*_varied_keys([cell.parameters for cell in cells]), AT_LEAST, "goal.metric"]
    same = (
        cell for cell in cells if all(cell.parameters.get(key) == wanted.get(key) for key in keys)
    )
    return next(same, cells[len(cells) // 2])


def _fakes(cell: CellView) -> int | None:
    """The fakes that the goal of a cell takes; None where no number reaches it."""
    answer = cell.answer
    return int(answer["malicious"]) if answer is not None and answer["reached"] else None


def _steps(cell: CellView) -> str:
    """The defences under which a goal is reached: `+ norm-sub`, or `as it is`."""
    answer, steps = cell.answer, cell.parameters
    kinds = [str(steps[key]) for key in steps if re.fullmatch(r"defence\.(\d+\.)?kind", key)]
    spite = answer is not None and answer["metric"].endswith("_after")
    return f"+ {', '.join(kinds)}" if spite and kinds else "as it is"


def _elsewhere(first: CellView, keys: Sequence[str]) -> list[SettingAnswer]:
    """The numbers of fakes for the same gain if no defence may detect them, and with other
    protocols, the safest first.

    They follow from gains being proportional to β.
    """
    kind = str(first.parameters.get("protocol.kind"))
    gained = first.elsewhere.get(kind, 0.0)
    if gained <= 0 or not _fakes(first):
        return []
    rows = []
    if first.hidden is not None:
        rows.append(SettingAnswer("no defence sees", _for_gain(first, gained, first.hidden)))
    others = [
        SettingAnswer(f"{other.upper()} instead", _for_gain(first, gained, there))
        for other, there in first.elsewhere.items()
        if other != kind and "protocol.kind" not in keys
    ]
    return rows + sorted(others, key=lambda row: row.sort_key, reverse=True)


def _for_gain(cell: CellView, gained: float, there: float) -> int | None:
    """The number of fakes for the gain `gained`, if those of the cell gain `there`; None if no
    number suffices.
    """
    share = cell.malicious / (cell.users + cell.malicious) * gained / there if there > 0 else 1.0
    return math.ceil(cell.users * share / (1 - share)) if share < MOST_SHARE else None


# --- The plot ------------------------------------------------------------------------------------


def answer_plot(cells: Sequence[CellView]) -> Plot | None:
    """The fakes needed over the swept number with most values, a line for each setting; None if no
    number is swept.

    A cell that does not reach its goal has a mark without a line, at its closest attack.
    """
    answered = [(cell, cell.answer) for cell in cells if cell.answer is not None]
    varied = [AT_LEAST, *_varied_keys([cell.parameters for cell, _ in answered])]
    values = {key: {_number(cell, key) for cell, _ in answered} for key in varied}
    axis = max(varied, key=lambda key: len(values[key] - {None}))
    if len(values[axis]) < 2 or None in values[axis]:
        return None
    others = [key for key in varied if key not in (axis, AT_LEAST)]
    reached: dict[str, list[tuple[float, float]]] = {}
    closest: list[tuple[float, float]] = []
    for cell, answer in answered:
        pair = float(_number(cell, axis) or 0.0), float(answer["malicious"])
        group = reached.setdefault(" ".join(setting_words(cell.parameters, others)), [])
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
    """The x and the y values of pairs, sorted by x."""
    ordered = sorted(pairs)
    return [x for x, _ in ordered], [y for _, y in ordered]


def _is_wide(values: Sequence[float]) -> bool:
    """True where all values are above 0 and the largest is ten times the least, or more."""
    return min(values) > 0 and max(values) >= TENFOLD * min(values)


def _number(cell: CellView, key: str) -> float | None:
    """The number that a cell has for a key; None for a word or a list."""
    value = cell.parameters.get(key)
    return float(value) if isinstance(value, int | float) else None
