"""One formula at work: a row of a family over the numbers of a setting."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

from ..text.format import short
from .expression import Numbers, filled, put_in, sides, symbols, value_of

W17: Final = "Wang et al. 2017"
CJG: Final = "Cao, Jia, Gong 2021"
RAP: Final = "Erlingsson et al. 2014"

DIGITS: Final = 5


@dataclass(frozen=True)
class Entry:
    """A formula's row in the table of closed forms (`ldptui theory`) and its field in JSON.

    key : the field. name : the quantity, empty where the table has no row of it. source : as the
    table cites it. formula : the right side alone; empty for that of the formula. field : what JSON
    has in place of the value.
    """

    key: str
    name: str = ""
    source: str = ""
    formula: str = ""
    field: str = ""


@dataclass(frozen=True)
class Formula:
    """One formula: a row of a family, and where it is shown the numbers of a setting.

    title : the quantity in words, empty where only the table of closed forms has it. text : the
    formula in the language of `expression`, or in words. number : of the equation in the project's
    list, or None. put : a sentence in the place of the right side with its numbers. said : one in
    the place of the value. part : the heading that the formula belongs to. numbers : by name, all
    that it is over.

    The value is the number that has the name of the entry, or of the left side: one that `core`
    computes. Without such a number it is what the text makes of the others.
    """

    title: str
    text: str
    source: str = ""
    number: int | None = None
    entry: Entry | None = None
    put: str = ""
    said: str = ""
    part: str = ""
    numbers: Numbers = field(default_factory=dict, repr=False, compare=False)

    @property
    def key(self) -> str:
        """The field in the table of closed forms, empty where the table has no such row."""
        return "" if self.entry is None else self.entry.key

    @property
    def formula(self) -> str:
        """The formula in symbols."""
        return symbols(self.text)

    @cached_property
    def value(self) -> float:
        """The number itself; raises KeyError where a number that it needs is not known."""
        left, right = sides(self.text)
        for name in (self.key, left or symbols(right)):
            if name in self.numbers:
                return self.numbers[name]
        return value_of(right, self.numbers)

    @cached_property
    def substituted(self) -> str:
        """The right side with its numbers, at most 100 cells; raises KeyError like the value."""
        if self.put:
            return filled(self.put, self.numbers)
        return put_in(sides(self.text)[1], self.numbers) if self.title else ""

    @property
    def result(self) -> str:
        """The number as text."""
        field = "" if self.entry is None else self.entry.field
        return self.said or field or short(self.value, DIGITS)

    @property
    def brief(self) -> str:
        """The right side alone, set closer: `e^ε/(e^ε + d − 1)`."""
        if self.entry is not None and self.entry.formula:
            return self.entry.formula
        right = self.formula.rpartition("= ")[2].partition(":")[0].replace(" / ", "/")
        return re.sub(r"\b([a-z]) \(", r"\1(", re.sub(r"\) ([a-z])", r")\1", right))

    def at(self, numbers: Numbers, part: str = "") -> Formula:
        """The formula over these numbers and its own, under a heading."""
        return replace(self, numbers={**numbers, **self.numbers}, part=part)


def listed(key: str, name: str, text: str, source: str, field: str = "") -> Formula:
    """A formula that only the table of closed forms has."""
    return Formula("", text, source, entry=Entry(key, name, source, text, field))


def told(rows: Iterable[Formula], numbers: Numbers, part: str = "") -> Iterator[Formula]:
    """The rows over these numbers, as far as the numbers are known."""
    for row in rows:
        formula = row.at(numbers, part)
        try:
            formula.value, formula.substituted  # noqa: B018 - KeyError where one is not known
        except KeyError:
            continue
        yield formula
