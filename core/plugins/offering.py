"""The code under a name that a user can be asked about: found and read, never run."""

from __future__ import annotations

import ast
import importlib.machinery
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ..errors import FileError, ScenarioError
from ..streams import digest
from .finding import Source, What, entry_points, names_in, read

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


def offers(name: str, what: What, folder: Path) -> tuple[Offer, ...]:
    """The code of this name in the Python files of a folder and in installed packages."""
    found = list(_in_folder(name, what, folder))
    for source in entry_points(name, what):
        module, _, attribute = str(source.place).partition(":")
        file = file_of(module.strip())
        text = _text(file) if file is not None else ""
        found.append(Offer(source, file, text, lines_of(text, attribute.strip())))
    return tuple(found)


def _in_folder(name: str, what: What, folder: Path) -> Iterator[Offer]:
    try:
        files = sorted(folder.glob("*.py"))[:MOST_FILES]
    except OSError:
        return
    for path in files:
        try:
            if not path.is_file() or path.stat().st_size > LARGEST:
                continue
            code = read(path)
            if name not in names_in(code, path):
                continue
        except (OSError, FileError, ScenarioError):
            continue
        text = code.decode("utf-8", "replace")
        lines = lines_of(text, name)
        source = Source(name, digest(code), path.absolute(), what, lines[0] if lines else 0)
        yield Offer(source, path.absolute(), text, lines)


def lines_of(text: str, name: str) -> tuple[int, int] | None:
    """The first and the last line of the statement that defines a name at the top level."""
    try:
        statements = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    for statement in statements:
        targets = getattr(statement, "targets", [getattr(statement, "target", None)])
        names = {getattr(target, "id", None) for target in targets}
        if name in names | {getattr(statement, "name", None)}:
            decorators = getattr(statement, "decorator_list", [])
            first = min([statement.lineno, *(each.lineno for each in decorators)])
            return first, statement.end_lineno or first
    return None


def file_of(module: str) -> Path | None:
    """The file of an installed module, without importing it or a package that it is in."""
    top, *rest = module.split(".")
    spec = importlib.machinery.PathFinder.find_spec(top)
    for finder in () if spec is not None else sys.meta_path:
        find_spec = getattr(finder, "find_spec", None)  # editable installations have their own
        spec = find_spec(top, None) if find_spec else None
        if spec is not None:
            break
    if spec is None:
        return None
    if not rest:
        return Path(spec.origin) if spec.origin else None
    for folder in spec.submodule_search_locations or ():
        inside = Path(folder, *rest)
        for path in (inside.with_suffix(".py"), inside / "__init__.py"):
            if path.is_file():
                return path
    return None


def _text(file: Path) -> str:
    try:
        return read(file)[:LARGEST].decode("utf-8", "replace")
    except FileError:
        return ""
