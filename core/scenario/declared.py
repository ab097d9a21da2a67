"""The keys of a scenario as the dataclasses declare them: types, ranges, choices, defaults."""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Iterator, Mapping
from types import UnionType
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    TypeGuard,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from ..base.ranges import Range
from ..metrics import PythonMetric
from ..metrics.goal import Goal
from .campaign import Campaign, PhaseSpec, Ramp
from .point import Point, Simulate, kinds_at


def names_kind(value: Any, kinds: Mapping[str, type]) -> TypeGuard[str]:
    """Return whether a value is the name of one of these kinds."""
    return isinstance(value, str) and value in kinds


def keys_of(kind: type) -> set[str]:
    """The keys that a kind's table has in a scenario."""
    return {_name(kind, field.name) for field in dataclasses.fields(kind)}


def _name(kind: type, field: str) -> str:
    """The name of a field in scenarios: Python keeps a few of the names for itself."""
    names: dict[str, str] = getattr(kind, "KEYS", {})
    return names.get(field, field)


def _hint_alternatives(hint: Any) -> Iterator[Any]:
    """The alternatives of a hint; Annotated numbers keep their Range."""
    base = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    if get_origin(base) in (Union, UnionType):
        for part in get_args(base):
            yield from _hint_alternatives(part)
    elif dataclasses.is_dataclass(base):
        yield base
    elif hint is not type(None):
        yield hint


def _leaves(kind: type, prefix: str = "") -> Iterator[tuple[str, Any]]:
    hints = get_type_hints(kind, include_extras=True)
    for field in dataclasses.fields(kind):
        for hint in _hint_alternatives(hints[field.name]):
            key = f"{prefix}{_name(kind, field.name)}"
            element = get_args(hint)[0] if get_origin(hint) is tuple else None
            tables = [
                part for part in _hint_alternatives(element) if dataclasses.is_dataclass(part)
            ]
            if dataclasses.is_dataclass(hint):
                assert isinstance(hint, type)
                yield from _leaves(hint, f"{key}.")
            elif tables:
                for table in tables:
                    assert isinstance(table, type)
                    yield from _leaves(table, f"{key}.*.")
            else:
                yield key, hint


@functools.cache
def known_keys() -> dict[str, tuple[Any, ...]]:
    """Every dotted key of a scenario, with the types that some kind gives it.

    The parts of a list of tables are one key: attack.mix.*.weight.
    """
    hints_of: dict[str, list[Any]] = {}
    for key, hint in _leaves(Point):
        kept = hints_of.setdefault(key, [])
        if hint not in kept:
            kept.append(hint)
    return {key: tuple(hints) for key, hints in hints_of.items()}


KEY_TYPES: Final = known_keys()

OPEN: Final = ("labels", *(key for key in KEY_TYPES if key.endswith(".options")))
"""Tables whose keys are somebody else's."""


def is_open(key: str) -> bool:
    """Return whether a key lies in a table whose keys are not ours to know."""
    return any(pattern(key).startswith(f"{table}.") for table in OPEN)


def pattern(key: str) -> str:
    """A dotted key as `known_keys` has it: attack.mix.*.weight for attack.mix.0.weight."""
    return re.sub(r"\.\d+(?=\.|$)", ".*", key)


@functools.cache
def sweepable_keys() -> tuple[str, ...]:
    """The keys that `[sweep]` may name, `*` for the number of a part."""
    return tuple(key for key in KEY_TYPES if key not in ("format", "title", "about", *OPEN))


def _bare(hint: Any) -> tuple[Any, Range | None]:
    if get_origin(hint) is Annotated:
        base, *extras = get_args(hint)
        return base, next((extra for extra in extras if isinstance(extra, Range)), None)
    return hint, None


def is_integer(hint: Any) -> bool:
    """Return whether a type hint, Annotated or not, is that of an integer."""
    return _bare(hint)[0] is int


def range_of(key: str) -> Range | None:
    """The interval that a numeric key may lie in; None for other keys."""
    hints = KEY_TYPES.get(pattern(key), ())
    return next((allowed for _, allowed in map(_bare, hints) if allowed is not None), None)


def choices_of(key: str) -> tuple[Any, ...]:
    """The words or truth values that a key may have; empty where it has none to choose from."""
    words: dict[Any, None] = {}
    for base, _ in map(_bare, KEY_TYPES.get(pattern(key), ())):
        if get_origin(base) is Literal:
            words |= dict.fromkeys(get_args(base))
        elif base is bool:
            words |= {True: None, False: None}
    return tuple(words)


def type_of(key: str) -> type:
    """The plain type of a key, the first where it has several; str where none is known."""
    for base, _ in map(_bare, KEY_TYPES.get(pattern(key), ())):
        if get_origin(base) is Literal:
            return type(get_args(base)[0])
        plain = get_origin(base) or base
        return list if plain is tuple else cast("type", plain)
    return str


@functools.cache
def default_of(key: str, kind: str = "") -> Any:
    """The value of a key that is left out; None where the key is required or has no value."""
    default = _fields(key, kind).get(key.rpartition(".")[2], dataclasses.MISSING)
    return None if default is dataclasses.MISSING else default


def defaults_of(key: str) -> tuple[Any, ...]:
    """The scalars that the kinds of a key's table have as its default, each once."""
    if key.endswith(".kind"):
        return ()  # each has its own name
    kinds = kinds_at(key.rpartition(".")[0]) or {"": Point}
    values = dict.fromkeys(default_of(key, kind) for kind in kinds)
    return tuple(value for value in values if isinstance(value, str | int | float))


def is_required(key: str, kind: str = "") -> bool:
    """True for a key that a kind of its table cannot do without."""
    return _fields(key, kind).get(key.rpartition(".")[2]) is dataclasses.MISSING


def names_of(table: str, kind: str) -> tuple[str, ...]:
    """The names of the keys that a kind of a table knows besides `kind`, in order."""
    return tuple(name for name in _fields(f"{table}.kind", kind) if name != "kind")


def _fields(key: str, kind: str) -> dict[str, Any]:
    """The keys of the table that a dotted key is in, each with its default or MISSING.

    A default that is made anew each time, as an empty table is, counts as no value: None.
    """
    table = key.rpartition(".")[0]
    owner = _TABLES.get(pattern(table)) or kinds_at(table).get(kind)
    if owner is None:
        return {}
    made = dataclasses.MISSING
    return {
        _name(owner, field.name): field.default if field.default_factory is made else None
        for field in dataclasses.fields(owner)
    }


_TABLES: Final[dict[str, type]] = {
    "": Point,
    "simulate": Simulate,
    "attack.phase.*": PhaseSpec,
    "attack.phase.*.share": Ramp,
    "campaign": Campaign,
    "goal": Goal,
    "metric.*": PythonMetric,
}
"""The tables that have no kind."""


_ITEM_WORDS: Final[dict[Any, str]] = {int: "integers", float: "numbers"}
_TYPES: Final[dict[Any, str]] = {
    int: "an integer",
    float: "a number",
    str: "text",
    bool: "true or false",
}


def _type_in_range(name: str, allowed: str) -> str:
    """A type with its range: "a number in [0, 1)", "an integer, at least 1", "a finite number"."""
    if allowed == "finite":
        return name.replace(" ", f" {allowed} ")
    return f"{name}{',' if allowed.startswith('at') else ''} {allowed}".rstrip()


def _items_in_words(of: Any) -> str:
    """The items of a list, in words."""
    if get_origin(of) is Literal:
        return " or ".join(f'"{word}"' for word in get_args(of))
    return _ITEM_WORDS.get(of, "items")


def rule_of(key: str) -> str | None:
    """The rule of a key in words, "a number in (0, 20]"; None for a table."""
    hints = KEY_TYPES.get(pattern(key))
    if hints is None:
        return None
    words: list[str] = []
    for hint in hints:
        base, allowed = _bare(hint)
        if get_origin(base) is Literal:
            choices = (f'"{word}"' if isinstance(word, str) else str(word)
                       for word in get_args(base))  # fmt: skip
            words += [choice for choice in choices if choice not in words]
        elif get_origin(base) is dict:
            words.append("a table")
        elif base in _TYPES:
            words.append(_type_in_range(_TYPES[base], str(allowed or "")))
        else:
            words.append(f"a list of {_items_in_words(get_args(base)[0])}")
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
