"""The bundled scenarios: one TOML file each, and the data files that they read."""

from __future__ import annotations

import os
from importlib.resources import files
from pathlib import Path
from typing import Final

if __name__ == "scenarios":  # a checkout's folder is also found by this name
    raise ModuleNotFoundError(
        "the scenarios of ldptui are imported as ldptui.scenarios", name="scenarios"
    )

SCHEMA: Final = "scenario.schema.json"
"""The JSON Schema beside the scenarios, which their first line names to editors."""


OPENED_FIRST: Final = ("quickstart", "cao-gain-beta")
"""The scenarios that most people begin with."""


def names() -> list[str]:
    """The names of the bundled scenarios: those that are opened first, then the others by name."""
    listed = (entry.name for entry in files(__name__).iterdir())
    stems = sorted(name.removesuffix(".toml") for name in listed if name.endswith(".toml"))
    return [*OPENED_FIRST, *(name for name in stems if name not in OPENED_FIRST)]


def path(name: str) -> Path:
    """The path of a bundled scenario; raises KeyError for a name that is not one of `names()`."""
    if name not in names():
        raise KeyError(name)
    return Path(str(files(__name__).joinpath(f"{name}.toml")))


def find(place: str) -> Path:
    """The file that a path or a bundled name means; a path, existing or not, where both fail."""
    there = os.path.isfile(place)  # noqa: PTH113
    return path(place) if not there and place in names() else Path(place)
