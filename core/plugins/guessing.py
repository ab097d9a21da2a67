"""What the code in a Python file is for, told by the arguments that it takes; nothing is run."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ..base.named import What
from .finding import definitions, read

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
