"""The table of attacks: every kind that a scenario can name.

The folder is the list: a file says in `KINDS` which frozen dataclasses hold the `[attack]` table of
a scenario, one for each kind.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from ..base.named import by_kind, entries_in
from .python_attack import PythonAttack
from .strategy import Strategy

Attack: TypeAlias = Strategy
"""The `[attack]` table of a scenario, a frozen dataclass; most are a strategy themselves."""


@dataclass(frozen=True)
class NoAttack:
    """The attack kind "none": no fake users."""

    kind: Literal["none"] = "none"

    def bind(self) -> None:
        return None


ATTACKS: Final[dict[str, type[Any]]] = by_kind(
    [NoAttack, *entries_in(__package__, "KINDS"), PythonAttack]
)
"""Every kind; lists that people see have the catalogue's order."""
