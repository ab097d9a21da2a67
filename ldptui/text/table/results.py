"""The whole table of a run's results, and of closed forms."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from itertools import cycle

import numpy as np

from ldptui.core.base.errors import one_line
from ldptui.core.export import ALL, Choice
from ldptui.core.running.runner import Results
from ldptui.core.theory import normal_score
from ldptui.core.view.cells import cell_view
from ldptui.core.view.estimated import frequencies

from ...catalogue import swept_kinds
from .. import format as text
from ..interval import mean_words
from ..swept import run_verdict
from ..verdict import NAMED, Told
from .cell import answer_lines, entry_lines, metric_group, round_groups, round_lines
from .layout import (
    GAP,
    Column,
    Group,
    Style,
    aligned_on,
    block_lines,
    in_blocks,
    narrowed,
    words_column,
)
from .numbers import doubt_notes
from .setting import constant_lines
from .sweep import Finished, sweep_groups, sweep_lines
from .words import chosen_groups


def results_table(
    results: Results,
    width: int = 80,
    colour: bool = False,
    numpy: str = np.__version__,
    choice: Choice = ALL,
) -> str:
    """The results of a run, as lines of at most `width` cells where that is possible.

    numpy : the version that drew the numbers. choice : the columns and rows to show.
    """
    style = Style(colour)
    scenario, cells = results.experiment.scenario, results.experiment.cells
    lines = [style.strong(one_line(line)) for line in textwrap.wrap(scenario.title, width)]
    lines += [style.faint(line) for line in constant_lines(results, width)]
    if choice == ALL and any(cell.answer is not None for cell in cells):
        lines += ["", *answer_lines(results, style)]
    finished = finished_cells(results)
    groups = result_groups(results, finished, choice)
    rounds = campaign_groups(results, finished) if choice == ALL else []
    if finished and choice.turned:
        keys, *others = groups
        blocks = in_blocks(keys, narrowed(others, width - keys.width - len(GAP)), width)
        lines += [line for block in blocks for line in ("", *block_lines(block, style, set()))]
    elif len(cells) == 1 and finished:
        lines += ["", *block_lines(groups, style, set())]
        if rounds:
            lines += ["", *round_lines(rounds, entry_lines(*finished[0][:2]), width, style)]
    elif finished:
        lines += ["", *sweep_lines(results, finished, groups, width, style)]
    closing = _closing(results, finished, [*groups, *rounds], width, numpy)
    lines += ["", *(style.faint(line) for line in closing)]
    said = [line for sentence in verdict_of(results) for line in textwrap.wrap(sentence, width)]
    lines += ["", *map(style.strong, said)] if said else []
    return "\n".join(line.rstrip() for line in lines) + "\n"


def verdict_of(results: Results, ranks: bool = True) -> tuple[str, ...]:
    """The sentences that say what a run has found; none before there are trials.

    ranks : name the ranks of the targets, which come of estimates that a kept run does not have.
    """
    single = len(results.experiment.cells) == 1
    alone, beside = ranks and single, swept_kinds("protocol", "") if single else ()
    told = [
        Told(
            cell_view(cell, measured, theory, beside),
            frequencies(cell, measured, {}) if alone and measured.arms else None,
            tuple(map(cell.population.label, cell.targets[: NAMED + 1].tolist())),
        )
        for cell, measured, theory in finished_cells(results)
    ]
    return run_verdict(told, list(results.experiment.scenario.sweep))


def finished_cells(results: Results) -> list[Finished]:
    """The cells that have trials, beside what is expected of them."""
    return [
        (cell, measured, cell.task.expected(cell))
        for cell, measured in zip(results.experiment.cells, results.cells, strict=True)
        if measured.trials
    ]


def result_groups(results: Results, finished: list[Finished], choice: Choice = ALL) -> list[Group]:
    """The columns of results: a row for each cell of a sweep, or for each metric of one cell."""
    if not finished:
        return [Group("", (Column("trials", ("0",)),))]
    if len(results.experiment.cells) == 1 and not choice.turned:
        return [metric_group(*finished[0], choice.metrics)]
    return sweep_groups(results, finished) if choice == ALL else chosen_groups(results, choice)


def campaign_groups(results: Results, finished: list[Finished]) -> list[Group]:
    """The columns of the rounds of a campaign, a row for each; none of a sweep."""
    alone = len(results.experiment.cells) == 1 and bool(finished)
    return round_groups(*finished[0][:2]) if alone and finished[0][0].rounds else []


def _closing(
    results: Results, finished: list[Finished], groups: list[Group], width: int, numpy: str
) -> list[str]:
    """Notes: how to read the table, how well it agrees with the theory, what names the numbers."""
    trials = [measured.trials for _, measured, _ in finished]
    shown = [pair for group in groups for pair in zip(group.estimates, cycle(trials), strict=False)]
    scores = [
        normal_score(estimate.z, count) for estimate, count in shown if estimate.z is not None
    ]
    notes = [mean_words(trials)]
    if any(group.estimates for group in groups) or not finished:
        notes.append("z = (measured − theory) / standard error")
    if any(cell.task.approximate for cell, _, _ in finished):
        notes.append("theory: an approximation, which docs/hitters.md describes")
    if scores:
        looked = f"largest |z| of those shown ({len(scores)}), as a normal score"
        notes.append(f"{looked}: {max(scores):.1f}")
    notes += doubt_notes([estimate for estimate, _ in shown])
    if results.error:
        notes.append(results.error)
    if not results.ended:
        notes.append(
            f"partial: interrupted after {text.count(results.trials)} of "
            f"{text.count(results.experiment.trials)} trials"
        )
    notes.append(f"digest {text.drawn_by(results.digest, numpy)}")
    return [line for note in notes for line in textwrap.wrap(note, width)]


def theory_table(
    title: str, rows: Sequence[tuple[str, str, str, str]], notes: Sequence[str]
) -> str:
    """Closed forms as (quantity, value, formula, source), between a title and notes."""
    columns = (
        Column("quantity", words_column(row[0] for row in rows), words=True),
        Column("value", aligned_on([row[1] for row in rows], ".")),
        Column("formula", words_column(row[2] for row in rows), words=True),
        Column("source", words_column(row[3] for row in rows), words=True),
    )
    lines = [title, "", *block_lines([Group("", columns)], Style(), set()), "", *notes]
    return "\n".join(line.rstrip() for line in lines) + "\n"
