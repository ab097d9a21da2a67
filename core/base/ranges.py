"""Ranges of parameters, declared once at the field: `share: Annotated[float, Range(0, 1, "[)")]`.

The same declaration rejects a bad value (`RangeChecked`), appears in the JSON Schema of a scenario,
and limits a field of a form.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, Final, Literal, get_args, get_origin, get_type_hints

from .errors import ScenarioError, format_number, got


@dataclass(frozen=True)
class Range:
    """An interval: `ends` says which ends belong to it, as in "[0, 1)".

    limit : the upper limit of a run without --no-limits. Only messages use it.
    """

    low: float = -math.inf
    high: float = math.inf
    ends: Literal["[]", "[)", "(]", "()"] = "[]"
    limit: float = math.inf

    def __contains__(self, value: float) -> bool:
        above = value >= self.low if self.ends[0] == "[" else value > self.low
        below = value <= self.high if self.ends[1] == "]" else value < self.high
        return above and below

    def __str__(self) -> str:
        high = min(self.high, self.limit)
        if high == math.inf:
            if self.low == -math.inf:
                return "finite"
            return (
                f"at least {format_number(self.low)}"
                if self.ends[0] == "["
                else f"greater than {format_number(self.low)}"
            )
        return f"in {self.ends[0]}{_number(self.low)}, {_number(high)}{self.ends[1]}"

    def __get_pydantic_json_schema__(
        self, schema: Any, handler: Callable[[Any], dict[str, Any]]
    ) -> dict[str, Any]:
        """Add the bounds to the JSON Schema of the field (pydantic calls this by its name)."""
        described = handler(schema)
        if math.isfinite(self.low):
            described["minimum" if self.ends[0] == "[" else "exclusiveMinimum"] = self.low
        if math.isfinite(self.high):
            described["maximum" if self.ends[1] == "]" else "exclusiveMaximum"] = self.high
        return described


EPSILON: Final = Range(0, 20, "(]")
"""ε of a local protocol, in nats."""
BUDGET: Final = Range(1e-9, 1e3)
"""ε of a curator; below, the noise of one bin would not fit a 64-bit count."""
DOMAIN: Final = Range(2, 2**32)
"""The number of items."""
WORKERS: Final = Range(1, 1000)
"""Processes that compute."""

ALPHA: Final = Range(0, 1, "()")
"""The probability with which a bound may fail."""
SHARE: Final = Range(0, 1, "[)")
"""β, the share of fakes among all users."""
USERS: Final = Range(1, 1e15)
"""The number of users that closed forms are asked about."""
FREQUENCY: Final = Range(0, 1, "(]")
"""The frequency of an item that somebody holds."""
ENTRIES: Final = 4_000_000
"""Entries of the matrix of a linear programme, at most."""
POWER: Final = Range(0.5, 1, "[)")
"""The probability with which what is there is found."""


def _number(value: float) -> str:
    """1048576 as "2^20" and 1000000 as "10^6": large limits read better so."""
    for base, least in ((2, 1024), (10, 10**6)):
        exponent = round(math.log(value, base)) if least <= value < math.inf else 0
        if exponent and base**exponent == value:
            return f"{base}^{exponent}"
    return format_number(value)


@functools.cache
def ranges(kind: Callable[..., Any]) -> dict[str, Range]:
    """The ranges that the fields of a dataclass declare, by field name."""
    assert isinstance(kind, type)
    declared = {}
    hints = get_type_hints(kind, include_extras=True)
    for field in fields(kind):
        hint = hints[field.name]
        parts = (hint, *(get_args(hint) if get_origin(hint) is not None else ()))
        for part in parts:
            for extra in getattr(part, "__metadata__", ()):
                if isinstance(extra, Range):
                    declared[field.name] = extra
    return declared


def finite(number: float) -> bool:
    """Whether a number fits a finite float: not nan, not infinite, not 10**400."""
    try:
        return math.isfinite(number)
    except OverflowError:
        return False


def hint_about(key: str, value: object) -> str:
    """Advice on what to set instead of an infinite ε; "" for any other key or value."""
    if key == "epsilon" and value == math.inf:
        return "; reports without noise, to test with, are those of the protocol exact"
    return ""


def require(name: str, value: float, allowed: Range) -> None:
    """Raise ScenarioError for a parameter that is outside its range."""
    if not finite(value) or value not in allowed:
        no_end = value in allowed and allowed.low > -math.inf  # "at least 0, got inf" says nothing
        rule = f"must be {'finite and ' * no_end}{allowed}, {got(value)}"
        raise ScenarioError(f"{rule}{hint_about(name, value)}", key=name)


def check_bounds(value: Any) -> None:
    """Raise ScenarioError for the first field of a dataclass that is outside its declared range."""
    kind: Callable[..., Any] = type(value)
    for name, allowed in ranges(kind).items():
        number = getattr(value, name)
        if isinstance(number, bool) or not isinstance(number, int | float):
            continue
        require(name, number, allowed)


class RangeChecked:
    """The base class of dataclasses whose numeric fields declare ranges, which it checks.

    Raises ScenarioError for the first field outside its range.
    """

    def __post_init__(self) -> None:
        check_bounds(self)


WIDE: Final = 1e100
"""No end of a range is farther from 0, so that squares of numbers of it are finite."""


def check_span(low: float, high: float) -> None:
    """Raise ScenarioError for ends of a range that are not finite, not ascending or too close
    together.
    """
    for key, end in (("low", low), ("high", high)):
        if not abs(end) <= WIDE:
            raise ScenarioError(f"must be from -1e100 to 1e100, {got(end)}", key=key)
    if not low < high:
        raise ScenarioError(f"must be above low, {got(high)}", key="high")
    if not low + (high - low) / 4096 < low + (high - low) / 2048 or high - low < 1 / WIDE:
        rule = "must be farther above low: numbers between them are not told apart"
        raise ScenarioError(f"{rule}, {got(high)}", key="high")
