"""The location of permitted plug-in code, found by its name without running any code."""

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
    """The location of plug-in code, from which another process can load it.

    digest : of the code; results depend on it.
    place : a file, or the "module:attribute" of an entry point.
    what : the purpose of the code.
    line : the line of its definition in a file; 0 if not known.
    """

    name: str
    digest: str
    place: Path | str = field(compare=False)
    what: What = field(default="attack", compare=False)
    line: int = field(default=0, compare=False)

    def at_line(self, line: int) -> str:
        """The text " (FILE, line N)" at the end of a message about plug-in code; an entry point is
        a FILE.
        """
        name = self.place.name if isinstance(self.place, Path) else self.place
        return f" ({name}, line {line})" if line else f" ({name})"

    @property
    def label(self) -> str:
        """The name of the code in messages, such as "attack 'half'"."""
        return f"{self.what} {self.name!r}"

    def sentence(self, rule: str) -> str:
        """A message about plug-in code with its place: "attack 'half' must be a function (half.py,
        line 3)".
        """
        return f"{self.label} {rule}{self.at_line(self.line)}"

    def failure(self, rule: str) -> CellError:
        """The CellError, of the class for the code's purpose, that says which rule the
        code breaks.
        """
        return ERRORS[self.what](self.sentence(rule))


@dataclass(frozen=True)
class CodePermission:
    """The plug-in code that a user permits to run.

    names : the names of installed packages' entry points.
    files : Python files, all of whose code may run.
    agreed_code : code that the user has confirmed; it may run as long as its digest is the same.
    how : the words that tell in messages how to permit more.
    """

    names: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()
    agreed_code: tuple[CodeLocation, ...] = ()
    how: str = "--code FILE allows that of a file, --allow NAME that of an installed package"


def find_code(name: str, permission: CodePermission, what: What = "attack") -> CodeLocation:
    """The location of the permitted plug-in code with a name and purpose.

    Raises ScenarioError if there is none or more than one; a file that cannot be read has none.
    """
    codes: list[CodeLocation] = []
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
        codes += [in_file] if in_file else []
        notes += "" if in_file else f"; {path} has none of that name"
    if name in permission.names:
        codes += published_code(name, what)
    if len(codes) == 1:
        return codes[0]
    if codes:
        places = " and ".join(str(code.place) for code in codes)
        raise ScenarioError(f"must mean one {what}, {name!r} is in {places}")
    if name in permission.names:
        others = ", ".join(published_names(what)) or "none"
        rule = f"must be the {what} of an installed package (there are: {others})"
        raise ScenarioError(f"{rule}, {got(name)}")
    asks = f"needs the {what} {name!r}, Python code that is not allowed yet"
    raise ScenarioError(f"{asks}: {permission.how}{notes}")


def code_from_name(place: str, what: What) -> CodeLocation:
    """The plug-in code at FILE.py:NAME, or of an installed package, permitted as the user named it.

    Raises ScenarioError if there is no such name, FileError for a file that cannot be read.
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
    """The plug-in code to ask the user's permission for; None if there is none.

    The first with the name, in the Python files of a folder, in other files, or in installed
    packages. No code is run.
    """
    beside = sorted(folder.glob("*.py"))[:MAX_FILES] if is_folder(folder) else []
    for path in dict.fromkeys(file.absolute() for file in (*beside, *files)):
        with suppress(OSError, FileError):
            if path.stat().st_size <= MAX_BYTES and (code := code_in_file(path, name, what)):
                return code
    return next(published_code(name, what), None)


def code_in_file(path: Path, name: str, what: What) -> CodeLocation | None:
    """The code with this name at the top level of a file; None if the file has none.

    No code is run: a name is defined by a line that begins with `def`, `class`, or the name itself
    and `=` or `:`. Raises FileError if the file cannot be read.
    """
    text, word = read_code(path), re.escape(name.encode())
    match = re.search(rb"(?m)^(?:(?:def|class)\s+%b\b|%b\s*[:=](?!=))" % (word, word), text)
    line = text.count(b"\n", 0, match.start()) + 1 if match else 0
    return CodeLocation(name, digest(text), path, what, line) if match else None


def read_code(path: Path) -> bytes:
    """The bytes of a file; raises FileError if it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise FileError(f"{path} cannot be read: {reason_of(error)}") from error


def published_names(what: What = "attack") -> list[str]:
    """The names of the plug-ins of one purpose in installed packages; imports none of them."""
    return sorted({point.name for point in importlib.metadata.entry_points(group=GROUPS[what])})


def published_code(name: str, what: What) -> Iterator[CodeLocation]:
    """Yields the plug-ins of installed packages with this name and purpose; imports none
    of them.
    """
    points = importlib.metadata.entry_points(group=GROUPS[what], name=name)
    for place in dict.fromkeys(point.value for point in points):
        yield CodeLocation(name, package_digest(place), place, what)


def current_digest(code: CodeLocation) -> str:
    """The current digest of the code at a location; "" if there is none any more. Imports
    nothing.
    """
    try:
        if isinstance(code.place, Path):
            return digest(read_code(code.place))
        return package_digest(code.place)
    except (FileError, ScenarioError):
        return ""


def package_digest(place: str) -> str:
    """A digest of all Python code of the package with an entry point; imports nothing.

    Raises ScenarioError if no such package is installed.
    """
    spec = importlib.util.find_spec(place.partition(":")[0].partition(".")[0].strip())
    if spec is None:
        raise ScenarioError(f"must be in an installed package, got {place}")
    files = [Path(spec.origin)] if spec.origin else []
    for folder in spec.submodule_search_locations or ():
        files += sorted(Path(folder).rglob("*.py"))
    return digest(b"\0".join(digest(read_code(file)).encode() for file in dict.fromkeys(files)))
