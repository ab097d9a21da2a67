"""Formulas: a text over named numbers, and a row of a family at the numbers of a setting."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from statistics import NormalDist
from typing import Any, Final, TypeAlias

from ..text.format import count, short

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


Numbers: TypeAlias = Mapping[str, float]
"""Numbers by name. An integer is put in with groups of three digits."""


class Plain(int):
    """An integer that is put in without groups of digits."""


class Crowd(int):
    """A number of users, which is put in with nine characters at most."""


Value: TypeAlias = Callable[[Numbers], Any]
"""What computes a value from numbers; raises KeyError for a name that has none."""

FUNCTIONS: Final[Mapping[str, Callable[..., Any]]] = {
    "√": math.sqrt, "ln": math.log, "log₂": math.log2, "tanh": math.tanh, "Φ": NormalDist().cdf,
    "round": round, "min": min, "max": max,
}  # fmt: skip

_SUMS: Final = {"+": operator.add, "−": operator.sub}
_PRODUCTS: Final = {"·": operator.mul, "/": operator.truediv}
_CLOSING: Final = {"(": ")", "[": "]", "⌊": "⌋", "⌈": "⌉"}
_BEGINS: Final = (*_CLOSING, "{", "√")
_ROUNDED: Final = {"⌊": math.floor, "⌈": math.ceil}
_GREEK: Final = r"\u0391-\u03c9"
_NAME: Final = (
    r"(?:Var\*?|E|Pr)\[[^]]*]|Var\([^)]*\)"
    rf"|[A-Za-z{_GREEK}](?:(?![²{_GREEK}])[\w′*~∞])*"
)
_TOKEN: Final = re.compile(rf"(\s*)({_NAME}|\d+(?:\.\d+)?|:\d+|\S)")
_FOLD: Final = re.compile(r"\{([^{}:]+)(:\d+)?\}")
_SIDES: Final = re.compile(r"((?:\[[^]]*]|[^[:,])*?) ([=≈<>≤]) (.*)")
_END: Final = re.compile(r": |,  |, (?=[a-z]{2}|\S+ = )| ⇒ | = ")


def symbols(text: str) -> str:
    """The text as it is read, without the braces."""
    return _FOLD.sub(r"\1", text)


def sides(text: str) -> tuple[str, str]:
    """The left side of an equation, else "", and the side that has the value."""
    found = _SIDES.match(text)
    if found is None:
        return "", _END.split(text, maxsplit=1)[0]
    return (found[1] if found[2] in "=≈" else ""), _END.split(found[3], maxsplit=1)[0]


def value_of(text: str, numbers: Numbers) -> float:
    """The value of an expression; raises KeyError, or ValueError where it is none."""
    value: float = _parsed(text).value(numbers)
    return value


def put_in(text: str, numbers: Numbers) -> str:
    """The expression with the numbers in the places of their names; raises like `value_of`."""
    pieces = _parsed(text).pieces
    return "".join(part if isinstance(part, str) else part.shown(numbers) for part in pieces)


def filled(template: str, numbers: Numbers) -> str:
    """A sentence with what stands in its braces put in; raises like `value_of`."""
    return _FOLD.sub(lambda fold: put_in(fold[0], numbers), template)


@dataclass(frozen=True)
class _Piece:
    """What is put in as one number. digits : of one that is not whole."""

    text: str
    value: Value
    digits: int = 4

    def shown(self, numbers: Numbers) -> str:
        number = self.value(numbers)
        if isinstance(number, int):
            named = (numbers[name] for name in re.findall(_NAME, self.text) if name in numbers)
            like = next(named, number)  # the first one tells how it is written
            if isinstance(like, Plain):
                return str(number)
            return count(number, 9 if isinstance(like, Crowd) else None)
        shown = short(number, self.digits)
        return f"({shown})" if number < 0 and self.text.startswith("(") else shown


@cache
def _parsed(text: str) -> _Parsed:
    return _Parsed(text)


class _Parsed:
    """A text, read once by recursive descent: its value, and the pieces of the line of numbers."""

    def __init__(self, text: str) -> None:
        self.pieces: list[str | _Piece] = []
        self._text = text
        self._tokens: list[tuple[str, str]] = _TOKEN.findall(text)
        self._at = 0
        self.value = self._sum()
        if self._next:
            raise self._fault()

    @property
    def _next(self) -> str:
        return self._tokens[self._at][1] if self._at < len(self._tokens) else ""

    def _fault(self) -> ValueError:
        return ValueError(f"cannot read {self._next or 'the end'!r} in {self._text!r}")

    def _take(self, wanted: str = "") -> str:
        """The next token, which the line of numbers has as it is."""
        if not self._next or (wanted and self._next != wanted):
            raise self._fault()
        self.pieces += self._tokens[self._at]
        self._at += 1
        return self._tokens[self._at - 1][1]

    def _sum(self) -> Value:
        value = self._product()
        while self._next in _SUMS:
            value = _of(_SUMS[self._take()], value, self._product())
        return value

    def _product(self) -> Value:
        value = self._power()
        while self._next in (*_PRODUCTS, *_BEGINS) or self._next[:1].isalnum():
            if self._next in _PRODUCTS:
                value = _of(_PRODUCTS[self._take()], value, self._power())
            else:  # side by side
                self._tokens[self._at] = (" · ", self._next)
                value = _of(operator.mul, value, self._power())
        return value

    def _power(self) -> Value:
        if self._next == "−":
            self._take()
            return _of(operator.neg, self._power())
        value = self._atom()
        if self._next == "²":
            self._take()
            return _of(lambda base: base**2, value)
        if self._next == "^":
            self._take()
            return _of(operator.pow, value, self._power())
        return value

    def _atom(self) -> Value:
        token, start, before = self._next, self._at, len(self.pieces)
        if token in FUNCTIONS:
            self._take()
            inner = self._within() if self._next in _CLOSING else [self._atom()]
            return _of(FUNCTIONS[token], *inner)
        if token in _CLOSING:
            (value,) = self._within()
            if token in _ROUNDED:
                return _of(_ROUNDED[token], value)
            name = self._between(start + 1, self._at - 1)
            return lambda of: of[name] if name in of else value(of)
        if token[:1].isdigit():
            self._take()
            number = float(token) if "." in token else int(token)
            return lambda _: number
        self._take()
        if token == "{":
            value, text = self._sum(), self._between(start + 1, self._at)
            digits = int(self._take()[1:]) if self._next.startswith(":") else 4
            self._take("}")
            piece = _Piece(text, value, digits)
        elif token == "e" and self._next == "^":
            self._take()
            piece = _Piece(token, _of(math.exp, self._exponent()))
        elif token[:1].isalpha():
            piece = _Piece(token, lambda of: of[token])
        else:
            raise self._fault()
        self.pieces[before:] = [self._tokens[start][0], piece]
        return piece.value

    def _exponent(self) -> Value:
        """What stands close behind e^: an atom, or a number and a name as in e^2ε."""
        value = self._atom()
        if self._next[:1].isalpha() and not self._tokens[self._at][0]:
            value = _of(operator.mul, value, self._atom())
        return value

    def _between(self, start: int, end: int) -> str:
        return "".join(map("".join, self._tokens[start:end])).strip()

    def _within(self) -> list[Value]:
        """What stands in brackets: one value, or the arguments of a function."""
        closing = _CLOSING[self._take()]
        values = [self._sum()]
        while self._next == ",":
            self._take()
            values.append(self._sum())
        self._take(closing)
        return values


def _of(function: Callable[..., Any], *arguments: Value) -> Value:
    return lambda numbers: function(*(argument(numbers) for argument in arguments))
