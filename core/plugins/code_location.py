"""The place of the code that a user allows, found under its name without running any of it."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, get_args

from ..base.code import What
from ..base.errors import (
    AttackError,
    CellError,
    DefenceError,
    FileError,
    MetricError,
    ProtocolError,
    ScenarioError,
    got,
    reason_of,
)
from ..base.files import is_folder
from ..base.streams import digest

GROUPS: Final[dict[What, str]] = {what: f"ldptui.{what}s" for what in get_args(What)}
"""The entry-point groups under which packages publish code: "ldptui.attacks", …"""

ERRORS: Final[dict[What, type[CellError]]] = {
    "attack": AttackError,
    "defence": DefenceError,
    "protocol": ProtocolError,
    "population": CellError,
    "metric": MetricError,
}
"""The failure of a cell, by the purpose of the code."""

MAX_FILES: Final = 200
"""Files of a folder that are looked into, and the bytes of the largest."""
MAX_BYTES: Final = 1_000_000


@dataclass(frozen=True)
class CodeLocation:
    """The place of plug-in code, from which another process can load the code.

    digest : of its code, which counts for what is known of its results. place : a file, or the
    "module:attribute" of an entry point. line : of a file, where it is defined; 0 if not known.
    """

    name: str
    digest: str
    place: Path | str = field(compare=False)
    what: What = field(default="attack", compare=False)
    line: int = field(default=0, compare=False)

    def at_line(self, line: int) -> str:
        """The words " (FILE, line N)" that end a message about plug-in code, or its entry point."""
        name = self.place.name if isinstance(self.place, Path) else self.place
        return f" ({name}, line {line})" if line else f" ({name})"

    @property
    def label(self) -> str:
        """The name of the code in messages: attack 'half'."""
        return f"{self.what} {self.name!r}"

    def sentence(self, rule: str) -> str:
        """A message about plug-in code with its place: "attack 'half' must be a function (half.py,
        line 3)".
        """
        return f"{self.label} {rule}{self.at_line(self.line)}"

    def failure(self, rule: str) -> CellError:
        """The error of a cell whose plug-in code breaks a rule."""
        return ERRORS[self.what](self.sentence(rule))


@dataclass(frozen=True)
class CodePermission:
    """The plug-in code that a user permits to run: names of packages' code, files, and code seen
    before.

    names : that of installed packages, by the names of their entry points. files : Python files,
    all of whose code may run. seen : code that the user has looked at; it may run as long as it is
    the same. how : the words for how more is allowed.
    """

    names: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()
    agreed_code: tuple[CodeLocation, ...] = ()
    how: str = "--code FILE lets that of a file run, --allow NAME that of an installed package"


def find_code(name: str, permission: CodePermission, what: What = "attack") -> CodeLocation:
    """The location of the permitted plug-in code with a name; raises ScenarioError, FileError.

    A file that cannot be read has none: the sentence about a name that is nowhere says so.
    """
    found: list[CodeLocation] = []
    notes = ""
    for code in permission.agreed_code:
        if (code.name, code.what) == (name, what):
            if current_digest(code) == code.digest:
                return code
            notes += f"; {code.place} is not what was allowed"
    for path in dict.fromkeys(permission.files):
        try:
            in_file = code_in_file(path, name, what)
        except FileError as error:
            notes += f"; {error}"
            continue
        found += [in_file] if in_file else []
        notes += "" if in_file else f"; {path} has none of that name"
    if name in permission.names:
        found += published_code(name, what)
    if len(found) == 1:
        return found[0]
    if found:
        places = " and ".join(str(code.place) for code in found)
        raise ScenarioError(f"must mean one {what}, {name!r} is in {places}")
    if name in permission.names:
        others = ", ".join(published_names(what)) or "none"
        rule = f"must be the {what} of an installed package (there are: {others})"
        raise ScenarioError(f"{rule}, {got(name)}")
    asks = f"needs the {what} {name!r}, Python code that is not allowed yet"
    raise ScenarioError(f"{asks}: {permission.how}{notes}")


def code_from_name(place: str, what: What) -> CodeLocation:
    """The plug-in code at FILE.py:NAME, or of an installed package, permitted because the user
    named the place.

    Raises ScenarioError, FileError.
    """
    file, _, name = place.rpartition(":")
    if not file:
        return find_code(place, CodePermission(names=(place,)), what)
    code = code_in_file(Path(file).expanduser().absolute(), name, what)
    if code is None:
        raise ScenarioError(f"{file} has no {name or 'name'} at its top level", key=what)
    return code


def code_candidate(
    name: str, what: What, folder: Path, files: Iterable[Path] = ()
) -> CodeLocation | None:
    """The plug-in code to ask the user's permission for: from a folder's files, other files or
    packages.

    The first that has the name; it runs none of it.
    """
    beside = sorted(folder.glob("*.py"))[:MAX_FILES] if is_folder(folder) else []
    for path in dict.fromkeys(file.absolute() for file in (*beside, *files)):
        with suppress(OSError, FileError):
            if path.stat().st_size <= MAX_BYTES and (code := code_in_file(path, name, what)):
                return code
    return next(published_code(name, what), None)


def code_in_file(path: Path, name: str, what: What) -> CodeLocation | None:
    """The code with this name at the top level of a file; None if the file has none. Raises
    FileError.

    It runs nothing: a name is defined by a line that begins with `def`, `class`, or the name itself
    and `=` or `:`.
    """
    text, word = read_code(path), re.escape(name.encode())
    match = re.search(rb"(?m)^(?:(?:def|class)\s+%b\b|%b\s*[:=](?!=))" % (word, word), text)
    line = text.count(b"\n", 0, match.start()) + 1 if match else 0
    return CodeLocation(name, digest(text), path, what, line) if match else None


def read_code(path: Path) -> bytes:
    """The bytes of a file; raises FileError."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise FileError(f"{path} cannot be read: {reason_of(error)}") from error


def published_names(what: What = "attack") -> list[str]:
    """The names of the plug-ins that installed packages publish; imports none of them."""
    return sorted({point.name for point in importlib.metadata.entry_points(group=GROUPS[what])})


def published_code(name: str, what: What) -> Iterator[CodeLocation]:
    """The plug-ins that installed packages publish under a name; imports none of them."""
    points = importlib.metadata.entry_points(group=GROUPS[what], name=name)
    for place in dict.fromkeys(point.value for point in points):
        yield CodeLocation(name, package_digest(place), place, what)


def current_digest(code: CodeLocation) -> str:
    """The current digest of the code at a place; "" if there is no code. Imports nothing."""
    try:
        if isinstance(code.place, Path):
            return digest(read_code(code.place))
        return package_digest(code.place)
    except (FileError, ScenarioError):
        return ""


def package_digest(place: str) -> str:
    """A digest of all Python code of the package that has an entry point; imports nothing."""
    spec = importlib.util.find_spec(place.partition(":")[0].partition(".")[0].strip())
    if spec is None:
        raise ScenarioError(f"must be in an installed package, got {place}")
    files = [Path(spec.origin)] if spec.origin else []
    for folder in spec.submodule_search_locations or ():
        files += sorted(Path(folder).rglob("*.py"))
    return digest(b"\0".join(digest(read_code(file)).encode() for file in dict.fromkeys(files)))
