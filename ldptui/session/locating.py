"""Finds a scenario by its path or by the name of a bundled one."""

from __future__ import annotations

from pathlib import Path

from ldptui import scenarios as bundled
from ldptui.core.base.errors import FileError, ScenarioError, got, reason_of, shown, suggest


def locate(place: str) -> Path:
    """The file of a scenario given by path or bundled name; raises FileError."""
    if not place:
        raise ScenarioError(f"must be a file or a bundled scenario, {got(place)}", key="SCENARIO")
    try:
        path = bundled.find(place)
        exists = path.exists()
    except OSError as error:  # as of a name that is too long
        raise FileError(f"{shown(place)} cannot be read: {reason_of(error)}") from error
    if not exists:
        hint = suggest(place, bundled.names())
        raise FileError(f"{place} is neither a file nor a bundled scenario{hint}")
    return path
