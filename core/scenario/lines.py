"""The scanner of a scenario's text: its keys with their lines."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_NAME: Final = r"""(?:[\w-]+|"[^"\n]*"|'[^'\n]*')"""
_TOKEN: Final = re.compile(
    r"""(?P<header>^[ \t]*\[{1,2}[ \t]*[A-Za-z_"'][\w.\-"' \t]*\]{1,2}[ \t]*(?:\#[^\n]*)?$)"""
    r'''
      | \#[^\n]*
      | """(?:\\.|[^\\])*?(?:"""|\Z) | \'\'\'.*?(?:\'\'\'|\Z)'''
    rf"""
      | (?P<key>{_NAME}(?:[ \t]*\.[ \t]*{_NAME})*)[ \t]*=
      | "(?:\\.|[^"\\\n])*" | '[^'\n]*'
      | (?P<mark>[{{}}\[\]])""",
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)


@dataclass
class _Table:
    """A table being read: its dotted key, its last key, the lists and the tables in its value."""

    path: str
    key: str = ""
    lists: int = 0
    parts: int = 0


def key_lines(text: str) -> list[tuple[str, int]]:
    """Every dotted key of TOML text with its line, from 1, in the order of the text."""
    places, arrays, tables = list[tuple[str, int]](), dict[str, int](), [_Table("")]
    line, at = 1, 0
    for token in _TOKEN.finditer(text):
        line, at = line + text.count("\n", at, token.start()), token.start()
        table = tables[-1]
        if header := token["header"]:
            tables = [_Table(_header_key(header, arrays, places, line))]
        elif key := token["key"]:
            table.key, table.parts = re.sub(r"[\s\"']", "", key), 0
            places.append((f"{table.path}.{table.key}".strip("."), line))
        elif token["mark"] == "{":
            inner = f"{table.path}.{table.key}".strip(".")
            if table.lists:
                inner = f"{inner}.{table.parts}"
                places.append((inner, line))
                table.parts += 1
            tables.append(_Table(inner))
        elif token["mark"] == "}" and len(tables) > 1:
            tables.pop()
        elif token["mark"] in ("[", "]"):
            table.lists += 1 if token["mark"] == "[" else -1
    return places


def _header_key(
    header: str, arrays: dict[str, int], places: list[tuple[str, int]], line: int
) -> str:
    """The dotted key of a header's table, among the parts of [[arrays]] so far."""
    name = re.sub(r"[\s\"'\[\]]|#.*", "", header)
    for array in sorted(arrays, key=len):  # outer ones first
        if name.startswith(f"{array}."):
            name = f"{array}.{arrays[array]}{name.removeprefix(array)}"
    if "[[" in header:
        if name not in arrays:
            places.append((name, line))
        arrays[name] = arrays.get(name, -1) + 1
        name = f"{name}.{arrays[name]}"
    places.append((name, line))
    return name


def line_of(text: str, key: str, *, swept: bool = True) -> int | None:
    """The line (from 1) of TOML text on which a dotted key, or the nearest table of it, stands.

    Parts of lists count from 0: `attack.phase.1.share`, `attack.mix.0.weight`. swept : the line of
    its sweep, where it has one.
    """
    best, wanted = None, key.split(".")
    for place, line in key_lines(text):
        if not swept and place.partition(".")[0] == "sweep":
            continue
        names = place.removeprefix("sweep.").split(".")
        if names == wanted[: len(names)] and (best is None or len(names) >= best[0]):
            best = len(names), line
    return best[1] if best else None
