"""Plug-in code in Python, as the tables of a scenario name it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Literal, TypeAlias

from .errors import ScenarioError, got
from .ranges import RangeChecked

PLUGIN: Final = "plugin"
"""The kind, or the beginning of the kind, of what somebody's code is."""

What: TypeAlias = Literal["attack", "defence", "protocol", "population", "metric"]
"""The purpose of somebody's code."""


@dataclass(frozen=True)
class PythonCode(RangeChecked):
    """The base of scenario tables that name plug-in code; raises ScenarioError for a bad name.

    what : the purpose of the code. options : the code's parameters, as in TOML; stored with sorted
    keys.
    """

    what: ClassVar[What]

    name: str
    options: dict[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.name.isprintable() or not self.name.strip():
            kind = f"an {self.what}" if self.what[0] in "aeiou" else f"a {self.what}"
            raise ScenarioError(f"must be the name of {kind}, {got(self.name)}", key="name")
        ordered = json.loads(json.dumps(self.options, sort_keys=True, default=str))
        object.__setattr__(self, "options", ordered)

    @property
    def code(self) -> str:
        """The name of the plug-in code of this table."""
        return self.name


def code_of(value: object) -> str:
    """The name of the plug-in code in a table's value; "" if there is none."""
    return str(getattr(value, "code", ""))


def kind_of_table(settings: Mapping[str, Any], table: str) -> str:
    """The `kind` of a table among flat settings; the code's name if the kind is plug-in code."""
    kind = str(settings.get(f"{table}.kind", ""))
    return str(settings.get(f"{table}.name", kind)) if kind.startswith(PLUGIN) else kind


def title_of(spec: Any) -> str:
    """The kind of a table in capitals, for titles; the code's name if the kind is plug-in code."""
    return code_of(spec) or str(spec.kind).upper()


def read_only(array: Any) -> Any:
    """A read-only view of an array, handed to plug-in code."""
    view = array.view()
    view.setflags(write=False)
    return view
