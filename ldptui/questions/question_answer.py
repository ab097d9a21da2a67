"""The answer to a question: a frozen dataclass whose fields are its document.

A field that is annotated with `Quantity` is a row of the table. Nothing here imports NumPy.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, get_type_hints

from msgspec import Struct

from ..text import format as text

if TYPE_CHECKING:
    from ..explain.formula import Formula
    from .sheet import Figure

OMITTED: Final = {"omitted": True}
"""The metadata of a field that the document does not have where it is None."""
HIDDEN: Final = {"hidden": True}
"""The metadata of a field that the document never has: an option that the words are about."""


HEADS: Final = ("quantity", "value", "formula", "source")
"""The columns of most tables."""
Table: TypeAlias = tuple[Sequence[str], Sequence[Sequence[Any]]]


class Quantity(Struct, frozen=True):
    """The annotation of a field that is a row: its name, its formula, its source and digits."""

    name: str
    formula: str = ""
    source: str = ""
    digits: int = 5


class Row(NamedTuple):
    """A row of a table; value : a number, or words."""

    quantity: str
    value: float | str
    formula: str = ""
    source: str = ""
    digits: int = 5

    @property
    def shown(self) -> str:
        """The value as it is printed."""
        return self.value if isinstance(self.value, str) else text.short(self.value, self.digits)


def row_of_formula(quantity: str, formula: Formula) -> Row:
    """The row of a formula that a protocol has of itself."""
    source = formula.source if formula.entry is None else formula.entry.source
    return Row(quantity, formula.result, formula.brief, source)


@dataclasses.dataclass(frozen=True)
class QuestionAnswer:
    """What every answer has beside its fields; a question overrides what it has to say.

    title : of the table. sentences : the answer in words; the first one answers the question with
    its uncertainty. notes : what was assumed, and what the words of the table mean. is_broken : a
    promise that was checked is not kept. edits : keys of the scenario with the values that the
    answer proposes. choices : such edits by the place of the chart's cursor.
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
    def is_broken(self) -> bool:
        return False

    @property
    def is_misfit(self) -> bool:
        """Whether reports do not fit, where strictness was asked for."""
        return False

    @property
    def edits(self) -> Sequence[tuple[str, Any]]:
        return ()

    @property
    def choices(self) -> Sequence[tuple[str, Sequence[tuple[str, Any]]]]:
        return ()

    def quantities(self) -> Iterator[Row]:
        """The rows of the table: the fields that have a `Quantity` and are not None."""
        for name, quantity in read_quantities(type(self)).items():
            value = getattr(self, name)
            if value is not None:
                yield Row(quantity.name, value, quantity.formula, quantity.source, quantity.digits)

    def table(self, is_brief: bool = False) -> Table:
        """The heads of the table and its rows; is_brief : for the room beside a form."""
        del is_brief
        rows = [*self.quantities()]
        return HEADS, rows

    @property
    def sources(self) -> Container[str]:
        """The letters of the sources that the table cites."""
        return {row.source.split(" ")[0] for row in self.quantities()}

    def figures(self) -> Iterable[Figure]:
        """The charts of the answer itself; those along an option are the question's."""
        return ()


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
    """The value for JSON: a number that is not finite is None."""
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
