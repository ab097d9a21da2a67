"""The size of the house: what `make size` prints.

A code line has something other than a comment, a docstring or blanks. Counted with the standard
library alone, so that the number means the same on every machine.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
PRODUCT: Final = ("core", "ldptui")
LAYOUT: Final = frozenset({
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
    tokenize.ENDMARKER,
})  # fmt: skip
FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Size:
    """The size of some code: its files, code lines and functions."""

    files: int = 0
    lines: int = 0
    functions: int = 0

    def __add__(self, other: Size) -> Size:
        return Size(*(mine + its for mine, its in zip(astuple(self), astuple(other), strict=True)))


def size_of(text: str) -> Size:
    """The size of one file with this text."""
    tree = ast.parse(text)
    told = {line for doc in docstrings(tree) for line in range(doc.lineno, _end(doc) + 1)}
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    spans = (token for token in tokens if token.type not in LAYOUT)
    code = {line for token in spans for line in range(token.start[0], token.end[0] + 1)}
    return Size(1, len(code - told), sum(isinstance(node, FUNCTIONS) for node in ast.walk(tree)))


def docstrings(tree: ast.AST) -> Iterator[ast.stmt]:
    """The strings that stand alone as statements: of modules, classes, functions and names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            for part in node.body:
                value = part.value if isinstance(part, ast.Expr) else None
                if isinstance(value, ast.Constant) and isinstance(value.value, str):
                    yield part


def _end(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno


def files(room: str) -> list[Path]:
    """The Python files of a room, as they stand in the repository: no link is followed."""
    made = ROOT / "ldptui" / "site"
    return [path for path in sorted((ROOT / room).rglob("*.py")) if made not in path.parents]


def total(rooms: tuple[str, ...]) -> Size:
    """The size of some rooms together."""
    paths = [path for room in rooms for path in files(room)]
    return sum((_of(path) for path in paths), Size())


@cache
def _of(path: Path) -> Size:
    """The size of a file, parsed once however many rooms count it."""
    return size_of(path.read_text(encoding="utf-8"))


def marks(pattern: str, *rooms: str) -> list[str]:
    """The places with this pattern: "file:line"."""
    return [
        f"{path.relative_to(ROOT)}:{number}"
        for room in rooms
        for path in files(room)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if re.search(pattern, line)
    ]


def main() -> int:
    """Print the sizes, and what the architecture wants few of; with rooms, only their sizes."""
    for rooms in [(room,) for room in sys.argv[1:]] or [PRODUCT, ("tests",)]:
        size = total(rooms)
        print(
            f"{size.lines:7,} code lines {size.functions:6,} functions {size.files:4} files  "
            + " + ".join(rooms)
        )
    if not sys.argv[1:]:
        at_home = ("core/protocols/rappor/", "ldptui/explain/rappor_")
        rappor = {place.partition(":")[0] for place in marks(r"(?i)rappor", *PRODUCT)}
        away = [path for path in rappor if not path.startswith(at_home)]
        ignored, probes = marks(r"noqa: ARG002", "core"), marks(r"(hasattr|getattr)\(", "core")
        print(f"{len(ignored):7,} arguments are ignored in core")
        print(f"{len(probes):7,} lines of core probe an object (hasattr, getattr)")
        print(f"{len(away):7,} files name RAPPOR outside its folders")
    return 0


if __name__ == "__main__":
    sys.exit(main())
