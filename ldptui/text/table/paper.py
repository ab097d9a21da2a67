"""The table of results for a paper or a page: LaTeX with booktabs, and Markdown.

Uncertainties have two digits, and values end where theirs do, as in every other table.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from ldptui.core.base.errors import one_line
from ldptui.core.export import ALL, Choice
from ldptui.core.running.runner import Results

from .. import format as text
from .cell import answers, entry_lines
from .layout import Column, Group
from .results import campaign_groups, finished_cells, result_groups

SYMBOLS: Final = {
    "α": r"$\alpha$", "β": r"$\beta$", "δ": r"$\delta$", "ε": r"$\varepsilon$", "∞": r"$\infty$",
    "η": r"$\eta$", "τ": r"$\tau$", "σ": r"$\sigma$", "ρ": r"$\rho$", "−": "$-$", "±": r"$\pm$",
    "…": r"\dots{}", "²": "$^2$", "√": r"$\surd$", "≥": r"$\geq$", "≤": r"$\leq$", "|": r"$|$",
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "^": r"\^{}", "~": r"\~{}",
    **{mark: f"\\{mark}" for mark in "&%$#_"},
}  # fmt: skip
"""Letters that LaTeX does not print as they are."""

RAISED: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")


@dataclass(frozen=True)
class Sheet:
    """One table. title : "" for that of the results. note : a sentence below it, "" for none."""

    title: str
    groups: Sequence[Group]
    note: str = ""


def sheets(results: Results, choice: Choice = ALL) -> list[Sheet]:
    """The tables that are printed: the answers to a goal, the results, the rounds of a campaign.

    choice : one table instead, with these rows and columns.
    """
    finished = finished_cells(results)
    tables = [Sheet("", result_groups(results, finished, choice))]
    if choice != ALL:
        return tables
    if any(cell.answer is not None for cell in results.experiment.cells):
        title, group, note = answers(results)
        tables.insert(0, Sheet(title, [group], note))
    if rounds := campaign_groups(results, finished):
        tables.append(Sheet("rounds", rounds, " ".join(entry_lines(*finished[0][:2]))))
    return tables


def markdown_table(results: Results, numpy: str, choice: Choice = ALL) -> str:
    """The results as tables of Markdown, a row for each cell, or for each metric of one cell."""
    parts = [f"**{_cell(one_line(results.experiment.scenario.title))}**"]
    for sheet in sheets(results, choice):
        columns = _columns(sheet.groups)
        rows = [[head for head, _ in columns], [_ruled(column) for _, column in columns]]
        rows += [*map(list, zip(*(column.cells for _, column in columns), strict=True))]
        parts += [_cell(sheet.title)] * bool(sheet.title)
        parts.append("\n".join(f"| {' | '.join(map(_cell, row))} |" for row in rows))
        parts += [_cell(sheet.note)] * bool(sheet.note)
    return "\n\n".join([*parts, _source(results, numpy)]) + "\n"


def latex_table(results: Results, numpy: str, choice: Choice = ALL) -> str:
    """The results as tabulars of LaTeX with booktabs; titles and source stand in comments."""
    lines = [
        f"% {one_line(results.experiment.scenario.title)}",
        f"% {_source(results, numpy)}",
        "% needs \\usepackage{booktabs}",
    ]
    for number, sheet in enumerate(sheets(results, choice)):
        comments = [f"% {words}" for words in (sheet.title, sheet.note) if words]
        lines += [*[""] * bool(number), *comments, *_tabular(sheet.groups)]
    return "\n".join(lines) + "\n"


def _tabular(groups: Sequence[Group]) -> list[str]:
    """The lines of one tabular."""
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
    return [
        f"\\begin{{tabular}}{{{form}}}",
        "\\toprule",
        *([f"{' & '.join(titles)} \\\\", " ".join(rules)] if rules else []),
        f"{' & '.join(heads)} \\\\",
        "\\midrule",
        *(f"{' & '.join(map(latex, row))} \\\\" for row in cells),
        "\\bottomrule",
        "\\end{tabular}",
    ]


PAPER: Final[dict[str, Callable[..., str]]] = {
    "md": markdown_table,
    "latex": latex_table,
}
"""The forms of a table for others than terminals, by their names."""


def latex(words: str) -> str:
    """Words of a table in LaTeX: numbers as mathematics, letters that mean something as text."""
    words = " ".join(words.split())
    number = r"[-+−]?\d[\d .]*(?:e-?\d+)?"
    if re.fullmatch(rf"\(?{number}(?: ± [\d.]+\)?(?:e-?\d+)?)?", words):
        powered = re.sub(r"e(-?\d+)", r" \\times 10^{\1}", words.replace("−", "-"))
        spaced = re.sub(r"(?<=\d) (?=\d)", r"\\,", powered)
        return f"${spaced.replace('±', chr(92) + 'pm')}$"
    if words == text.MISSING:
        return "--"
    escaped = "".join(SYMBOLS.get(letter, letter) for letter in words)
    return re.sub(
        "10([⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+)|10\\$\\^2\\$",
        lambda power: f"$10^{{{(power[1] or '²').translate(RAISED)}}}$",
        escaped,
    )


def _columns(groups: Sequence[Group]) -> list[tuple[str, Column]]:
    """Each column under the title of its group and its own head."""
    return [
        (f"{group.title}: {column.head}" if group.title else column.head, column)
        for group in groups
        for column in group.columns
    ]


def _ruled(column: Column) -> str:
    return ":--" if column.words else "--:"


def _cell(words: str) -> str:
    return " ".join(words.split()).replace("\\", "\\\\").replace("|", "\\|")


def _source(results: Results, numpy: str) -> str:
    """The trials and the digest that the numbers are of."""
    trials, digest = text.count(results.trials), text.drawn_by(results.digest, numpy)
    partial = "" if results.complete else f" of {text.count(results.experiment.trials)}"
    return f"{trials}{partial} trials, {digest}"
