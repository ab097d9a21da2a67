"""Scenario files: TOML in and out, validation, sweeps. The only place of pydantic and tomlkit.

A `Scenario` is the document as its author wrote it. Its `points` are what the document stands for:
one validated `Point` for every combination of swept values. The dataclasses of the protocols,
attacks and populations are the schema.
"""

from __future__ import annotations

import dataclasses
import difflib
import functools
import itertools
import json
import math
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import UnionType
from typing import (
    Annotated,
    Any,
    ClassVar,
    Final,
    Literal,
    TypeAlias,
    TypeGuard,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

import numpy as np
import tomlkit
import tomlkit.items
from pydantic import Discriminator, TypeAdapter, ValidationError

from .attacks import ATTACKS, AttackSpec, NoAttack
from .bounds import Range, check_bounds
from .errors import FileError, ScenarioError
from .population import POPULATIONS, PopulationSpec
from .protocols import KINDS as PROTOCOL_KINDS
from .protocols import ProtocolSpec

FORMAT: Final = 1
MAX_CELLS: Final = 10_000
MAX_BYTES: Final = 64 << 20
MAX_DEPTH: Final = 32
"""Tables and lists within each other."""

Document: TypeAlias = dict[str, Any]
"""A parsed TOML document: nested dicts, lists and scalars."""

KINDS: Final[dict[str, Mapping[str, type]]] = {
    "population": POPULATIONS,
    "protocol": PROTOCOL_KINDS,
    "attack": ATTACKS,
}


@dataclass(frozen=True)
class Simulate:
    """How to simulate: which path, and the k of `targets_in_top_k`."""

    path: Literal["auto", "counts", "reports"] = "auto"
    top_k: Annotated[int, Range(1)] = 20

    def __post_init__(self) -> None:
        check_bounds(self)


@dataclass(frozen=True)
class Point:
    """One point of a scenario: every parameter has one value."""

    __pydantic_config__: ClassVar = {"extra": "forbid", "strict": True}

    format: Literal[1]
    population: Annotated[PopulationSpec, Discriminator("kind")]
    protocol: Annotated[ProtocolSpec, Discriminator("kind")]
    attack: Annotated[AttackSpec, Discriminator("kind")] = field(default_factory=NoAttack)
    title: str = ""
    about: str = ""
    seed: Annotated[int, Range(0, 2**63, "[)")] = 0
    trials: Annotated[int, Range(1)] = 20
    simulate: Simulate = field(default_factory=Simulate)

    def __post_init__(self) -> None:
        check_bounds(self)

    @property
    def parameters(self) -> dict[str, Any]:
        """Every key with its value, dotted and down to scalars and lists; titles left out."""
        kinds = {name: {"kind": getattr(self, name).kind} for name in KINDS}
        plain = dataclasses.asdict(self)
        for name in ("format", "title", "about"):
            del plain[name]
        tables = {name: {**kinds.get(name, {}), **value} for name, value in plain.items()
                  if isinstance(value, dict)}  # fmt: skip
        return dict(_flatten({**plain, **tables}))


POINT: Final = TypeAdapter(Point)


@dataclass(frozen=True)
class Scenario:
    """A scenario as its author wrote it.

    document : the parsed TOML, unchanged.
    name : what messages call it: a file's name, or "scenario".
    folder : where relative paths start.
    """

    document: Document = field(hash=False)
    name: str = "scenario"
    folder: Path = Path()

    @property
    def title(self) -> str:
        return str(self.document.get("title") or self.name)

    @property
    def about(self) -> str:
        return str(self.document.get("about", "")).strip()

    @property
    def sweep(self) -> dict[str, list[Any]]:
        """The swept keys in file order, each with its values."""
        return _sweep(self.document)

    @property
    def cells(self) -> int:
        """How many points the sweep has."""
        return _size(self.document)

    def points(self) -> Iterator[Point]:
        """Every point, the last swept key fastest; raises ScenarioError at the first bad one."""
        sweep = self.sweep
        for values in itertools.product(*sweep.values()):
            yield self._point(dict(zip(sweep, values, strict=True)), sweep)

    def _point(self, chosen: Mapping[str, Any], sweep: Mapping[str, Any]) -> Point:
        problems, point = _validate(_substitute(self.document, chosen, sweep))
        if point is None:
            raise problems[0].at(self.name)
        return point

    def problems(self) -> list[ScenarioError]:
        """Everything that is wrong, in the order of the document; empty for a valid scenario.

        Each swept value is tried with the first value of every other key.
        """
        try:
            sweep = self.sweep
            first = {key: values[0] for key, values in sweep.items()}
            found, _ = _validate(_substitute(self.document, first, sweep))
            for key, values in () if found else sweep.items():
                for value in values[1:]:
                    more, _ = _validate(_substitute(self.document, {**first, key: value}, sweep))
                    found = found or more
        except ScenarioError as error:
            found = [error]
        return [error.at(self.name) for error in found]

    def with_value(self, key: str, value: Any) -> Scenario:
        """The scenario with one key set, replacing its sweep; unchecked but for absurd nesting.

        Setting a `kind` drops the keys of that table that the new kind does not know.
        """
        document = _copied(self.document)
        sweep = document.get("sweep")
        if isinstance(sweep, dict):
            document["sweep"] = {k: v for k, v in dotted_sweep(sweep).items() if k != key}
            if not document["sweep"]:
                del document["sweep"]
        _put(document, key, value)
        _check_depth(document, self.name)
        table, _, leaf = key.rpartition(".")
        if leaf == "kind" and table in KINDS and _names_kind(value, KINDS[table]):
            known = _keys_of(KINDS[table][value])
            document[table] = {k: v for k, v in document[table].items() if k in known}
        return dataclasses.replace(self, document=document)


def parse(text: str, name: str = "scenario", folder: Path = Path()) -> Scenario:
    """A checked scenario from TOML text; raises ScenarioError with the line or the dotted key."""
    scenario = read_document(text, name, folder)
    problems = scenario.problems()
    if problems:
        raise problems[0]
    return scenario


def read_document(text: str, name: str = "scenario", folder: Path = Path()) -> Scenario:
    """A scenario from TOML text, its values not yet checked; raises ScenarioError."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        reason, line = _syntax(str(error), text)
        raise ScenarioError(reason, where=name, line=line) from error
    except RecursionError as error:
        raise ScenarioError("is nested too deeply", where=name) from error
    except ValueError as error:
        raise ScenarioError(f"is not valid TOML: {error}", where=name) from error
    _check_depth(document, name)
    return Scenario(document, name, folder)


def _check_depth(document: Document, name: str) -> None:
    """Refuse a document whose nesting would be too much for recursive functions."""
    level: list[Any] = [document]
    for _ in range(MAX_DEPTH):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return
    raise ScenarioError("is nested too deeply", where=name)


def _syntax(message: str, text: str) -> tuple[str, int]:
    """tomllib's message in our words, and its line."""
    found = re.search(r" \(at (?:line (\d+), column \d+|end of document)\)$", message)
    reason = message[: found.start()] if found else message
    line = int(found[1]) if found and found[1] else text.count("\n") + 1
    return f"is not valid TOML: {reason[:1].lower()}{reason[1:]}", line


def load(path: Path) -> Scenario:
    """A checked scenario from a file; raises FileError or ScenarioError."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise ScenarioError(f"must be at most {MAX_BYTES >> 20} MiB", where=str(path))
        data = path.read_bytes()
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror or error}") from error
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise ScenarioError("is not UTF-8 text", where=str(path), line=line) from error
    return parse(text.replace("\r\n", "\n"), str(path), path.parent)


def to_toml(document: Mapping[str, Any]) -> str:
    """A document as TOML: top-level keys first, one table each, nested tables inline."""
    written = tomlkit.document()
    for key, value in document.items():
        if not isinstance(value, Mapping):
            written.add(key, _inline(value))
    for key, value in document.items():
        if isinstance(value, Mapping):
            table = tomlkit.table()
            for name, item in value.items():
                table.add(name, _inline(item))
            written.add(key, table)
    return tomlkit.dumps(written)


def _inline(value: Any) -> Any:
    if isinstance(value, Mapping):
        table = tomlkit.inline_table()
        for key, item in value.items():
            table.append(key, _inline(item))
        return table
    if isinstance(value, str) and "\n" in value:
        return tomlkit.string(value, multiline=True)
    return list(value) if isinstance(value, tuple) else value


def edit(text: str, key: str, value: Any) -> str:
    """TOML text with one dotted key set (None: removed), comments and layout kept.

    Follows `Scenario.with_value`: the key's sweep goes, and so do the keys that a new kind does
    not know. Raises ScenarioError where the text is not TOML.
    """
    before = read_document(text)
    if value is None:
        after = _copied(before.document)
        _drop(after, key)
    else:
        after = before.with_value(key, value).document
    written = tomlkit.parse(text)
    _merge(written, after)
    return tomlkit.dumps(written)


def _merge(written: Any, wanted: Mapping[str, Any]) -> None:
    """Bring a tomlkit container to the wanted values, touching only what differs."""
    for key in [key for key in written if key not in wanted]:
        del written[key]
    for key, value in wanted.items():
        there = written.get(key)
        if isinstance(value, Mapping) and isinstance(there, Mapping):
            _merge(there, value)
        elif there is None or _plain(there) != value or type(_plain(there)) is not type(value):
            if isinstance(value, Mapping) and isinstance(written, tomlkit.TOMLDocument):
                written[key] = tomlkit.table()
                _merge(written[key], value)
            else:
                written[key] = _inline(value)


def _plain(value: Any) -> Any:
    return value.unwrap() if hasattr(value, "unwrap") else value


# Sweeps.


def dotted_sweep(table: Mapping[str, Any]) -> dict[str, Any]:
    """The sweep table with dotted keys, whether they were quoted or not."""
    flat: dict[str, Any] = {}
    for key, value in table.items():
        if isinstance(value, dict) and not value.keys() & {"from", "to", "points"} and value:
            flat |= {f"{key}.{rest}": one for rest, one in dotted_sweep(value).items()}
        else:
            flat[key] = value
    return flat


def _sweep(document: Document) -> dict[str, list[Any]]:
    if _size(document) > MAX_CELLS * 100:
        raise ScenarioError(f"must give at most {MAX_CELLS * 100} cells", key="sweep")
    return {key: _values(key, value) for key, value in _sweep_table(document).items()}


def _sweep_table(document: Document) -> dict[str, Any]:
    table = document.get("sweep", {})
    if not isinstance(table, dict):
        raise ScenarioError(f"must be a table, got {_shown(table)}", key="sweep")
    flat = dotted_sweep(table)
    for key, value in flat.items():
        if key not in sweepable_keys():
            close = _suggest(key, sweepable_keys())
            raise ScenarioError(f"is not a key that can be swept{close}", key=_named(key))
        if isinstance(value, list) and not value:
            raise ScenarioError("must list at least one value, got []", key=f"sweep.{key}")
        if not isinstance(value, list | dict):
            raise ScenarioError(
                f"must be a list or {{ from, to, points, scale }}, got {_shown(value)}",
                key=f"sweep.{key}",
            )
    return flat


def _size(document: Document) -> int:
    """Points of the sweep, counted without expanding it (before duplicates are dropped)."""
    sizes = []
    for value in _sweep_table(document).values():
        points = value.get("points") if isinstance(value, dict) else len(value)
        sizes.append(points if isinstance(points, int) else 1)
    return math.prod(sizes)


def _values(key: str, value: Any) -> list[Any]:
    """The values of one swept key."""
    if isinstance(value, list):
        return list(value)
    where = f"sweep.{key}"
    for name in value.keys() - {"from", "to", "points", "scale"}:
        raise ScenarioError(f"is not a known key, only {_RANGE_KEYS}", key=f"{where}.{name}")
    for name in ("from", "to"):
        number = value.get(name)
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise ScenarioError(f"must be a number, got {_shown(number)}", key=f"{where}.{name}")
        if not math.isfinite(number):
            raise ScenarioError(f"must be finite, got {number}", key=f"{where}.{name}")
    points, scale = value.get("points"), value.get("scale", "linear")
    if isinstance(points, bool) or not isinstance(points, int) or points < 1:
        raise ScenarioError(
            f"must be an integer, at least 1, got {_shown(points)}", key=f"{where}.points"
        )
    if scale not in ("linear", "log"):
        raise ScenarioError(f'must be "linear" or "log", got {_shown(scale)}', key=f"{where}.scale")
    start, stop = float(value["from"]), float(value["to"])
    if scale == "log" and min(start, stop) <= 0:
        raise ScenarioError(f"must be positive on a log scale, got {min(start, stop):g}", key=where)
    spaced = np.geomspace if scale == "log" else np.linspace
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is out of range as well
        numbers = [float(f"{number:.12g}") for number in spaced(start, stop, points)]
    if not any(_is_integer(hint) for hint in _KNOWN[key]):
        return numbers
    return list(dict.fromkeys(round(x) if math.isfinite(x) else x for x in numbers))


_RANGE_KEYS = "from, to, points and scale"


def _substitute(
    document: Document, chosen: Mapping[str, Any], sweep: Mapping[str, Any]
) -> Document:
    """The document of one point: swept keys set, and only keys that the kinds know."""
    plain: Document = _copied({key: one for key, one in document.items() if key != "sweep"})
    for key, value in chosen.items():
        _put(plain, key, value)
    for name, kinds in KINDS.items():
        table = plain.get(name)
        if not isinstance(table, dict):
            continue
        kind = table.get("kind")
        if kind == "none" and name == "attack":
            table.pop("share", None)
            table.pop("targets", None)
        if f"{name}.kind" in sweep and _names_kind(kind, kinds):
            others = (kinds[one] for one in sweep[f"{name}.kind"] if _names_kind(one, kinds))
            known_elsewhere = {key for other in others for key in _keys_of(other)}
            for key in known_elsewhere - _keys_of(kinds[kind]):
                table.pop(key, None)
    return plain


# Validation.


def _validate(document: Document) -> tuple[list[ScenarioError], Point | None]:
    """The point of a plain document, or everything that is wrong with it."""
    if "format" not in document:
        return [ScenarioError(f"is required: write format = {FORMAT}", key="format")], None
    if document["format"] != FORMAT or document["format"] is True:
        rule = f"must be {FORMAT}, got {_shown(document['format'])}"
        return [ScenarioError(rule, key="format")], None
    for name, kinds in KINDS.items():
        table = document.get(name)
        if isinstance(table, dict) and not _names_kind(table.get("kind"), kinds):
            known = ", ".join(f'"{kind}"' for kind in kinds)
            rule = (
                f"must be one of {known}, got {_shown(table['kind'])}"
                if "kind" in table
                else f"is required, one of {known}"
            )
            return [ScenarioError(rule, key=f"{name}.kind")], None
    try:
        # JSON in strict mode: tables and lists are taken as such, "5" is no number, 5.0 no int.
        return [], POINT.validate_json(json.dumps(document, default=str))
    except ValidationError as error:
        return _problems(document, error), None
    except RecursionError:
        return [ScenarioError("is nested too deeply")], None
    except ValueError as error:
        return [ScenarioError(f"holds a value that is out of range: {error}")], None


def _problems(document: Document, error: ValidationError) -> list[ScenarioError]:
    """pydantic's errors in our words, one for each key."""
    unknown: dict[str, ScenarioError] = {}  # first: a misspelt key explains a missing one
    found: dict[str, ScenarioError] = {}
    attack = document.get("attack")
    targets = attack.get("targets") if isinstance(attack, dict) else None
    listed = isinstance(targets, dict) and "items" in targets
    for one in error.errors(include_url=False):
        if one["type"] == "json_invalid":
            return [ScenarioError("holds text that is not valid Unicode")]
        if ("PickTargets" if listed else "ListedTargets") in one["loc"]:
            continue  # the union's other member
        problem = _problem(document, one["type"], one["loc"], one.get("input"), one.get("ctx", {}))
        (unknown if one["type"] in _UNKNOWN else found).setdefault(problem.key, problem)
    return [*unknown.values(), *found.values()]


def _problem(
    document: Document,
    kind: str,
    loc: Sequence[int | str],
    value: Any,
    context: Mapping[str, Any],
) -> ScenarioError:
    # The location holds the unions' tags as well: only what is in the document is a key.
    key = ""
    place: Any = document
    for step, part in enumerate(loc):
        if step == 1 and loc[0] in KINDS:
            continue  # the kind, which may be called like a key: counts
        last = step == len(loc) - 1 and kind in ("missing", "missing_argument", *_UNKNOWN)
        if isinstance(place, dict) and (part in place or last):
            key = f"{key}.{part}" if key else str(part)
            place = place.get(part)
        elif isinstance(place, list) and isinstance(part, int) and part < len(place):
            place = place[part]
    inner = context.get("error")
    if isinstance(inner, ScenarioError):
        return inner.within(key) if key else inner
    if kind in ("missing", "missing_argument"):
        return ScenarioError("is required", key=key)
    if kind in _UNKNOWN:
        table = key.rpartition(".")[0]
        known = [one.removeprefix(f"{table}.") for one in _known_here(document, table)]
        return ScenarioError(f"is not a known key{_suggest(str(loc[-1]), known)}", key=_named(key))
    allowed = _rule(key)
    if allowed is None:
        return ScenarioError(f"must be a table, got {_shown(value)}", key=key)
    return ScenarioError(f"must be {allowed}, got {_shown(place)}", key=key)


_UNKNOWN: Final = ("extra_forbidden", "unexpected_keyword_argument")


def _known_here(document: Document, table: str) -> list[str]:
    kinds = KINDS.get(table, {})
    kind = document[table].get("kind") if kinds else None
    if _names_kind(kind, kinds):
        return [f"{table}.{name}" for name in _keys_of(kinds[kind])]
    if table == "attack.targets":
        return (
            [f"{table}.items"]
            if "items" in document["attack"]["targets"]
            else [f"{table}.pick", f"{table}.count"]
        )
    return [key for key in _KNOWN if key.rpartition(".")[0] == table]


def _suggest(word: str, known: Any) -> str:
    close = difflib.get_close_matches(word, list(known), n=1)
    return f" (did you mean {close[0]}?)" if close else ""


def _named(key: str) -> str:
    """A key in a message; one that is empty has quotes."""
    return key or '""'


def _shown(value: Any) -> str:
    """A value in a message: as JSON, which TOML's scalars and lists look like; never long."""
    if value is None:
        return "nothing"
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):
        return "a value that is too large"
    text = re.sub(r"[\x00-\x1f\x7f]", "?", text)
    return text if len(text) <= 60 else f"{text[:57]}…"


# What the dataclasses say about the keys.


def _names_kind(value: Any, kinds: Mapping[str, type]) -> TypeGuard[str]:
    return isinstance(value, str) and value in kinds


def _keys_of(kind: type) -> set[str]:
    return {one.name for one in dataclasses.fields(kind)}


def _unwrapped(hint: Any) -> Iterator[Any]:
    """The alternatives of a hint; Annotated ones keep their Range."""
    if get_origin(hint) in (Union, UnionType):
        for part in get_args(hint):
            yield from _unwrapped(part)
    elif get_origin(hint) is Annotated and get_origin(get_args(hint)[0]) in (Union, UnionType):
        yield from _unwrapped(get_args(hint)[0])
    elif hint is not type(None):
        yield hint


def _leaves(kind: type, prefix: str = "") -> Iterator[tuple[str, Any]]:
    hints = get_type_hints(kind, include_extras=True)
    for one in dataclasses.fields(kind):
        for hint in _unwrapped(hints[one.name]):
            key = f"{prefix}{one.name}"
            if dataclasses.is_dataclass(hint):
                assert isinstance(hint, type)
                yield from _leaves(hint, f"{key}.")
            else:
                yield key, hint


@functools.cache
def known_keys() -> dict[str, tuple[Any, ...]]:
    """Every dotted key of a scenario, with the types that some kind gives it."""
    found: dict[str, list[Any]] = {}
    for key, hint in _leaves(Point):
        kept = found.setdefault(key, [])
        if hint not in kept:
            kept.append(hint)
    return {key: tuple(hints) for key, hints in found.items()}


_KNOWN: Final = known_keys()


def sweepable_keys() -> list[str]:
    """The keys that `[sweep]` may name."""
    return [key for key in _KNOWN if key not in ("format", "title", "about")]


def _bare(hint: Any) -> tuple[Any, Range | None]:
    if get_origin(hint) is Annotated:
        base, *extras = get_args(hint)
        return base, next((one for one in extras if isinstance(one, Range)), None)
    return hint, None


def _is_integer(hint: Any) -> bool:
    return _bare(hint)[0] is int


_TYPES: Final[dict[Any, str]] = {int: "an integer", float: "a number", str: "text"}


def _rule(key: str) -> str | None:
    """What a key allows, in words: "a number in (0, 20]"; None for a table."""
    hints = _KNOWN.get(key)
    if hints is None:
        return None
    words: list[str] = []
    for hint in hints:
        base, allowed = _bare(hint)
        if get_origin(base) is Literal:
            words += [f'"{one}"' for one in get_args(base) if f'"{one}"' not in words]
        elif base in _TYPES:
            bounds = f" {allowed}" if allowed is not None else ""
            words.append(f"{_TYPES[base]}{',' if bounds.startswith(' at') else ''}{bounds}")
        else:
            words.append("a list of integers" if key.endswith("counts") else "a list of items")
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def schema() -> dict[str, Any]:
    """The JSON Schema of a scenario file."""
    described = POINT.json_schema()
    described["title"] = "ldptui scenario"
    axis = {
        "type": "object",
        "properties": {
            "from": {"type": "number"},
            "to": {"type": "number"},
            "points": {"type": "integer", "minimum": 1},
            "scale": {"enum": ["linear", "log"], "default": "linear"},
        },
        "required": ["from", "to", "points"],
        "additionalProperties": False,
    }
    described["properties"]["sweep"] = {
        "type": "object",
        "description": "Dotted key to its values; a swept key may be left out of its table.",
        "propertyNames": {"enum": sweepable_keys()},
        "additionalProperties": {"anyOf": [{"type": "array", "minItems": 1}, axis]},
    }
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **described}


def line_of(text: str, key: str) -> int | None:
    """The line (from 1) of TOML text on which a dotted key, or the nearest table of it, stands."""
    table, best, wanted = "", None, key.split(".")
    for number, line in enumerate(text.splitlines(), start=1):
        header = re.match(r"\s*\[+\s*([^\]]+?)\s*\]+", line)
        name = re.match(r"""\s*["']?([\w.\-]+?)["']?\s*=""", line)
        if header:
            table = header[1].replace('"', "").replace("'", "")
            here = table
        elif name:
            here = f"{table}.{name[1]}" if table else name[1]
        else:
            continue
        parts = here.removeprefix("sweep.").split(".")
        if parts == wanted[: len(parts)] and (best is None or len(parts) >= best[0]):
            best = (len(parts), number)
    return best[1] if best else None


# Nested dicts.


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copied(one) for key, one in value.items()}
    return [_copied(one) for one in value] if isinstance(value, list) else value


def _put(document: Document, key: str, value: Any) -> None:
    """Set a dotted key, making the tables on the way."""
    *tables, leaf = key.split(".")
    place = document
    for table in tables:
        below = place.get(table)
        if not isinstance(below, dict):
            below = place[table] = {}
        place = below
    place[leaf] = value


def _drop(document: Document, key: str) -> None:
    *tables, leaf = key.split(".")
    place: Any = document
    for table in tables:
        place = place.get(table, {}) if isinstance(place, dict) else {}
    if isinstance(place, dict):
        place.pop(leaf, None)


def _flatten(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _flatten(value, f"{prefix}{key}.")
        elif value is not None:
            yield f"{prefix}{key}", list(value) if isinstance(value, tuple) else value
