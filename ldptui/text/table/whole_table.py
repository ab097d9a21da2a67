"""The whole table of a run's results and of closed forms: in text, LaTeX or Markdown."""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Sequence
from itertools import cycle
from typing import Final

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from ldptui.core.base.errors import one_line
from ldptui.core.export import ALL, TableChoice
from ldptui.core.running.runner import RunResults
from ldptui.core.theory import expected_metrics, normal_score
from ldptui.core.view.cells import cell_view
from ldptui.core.view.estimated import frequencies

from ...catalogue import swept_kinds
from .. import format as text
from ..interval import mean_words
from ..labels import with_labels
from ..swept import run_verdict
from ..verdict import NAMED, VerdictCell
from .cell_columns import (
    answer_lines,
    answers,
    entry_lines,
    metric_group,
    round_groups,
    round_lines,
)
from .layout import (
    GAP,
    ColumnGroup,
    Style,
    TextColumn,
    align_words,
    block_lines,
    in_blocks,
    lines_of,
    narrow_groups,
)
from .number_columns import chosen_groups, doubt_notes
from .setting_lines import constant_lines
from .sweep_columns import Finished, breaks, sweep_groups


def results_table(
    results: RunResults,
    width: int = 80,
    colour: bool = False,
    numpy: str = np.__version__,
    choice: TableChoice = ALL,
    with_error: bool = True,
) -> str:
    """The results of a run as text, in lines of at most `width` cells if possible.

    numpy : the version that drew the numbers.
    choice : the columns and rows to show.
    with_error : add the sentence about failed cells.
    """
    style = Style(colour)
    scenario, cells = results.experiment.scenario, results.experiment.cells
    lines = [style.make_strong(one_line(line)) for line in textwrap.wrap(scenario.title, width)]
    lines += [style.make_faint(line) for line in constant_lines(results, width)]
    if choice == ALL and any(cell.answer is not None for cell in cells):
        lines += ["", *answer_lines(results, style)]
    finished = finished_cells(results)
    groups = result_groups(results, finished, choice)
    rounds = campaign_groups(results, finished) if choice == ALL else []
    if finished and choice.is_pivot:
        keys, *others = groups
        narrow = narrow_groups(others, width - keys.width - len(GAP))
        lines += ["", *lines_of([keys, *narrow], width, style)]
    elif len(cells) == 1 and finished:
        lines += ["", *block_lines(groups, style)]
        if rounds:
            lines += ["", *round_lines(rounds, entry_lines(*finished[0][:2]), width, style)]
    elif finished:
        lines += ["", *lines_of(groups, width, style, breaks(results, finished))]
    error = results.error if with_error else ""
    closing = _closing(results, finished, [*groups, *rounds], width, numpy, error)
    lines += ["", *(style.make_faint(line) for line in closing)]
    said = [line for sentence in verdict_of(results) for line in textwrap.wrap(sentence, width)]
    lines += ["", *map(style.make_strong, said)] if said else []
    return "\n".join(line.rstrip() for line in lines) + "\n"


def verdict_of(results: RunResults, ranks: bool = True) -> tuple[str, ...]:
    """The sentences about the result of a run; empty before the first trial.

    ranks : name the ranks of the targets; a stored run lacks the estimates for that.
    """
    single = len(results.experiment.cells) == 1
    alone, beside = ranks and single, swept_kinds("protocol", "") if single else ()
    topics = [
        VerdictCell(
            cell_view(cell, measured, theory, beside),
            frequencies(cell, measured, {}) if alone and measured.arms else None,
            tuple(map(cell.population.label, cell.targets[: NAMED + 1].tolist())),
        )
        for cell, measured, theory in finished_cells(results)
    ]
    return run_verdict(topics, list(results.experiment.scenario.sweep))


def finished_cells(results: RunResults) -> list[Finished]:
    """The cells with trials, each with its results and closed forms."""
    return [
        (cell, measured, expected_metrics(cell))
        for cell, measured in zip(results.experiment.cells, results.cells, strict=True)
        if measured.trials
    ]


def result_groups(
    results: RunResults, finished: list[Finished], choice: TableChoice = ALL
) -> list[ColumnGroup]:
    """The columns of results: a row for each cell of a sweep, or for each metric of one cell."""
    if not finished:
        return [ColumnGroup("", (TextColumn("trials", ("0",)),))]
    if len(results.experiment.cells) == 1 and not choice.is_pivot:
        return [metric_group(*finished[0], choice.metrics)]
    return sweep_groups(results, finished) if choice == ALL else chosen_groups(results, choice)


def campaign_groups(results: RunResults, finished: list[Finished]) -> list[ColumnGroup]:
    """The columns of a campaign's rounds, a row for each; empty for a sweep."""
    alone = len(results.experiment.cells) == 1 and bool(finished)
    return round_groups(*finished[0][:2]) if alone and finished[0][0].rounds else []


def _closing(
    results: RunResults,
    finished: list[Finished],
    groups: list[ColumnGroup],
    width: int,
    numpy: str,
    error: str,
) -> list[str]:
    """The notes below a table: how to read it, how well it agrees with the theory, and
    the digest.
    """
    trials = [measured.trials for _, measured, _ in finished]
    shown = [pair for group in groups for pair in zip(group.estimates, cycle(trials), strict=False)]
    scores = [
        normal_score(estimate.z, count)
        for estimate, count in shown
        if estimate.z is not None and not estimate.doubt
    ]
    notes = [mean_words(trials)]
    if any(group.estimates for group in groups):
        notes.append("z = (measured − theory) / standard error: Student's t, trials − 1 degrees")
    if scores:
        looked = f"largest |z| of those shown ({len(scores)}), as a normal score"
        notes.append(f"{looked}: {max(scores):.1f}")
    notes += doubt_notes([estimate for estimate, _ in shown])
    notes += [f"warning: {sentence}" for sentence in results.warnings]
    notes += [error] if error else []
    if not results.has_ended:
        notes.append(
            f"partial: interrupted after {text.count(results.trials)} of "
            f"{text.count(results.experiment.trials)} trials"
        )
    if results.trials:  # nothing that was drawn has a name else
        notes.append(f"digest {text.drawn_by(results.digest, numpy)}")
    return [line for note in notes for line in textwrap.wrap(note, width)]


def theory_table(
    title: str, rows: Sequence[tuple[str, str, str, str]], notes: Sequence[str]
) -> str:
    """A table of closed forms (quantity, value, formula, source) with title and notes."""
    columns = (
        TextColumn("quantity", tuple(row[0] for row in rows), words=True),
        TextColumn("value", align_words([row[1] for row in rows])),
        TextColumn("formula", tuple(row[2] for row in rows), words=True),
        TextColumn("source", tuple(row[3] for row in rows), words=True),
    )
    lines = [title, "", *block_lines([ColumnGroup("", columns)], Style()), "", *notes]
    return "\n".join(line.rstrip() for line in lines) + "\n"


SYMBOLS: Final = {
    "α": r"$\alpha$", "β": r"$\beta$", "δ": r"$\delta$", "ε": r"$\varepsilon$", "∞": r"$\infty$",
    "η": r"$\eta$", "τ": r"$\tau$", "σ": r"$\sigma$", "ρ": r"$\rho$", "−": "$-$", "±": r"$\pm$",
    "γ": r"$\gamma$", "θ": r"$\theta$", "λ": r"$\lambda$", "μ": r"$\mu$", "Δ": r"$\Delta$",
    "…": r"\dots{}", "²": "$^2$", "√": r"$\surd$", "≥": r"$\geq$", "≤": r"$\leq$", "|": r"$|$",
    "≈": r"$\approx$", "·": r"$\cdot$", "′": "$'$", "₀": "$_0$", "₁": "$_1$", "⁺": "$^+$",
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "^": r"\^{}", "~": r"\~{}",
    **{mark: f"\\{mark}" for mark in "&%$#_"},
}  # fmt: skip
"""Letters that LaTeX does not print as they are."""

RAISED: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")


class Sheet(Struct, frozen=True):
    """One table of a document.

    title : "" for the results.
    note : a sentence below it, or "".
    """

    title: str
    groups: Sequence[ColumnGroup]
    note: str = ""


def sheets(results: RunResults, choice: TableChoice = ALL) -> list[Sheet]:
    """The tables of a document: the answers of a goal, the results, the rounds of a campaign.

    choice : if given, one table with these rows and columns instead.
    """
    finished = finished_cells(results)
    tables = [Sheet("", result_groups(results, finished, choice))]
    if choice != ALL:
        return with_labels(tables, results.experiment.scenario.labels)
    if any(cell.answer is not None for cell in results.experiment.cells):
        title, group, note = answers(results)
        tables.insert(0, Sheet(title, [group], note))
    if rounds := campaign_groups(results, finished):
        tables.append(Sheet("rounds", rounds, " ".join(entry_lines(*finished[0][:2]))))
    return with_labels(tables, results.experiment.scenario.labels)


def markdown_table(results: RunResults, numpy: str, choice: TableChoice = ALL) -> str:
    """The results as Markdown tables, a row for each cell, or for each metric of one cell."""
    parts = [f"**{_cell(one_line(results.experiment.scenario.title))}**"]
    for sheet in sheets(results, choice):
        columns = _columns(sheet.groups)
        rules = [":--" if column.words else "--:" for _, column in columns]
        rows = [[head for head, _ in columns], rules]
        rows += [*map(list, zip(*(column.cells for _, column in columns), strict=True))]
        parts += [_cell(sheet.title)] * bool(sheet.title)
        parts.append("\n".join(f"| {' | '.join(map(_cell, row))} |" for row in rows))
        parts += [_cell(sheet.note)] * bool(sheet.note)
    parts.append(mean_words(measured.trials for measured in results.cells if measured.trials))
    parts += [_cell(f"warning: {one_line(each)}") for each in results.warnings]
    return "\n\n".join([*parts, _source(results, numpy)]) + "\n"


def latex_table(results: RunResults, numpy: str, choice: TableChoice = ALL) -> str:
    """The results as LaTeX tabulars with booktabs; titles and source are in comments.

    If the choice has a line width, a wide table becomes several tabulars, one below the other.
    """
    lines = [
        f"% {one_line(results.experiment.scenario.title)}",
        f"% {_source(results, numpy)}",
        *(f"% warning: {one_line(each)}" for each in results.warnings),
        "% needs \\usepackage{booktabs}; 1.234(56) is 1.234 ± 0.056, a mean ± its standard error",
    ]
    for number, sheet in enumerate(sheets(results, choice)):
        comments = [f"% {words}" for words in (sheet.title, sheet.note) if words]
        keys, *others = map(_shorter, sheet.groups)
        width = choice.wrap or sys.maxsize
        parts = narrow_groups(others, width - keys.width - len(GAP))
        tabulars = map(_tabular, in_blocks(keys, parts, width) or [[keys]])
        lines += [*[""] * bool(number), *comments, *"\n\n".join(tabulars).split("\n")]
    return "\n".join(lines) + "\n"


def _shorter(group: ColumnGroup) -> ColumnGroup:
    """The same columns with errors in brackets, as `bracket_errors` writes them."""
    columns = (
        replace(each, cells=tuple(map(bracket_errors, each.cells))) for each in group.columns
    )
    return replace(group, columns=tuple(columns))


def bracket_errors(words: str) -> str:
    """`1.234 ± 0.056` as `1.234(56)`, with the error in units of the value's last digit."""

    def short(found: re.Match[str]) -> str:
        value, error = found.groups()
        return f"{value}({(error.replace('.', '').lstrip('0') or '0') if error < '1' else error})"

    once = " ".join(words.split())
    return re.sub(r"\(?([-−]?[\d.]+) ± (\d[\d.]*)\)?", short, once)


def _tabular(groups: Sequence[ColumnGroup]) -> str:
    form = "".join("l" if column.words else "r" for _, column in _columns(groups))
    titles, rules, place = [], [], 1
    for group in groups:
        size = len(group.columns)
        title = latex(group.title)
        titles.append(f"\\multicolumn{{{size}}}{{c}}{{{title}}}" if size > 1 else title)
        rules += [f"\\cmidrule(lr){{{place}-{place + size - 1}}}"] * bool(title)
        place += size
    heads = [latex(column.head) for group in groups for column in group.columns]
    cells = zip(*(column.cells for group in groups for column in group.columns), strict=True)
    return "\n".join([
        "{\\footnotesize\\setlength{\\tabcolsep}{2pt}",
        f"\\begin{{tabular}}{{{form}}}",
        "\\toprule",
        *([f"{' & '.join(titles)} \\\\", " ".join(rules)] if rules else []),
        f"{' & '.join(heads)} \\\\",
        "\\midrule",
        *(f"{' & '.join(map(latex, row))} \\\\" for row in cells),
        "\\bottomrule",
        "\\end{tabular}}",
    ])  # fmt: skip


def latex(words: str) -> str:
    """A cell of a table in LaTeX: numbers in math mode, special characters escaped."""
    words = " ".join(words.split())
    number = r"[-+−]?\d[\d .]*(?:e-?\d+)?"
    if re.fullmatch(rf"{number}|[-−]?[\d.]+\([\d.]+\)(?:e-?\d+)?", words):
        powered = re.sub(r"e(-?\d+)", r"{\\times}10^{\1}", words.replace("−", "-"))
        spaced = re.sub(r"(?<=\d) (?=\d)", r"\\,", powered)
        return f"${spaced}$"
    if words == text.MISSING:
        return "--"
    escaped = "".join(SYMBOLS.get(letter, letter) for letter in words)
    powered = re.sub(
        "10([⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+)|10\\$\\^2\\$",
        lambda power: f"$10^{{{(power[1] or '²').translate(RAISED)}}}$",
        escaped,
    )
    return powered.replace("⁻", "$^-$")


def _columns(groups: Sequence[ColumnGroup]) -> list[tuple[str, TextColumn]]:
    """Each column under the title of its group and its own head."""
    return [
        (f"{group.title}: {column.head}" if group.title else column.head, column)
        for group in groups
        for column in group.columns
    ]


def _cell(words: str) -> str:
    return " ".join(words.split()).replace("\\", "\\\\").replace("|", "\\|")


def _source(results: RunResults, numpy: str) -> str:
    """The number of trials and the digest of the results."""
    trials, digest = text.count(results.trials), text.drawn_by(results.digest, numpy)
    partial = "" if results.complete else f" of {text.count(results.experiment.trials)}"
    return f"{trials}{partial} trials, {digest}"
