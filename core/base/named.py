"""Somebody's code in Python, as a scenario asks for it: by its name, with its options."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any, Literal, Protocol, TypeAlias

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
