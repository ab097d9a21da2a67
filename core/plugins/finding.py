"""The code that a user allows, found under its name without being run."""

from __future__ import annotations

import ast
import importlib.machinery
import importlib.metadata
import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Final, get_args

from ..base.code import What
from ..base.errors import FileError, ScenarioError, got, reason_of
from ..base.files import is_file, is_folder
from ..base.streams import digest

GROUPS: Final[dict[What, str]] = {what: f"ldptui.{what}s" for what in get_args(What)}
"""The entry-point groups under which packages publish code: "ldptui.attacks", …"""


MAX_FILES: Final = 200
"""Files of a folder that are looked into, and the bytes of the largest."""
MAX_BYTES: Final = 1_000_000


@dataclass(frozen=True)
class Allowed:
    """The code that a user lets run.

    names : that of installed packages, by the names of their entry points.
    files : Python files, all of whose code may run.
    seen : code that the user has looked at; it may run for as long as it is the same.
    offered : Python files that settings name: none of them may run, a refusal tells of them.
    how : the words for how more is allowed; "" for the options of the command line.
    """

    names: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()
    seen: tuple[Source, ...] = ()
    offered: tuple[Path, ...] = ()
    how: str = ""


@dataclass(frozen=True)
class Source:
    """The place of somebody's code, for a process that loads it later; not the code itself.

    name : of what it is. digest : of its code, which counts for what is known of
    its results. place : a file, or the "module:attribute" of an entry point. what : it is for.
    line : of a file, where it is defined; 0 where that is not known.
    """

    name: str
    digest: str
    place: Path | str = field(compare=False)
    what: What = field(default="attack", compare=False)
    line: int = field(default=0, compare=False)

    @property
    def spot(self) -> str:
        """The end of a sentence about it: its file and line in brackets, or its entry point."""
        return self.at(self.line)

    def at(self, line: int) -> str:
        """As `spot`, at another line of its code."""
        name = self.place.name if isinstance(self.place, Path) else self.place
        return f" ({name}, line {line})" if line else f" ({name})"

    @property
    def label(self) -> str:
        """Its name in messages: attack 'half'."""
        return f"{self.what} {self.name!r}"

    def sentence(self, rule: str) -> str:
        """A rule for it and its place: "attack 'half' must be a function (half.py, line 3)"."""
        return f"{self.label} {rule}{self.spot}"


def find(name: str, allowed: Allowed, what: What = "attack") -> Source:
    """The code that a user allows under a name; raises ScenarioError, FileError.

    A file that cannot be read holds none: it is told where there is no code elsewhere.
    """
    candidates: list[Source] = []
    elsewhere = ""
    for source in allowed.seen:
        if (source.name, source.what) == (name, what):
            if digest_of(source) == source.digest:
                return source
            elsewhere += f"; {source.place} is not what was allowed"
    for path in dict.fromkeys(allowed.files):
        try:
            code = read(path)
        except FileError as error:
            elsewhere += f"; {error}"
            continue
        check_syntax(code, path)
        if line := line_of(name, code):
            candidates.append(Source(name, digest(code), path, what, line))
        else:
            elsewhere += f"; {path} has none of that name"
    if name in allowed.names:
        candidates += entry_points(name, what)
    if len(candidates) > 1:
        places = " and ".join(str(source.place) for source in candidates)
        raise ScenarioError(f"must mean one {what}, {name!r} is in {places}")
    if not candidates:
        raise ScenarioError(_refusal(name, allowed, elsewhere, what))
    return candidates[0]


def named(place: str, what: What) -> Source:
    """The code at FILE.py:NAME, or of an installed package: who names it there lets it run.

    Raises ScenarioError, FileError.
    """
    file, _, name = place.rpartition(":")
    if not file:
        return find(place, Allowed(names=(place,)), what)
    path = Path(file).expanduser()
    code = read(path)
    check_syntax(code, path)
    line = line_of(name, code)
    if not line:
        raise ScenarioError(f"{path} has no {name or 'name'} at its top level", key=what)
    return Source(name, digest(code), path.absolute(), what, line)


def _refusal(name: str, allowed: Allowed, elsewhere: str, what: What) -> str:
    """The reason why a name has no code: it is not allowed, or not where it is allowed."""
    article = "an" if what == "attack" else "a"
    if name in allowed.names:
        others = ", ".join(available(what)) or "none"
        rule = f"must be {article} {what} of an installed package (there are: {others})"
        return f"{rule}, {got(name)}"
    asks = f"asks for the {what} {name!r}, somebody's Python code, which is not allowed"
    if allowed.how:
        return f"{asks}: {allowed.how}{elsewhere}"
    for path in allowed.offered:
        with suppress(FileError):
            if line_of(name, read(path)):
                return f"{asks}: --attack-file {path} lets the {what}s of that file run{elsewhere}"
    if name in available(what):
        return f"{asks}: --allow {name} lets it run"
    return f"{asks}: --attack-file FILE lets the {what}s of a file of yours run{elsewhere}"


def read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise FileError(f"{path} cannot be read: {reason_of(error)}") from error


def line_of(name: str, code: bytes) -> int:
    """The line on which Python code defines a name at its top level, 0 if none does; runs nothing.

    A name is defined by a line that begins with `def`, `class`, or the name itself and `=` or `:`.
    """
    word = re.escape(name.encode())
    match = re.search(rb"(?m)^(?:(?:def|class)\s+%b\b|%b\s*[:=](?!=))" % (word, word), code)
    return code.count(b"\n", 0, match.start()) + 1 if match else 0


def check_syntax(code: bytes, path: Path) -> None:
    """Raise ScenarioError if a file is not Python; it runs nothing."""
    try:
        ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line, why = None, str(error) or type(error).__name__
        if isinstance(error, SyntaxError):
            line, why = error.lineno, error.msg
        raise ScenarioError(f"is not Python: {why}", where=str(path), line=line) from error


def digest_of(source: Source) -> str:
    """The digest of the code at a source's place now, "" where there is none; imports nothing."""
    try:
        if isinstance(source.place, Path):
            return digest(read(source.place))
        return code_digest(source.place)
    except (FileError, ScenarioError):
        return ""


def candidate(name: str, what: What, folder: Path, files: Sequence[Path] = ()) -> Source | None:
    """The code that a user can be asked about: of a folder's files, of others, of packages.

    The first that has the name; it runs none of it.
    """
    beside = sorted(folder.glob("*.py"))[:MAX_FILES] if is_folder(folder) else []
    for path in dict.fromkeys(file.absolute() for file in (*beside, *files)):
        with suppress(OSError, FileError):
            if is_file(path) and path.stat().st_size <= MAX_BYTES:
                code = read(path)
                if line := line_of(name, code):
                    return Source(name, digest(code), path, what, line)
    return next(iter(entry_points(name, what)), None)


def available(what: What = "attack") -> list[str]:
    """The names of what installed packages publish; imports none of it."""
    return sorted({point.name for point in importlib.metadata.entry_points(group=GROUPS[what])})


def entry_points(name: str, what: What = "attack") -> list[Source]:
    """The entry points that installed packages publish under a name; imports none of them."""
    points = importlib.metadata.entry_points(group=GROUPS[what], name=name)
    places = dict.fromkeys(point.value for point in points)
    return [Source(name, code_digest(place), place, what) for place in places]


def code_digest(place: str) -> str:
    """A digest of all Python code of the package that has an entry point; imports nothing."""
    spec = top_spec(place.partition(":")[0].strip())
    if spec is None:
        raise ScenarioError(f"must be in an installed package, got {place}")
    files = [Path(spec.origin)] if spec.origin else []
    for folder in spec.submodule_search_locations or ():
        files += sorted(Path(folder).rglob("*.py"))
    return digest(b"\0".join(digest(read(file)).encode() for file in dict.fromkeys(files)))


def top_spec(module: str) -> ModuleSpec | None:
    """The place of the package that a module is in, or of the module; imports nothing."""
    top = module.partition(".")[0]
    spec = importlib.machinery.PathFinder.find_spec(top)
    for finder in () if spec is not None else sys.meta_path:
        find_spec = getattr(finder, "find_spec", None)  # editable installations have their own
        spec = find_spec(top, None) if find_spec else None
        if spec is not None:
            break
    return spec
