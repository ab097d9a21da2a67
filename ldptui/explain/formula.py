"""Formulas: a text over named numbers, and a row of a family at the numbers of a setting."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from ..text.format import count, short

if TYPE_CHECKING:
    from .formula_inputs import FormulaSetting

DIGITS: Final = 5

SOURCES: Final = {
    "ACX": "Arcolezi et al. 2021", "AGC": "Arcolezi et al. 2023",
    "ACG": "Arcolezi et al. 2022", "ADP": "Apple 2017", "ASZ": "Acharya, Sun, Zhang 2019",
    "BS": "Bassily, Smith 2015", "BW": "Balle, Wang 2018", "CGB": "Corrigan-Gibbs, Boneh 2017",
    "CJG": "Cao, Jia, Gong 2021", "DJW": "Duchi, Jordan, Wainwright 2018",
    "DKY": "Ding, Kulkarni, Yekhanin 2017", "DR": "Dwork, Roth 2014", "GRS": "Ghosh et al. 2009",
    "Li20": "Li et al. 2020", "LLWS": "Li, Li, Wang, Sun 2025", "RAP": "Erlingsson et al. 2014",
    "V": "Vadhan 2017", "W17": "Wang et al. 2017", "WLJ": "Wang, Li, Jha 2019",
    "Wang19": "Wang et al. 2019", "YB": "Ye, Barg 2018", "derived": "derived: docs/theory.md",
}  # fmt: skip
"""The papers by the letters that tables cite them with, where there is room for a name."""


@dataclass(frozen=True)
class Formula:
    """One formula of a family of protocols: its symbols, source and, in a setting, its numbers.

    title : the quantity in words; "" if only the table of closed forms has it.
    text : the formula in the language of `expression`, or in words.
    source : the paper and its equation, as tables cite it.
    key : its field in the closed forms (`ldptui theory`), "" if it is none of them.
    number : its number in the list of equations, or None.
    name : the quantity in the table, if that is not the left side or the title.
    put : a sentence instead of the right side with numbers.
    said : a sentence instead of the value.
    part : the heading above the formula.
    numbers : the numbers that it may use, by name.

    Its value is the number named by the key or by the left side, if `core` computes one; otherwise
    the text is evaluated.
    """

    title: str
    text: str
    source: str = ""
    key: str = ""
    number: int | None = None
    name: str = ""
    put: str = ""
    said: str = ""
    part: str = ""
    numbers: Numbers = field(default_factory=dict, repr=False, compare=False)

    @property
    def label(self) -> str:
        """The name of the quantity in the table; "" if the table has no row for it."""
        return self.name or sides(self.text)[0] or self.title

    @property
    def citation(self) -> str:
        """The source by the names of its authors."""
        letters, _, rest = self.source.partition(" ")
        return ", ".join(filter(None, [SOURCES.get(letters, letters), rest]))

    @property
    def formula(self) -> str:
        """The formula in symbols."""
        return symbols(self.text)

    @cached_property
    def value(self) -> float:
        """The value of the formula; raises KeyError if a number that it needs is not known."""
        left, right = sides(self.text)
        for name in (self.key, left or symbols(right)):
            if name in self.numbers:
                return self.numbers[name]
        return value_of(right, self.numbers) if self.text else math.nan

    @cached_property
    def substituted_text(self) -> str:
        """The right side with numbers in place of names; raises KeyError if one is unknown."""
        if self.put:
            return fill_template(self.put, self.numbers)
        return put_in(sides(self.text)[1], self.numbers) if self.title else ""

    @property
    def result(self) -> str:
        """The value as text."""
        return self.said or short(self.value, DIGITS)

    @property
    def brief(self) -> str:
        """The right side alone, without spaces: `e^ε/(e^ε + d − 1)`."""
        if not self.title:
            return self.formula
        right = self.formula.rpartition("= ")[2].partition(":")[0].partition(",  ")[0]
        closer = re.sub(r"\b([a-z]) \(", r"\1(", right.replace(" / ", "/"))
        return re.sub(r"\) ([a-z])", r")\1", closer)

    def at(self, numbers: Numbers, part: str = "") -> Formula:
        """The formula with these numbers added to its own, under a heading."""
        return replace(self, numbers={**numbers, **self.numbers}, part=part)


def list_formula(key: str, name: str, text: str, source: str) -> Formula:
    """A formula without a title, which only the table of closed forms shows."""
    return Formula("", text, source, key, name=name)


class KnownNumbers(dict[str, float]):
    """The numbers of a setting by name, including the values of the formulas computed so far."""

    def __init__(self, setting: FormulaSetting, **more: float) -> None:
        protocol, users = setting.protocol, setting.users
        super().__init__({"ε": getattr(protocol, "epsilon", math.nan), "d": protocol.domain_size})
        self.update({"n": users} if users is not None else {})
        self.update(more)
        self.setting, self._rows = setting, dict[str, float]()

    def fill(self, rows: Iterable[Formula], part: str = "") -> Iterator[Formula]:
        """Yields the formulas whose numbers are all known, with these numbers.

        If the protocol has an attribute named like a formula's key, it is its value.
        """
        for row in rows:
            own = getattr(self.setting.protocol, row.key, None) if row.key else None
            if isinstance(own, int | float):
                self.setdefault(row.key, own)
            left = sides(row.text)[0]
            if left in self and self[left] is self._rows.get(left):  # of a row before this one
                del self[left]
            formula = row.at(self, part)
            try:
                value, _ = formula.value, formula.substituted_text
            except (KeyError, ValueError, ZeroDivisionError):
                continue
            if left and left not in self:
                self[left] = self._rows[left] = value
            yield formula


Numbers: TypeAlias = Mapping[str, float]
"""Numbers by name. An integer is put in with groups of three digits, a long one shortened."""


Value: TypeAlias = Callable[[Numbers], Any]
"""What computes a value from numbers; raises KeyError for a name that has none."""

FUNCTIONS: Final[Mapping[str, Callable[..., Any]]] = {
    "√": math.sqrt, "ln": math.log, "log₂": math.log2, "tanh": math.tanh, "Φ": NormalDist().cdf,
    "round": round, "min": min, "max": max,
}  # fmt: skip

_BINDS: Final[Mapping[str, tuple[int, Callable[..., Any]]]] = {
    "+": (0, operator.add), "−": (0, operator.sub), "·": (1, operator.mul),
    "/": (1, operator.truediv), "^": (2, operator.pow),
}  # fmt: skip
"""How tightly an operator binds, and what it does."""
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
    """The text of a formula as it is printed, without braces."""
    return _FOLD.sub(r"\1", text)


def sides(text: str) -> tuple[str, str]:
    """The left side of an equation ("" if there is none) and the side that is computed."""
    found = _SIDES.match(text)
    if found is None:
        return "", _END.split(text, maxsplit=1)[0]
    return (found[1] if found[2] in "=≈" else ""), _END.split(found[3], maxsplit=1)[0]


def value_of(text: str, numbers: Numbers) -> float:
    """The value of an expression; raises KeyError for an unknown number, ValueError if it has no
    value.
    """
    value: float = _parse_template(text).value(numbers)
    return value


def put_in(text: str, numbers: Numbers) -> str:
    """The expression with its names replaced by their numbers; raises like `value_of`."""
    pieces = _parse_template(text).pieces
    return "".join(part if isinstance(part, str) else part.format_piece(numbers) for part in pieces)


def fill_template(template: str, numbers: Numbers) -> str:
    """A sentence with the expressions in its braces replaced by their values; raises like
    `value_of`.
    """
    return _FOLD.sub(lambda fold: put_in(fold[0], numbers), template)


@dataclass(frozen=True)
class _Piece:
    """One number in the text of a formula.

    digits : the significant digits, unless it is a whole number.
    """

    text: str
    value: Value
    digits: int = 4

    def format_piece(self, numbers: Numbers) -> str:
        number = self.value(numbers)
        if isinstance(number, int):
            return count(number, 9)
        shown = short(number, self.digits)
        return f"({shown})" if number < 0 and self.text.startswith("(") else shown


@cache
def _parse_template(text: str) -> _ParsedText:
    return _ParsedText(text)


class _ParsedText:
    """A parsed formula: its value, and the pieces of its text with numbers."""

    def __init__(self, text: str) -> None:
        self.pieces: list[str | _Piece] = []
        self._text, self._at = text, 0
        self._tokens: list[tuple[str, str]] = _TOKEN.findall(text)
        self.value = self._read()
        if self._next:
            raise self._fault()

    @property
    def _next(self) -> str:
        return self._tokens[self._at][1] if self._at < len(self._tokens) else ""

    def _fault(self) -> ValueError:
        return ValueError(f"cannot read {self._next or 'the end'!r} in {self._text!r}")

    def _take(self, wanted: str = "") -> str:
        """The next token, which is copied to the text with numbers."""
        if not self._next or (wanted and self._next != wanted):
            raise self._fault()
        self.pieces += self._tokens[self._at]
        self._at += 1
        return self._tokens[self._at - 1][1]

    def _read(self, least: int = 0) -> Value:
        """The value of the next operand and of operators that bind at least as strongly
        as `least`.
        """
        if self._next == "−":
            self._take()
            value = _of(operator.neg, self._read(2))
        else:
            value = self._atom()
        while self._next:
            if self._next == "²":
                self._take()
                value = _of(lambda base: base**2, value)
                continue
            beside = self._next in _BEGINS or self._next[:1].isalnum()  # a product
            binds, function = (1, operator.mul) if beside else _BINDS.get(self._next, (-1, None))
            if function is None or binds < least:
                break
            if beside:
                self._tokens[self._at] = (" · ", self._next)
            else:
                self._take()
            value = _of(function, value, self._read(2 if binds == 2 else binds + 1))
        return value

    def _atom(self) -> Value:
        token, start, before = self._next, self._at, len(self.pieces)
        if token in FUNCTIONS:
            self._take()
            inner = self._within() if self._next in _CLOSING else [self._atom()]
            return _of(FUNCTIONS[token], *inner)
        if token in _CLOSING:
            (value,) = self._within()
            name = "".join(map("".join, self._tokens[start + 1 : self._at - 1])).strip()
            rounded = _of(_ROUNDED[token], value) if token in _ROUNDED else value
            return lambda of: of[name] if name in of else rounded(of)
        self._take()
        if token[:1].isdigit():
            number = float(token) if "." in token else int(token)
            return lambda _: number
        digits, text = 4, token
        if token == "{":
            value, text = self._read(), self._tokens[start + 1][1]
            digits = int(self._take()[1:]) if self._next.startswith(":") else 4
            self._take("}")
        elif token == "e" and self._next == "^":
            self._take()
            value = self._atom()
            if self._next[:1].isalpha() and not self._tokens[self._at][0]:  # as in e^2ε
                value = _of(operator.mul, value, self._atom())
            value = _of(math.exp, value)
        elif token[:1].isalpha():
            value = lambda of: of[token]  # noqa: E731
        else:
            raise self._fault()
        self.pieces[before:] = [self._tokens[start][0], _Piece(text, value, digits)]
        return value

    def _within(self) -> list[Value]:
        """The values in brackets: one, or the arguments of a function."""
        closing = _CLOSING[self._take()]
        values = [self._read()]
        while self._next == ",":
            self._take()
            values.append(self._read())
        self._take(closing)
        return values


def _of(function: Callable[..., Any], *arguments: Value) -> Value:
    return lambda numbers: function(*(argument(numbers) for argument in arguments))
