"""The pages of the documentation: their fenced blocks, and the commands and keys that they name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
PAGES: Final = tuple(
    sorted(path for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")) if path.is_file())
)
NAMES: Final = tuple(str(path.relative_to(ROOT)) for path in PAGES)

NUMPY: Final = "2.4"
"""The NumPy that drew the numbers of the pages; others draw other ones."""
ELIDED: Final = "…"
"""A line of an example that stands for any number of lines."""


@dataclass(frozen=True)
class Example:
    """A command of a console block, and the output that the page shows."""

    command: str
    output: tuple[str, ...]


def page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def blocks(text: str, language: str) -> list[str]:
    """The texts of the fenced blocks in a language, the word after the fence."""
    fences = re.findall(r"^```(\w*)\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)
    return [body for name, body in fences if name == language]


def examples(text: str) -> list[Example]:
    """The commands of all console blocks with their outputs, in order."""
    parts = [part for block in blocks(text, "console") for part in re.split(r"(?m)^\$ ", block)[1:]]
    lines = [part.rstrip("\n").split("\n") for part in parts]
    return [Example(command, tuple(output)) for command, *output in lines]


def mismatch(shown: tuple[str, ...], printed: list[str]) -> str:
    """The first line of an example that is not in the output; "" where they agree.

    How wide a column is does not count: a longer name below would move every example.
    """
    at, free = 0, False
    printed = [_narrow(line) for line in printed]
    for line in map(_narrow, shown):
        if line == ELIDED:
            free = True
            continue
        rest = printed[at:]
        if line not in (rest if free else rest[:1]):
            return f"{line!r} is not at line {at + 1} of the output"
        at, free = at + rest.index(line) + 1, False
    return "" if free or at == len(printed) else f"{printed[at]!r} is not in the page"


def _narrow(line: str) -> str:
    return re.sub("─{2,}", "──", re.sub(" {2,}", "  ", line))


def command_lines(text: str) -> list[str]:
    """Whole commands: of console blocks and of indented lines."""
    indented = re.findall(r"^    (ldptui(?: .*)?)$", unfenced(text), flags=re.MULTILINE)
    return [example.command for example in examples(text)] + indented


def mentions(text: str) -> list[str]:
    """Commands named in the text, which may leave arguments out: `ldptui run SCENARIO`."""
    named = re.findall(r"`(ldptui(?: [^`\n]*)?)`", unfenced(text))
    return [line.replace(r"\|", "|") for line in named]


def unfenced(text: str) -> str:
    """A page without its fenced blocks."""
    return re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
