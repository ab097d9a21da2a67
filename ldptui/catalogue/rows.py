"""The rows of the catalogue's files, read once and only when somebody asks."""

from __future__ import annotations

import functools
from typing import Any


@functools.cache
def rows(name: str, package: str = "ldptui.catalogue") -> dict[str, Any]:
    """The tables of a TOML file of a package, in its order."""
    # Imported now: commands that read no words start without.
    import tomllib
    from importlib import resources

    text = resources.files(package).joinpath(f"{name}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
