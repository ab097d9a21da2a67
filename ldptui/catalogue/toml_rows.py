"""The rows of the catalogue's files, read once and only when somebody asks."""

from __future__ import annotations

import functools
from typing import Any


@functools.cache
def rows(name: str, package: str = "ldptui.catalogue", table: str = "") -> dict[str, Any]:
    """The tables of a TOML file of a package, in the order of the file; with `table`, only that
    table's entries.
    """
    # Imported now: commands that read no words start without.
    import tomllib

    text = _text(name, package)
    if not table:
        return tomllib.loads(text)
    # The first frame names protocols: to read the attacks as well would take it twice as long.
    parts = (part for part in text.split("\n[") if part.startswith((f"{table}.", f"{table}]")))
    held: dict[str, dict[str, Any]] = tomllib.loads("\n[".join(["", *parts]))
    return held.get(table, {})


@functools.cache
def _text(name: str, package: str) -> str:
    from importlib import resources

    return resources.files(package).joinpath(f"{name}.toml").read_text(encoding="utf-8")
