"""Nothing names what is gone: no help, page, palette, completion or word of a form.

Whoever removes something adds its words here, with the files that may still say them.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

from ldptui.commands.cli import commands, parser_of
from ldptui.commands.shell_completion import script

ROOT: Final = Path(__file__).parents[2]

GONE: Final = (
    # the audit's former options, and what they did
    r"--checkpoint",
    r"--certificate",
    r"--verify\b",
    r"--refute",
    r"--patience",
    r"certificates? of an audit",
    # visitors of `serve`, and films
    r"[Ll]andlock",
    r"\bvisitors?\b",
    r"--public-url",
    r"record-cast",
    r"\.cast\b",
    # figures in PGF, the charset of blocks, big digits, the greeting, speeds of a replay
    r"\.pgf\b|\bPGF\b",
    r"ascii,block|charset block",
    r"big digits|\bgreeting\b|\bpeek\b",
    r"--speed",
    # options for one kind of code each, the cipher of real users' coins, group imbalance
    r"--allow-(attack|defence|protocol|population|metric)",
    r"ChaCha20",
    r"`imbalance`|group imbalance",
)
"""The words of what is gone, as regular expressions."""

READ: Final = ("docs/*.md", "*.md", "ldptui/**/*.toml", "examples/**/*.md", "scenarios/*.toml")
"""The files that users read, or that hold the words of help, palette and forms."""
FORMER: Final = ("CHANGELOG.md",)
"""The files that may tell of what was."""


def pages() -> list[Path]:
    """Every file whose words users see."""
    found = [path for pattern in READ for path in ROOT.glob(pattern)]
    return [path for path in found if path.name not in FORMER]


@pytest.mark.parametrize("words", GONE)
def test_nothing_names_what_is_gone(words: str) -> None:
    named = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in pages()
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if re.search(words, line)
    ]
    assert named == []


def test_no_help_and_no_completion_names_it() -> None:
    shown = "\n".join(parser.format_help() for parser in map(parser_of, commands()) if parser)
    assert "--trials" in shown
    for text in (shown, script("bash")):
        assert [words for words in GONE if re.search(words, text)] == []


def test_the_pages_are_read() -> None:
    assert {"README.md", "tutorial.md"} <= {path.name for path in pages()}
