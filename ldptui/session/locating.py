"""Finds a scenario by its path or by the name of a bundled one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from ldptui import scenarios as bundled
from ldptui.core.base.errors import FileError, ScenarioError, got, reason_of, shown, suggest


def locate(place: str, commands: Callable[[], Sequence[str]] = tuple) -> Path:
    """The file of a scenario given by path or bundled name; raises FileError.

    commands : gives the names for which a scenario's may stand by mistake.
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
        raise FileError(f"{shown(place)} cannot be read: {reason_of(error)}") from error
    return path
