"""The words typed into the palette that are values of the scenario: "oue", "eps 2", "n1e7"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from ...catalogue import key_words, kind_words, listed_keys, listed_kinds
from ...session.draft import used_keys, value_of
from ...text.format import to_ascii

if TYPE_CHECKING:
    from ...session.draft import Draft

KINDS: Final = ("protocol", "attack", "population")
"""The tables whose kind can be typed alone."""
NUMBER: Final = re.compile(r"(.+?)[=\s]*([+-]?[0-9._]+(?:e[+-]?[0-9]+)?)\s*(%?)", re.IGNORECASE)


def values(draft: Draft, typed: str) -> Iterator[tuple[str, Any, str]]:
    """The keys that words set, their values, and what that is in words."""
    words = typed.casefold().strip()
    yield from _kinds(words)
    match = NUMBER.fullmatch(words)
    if match is None:
        return
    try:
        number = float(match[2].replace("_", "")) / (100 if match[3] else 1)
    except ValueError:
        return
    value = int(number) if number.is_integer() else number
    numbers = [key for key in listed_keys() if _is_number(draft, key)]
    exact = [key for key in numbers if match[1] in _names(key)]
    for key in exact or [key for key in numbers if _begins(key, match[1])]:
        yield key, value, f"{key_words(key).title}: {match[2]}{match[3]}"


def _kinds(words: str) -> Iterator[tuple[str, Any, str]]:
    """Kinds by their names, with the name of the table before them or without."""
    for table in KINDS:
        name = words.removeprefix(f"{table} ").strip()
        for kind in listed_kinds(table):
            if kind == name:
                named = kind_words(table, kind)
                yield f"{table}.kind", kind, f"{table.capitalize()}: {named.name}"


def _is_number(draft: Draft, key: str) -> bool:
    """True for a key that has a number here, or may have one."""
    table, _, leaf = key.rpartition(".")
    value = value_of(draft, key)
    known = value is not None or (table in KINDS and leaf in used_keys(draft, table))
    return known and not isinstance(value, str | bool | list)


def _names(key: str) -> tuple[str, ...]:
    """The symbol of a key, as it is and in ASCII, and the last part of its name."""
    symbol = key_words(key).symbol
    return symbol.casefold(), to_ascii(symbol).casefold(), key.rpartition(".")[2]


def _begins(key: str, words: str) -> bool:
    """True where a name of the key begins so, or words of its title do, each with one of these."""
    if len(words) > 2 and any(name.startswith(words) for name in _names(key)):
        return True
    titled = key_words(key).name.casefold().split()
    return all(any(each.startswith(word) for each in titled) for word in words.split())
