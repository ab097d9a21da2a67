"""The code that a user can be asked about: found under a name or in a file, and read, never run.

What the code of a file is for is told by the arguments that it takes.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ..base.code import What
from ..base.errors import FileError, ScenarioError
from ..base.files import is_file
from ..base.streams import digest
from .finding import Source, definitions, entry_points, read, top_spec

MOST_FILES: Final = 200
"""Files of a folder that are looked into, and the bytes of the largest."""
LARGEST: Final = 1_000_000


@dataclass(frozen=True)
class Offer:
    """Code that could run under a name, with its text.

    file : holds it, None where that cannot be told. lines : the first and the last line of what
    the name stands for in it; None where the name is not defined there.
    """

    source: Source
    file: Path | None
    text: str
    lines: tuple[int, int] | None


def offers(name: str, what: What, folder: Path, files: Sequence[Path] = ()) -> tuple[Offer, ...]:
    """The code of this name in the Python files of a folder, in others, in installed packages."""
    offered = list(_in_files(name, what, [*_files_of(folder), *files]))
    for source in entry_points(name, what):
        module, _, attribute = str(source.place).partition(":")
        file = file_of(module.strip())
        code, statement = b"", None
        if file is not None:
            with suppress(FileError):
                code = read(file)[:LARGEST]
            with suppress(ScenarioError):
                statement = definitions(code, file).get(attribute.strip())
        offered.append(Offer(source, file, code.decode("utf-8", "replace"), _lines(statement)))
    return tuple(offered)


def _files_of(folder: Path) -> list[Path]:
    """The Python files of a folder; none where it cannot be read."""
    try:
        return sorted(folder.glob("*.py"))[:MOST_FILES]
    except OSError:
        return []


def _in_files(name: str, what: What, files: Sequence[Path]) -> Iterator[Offer]:
    for path in dict.fromkeys(path.absolute() for path in files):
        try:
            if not is_file(path) or path.stat().st_size > LARGEST:
                continue
            code = read(path)
            lines = _lines(definitions(code, path).get(name))
        except (OSError, FileError, ScenarioError):
            continue
        if lines is not None:
            source = Source(name, digest(code), path, what, lines[0])
            yield Offer(source, path, code.decode("utf-8", "replace"), lines)


def _lines(statement: ast.stmt | None) -> tuple[int, int] | None:
    """The first and the last line of a statement, with its decorators."""
    if statement is None:
        return None
    decorators = vars(statement).get("decorator_list", [])
    first = min([statement.lineno, *(each.lineno for each in decorators)])
    return first, statement.end_lineno or first


def file_of(module: str) -> Path | None:
    """The file of an installed module, without importing it or a package that it is in."""
    spec, rest = top_spec(module), module.split(".")[1:]
    if spec is None:
        return None
    if not rest:
        return Path(spec.origin) if spec.origin else None
    for folder in spec.submodule_search_locations or ():
        inside = Path(folder, *rest)
        for path in (inside.with_suffix(".py"), inside / "__init__.py"):
            if is_file(path):
                return path
    return None


ROLES: Final[dict[tuple[str, ...], tuple[What, str]]] = {
    ("protocol", "view", "count", "rng"): ("attack", "plugin"),
    ("frequencies", "known"): ("defence", "plugin"),
    ("received",): ("defence", "plugin-filter"),
    ("items", "epsilon"): ("protocol", "plugin"),
    ("items",): ("population", "plugin"),
    ("frequencies", "facts"): ("metric", ""),
}
"""The table of a scenario that names code, and its kind there, by the arguments it must take."""


@dataclass(frozen=True)
class Guess:
    """Code in a file: the table of a scenario that can name it, its kind there, and its name."""

    what: What
    kind: str
    name: str


def guesses(path: Path) -> tuple[Guess, ...]:
    """The code in a file that a scenario can name; raises FileError, ScenarioError."""
    found = []
    for name, statement in definitions(read(path), path).items():
        roles = [ROLES[takes] for takes in _arguments(statement) if takes in ROLES]
        if roles and not name.startswith("_"):
            found.append(Guess(*roles[0], name))
    return tuple(found)


def _arguments(statement: ast.stmt) -> Iterator[tuple[str, ...]]:
    """The arguments that a function must be given; those of a class's methods, without itself."""
    if isinstance(statement, ast.ClassDef):
        for each in statement.body:
            yield from (takes[1:] for takes in _arguments(each))
    elif isinstance(statement, ast.FunctionDef):
        names = [each.arg for each in (*statement.args.posonlyargs, *statement.args.args)]
        yield tuple(names[: len(names) - len(statement.args.defaults)])
