"""The scanner of a scenario's text: its keys with their lines, and the tables open at a place.

It reads any text, also one that is no TOML yet: a table's header begins anew, whatever was left
open before it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

_HEADER: Final = r"""^[ \t]*\[{1,2}[ \t]*[A-Za-z_"'][\w.\-"' \t]*\]{1,2}[ \t]*(?:\#[^\n]*)?$"""
_TOKEN: Final = re.compile(
    rf"""(?P<header>{_HEADER})"""
    r'''
      | (?P<comment>\#[^\n]*)
      | (?P<text>"""(?:\\.|[^\\])*?(?:"""|\Z)|\'\'\'.*?(?:\'\'\'|\Z))
      | (?P<string>"(?:\\.|[^"\\\n])*"|'[^'\n]*')
      | (?P<open>["'][^"'\n]*$)
      | (?P<numbers>(?:[+-]?\d[\d_.]*(?:[eE][+-]?\d+)?[ \t]*,(?:\s*(?=[+-]?\d))?)+)
      | (?P<mark>[{}\[\]=,\n])
      | (?P<word>[^\s{}\[\]=,"'#]+)''',
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)


@dataclass
class Table:
    """A table being read: its dotted key with the numbers of parts, and its keys so far.

    keys : each with its value if that is a word or a text, else "". listed : inside the list of
    its last key. parts : the tables that this list has so far.
    """

    path: str
    keys: dict[str, str] = field(default_factory=dict)
    in_list: bool = False
    parts: int = 0

    def inside(self, key: str) -> str:
        """The dotted key of a table that opens as the value of a key, or in its list."""
        return f"{self.path}.{key}{f'.{self.parts}' if self.in_list else ''}".strip(".")


@dataclass
class Scan:
    """A text read up to a place.

    places : every dotted key with its line, from 1, in the order of the text. tables : those that
    are open, the innermost last. key : the one whose value stands at the place, "" for none.
    typed : the word or text that ends there. comment : the place is in one.
    """

    places: list[tuple[str, int]] = field(default_factory=list)
    tables: list[Table] = field(default_factory=lambda: [Table("")])
    key: str = ""
    typed: str = ""
    comment: bool = False


def scan(text: str, end: int | None = None) -> Scan:
    """The text up to character `end`, or all of it."""
    end = len(text) if end is None else end
    done, arrays = Scan(), dict[str, int]()
    line, at, name, valued = 1, 0, "", False
    for token in _TOKEN.finditer(text, 0, end):
        line, at = line + text.count("\n", at, token.start()), token.start()
        kind, last = token.lastgroup, token.end() == end
        done.comment = last and kind == "comment"
        done.typed = token[0] if last and kind in ("word", "string", "open") else ""
        table = done.tables[-1]
        if kind == "header":
            table = Table(_header_key(token[0], arrays, done, line))
            done.tables, name, valued = [table], "", False
        elif kind in ("word", "string", "open", "text"):
            if valued:
                table.keys[done.key] = token[0].strip("\"'")
            else:
                name += token[0].strip("\"'")
        elif token[0] == "=":
            done.key, name, valued = name, "", True
            table.keys.setdefault(done.key, "")
            done.places.append((f"{table.path}.{done.key}".strip("."), line))
        elif token[0] == "{":
            inner = Table(table.inside(done.key))
            if table.in_list:
                done.places.append((inner.path, line))
                table.parts += 1
            done.tables.append(inner)
            done.key, name, valued = "", "", False
        elif token[0] == "}" and len(done.tables) > 1:
            done.tables.pop()
            table = done.tables[-1]
            done.key, name, valued = next(reversed(table.keys), ""), "", table.in_list
        elif token[0] in "[]":
            table.in_list, table.parts = token[0] == "[", 0
            valued = table.in_list
        elif _ends_value(kind, token[0], done.tables):
            done.key, name, valued = "", "", False
    done.key = done.key if valued else ""
    return done


def _ends_value(kind: str | None, mark: str, tables: list[Table]) -> bool:
    """True where a comma or a line end ends the value of a key, which no list holds."""
    if tables[-1].in_list:
        return False
    return kind == "numbers" or mark == "," or (mark == "\n" and len(tables) == 1)


def _header_key(header: str, arrays: dict[str, int], done: Scan, line: int) -> str:
    """The dotted key of a header's table, among the parts of [[arrays]] so far."""
    name = re.sub(r"[\s\"'\[\]]|#.*", "", header)
    for array in sorted(arrays, key=len):  # outer ones first
        if name.startswith(f"{array}."):
            name = f"{array}.{arrays[array]}{name.removeprefix(array)}"
    if "[[" in header:
        if name not in arrays:
            done.places.append((name, line))
        arrays[name] = arrays.get(name, -1) + 1
        name = f"{name}.{arrays[name]}"
    done.places.append((name, line))
    return name


def keys_below(text: str, at: int) -> dict[str, str]:
    """The keys that stand between a place and the next header, as `Table.keys` has them."""
    rest = text[at:]
    header = re.search(_HEADER, rest, re.MULTILINE)
    return scan(rest, header.start() if header else None).tables[0].keys


def line_of(text: str, key: str, *, swept: bool = True) -> int | None:
    """The line (from 1) of TOML text on which a dotted key, or the nearest table of it, stands.

    Parts of lists count from 0: `attack.phase.1.share`, `attack.mix.0.weight`. swept : the line of
    its sweep, where it has one.
    """
    best, wanted = None, key.split(".")
    for place, line in scan(text).places:
        if not swept and place.partition(".")[0] == "sweep":
            continue
        names = place.removeprefix("sweep.").split(".")
        if names == wanted[: len(names)] and (best is None or len(names) >= best[0]):
            best = len(names), line
    return best[1] if best else None
