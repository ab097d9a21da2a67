"""Single cells as text: their metrics, their rounds, the answers to their goals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from ldptui.core.base.summary import Estimate
from ldptui.core.cell import Cell
from ldptui.core.metrics import METRICS
from ldptui.core.metrics.goal import Goal
from ldptui.core.metrics.results import CellResults
from ldptui.core.running.runner import RunResults
from ldptui.core.theory import compare_with_theory
from ldptui.core.theory.campaign import entry_of, rounds_of

from ...catalogue import metric_words
from .. import format as text
from .layout import (
    ColumnGroup,
    Style,
    TextColumn,
    align_words,
    block_lines,
    lines_of,
    words_group,
)
from .number_columns import (
    beside_theory,
    common_power,
    heads,
    side_by_side,
    unit_of,
    value_text,
    with_errors,
    z_text,
)


def python_groups(
    cells: Sequence[Cell], of: Callable[[str], Sequence[Estimate]]
) -> list[ColumnGroup]:
    """The columns of the metrics in Python: a group for each, and one for each after defences.

    of : returns the estimates of a metric's column, one for each row.
    """
    attacked = any(cell.attack is not None for cell in cells)
    groups: dict[str, dict[str, Sequence[Estimate]]] = {}
    for cell in cells:
        for metric in cell.python_metrics:
            name = metric_words(metric.name).name
            for column, arm in sorted(metric.columns(cell.arms).items(), key=lambda item: item[1]):
                if arm.attacked or attacked:  # else both are the same
                    head = ("after" if arm.attacked else "before") if attacked else "measured"
                    group = groups.setdefault(f"{name}{', defended' * arm.defended}", {})
                    group.setdefault(head, of(column))
    return [side_by_side(title, columns) for title, columns in groups.items()]


def answers(results: RunResults) -> tuple[str, ColumnGroup, str]:
    """The table of goals: the number of fakes needed to reach each, with title and note."""
    asked = [(cell, cell.goal, cell.answer) for cell in results.experiment.cells]
    answered = [(cell, goal, answer) for cell, goal, answer in asked if goal and answer]
    swept = [key for key in results.experiment.scenario.sweep if not key.startswith("goal.")]
    wanted = [_goal(cell, goal) for cell, goal, _ in answered]
    metrics, levels = {metric for metric, _ in wanted}, {level for _, level in wanted}
    several = len(metrics) > 1 or len(levels) > 1
    rows = []
    for (cell, goal, answer), (metric, level) in zip(answered, wanted, strict=True):
        numbers = [text.percent(answer.share), text.count(answer.malicious)]
        if answer.low is not None:
            numbers = [f"≤ {numbers[0]}", f"{text.count(answer.low + 1)} … {numbers[1]}"]
        numbers = numbers[::-1] if goal.over == "malicious" else numbers
        numbers[0] = numbers[0] if answer.reached else f"never; closest {numbers[0]}"
        seen = "measured" if answer.by == "search" else "expected"
        keys = [value_text(cell.parameters.get(key)) for key in swept]
        keys += [level if len(metrics) == 1 else f"{metric} {level}"] * several
        rows.append([*keys, *numbers, f"{text.short(answer.value)} {seen}", answer.by])
    numbers = ["share β", "fakes m"]
    numbers = numbers[::-1] if answered[0][1].over == "malicious" else numbers
    named = [*metrics] * (len(metrics) == 1) + [*levels] * (not several)
    title = " ".join([f"{_TAKES} for", *named] if named else [_TAKES])
    columns = [*heads(swept), *["goal"] * several, *numbers, "reaches", "by"]
    sure = {answer.confidence for _, _, answer in answered if answer.low is not None}
    note = (
        f"a search is {text.percent(max(filter(None, sure)))} sure of both ends; "
        "the trials have the upper one"
    ) if sure else ""  # fmt: skip
    return title, words_group(columns, rows), note


def answer_lines(results: RunResults, style: Style) -> list[str]:
    """The table of goals as lines of text."""
    title, group, note = answers(results)
    lines = (line.rstrip() for line in block_lines([group], Style()))
    return [style.make_strong(title), *lines, *([style.make_faint(note)] if note else [])]


_TAKES: Final = "fake users that it takes"


def _goal(cell: Cell, goal: Goal) -> tuple[str, str]:
    """The name of a goal's metric, and the value that it has to reach."""
    name = metric_words(goal.metric).name
    if METRICS[goal.metric].most is not None:
        name = f"{name.removesuffix(' k')} {cell.top_k}".replace("among the", "in")
    return name.removesuffix(", attacked"), f"≥ {text.short(goal.at_least)}"


def metric_group(
    cell: Cell,
    measured: CellResults,
    theory: dict[str, float | None],
    chosen: Sequence[str] = (),
) -> ColumnGroup:
    """The metrics of one cell beside their closed forms, as columns; chosen : only
    these metrics.
    """
    rows = []
    for metric in chosen or cell.metrics:
        name, estimate = (
            metric_words(metric).name,
            compare_with_theory(cell, measured, metric, theory),
        )
        if estimate.mean is None:
            continue
        if cell.attack is None:
            name = name.replace(", attacked", "")
            attacked = metric.replace("_clean", "")
            if (
                attacked != metric and attacked in cell.metrics and not chosen
            ):  # before and after are the same
                continue
        if metric in METRICS and METRICS[metric].most is not None:
            name = f"{name.removesuffix(' k')} {cell.top_k}, of {cell.targets.size}"
        rows.append((name, estimate))
    columns = (
        TextColumn("metric", tuple(name for name, _ in rows), words=True),
        TextColumn(
            "measured",
            align_words(
                [text.estimate(estimate.mean, estimate.standard_error) for _, estimate in rows],
                " ± ",
            ),
        ),
        TextColumn("theory", align_words([text.short(estimate.theory, 5) for _, estimate in rows])),
        TextColumn("z", tuple(z_text(estimate) for _, estimate in rows)),
    )
    return ColumnGroup("", columns, tuple(estimate for _, estimate in rows))


SHOWN_ROUNDS: Final = 12
"""Rows of the view by round: the first round, the last one and evenly between."""


def round_groups(cell: Cell, measured: CellResults) -> list[ColumnGroup]:
    """The columns of a campaign's rounds: their parameters, then their metrics."""
    every = rounds_of(cell, measured)
    step = max(len(every) - 1, 1) / (min(len(every), SHOWN_ROUNDS) - 1 or 1)
    numbers = sorted({round(at * step) for at in range(min(len(every), SHOWN_ROUNDS))})
    shown = [every[number] for number in numbers]

    def of(metric: str) -> list[Estimate]:
        return [row.metrics[metric] for row in shown]

    first = [TextColumn("round", tuple(str(row.number) for row in shown))]
    if cell.targets.size:
        first.append(
            TextColumn("β", align_words([text.chosen_value(row.share, 3) for row in shown]))
        )
    spent = TextColumn("ε spent", align_words([text.short(row.spent) for row in shown]))
    groups = [beside_theory("mean squared error", of("mse"))]
    if cell.targets.size:
        inside, frequency = of("targets_in_top_k"), of("target_frequency")
        power = common_power(frequency)
        top = TextColumn(f"in top {cell.top_k}", with_errors(inside, common_power(inside)))
        groups = [
            beside_theory("gain", of("gain")),
            ColumnGroup(
                f"targets{unit_of(power)}",
                (TextColumn("after", with_errors(frequency, power)), top),
            ),
        ]
    if cell.defences:
        groups += _in_spite(of("gain_after"), of("alarm_rate"))
    groups += python_groups([cell], of)
    return [ColumnGroup("", (*first, spent)), *groups]


def round_lines(groups: list[ColumnGroup], entry: list[str], width: int, style: Style) -> list[str]:
    """The table of rounds as lines of text, in blocks of at most `width` cells."""
    lines = lines_of(groups, width, style)
    return [*lines, *([""] if entry else []), *(style.make_faint(line) for line in entry)]


def _in_spite(gains: list[Estimate], alarms: list[Estimate]) -> list[ColumnGroup]:
    """The gain in spite of the defence and the alarms of each round, where they are known."""
    columns = [("gain", gains), ("alarm rate", alarms)]
    shown = tuple(
        TextColumn(head, with_errors(estimates, common_power(estimates)))
        for head, estimates in columns
        if any(estimate.mean is not None for estimate in estimates)
    )
    return [ColumnGroup("defended", shown)] * bool(shown)


def entry_lines(cell: Cell, measured: CellResults) -> list[str]:
    """The round in which all targets first are in the top k, in words."""
    if not cell.targets.size:
        return []
    entry, trials = entry_of(cell, measured), measured.trials
    if not entry.reached:
        return [f"the targets are never all in the top {cell.top_k}"]
    when = f"from round {text.estimate(entry.mean, entry.standard_error)} on average"
    often = f"in {entry.reached} of {trials} trials"
    return [f"all targets are in the top {cell.top_k} {when}, {often}"]
