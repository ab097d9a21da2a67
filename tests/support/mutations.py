"""Mutations of files: the right words in wrong places, values of other types, lines lost.

Every function draws from the random numbers that it is given: the same seed, the same file.
"""

from __future__ import annotations

import copy
import math
import random
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias

import tomlkit

Place: TypeAlias = tuple[Any, Any]
"""A dict or a list, and the key or the number of a value in it."""

NUMBERS: Final = (0, -1, 1, 2, 3, 7, 40, 2**20, 2**31, 2**53, 2**63, 2**64, 10**30, 10**400)
FLOATS: Final = (0.0, -0.0, 0.5, 1.0, 1e-300, 5e-324, 1e-17, 1e300, -1.5, 1 - 1e-16)
NO_NUMBERS: Final = (math.nan, math.inf, -math.inf)
ODD: Final = (*NUMBERS, *FLOATS, *NO_NUMBERS)
WORDS: Final = ("", "x", "counts", "reports", "random", "nearest", "best", "log", "a\u2028b", "ü")
TEXTS: Final = (
    "nan",
    "-inf",
    "9" * 5000,
    "[" * 40 + "]" * 40,
    "{ a = 1 }",
    "[]",
    "''",
    "0x",
    "1_0",
)


def value(draw: random.Random) -> Any:
    """A scalar, a list or a table that a file may hold."""
    kind = draw.randrange(8)
    if kind < 2:
        return draw.choice(NUMBERS)
    if kind < 4:
        return draw.choice(FLOATS + NO_NUMBERS)
    if kind == 4:
        return draw.choice(WORDS)
    if kind == 5:
        return draw.random() < 0.5
    if kind == 6:
        return [value(draw) for _ in range(draw.randrange(4))]
    return {draw.choice(("x", "kind", "share", "from", "to", "points")): value(draw)}


def places(document: Any) -> Iterator[Place]:
    """All values of a document, where they are."""
    inside = document.items() if isinstance(document, dict) else enumerate(document)
    for key, part in inside:
        yield document, key
        if isinstance(part, dict | list):
            yield from places(part)


def change_value(document: dict[str, Any], draw: random.Random) -> None:
    """Give one value another type or size."""
    table, key = draw.choice(list(places(document)))
    table[key] = value(draw)


def change_number(document: dict[str, Any], draw: random.Random) -> None:
    """Make one number another number: nan, infinite, huge, tiny, negative."""
    numbers = [
        (table, key) for table, key in places(document) if isinstance(table[key], int | float)
    ]
    if numbers:
        table, key = draw.choice(numbers)
        table[key] = draw.choice(ODD)


def drop_value(document: dict[str, Any], draw: random.Random) -> None:
    """Leave one value out."""
    table, key = draw.choice(list(places(document)))
    del table[key]


def swap_values(document: dict[str, Any], draw: random.Random) -> None:
    """Exchange two scalars."""
    leaves = [place for place in places(document) if not isinstance(place[0][place[1]], dict)]
    if len(leaves) > 1:
        (table, key), (other, name) = draw.sample(leaves, 2)
        table[key], other[name] = copy.deepcopy(other[name]), copy.deepcopy(table[key])


def nest_value(document: dict[str, Any], draw: random.Random) -> None:
    """Put one value into lists or tables."""
    table, key = draw.choice(list(places(document)))
    for _ in range(draw.choice((1, 1, 2, 5, 40))):
        table[key] = [table[key]] if draw.random() < 0.5 else {"x": table[key]}


def sweep_key(keys: list[str]) -> Callable[[dict[str, Any], random.Random], None]:
    """A mutation that sweeps over one of these keys."""

    def mutation(document: dict[str, Any], draw: random.Random) -> None:
        swept: Any = [value(draw) for _ in range(draw.randrange(1, 4))]
        if draw.random() < 0.4:
            swept = {
                "from": draw.choice(ODD),
                "to": draw.choice(ODD),
                "points": draw.choice((1, 2, 3, 5)),
            }
        sweep = document.setdefault("sweep", {})
        if isinstance(sweep, dict):
            sweep[draw.choice(keys)] = swept

    return mutation


def set_key(keys: list[str]) -> Callable[[dict[str, Any], random.Random], None]:
    """A mutation that gives one of these dotted keys a value."""

    def mutation(document: dict[str, Any], draw: random.Random) -> None:
        *way, leaf = draw.choice(keys).split(".")
        table = document
        for name in way:
            inner = table.setdefault(name, {})
            if not isinstance(inner, dict):
                return
            table = inner
        table[leaf] = value(draw)

    return mutation


def mutated_document(
    document: dict[str, Any], keys: list[str], draw: random.Random
) -> dict[str, Any]:
    """A copy of a document with one to three mutations."""
    changed = copy.deepcopy(document)
    mutations = (
        change_value, change_number, change_number, drop_value, swap_values, nest_value,
        sweep_key(keys), set_key(keys),
    )  # fmt: skip
    for _ in range(draw.choice((1, 1, 2, 3))):
        if changed:
            draw.choice(mutations)(changed, draw)
    return changed


def mutated_text(text: str, draw: random.Random) -> str:
    """A text with one to three of its lines, values or characters changed."""
    for _ in range(draw.choice((1, 1, 2, 3))):
        lines = text.splitlines(keepends=True) or ["\n"]
        at, other = draw.randrange(len(lines)), draw.randrange(len(lines))
        mutation = draw.randrange(6)
        if mutation == 0:
            del lines[at]
        elif mutation == 1:
            lines.insert(other, lines[at])
        elif mutation == 2:
            lines[at], lines[other] = lines[other], lines[at]
        elif mutation == 3:
            put = draw.choice(TEXTS + WORDS)
            key, equals, _ = lines[at].partition("=")
            lines[at] = f"{key}= {put}\n" if equals else lines[at]
        elif mutation == 4:
            place = draw.randrange(len(lines[at]))
            put = draw.choice(("", '"', "[", "]", "{", "=", ".", ",", "-", "9", "\x00", "\u2028"))
            lines[at] = lines[at][:place] + put + lines[at][place + draw.randrange(3) :]
        else:
            lines[at] = lines[at][: draw.randrange(len(lines[at]) + 1)]
        text = "".join(lines)
    return text


def mutated_toml(text: str, keys: list[str], draw: random.Random) -> str:
    """A TOML file that is changed by its lines, or by its values."""
    if draw.random() < 0.4:
        return mutated_text(text, draw)
    document = mutated_document(tomlkit.parse(text).unwrap(), keys, draw)
    return tomlkit.dumps(document)
