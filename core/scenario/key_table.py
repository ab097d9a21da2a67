"""The tables and keys of scenarios, from the dataclasses: types, ranges, defaults."""

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
    TypeAlias,
    TypeGuard,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from ..base.ranges import Range
from .point import Point

KeyType: TypeAlias = tuple[object, Range | None]
"""A type that a key may have, and the range of a number."""


def names_kind(value: Any, kinds: Mapping[str, type]) -> TypeGuard[str]:
    """Whether a value is the name of one of these kinds."""
    return isinstance(value, str) and value in kinds


def names_in(kind: type) -> list[str]:
    """The keys of a kind's table in a scenario, in order."""
    return [_name(kind, field.name) for field in dataclasses.fields(kind)]


def keys_of(kind: type) -> set[str]:
    """The keys of a kind's table in a scenario, as a set."""
    return set(names_in(kind))


def _name(kind: type, field: str) -> str:
    """The name of a field in scenarios: Python keeps a few of the names for itself."""
    names: dict[str, str] = getattr(kind, "KEYS", {})
    return names.get(field, field)


def _alternatives(hint: Any) -> Iterator[KeyType]:
    """The types that a hint allows, each with its range."""
    base, *extras = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    if get_origin(base) in (Union, UnionType):
        for part in get_args(base):
            yield from _alternatives(part)
    elif base is not type(None):
        yield base, next((extra for extra in extras if isinstance(extra, Range)), None)


TABLES: Final[dict[str, list[type]]] = {}
"""The dataclasses of each table by its dotted key, that of each part of a list: attack.mix.*."""
KEY_TYPES: Final[dict[str, list[KeyType]]] = {}
"""The types of each key that is no table, those of all kinds: attack.mix.*.weight."""


def _add_table(place: str, kind: type) -> None:
    """Put a dataclass of a table into TABLES, and its keys and tables below it."""
    TABLES.setdefault(place, []).append(kind)
    hints = get_type_hints(kind, include_extras=True)
    for field in dataclasses.fields(kind):
        key = f"{place}.{_name(kind, field.name)}".strip(".")
        for base, allowed in _alternatives(hints[field.name]):
            listed = get_origin(base) is tuple
            parts = _alternatives(get_args(base)[0]) if listed else [(base, None)]
            tables = [part for part, _ in parts if dataclasses.is_dataclass(part)]
            for table in tables:
                if table not in TABLES.get(below := f"{key}.*" if listed else key, ()):
                    _add_table(below, cast("type", table))
            if not tables and (base, allowed) not in KEY_TYPES.setdefault(key, []):
                KEY_TYPES[key].append((base, allowed))


_add_table("", Point)

OPEN: Final = ("labels", *(key for key in KEY_TYPES if key.endswith(".options")))
"""Tables whose keys are somebody else's."""


def pattern(key: str) -> str:
    """A dotted key with list indices replaced by *, as in KEY_TYPES: attack.mix.*.weight for
    attack.mix.0.weight.
    """
    return re.sub(r"\.\d+(?=\.|$)", ".*", key)


def types_of(key: str) -> list[KeyType]:
    """The types that a dotted key may have; [] for a table or an unknown key."""
    return KEY_TYPES.get(pattern(key), [])


def is_open(key: str) -> bool:
    """Whether a key lies in a table with free keys, such as options of plug-in code."""
    return any(pattern(key).startswith(f"{table}.") for table in OPEN)


@functools.cache
def kinds_at(table: str) -> Mapping[str, type]:
    """The kinds that a table, or each element of a list of tables, can have, by their names; empty
    for none.
    """
    place = pattern(table)
    tables = TABLES.get(place) or TABLES.get(f"{place}.*", [])
    hints = {kind: get_type_hints(kind).get("kind") for kind in tables}
    return {get_args(hint)[0]: kind for kind, hint in hints.items() if hint is not None}


@functools.cache
def sweepable_keys() -> tuple[str, ...]:
    """The keys that `[sweep]` may name, with `*` for list indices."""
    return tuple(key for key in KEY_TYPES if key not in ("format", "title", "about", *OPEN))


def range_of(key: str) -> Range | None:
    """The interval that a numeric key may lie in; None for other keys."""
    return next((allowed for _, allowed in types_of(key) if allowed is not None), None)


def choices_of(key: str) -> tuple[Any, ...]:
    """The texts or truth values that a key may have; () if the key is a number or a free text."""
    words: dict[Any, None] = {}
    for base, _ in types_of(key):
        if get_origin(base) is Literal:
            words |= dict.fromkeys(get_args(base))
        elif base is bool:
            words |= {True: None, False: None}
    return tuple(words)


def type_of(key: str) -> type:
    """The plain type of a key, the first if it has several; str for an unknown key."""
    for base, _ in types_of(key):
        if get_origin(base) is Literal:
            return type(get_args(base)[0])
        plain = get_origin(base) or base
        return list if plain is tuple else cast("type", plain)
    return str


@functools.cache
def default_of(key: str, kind: str = "") -> Any:
    """The default of a key; None if the key is required or has no default."""
    default = _defaults(key, kind).get(key.rpartition(".")[2], dataclasses.MISSING)
    return None if default is dataclasses.MISSING else default


def defaults_of(key: str) -> tuple[Any, ...]:
    """The distinct scalar defaults of a key over the kinds of its table."""
    if key.endswith(".kind"):
        return ()  # each has its own name
    kinds = kinds_at(key.rpartition(".")[0]) or {"": Point}
    values = dict.fromkeys(default_of(key, kind) for kind in kinds)
    return tuple(value for value in values if isinstance(value, str | int | float))


def is_required(key: str, kind: str = "") -> bool:
    """Whether the key is required: by its table's `kind`, or by the only kind of the table."""
    return _defaults(key, kind).get(key.rpartition(".")[2]) is dataclasses.MISSING


def names_of(table: str, kind: str) -> tuple[str, ...]:
    """The names of the keys of a kind of a table besides `kind`, in order."""
    return tuple(name for name in _defaults(f"{table}.kind", kind) if name != "kind")


def _defaults(key: str, kind: str) -> dict[str, Any]:
    """The keys of the table that a dotted key is in, each with its default or MISSING.

    A default that is made anew each time, as an empty table is, counts as no value: None.
    """
    table = key.rpartition(".")[0]
    several = TABLES.get(pattern(table), [])
    owner = kinds_at(table).get(kind) or (several[0] if len(several) == 1 else None)
    if owner is None:
        return {}
    made = dataclasses.MISSING
    return {
        _name(owner, field.name): field.default if field.default_factory is made else None
        for field in dataclasses.fields(owner)
    }


_WORDS: Final[dict[Any, tuple[str, str]]] = {
    int: ("an integer", "integers"),
    float: ("a number", "numbers"),
    str: ("text", "items"),
    bool: ("true or false", "items"),
}
"""A type in words: one of it, and several."""


def _type_words(base: Any, allowed: Range | None) -> list[str]:
    """A type in words: "a number in [0, 1)", "an integer, at least 1", '"random"'."""
    if get_origin(base) is Literal:
        return [f'"{word}"' if isinstance(word, str) else str(word) for word in get_args(base)]
    if get_origin(base) is dict:
        return ["a table"]
    if get_origin(base) is tuple:
        of = get_args(base)[0]
        words = " or ".join(_type_words(of, None)) if get_origin(of) is Literal else ""
        return [f"a list of {words or _WORDS.get(of, ('', 'items'))[1]}"]
    name, span = _WORDS[base][0], str(allowed or "")
    if span == "finite":
        return [name.replace(" ", " finite ")]
    return [f"{name}{',' if span.startswith('at') else ''} {span}".rstrip()]


def rule_of(key: str) -> str | None:
    """The rule of a key in words, "a number in (0, 20]"; None for a table."""
    words = list(dict.fromkeys(each for known in types_of(key) for each in _type_words(*known)))
    return (f"{', '.join(words[:-1])} or " if words[1:] else "") + words[-1] if words else None
