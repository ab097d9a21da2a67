"""The answer to a question: a frozen dataclass whose fields are its document.

A field that is annotated with `Quantity` is a row of the table. Nothing here imports NumPy.
"""

from __future__ import annotations

import csv
import dataclasses
import io
import math
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, get_type_hints

from msgspec import Struct

from ..text import format as text
from ..text.safe_cells import safe_cell

if TYPE_CHECKING:
    from ..explain.formula import Formula
    from .sheet import Figure

OMITTED: Final = {"omitted": True}
"""The metadata of a field that the document does not have where it is None."""
HIDDEN: Final = {"hidden": True}
"""The metadata of a field that the document never has: an option that the words are about."""


def omit_field() -> Any:
    """A field that is left out of the JSON document if it is None, its default."""
    return dataclasses.field(default=None, metadata=OMITTED)


def hidden(default: Any = None) -> Any:
    """A field that is never in the JSON document."""
    return dataclasses.field(default=default, metadata=HIDDEN)


HEADS: Final = ("quantity", "value", "formula", "source")
"""The columns of most tables."""
Table: TypeAlias = tuple[Sequence[str], Sequence[Sequence[Any]]]


class Quantity(Struct, frozen=True):
    """The annotation of a field that is a row of the table: name, formula, source, digits."""

    name: str
    formula: str = ""
    source: str = ""
    digits: int = 5


class QuantityRow(NamedTuple):
    """A row of a table; value : a number, or words."""

    quantity: str
    value: float | str
    formula: str = ""
    source: str = ""
    digits: int = 5

    @property
    def printed_value(self) -> str:
        """The value as text."""
        return self.value if isinstance(self.value, str) else text.short(self.value, self.digits)


def row_of_formula(quantity: str, formula: Formula) -> QuantityRow:
    """The row of a quantity with its formula."""
    return QuantityRow(quantity, formula.result, formula.brief, formula.source)


@dataclasses.dataclass(frozen=True)
class QuestionAnswer:
    """The base of all answers: title, sentences, rows and notes, which each question overrides.

    title : of the table.
    sentences : the answer in words; the first one answers the question with its uncertainty.
    notes : the assumptions, and the meanings of the table's words.
    doubts : reasons to doubt the answer, which are also among its sentences or notes.
    is_broken : True if a promise that was checked is not kept, or at an alarm.
    is_undecided : True if the question cannot be answered.
    edits : keys of the scenario with the values that the answer proposes.
    choices : such edits for each place of the chart's cursor.
    """

    @property
    def title(self) -> str:
        raise NotImplementedError

    @property
    def sentences(self) -> Iterable[str]:
        raise NotImplementedError

    @property
    def notes(self) -> Iterable[str]:
        return ()

    @property
    def doubts(self) -> Sequence[str]:
        return ()

    @property
    def read_doubts(self) -> Sequence[str]:
        """The warnings raised while files were read."""
        return ()

    @property
    def is_broken(self) -> bool:
        return False

    @property
    def is_undecided(self) -> bool:
        return False

    @property
    def is_misfit(self) -> bool:
        """True if reports do not fit the protocol, and the user asked for strictness."""
        return False

    @property
    def edits(self) -> Sequence[tuple[str, Any]]:
        return ()

    @property
    def choices(self) -> Sequence[tuple[str, Sequence[tuple[str, Any]]]]:
        return ()

    def quantities(self) -> Iterator[QuantityRow]:
        """The rows of the table: the fields that have a `Quantity` and are not None."""
        for name, quantity in read_quantities(type(self)).items():
            value = getattr(self, name)
            if value is not None:
                yield QuantityRow(
                    quantity.name, value, quantity.formula, quantity.source, quantity.digits
                )

    def table(self, is_brief: bool = False) -> Table:
        """The column heads and the rows of the table; is_brief : as narrow as beside a form."""
        del is_brief
        rows = [*self.quantities()]
        return HEADS, rows

    def records(self) -> list[dict[str, Any]]:
        """A dict for each row, with numbers as they are."""
        heads, rows = self.table()
        return [dict(zip(heads, row, strict=False)) for row in rows]

    def document(self) -> dict[str, Any]:
        """The answer as plain values for JSON: dicts, lists, numbers and text."""
        document: dict[str, Any] = document_of(self)
        return document

    def to_frame(self, library: str | None = None) -> Any:
        """The rows as a data frame of "polars" or "pandas"; by default of the installed one.

        Raises RunError where none is installed.
        """
        from ldptui.core.export.csv_rows import make_frame

        return make_frame(self.records(), library)

    @property
    def sources(self) -> Container[str]:
        """The letters of the sources that the table cites."""
        return {row.source.split(" ")[0] for row in self.quantities()}

    def figures(self) -> Iterable[Figure]:
        """The charts of the answer; charts over an option belong to the question."""
        return ()

    # The formats.

    def shown_table(self, *, is_brief: bool = False) -> Table:
        """The table as it is printed, with aligned numbers."""
        from ..text.table import align_words

        heads, rows = self.table(is_brief)
        if heads != HEADS:
            return heads, rows
        values = align_words([QuantityRow(*row).printed_value for row in rows])
        return heads, [(row[0], value, *row[2:4]) for row, value in zip(rows, values, strict=True)]

    def text(self, more: Iterable[str] = ()) -> str:
        """The first sentence, the table and the notes as text; more : further notes."""
        from ..explain.citations import cite_papers
        from ..text import table

        first, *others = [*self.sentences]
        notes, sources = [*others, *self.notes, *more], cite_papers(self.sources)
        below = [*notes, *([""] if notes and sources else []), *sources]
        heads, rows = self.shown_table()
        if heads == HEADS:
            lines: Any = [(row[0], str(row[1]).strip(), *row[2:]) for row in rows]
            return f"{first}\n\n{table.theory_table(self.title, lines, below)}"
        drawn = table.plain_table([*heads], [[*map(_cell_text, row)] for row in rows])
        return "\n".join([first, "", self.title, "", drawn, *below, ""])

    def markdown(self) -> str:
        """The first sentence, the table and the notes as Markdown."""
        from ..explain.citations import cite_papers

        first, *others = [*self.sentences]
        heads, rows = self.shown_table()
        grid = [[_cell_text(cell).strip().replace("|", "\\|") for cell in row] for row in rows]
        used = [at for at, _ in enumerate(heads) if any(row[at] for row in grid)]
        lines = [[heads[at] for at in used], ["---"] * len(used)]
        lines += [[row[at] for at in used] for row in grid]
        drawn = "\n".join("| " + " | ".join(line) + " |" for line in lines)
        below = [f"- {note}" for note in (*others, *self.notes, *cite_papers(self.sources))]
        parts = [first, f"**{self.title}**", drawn, "\n".join(below)]
        return "\n\n".join(parts).rstrip() + "\n"

    def csv(self) -> str:
        """The rows as CSV in full precision, with cells that no spreadsheet takes for a formula."""
        rows, out = self.records(), io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(rows[0] if rows else ())
        for row in rows:
            cells = row.values()
            writer.writerow([safe_cell(each) if isinstance(each, str) else each for each in cells])
        return out.getvalue()


def _cell_text(cell: Any) -> str:
    """A cell of a table that is printed."""
    if cell is None:
        return text.MISSING
    return f"{cell:.5f}" if isinstance(cell, float) else str(cell)


def read_quantities(kind: type) -> Mapping[str, Quantity]:
    """The fields of an answer's class that are rows, by their names."""
    hints = get_type_hints(kind, include_extras=True)
    found = {
        field.name: [
            extra
            for extra in getattr(hints[field.name], "__metadata__", ())
            if isinstance(extra, Quantity)
        ]
        for field in dataclasses.fields(kind)
    }
    return {name: extras[0] for name, extras in found.items() if extras}


def document_of(value: Any) -> Any:
    """The value as plain values for JSON: dicts, lists, numbers and text. A number that is not
    finite becomes None.
    """
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if dataclasses.is_dataclass(value):
        return {
            field.name: document_of(held)
            for field in dataclasses.fields(value)
            if "hidden" not in field.metadata
            if (held := getattr(value, field.name)) is not None or not field.metadata
        }
    if isinstance(value, Mapping):
        return {key: document_of(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [document_of(item) for item in value]
    return value
