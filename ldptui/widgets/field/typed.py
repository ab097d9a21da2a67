"""Text to a value and back."""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Final, TypeAlias

from ldptui.core.base.errors import format_number

from ...catalogue import key_words
from ...session.draft.looking import Type
from ...text.format import count
from ...text.number import read_number


def read(text: str, type_: Type) -> Any:
    """The value of a typed text; the text itself if it is no value of that type."""
    if type_ == "text":
        return text
    if type_ == "list":
        return _items(text)
    if type_ == "table":
        return _table(text)
    if type_ in ("sweep", "share"):
        return _range(text, type_)
    number = read_number(text)
    if number is None:
        return text
    if number == number.to_integral_value() and (type_ == "integer" or _whole(text)):
        return int(number) if abs(number) < 10**30 else text
    return text if type_ == "integer" else float(number)


def _table(text: str) -> Any:
    """The table in a text such as `width = 4, deep = { x = 1 }`, with braces or without; the text
    itself if it is not valid TOML.
    """
    bare = text.strip()
    bare = bare if bare.startswith("{") else f"{{ {bare} }}"
    try:
        return tomllib.loads(f"table = {bare}")["table"]
    except tomllib.TOMLDecodeError:
        return text


def _whole(text: str) -> bool:
    return "." not in text and "%" not in text and "e-" not in text.lower()


def _items(text: str) -> list[int | float | str]:
    """`0, 5, "New York", Rome`: numbers stay numbers, all else is text."""
    items: list[int | float | str] = []
    for quoted, bare in re.findall(r'\s*(?:"([^"]*)"|([^,]+))\s*(?:,|$)', text.strip().strip("[]")):
        value = read(bare, "number") if bare else quoted
        if value != "" and not (isinstance(value, str) and not value.strip()):
            items.append(value.strip() if isinstance(value, str) and bare else value)
    return items


_RANGE: Final = re.compile(
    r"\s*(?P<start>[^\s,→]+?)\s*(?:→|->|\.\.+|…|\bto\b)\s*(?P<stop>[^\s,]+)"
    r"(?:[\s,]+(?P<points>\d+)(?:\s*points?)?)?(?:[\s,]+(?P<scale>log|linear))?"
    r"(?:[\s,]+(?P<shape>exponential|step)(?:[\s,]+(?:at\s+)?(?P<at>\d+))?)?\s*"
)


def _range(text: str, type_: Type) -> Any:
    """The range of a sweep, such as `0 → 0.2, 5, log`, or the ramp of a share, such as `0 → 0.2,
    step 5`; else the list or the number.
    """
    found = _RANGE.fullmatch(text)
    if found is None:
        return read(text, "list" if type_ == "sweep" else "number")
    words = {"from": read(found["start"], "number"), "to": read(found["stop"], "number")}
    if type_ == "sweep":
        words |= {"points": int(found["points"] or 10), "scale": found["scale"]}
    else:
        words |= {"shape": found["shape"], "at": int(found["at"]) if found["at"] else None}
    return {name: word for name, word in words.items() if word not in (None, "linear")}


def _write_range(values: Mapping[str, Any]) -> str:
    """The range of a sweep, or the ramp of a share over rounds, as the user types it."""
    ends = f"{write(values.get('from'))} → {write(values.get('to'))}"
    kind = f"{values.get('scale', values.get('shape', ''))} {write(values.get('at'))}".strip()
    return ", ".join(filter(None, (ends, write(values.get("points")), kind)))


def write(value: Any, *, grouped: bool = True, type_: Type = "table") -> str:
    """A value as text for a field; whole numbers in groups of three digits."""
    if value is None:
        return ""
    if isinstance(value, Mapping) and type_ in ("sweep", "share"):
        return _write_range(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return count(value) if grouped else str(value)
    if isinstance(value, float):
        return format_number(value, 12)
    if isinstance(value, list | tuple):
        return ", ".join(_item(item) for item in value)
    if isinstance(value, Mapping):
        return ", ".join(f"{_name(name)} = {_toml(inner)}" for name, inner in value.items())
    return str(value)


def _name(name: str) -> str:
    """A key as TOML writes it, in quotes if it is not a bare key."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else quote_toml(name)


def quote_toml(text: str) -> str:
    """A string as a TOML literal: JSON's escapes, and DEL escaped too."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _toml(value: Any) -> str:
    """A value of a table as TOML on one line."""
    if isinstance(value, Mapping):
        return f"{{ {write(value)} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, str):
        return quote_toml(value)
    if isinstance(value, float):
        return repr(value)
    return write(value, grouped=False)


def _item(value: Any) -> str:
    if isinstance(value, str) and _items(value) != [value]:
        return f'"{value}"'
    return write(value, grouped=False)


Step: TypeAlias = str | Sequence[str]
"""A step and the one with shift, or in words: "hundredths", "1-2-5" (with shift ten times as far),
"doubling" (four times), "decades" (a hundred times)."""


def step_of(key: str, type_: Type) -> Step:
    """The step that the catalogue gives a key, else that of its type."""
    step: Step | None = key_words(key).step
    return step or (("1", "10") if type_ == "integer" else ("0.1", "1"))


def nudge_value(value: float, up: bool, big: bool, step: Step) -> int | float:
    """The next larger or smaller number on the grid of the step."""
    if step == "1-2-5":
        return next_round_number(value, up, big)
    if step == "doubling":
        return next_power(max(1, round(value)), up, big)
    if step == "decades":
        return float(Decimal(repr(value)).scaleb((2 if big else 1) * (1 if up else -1)))
    size = Decimal((("0.01", "0.05") if step == "hundredths" else step)[big])
    at = Decimal(repr(value)) / size
    beyond = math.floor(at) + 1 if up else math.ceil(at) - 1
    number = beyond * size
    whole = isinstance(value, int) and number == number.to_integral_value()
    return int(number) if whole else float(number)


def next_power(number: int, up: bool, big: bool) -> int:
    """The next larger or smaller power of two; `big` : the second next."""
    power = number.bit_length() + big if up else (number - 1).bit_length() - 1 - big
    return 1 << max(0, power)


def next_round_number(value: float, up: bool, big: bool) -> int:
    number = max(1, round(value))
    if big:
        return number * 10 if up else max(1, round(number / 10))
    power = 10 ** (len(str(number)) - 1)
    numbers = [power // 2, power, 2 * power, 5 * power, 10 * power]
    above = [each for each in numbers if each > number]
    below = [each for each in numbers if 0 < each < number]
    return above[0] if up else (below[-1] if below else 1)
