"""The answer that says what files of reports look like."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ldptui.core.reports.describing import Description

from .question_answer import QuestionAnswer, Table


@dataclass(frozen=True)
class DescriptionAnswer(QuestionAnswer):
    """The answer of `estimate --describe`: the content of each file, and the options
    that read it.
    """

    files: tuple[Description, ...]

    @property
    def title(self) -> str:
        return "the columns of the files"

    @property
    def sentences(self) -> Iterator[str]:
        yield from (f"{each.sentence}." for each in self.files)

    def table(self, is_brief: bool = False) -> Table:
        del is_brief
        return ["file", "column", "holds", "begins with"], [
            (each.source, column.name, column.words, ", ".join(column.examples))
            for each in self.files
            for column in each.columns
        ]
