"""What may stand at a place of a scenario's text: tables, keys, kinds and the words of a choice.

Works on a text that does not parse: it reads from the last table's header up to the cursor.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, Literal, get_args, get_origin

from ...catalogue import kind_words, title_of

_TOKEN: Final = re.compile(
    r"""(?P<comment>\#[^\n]*)
      | (?P<string>"(?:\\.|[^"\\\n])*"|'[^'\n]*')
      | (?P<open>["'][^"'\n]*$)
      | (?P<mark>[{}\[\]=,\n])
      | (?P<word>[^\s{}\[\]=,"'#]+)""",
    re.VERBOSE,
)
_HEADER: Final = re.compile(r"^[ \t]*\[+[ \t]*([\w.\-\"']+)[ \t]*\]+", re.MULTILINE)


@dataclass(frozen=True)
class Offer:
    """One thing that may stand there: what is put in, and what it means in a line."""

    text: str
    meaning: str = ""


@dataclass(frozen=True)
class Completion:
    """What is offered at a place, in place of the `typed` characters before it."""

    typed: str
    offers: tuple[Offer, ...]


@dataclass
class _Table:
    """A table being read: its path without numbers, and the keys that it has so far."""

    path: str
    keys: dict[str, str] = field(default_factory=dict)
    listed: bool = False
    """Inside its last key's list, where a table may open."""


def completion(text: str, at: int) -> Completion:
    """What may stand at character `at` of a TOML text; nothing is offered inside comments."""
    before = text[:at]
    line = before.rpartition("\n")[2]
    if opening := re.fullmatch(r"[ \t]*(\[{0,2}[\w.]*)", line):
        typed = opening[1]
        if typed.startswith("["):
            return _matching(typed, (Offer(one) for one in _headers()))
    tables, key, typed = _read(text, at)
    if tables is None:
        return Completion("", ())
    table = tables[-1]
    if key:
        return _matching(typed, _values(table.path, key))
    given = table.keys.keys() | _keys_after(text, at, len(tables))
    return _matching(typed, (one for one in _keys(table, text, at) if one.text[:-3] not in given))


def _matching(typed: str, offers: Iterator[Offer]) -> Completion:
    """Those that go on from what is typed; nothing where one of them is all there."""
    wanted = typed.lower()
    found = tuple(one for one in offers if one.text.lower().startswith(wanted))
    whole = any(one.text.rstrip(" =") == typed for one in found)
    return Completion(typed, () if whole else found)


def _read(text: str, at: int) -> tuple[list[_Table] | None, str, str]:
    """The tables open at a place, the key whose value stands there ("" for none), what is typed."""
    headers = [found for found in _HEADER.finditer(text, 0, at) if found.end() <= at]
    start = headers[-1].end() if headers else 0
    path = headers[-1][1].replace('"', "").replace("'", "") if headers else ""
    tables = [_Table(path)]
    key, word, valued, typed = "", "", False, ""
    for found in _TOKEN.finditer(text, start, at):
        typed = (
            found[0] if found.end() == at and found.lastgroup in ("word", "string", "open") else ""
        )
        table = tables[-1]
        if found.lastgroup == "comment" and found.end() == at:
            return None, "", ""
        if found.lastgroup in ("word", "string", "open"):
            if valued:
                table.keys[key] = found[0].strip("\"'")
            else:
                word = found[0].strip("\"'")
            continue
        match found[0]:
            case "=":
                key, valued = word, True
                table.keys.setdefault(key, "")
            case "{":
                tables.append(_Table(f"{table.path}.{key}".strip(".")))
                key, word, valued = "", "", False
            case "}" if len(tables) > 1:
                tables.pop()
                key, word, valued = next(reversed(tables[-1].keys), ""), "", tables[-1].listed
            case "[":
                table.listed = True
            case "]":
                table.listed = valued = False
            case "," if not table.listed:
                key, word, valued = "", "", False
            case "\n" if len(tables) == 1 and not table.listed:
                key, word, valued = "", "", False
    return tables, key if valued else "", typed


def _keys_after(text: str, at: int, depth: int) -> set[str]:
    """The keys of the same table below the cursor, where it is no inline one."""
    if depth > 1:
        return set()
    rest = text[at:]
    end = _HEADER.search(rest)
    rest = rest[: end.start()] if end else rest
    return set(re.findall(r"^[ \t]*([\w.\-]+)[ \t]*=", rest, re.MULTILINE))


def _headers() -> Iterator[str]:
    from core.scenario import known_keys

    tables = dict.fromkeys(key.partition(".")[0] for key in known_keys() if "." in key)
    for one in tables:
        yield f"[{one}]"
    yield "[sweep]"
    yield "[[attack.phase]]"


def _keys(table: _Table, text: str, at: int) -> Iterator[Offer]:
    """The keys that a table may have, for its kind where it has one."""
    from core.scenario import sweepable_keys

    if table.path == "sweep":
        for key in sweepable_keys():
            yield Offer(f'"{key}" = ', title_of(key))
        return
    kind = table.keys.get("kind") or _kind_below(text, at)
    for name in _names(table.path, kind):
        key = f"{table.path}.{name}".strip(".")
        yield Offer(f"{name} = ", title_of(key))


def _kind_below(text: str, at: int) -> str:
    found = re.search(r"""^[ \t]*kind[ \t]*=[ \t]*["'](\w[\w-]*)""", text[at:], re.MULTILINE)
    header = _HEADER.search(text[at:])
    return found[1] if found and (not header or found.start() < header.start()) else ""


def _names(path: str, kind: str) -> list[str]:
    """The names of the keys of a table."""
    from core.scenario import KINDS, known_keys

    from . import keys_of

    root = path.partition(".")[0]
    known = known_keys()
    plain = re.sub(r"\.\d+", "", path)
    direct = [
        re.sub(r"\.\d+", "", key).removeprefix(f"{plain}." if plain else "").partition(".")[0]
        for key in known
        if not plain or re.sub(r"\.\d+", "", key).startswith(f"{plain}.")
    ]
    names = list(dict.fromkeys(direct))
    if kind in KINDS.get(root, {}) and plain in (root, "attack.mix", "attack.phase.mix"):
        own = {"kind", "weight", *keys_of(root, kind)}
        names = [one for one in names if one in own]
    return names


def _values(path: str, key: str) -> Iterator[Offer]:
    """The words that a key may have: kinds, and those of a choice."""
    from core.scenario import KINDS, known_keys

    root = path.partition(".")[0]
    if key == "kind" and root in KINDS:
        for kind in KINDS[root]:
            yield Offer(f'"{kind}"', kind_words(root, kind).reason)
        return
    whole = re.sub(r"\.\d+", "", f"{path}.{key}".strip("."))
    words: dict[Any, None] = {}
    for known, hints in known_keys().items():
        if re.sub(r"\.\d+", "", known) == whole:
            for hint in hints:
                if get_origin(hint) is Literal:
                    words |= dict.fromkeys(get_args(hint))
                elif hint is bool:
                    words |= {True: None, False: None}
    for word in words:
        yield Offer(f'"{word}"' if isinstance(word, str) else str(word).lower())
