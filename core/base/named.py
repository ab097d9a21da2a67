"""Names of kinds, which the files of a folder list."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, get_args, get_type_hints


def fields_of(value: Any) -> dict[str, Any]:
    """The fields of a dataclass by name: its own values, no copies of them."""
    return {part.name: getattr(value, part.name) for part in fields(value)}


def entries_in(package: str, table: str) -> Iterator[Any]:
    """The entries of the tuples of this name in the files of a package, but for its `kinds`.

    The folder is the list: who adds a file adds its entries.
    """
    for file in iter_modules(import_module(package).__path__, f"{package}."):
        if file.name != f"{package}.kinds":
            yield from vars(import_module(file.name)).get(table, ())


def listed_in(package: str, table: str) -> dict[str, type[Any]]:
    """The classes among the entries by their kind, sorted by kind."""
    found = {get_args(get_type_hints(spec)["kind"])[0]: spec for spec in entries_in(package, table)}
    return dict(sorted(found.items()))
