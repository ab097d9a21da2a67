"""Finds a scenario by its path or by the name of a bundled one."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from ldptui import scenarios as bundled
from ldptui.core.base.errors import FileError, ScenarioError, format_value, got, reason_of, suggest


def locate(place: str, commands: Callable[[], Sequence[str]] = tuple) -> Path:
    """The file of a scenario given by path or bundled name; raises FileError.

    commands : returns the names of all commands, to suggest one if there is no such scenario.
    """
    if not place:
        raise ScenarioError(f"must be a file or a bundled scenario, {got(place)}", key="SCENARIO")
    path = bundled.find(place)
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError, ValueError):
        words = commands()
        first = "a command, a file" if words else "a file"
        hint = suggest(place, [*words, *bundled.names()], "ldptui scenarios lists those")
        raise FileError(f"{place} is neither {first} nor a bundled scenario{hint}") from None
    except OSError as error:  # as of a name that is too long
        raise FileError(f"{format_value(place)} cannot be read: {reason_of(error)}") from error
    return path


def split_claim(text: str) -> tuple[str, str]:
    """The comment block at the beginning of a file, as paragraphs, and the rest of the file.

    Lines for editors (`#:schema FILE`) are in neither.
    """
    lines = text.splitlines()
    count = next((at for at, line in enumerate(lines) if not line.startswith("#")), len(lines))
    words = [line.removeprefix("#").strip() for line in lines[:count] if line[:2] != "#:"]
    paragraphs: list[str] = []
    for line in words:
        if paragraphs and line and not re.match(r"[A-Z][\w ]*:", line) and paragraphs[-1]:
            paragraphs[-1] += f" {line}"
        else:
            paragraphs.append(line)
    return "\n".join(paragraphs).strip(), "\n".join(lines[count:]).strip()


def claim_of(text: str) -> str:
    """The first comment block of a scenario file in one line; "" if it has none."""
    claim = re.match(r"Claim: *(.*)", split_claim(text)[0])
    return claim[1] if claim else ""
