"""Kinds of protocols, attacks and tasks, collected from the files of a folder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, get_args, get_type_hints


def fields_of(value: Any) -> dict[str, Any]:
    """The fields of a dataclass by name, with their values uncopied."""
    return {part.name: getattr(value, part.name) for part in fields(value)}


def entries_in(package: str, table: str) -> Iterator[Any]:
    """Yields the entries of the tuples named `table` in the modules of a package.

    A module named `kinds` is left out. A new file in the folder adds its entries.
    """
    for file in iter_modules(import_module(package).__path__, f"{package}."):
        if file.name != f"{package}.kinds":
            yield from vars(import_module(file.name)).get(table, ())


def by_kind(classes: Iterable[type[Any]]) -> dict[str, type[Any]]:
    """The classes by their `kind`, in the given order."""
    return {get_args(get_type_hints(each)["kind"])[0]: each for each in classes}


def listed_in(package: str, table: str) -> dict[str, type[Any]]:
    """The classes in the tuples named `table` in the modules of a package, by kind, sorted."""
    return dict(sorted(by_kind(entries_in(package, table)).items()))
