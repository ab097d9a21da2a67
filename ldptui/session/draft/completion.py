"""Completion of a scenario's text at a place: tables, keys, kinds and the words of a choice.

It works on a text that does not parse: the scanner of `core.scenario` reads any.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from ...catalogue import in_order, kind_words, title_of

if TYPE_CHECKING:
    from ldptui.core.scenario import Table


class Offer(Struct, frozen=True):
    """One thing that may stand there: what is put in, and what it means in a line."""

    text: str
    meaning: str = ""


class Completion(Struct, frozen=True):
    """The offers at a place, each to stand instead of the `typed` characters before it."""

    typed: str
    offers: tuple[Offer, ...]


def completion(text: str, at: int) -> Completion:
    """The offers at character `at` of a TOML text; none inside comments."""
    from ldptui.core.scenario import keys_below, scan

    line = text[:at].rpartition("\n")[2]
    if opening := re.fullmatch(r"[ \t]*(\[{1,2}[\w.]*)", line):
        # One bracket is enough for a list of tables, which has two.
        begun = opening[1].lower()
        headers = [header for header in _headers() if header.startswith((begun, f"[{begun}"))]
        return Completion(opening[1], tuple(Offer(header) for header in headers))
    place = scan(text, at)
    if place.comment:
        return Completion("", ())
    table = place.tables[-1]
    if place.key:
        return _matching(place.typed, _values(table.path, place.key))
    below = keys_below(text, at) if len(place.tables) == 1 else {}
    offers = _keys(table, {**below, **table.keys}, place.typed)
    return _matching(place.typed, offers)


def _matching(typed: str, offers: Iterator[Offer]) -> Completion:
    """The offers that go on from what is typed; none where one of them is typed whole."""
    wanted = typed.lower()
    fitting = tuple(offer for offer in offers if offer.text.lower().startswith(wanted))
    whole = any(offer.text.rstrip(" =") == typed for offer in fitting)
    return Completion(typed, () if whole else fitting)


def _headers() -> Iterator[str]:
    from ldptui.core.scenario import known_keys

    tables = {key.partition(".")[0]: key.partition(".")[2] for key in known_keys() if "." in key}
    for table, within in tables.items():
        yield f"[[{table}]]" if within.startswith("*.") else f"[{table}]"
    yield "[sweep]"
    yield "[[attack.phase]]"


def _keys(table: Table, present: Mapping[str, str], typed: str) -> Iterator[Offer]:
    """The keys that a table may have beside those given, for its kind where it has one.

    Parts of lists have the numbers typed, as in "defence.1., and else 0.
    """
    from ldptui.core.scenario import sweepable_like

    if table.path == "sweep":
        for key in sweepable_like(typed):
            if key not in present:
                yield Offer(f'"{key}" = ', title_of(key))
        return
    for name in _names(table.path, present.get("kind", "")):
        if name not in present:
            yield Offer(f"{name} = ", title_of(f"{table.path}.{name}".strip(".")))


def _names(path: str, kind: str) -> list[str]:
    """The names of the keys of a table, the tables in it included."""
    from ldptui.core.scenario import kinds_at, known_keys, names_of, pattern

    table = f"{pattern(path)}." if path else ""
    inside = (key.removeprefix(table) for key in known_keys() if key.startswith(table))
    names = dict.fromkeys(name.partition(".")[0] for name in inside)
    if kind in kinds_at(path):
        return ["kind", *names_of(path, kind)]
    return sorted(names, key=lambda name: name != "kind")


def _values(path: str, key: str) -> Iterator[Offer]:
    """The words that a key takes, or the values of a swept key: its kinds, or its choices."""
    from ldptui.core.scenario import choices_of, kinds_at

    if path == "sweep":
        path, _, key = key.rpartition(".")
    kinds = kinds_at(path) if key == "kind" else {}
    table = _table_of_kinds(path)
    for kind in in_order(table, kinds):
        yield Offer(f'"{kind}"', kind_words(table, kind).reason)
    for word in () if kinds else choices_of(f"{path}.{key}".strip(".")):
        yield Offer(f'"{word}"' if isinstance(word, str) else str(word).lower())


def _table_of_kinds(path: str) -> str:
    """The table in the catalogue whose kinds a table has: a drift is a population."""
    return "population" if path == "campaign.drift" else path.partition(".")[0]
