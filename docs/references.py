"""The papers and the equations of the pages, as rows of a table and as text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from ldptui.catalogue import in_order, kind_words
from ldptui.core.scenario import KINDS
from ldptui.explain.citations import Paper, papers
from ldptui.explain.equation_list import equations


def plain_cell(text: str) -> str:
    """A text that no mark of Markdown breaks; what stands between backticks has no stars."""
    parts = " ".join(text.split()).replace("|", r"\|").split("`")
    return "`".join(
        part if number % 2 else part.replace("*", r"\*") for number, part in enumerate(parts)
    )


def paper_rows(_: str) -> Iterator[list[str]]:
    """The papers, those with letters first, and the kinds whose source each is."""
    words = [
        kind_words(section, kind) for section in KINDS for kind in in_order(section, KINDS[section])
    ]
    kinds = {(each.name.partition(" (")[0], each.source): None for each in words}
    for paper in sorted(papers()[1:], key=lambda paper: not paper.key):
        names = [name for name, source in kinds if paper.cited in source]
        yield [paper.key, paper.what or ", ".join(names), _reference(paper)]


def _reference(paper: Paper) -> str:
    """Surnames (of four or more the first), title, place and year, without the marks of LaTeX."""
    authors = [name.partition(", ")[0] for name in paper.field("author").split(" and ")]
    authors = authors if len(authors) < 4 else [f"{authors[0]} et al."]
    place = next(filter(None, map(paper.field, ("booktitle", "journal", "howpublished"))), "")
    place = re.sub(r".*\((\w+)\)$", r"\1", place)  # as everybody calls it
    title = paper.field("title").replace(r"{$\Psi$}", "Ψ")
    year = "" if paper.field("year") in place else paper.field("year")
    words = ", ".join(part for part in (*authors, f"“{title}”", place, year) if part)
    for mark, combining in _ACCENTS.items():
        words = re.sub(rf"\\{mark}\{{?(\w)\}}?", rf"\1{combining}", words)
    return unicodedata.normalize("NFC", re.sub(r"[{}\\]", "", words.replace("--", "–")))


_ACCENTS: Final = {"'": "\u0301", '"': "\u0308", "~": "\u0303", "v": "\u030c"}
"""The marks that LaTeX sets above a letter, as characters that combine with it."""


def equation_lines(part: str) -> Iterator[str]:
    """The equations of a part of the list, each with its verdict and what holds."""
    for equation in equations():
        if equation.part == part:
            number = "" if equation.number is None else f"{equation.number}. "
            yield f"### {number}{equation.title}\n"
            yield f"*{equation.source}.* {_VERDICTS[equation.verdict]}\n"
            if equation.latex:
                yield f"```math\n{equation.latex.strip()}\n```\n"
            else:
                yield f"```text\n{equation.printed.strip()}\n```\n"
            if words := plain_cell(equation.note or equation.remark):
                yield f"{words}\n"
            if equation.corrected:
                yield f"What holds:\n\n```text\n{equation.corrected.strip()}\n```\n"


_VERDICTS: Final = {
    "ok": "Right as printed.",
    "loose": "**Loose.**",
    "wrong": "**Wrong as printed.**",
    "missing": "A table in the list, rebuilt here.",
}
