"""The kinds of protocols that a form offers, and the fields that have a meaning for a kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

from ..catalogue.kind_rows import in_order, kind_words, listed_kinds
from .options import Choices, Condition

EXAMPLES: Final = {
    "table": "example:people.csv",
    "relation": "example:relation.csv",
    "repaired": "example:relation-repaired.csv",
}
"""The tables that come with the program, which a form starts with."""
BUNDLED: Final = Path(__file__).parent / "examples"
"""Their folder."""
EXAMPLE: Final = "example:reports.csv"
"""The reports that come with the program: those of OUE with ε = 1 about 16 items, 5 % of MGA."""
OWN: Final = "plugin"
"""The kind of a mechanism that is somebody's own code."""


def kinds() -> tuple[str, ...]:
    """The kinds of protocols that a scenario can name, without plug-in code."""
    return tuple(kind for kind in listed_kinds("protocol") if kind != OWN)


def has(kind: object, parameter: str) -> bool:
    """True if a kind of protocol has a parameter of this name."""
    from ldptui.core.protocols import KINDS

    return kind in KINDS and any(field.name == parameter for field in fields(KINDS[str(kind)]))


def curators() -> tuple[str, ...]:
    """The kinds that a trusted curator runs."""
    return _in_group("curators")


def local() -> tuple[str, ...]:
    """The kinds of pure protocols that users run themselves."""
    from ldptui.core.protocols import PROTOCOLS

    return in_order("protocol", PROTOCOLS)


def numbers() -> tuple[str, ...]:
    """The kinds of protocols of numbers that users run themselves."""
    return _in_group("numbers")


def _in_group(name: str) -> tuple[str, ...]:
    """The kinds of protocols in a group of the catalogue."""
    listed = listed_kinds("protocol")
    return tuple(kind for kind in listed if kind_words("protocol", kind).group == name)


def alike(*words: str) -> Choices:
    """Choices whose labels are the values themselves."""
    return tuple((word, word) for word in words)


def where(name: str, *values: object) -> Condition:
    """A condition that holds if the field `name` has one of these values."""
    return lambda form: form.get(name) in values


def having(name: str, parameter: str, *values: object) -> Condition:
    """A condition that holds if the kind chosen in the field `name` has a parameter, or is one of
    `values`.
    """
    return lambda form: form.get(name) in values or has(form.get(name), parameter)


def lacking(name: str, parameter: str, *values: object) -> Condition:
    """A condition that holds if the kind chosen in the field `name` lacks a parameter, or is one of
    `values`.
    """

    def holds(form: Mapping[str, Any]) -> bool:
        kind = form.get(name)
        return kind in values or (kind in kinds() and not has(kind, parameter))

    return holds
