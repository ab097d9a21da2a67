"""Names of kinds: those that the files of a folder list, and somebody's code in Python."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Literal, Protocol, TypeAlias, get_args, get_type_hints

from .errors import ScenarioError, got

What: TypeAlias = Literal["attack", "defence", "protocol", "population", "metric"]
"""The purpose of somebody's code."""


class Named(Protocol):
    """A value that names code. options : what the code takes besides, as TOML has it."""

    @property
    def name(self) -> str: ...
    @property
    def options(self) -> dict[str, Any]: ...


def fields_of(value: Any) -> dict[str, Any]:
    """The fields of a dataclass by name: its own values, no copies of them."""
    return {part.name: getattr(value, part.name) for part in fields(value)}


def code_of(value: object) -> str:
    """The name of the code in Python that a value is; "" for all others."""
    return str(getattr(value, "code", ""))


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


def check_named(value: Named, what: What) -> None:
    """Put the options of a frozen value into the order of their keys; refuse a bad name.

    Raises ScenarioError.
    """
    if not value.name.isprintable() or not value.name.strip():
        article = "an" if what[0] in "aeiou" else "a"
        raise ScenarioError(f"must be the name of {article} {what}, {got(value.name)}", key="name")
    ordered = json.loads(json.dumps(value.options, sort_keys=True, default=str))
    object.__setattr__(value, "options", ordered)


def read_only(array: Any) -> Any:
    """A view of an array that somebody's code cannot write to."""
    view = array.view()
    view.setflags(write=False)
    return view
