"""The line numbers of the keys in a scenario's text."""

from __future__ import annotations

import re
from typing import Final

_WORDS: Final = re.compile(
    r"""\"{3}(?:\\.|[^\\])*?\"{3}|'{3}.*?'{3}|"(?:\\.|[^"\\\n])*"|'[^'\n]*'|\#[^\n]*""", re.DOTALL
)
"""Strings and comments, in which nothing is a key but words and dots."""


def key_lines(text: str) -> list[tuple[str, int]]:
    """The tables, keys and list elements of TOML text, each with its line, from 1."""
    places: list[tuple[str, int]] = []
    parts: dict[str, int] = {}
    table = key = within = ""  # within : the brackets that are open
    plain = _WORDS.sub(lambda words: re.sub(r"[^\w.\n-]", "", words[0]), text)
    for number, line in enumerate(plain.split("\n"), 1):
        if not within and line.lstrip().startswith("["):
            header, _, _ = line.rpartition("]")
            table = re.sub(r"[\s\[\]]", "", header)
            for listed in sorted(parts, key=len):  # outer ones first
                if table.startswith(f"{listed}."):
                    table = f"{listed}.{parts[listed]}{table.removeprefix(listed)}"
            if "[[" in header:
                if table not in parts:
                    places.append((table, number))
                parts[table] = parts.get(table, -1) + 1
                table = f"{table}.{parts[table]}"
            places.append((table, number))
            continue
        name, equals, _ = line.partition("=")
        if not within and equals:
            key = ".".join(filter(None, (table, "".join(name.split()))))
            places.append((key, number))
        for mark in re.findall(r"[\[\]{}]", line):
            if mark == "{" and within == "[":
                parts[key] = parts.get(key, -1) + 1
                places.append((f"{key}.{parts[key]}", number))
            within = within + mark if mark in "[{" else within[:-1]
    return places


def line_of(text: str, key: str, *, swept: bool = True) -> int | None:
    """The line (from 1) of TOML text with a dotted key, or with its nearest table; None if absent.

    List elements count from 0: `attack.phase.1.share`, `attack.mix.0.weight`. swept : whether to
    prefer the line of the key's sweep.
    """
    best, wanted = None, key.split(".")
    for place, line in key_lines(text):
        if not swept and place.partition(".")[0] == "sweep":
            continue
        names = place.removeprefix("sweep.").split(".")
        if names == wanted[: len(names)] and (best is None or len(names) >= best[0]):
            best = len(names), line
    return best[1] if best else None
