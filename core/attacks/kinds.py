"""The table of attacks: every kind that a scenario can name, a row each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from .crafted import (
    Demotion,
    InputPoisoning,
    MaximalGain,
    PatternAttack,
    RandomItem,
    RandomReport,
    Reactive,
    SubsetGain,
    UnperturbedItem,
    Untargeted,
)
from .hidden import HiddenGain
from .numbers import OnePoint, OutputPoisoning, WidestReport
from .python import PythonAttack
from .solved import SolvedGain
from .strategy import Strategy

Attack: TypeAlias = Strategy
"""The `[attack]` table of a scenario, a frozen dataclass; most are a strategy themselves."""


@dataclass(frozen=True)
class NoAttack:
    """No fake users."""

    kind: Literal["none"] = "none"

    def bind(self) -> None:
        return None


ATTACKS: Final[dict[str, type[Any]]] = {
    "none": NoAttack,
    "rpa": RandomReport,
    "ria": RandomItem,
    "ria-unperturbed": UnperturbedItem,
    "input": InputPoisoning,
    "mga": MaximalGain,
    "mga-a": SubsetGain,
    "apa": PatternAttack,
    "untargeted": Untargeted,
    "demote": Demotion,
    "reactive": Reactive,
    "hidden": HiddenGain,
    "solved": SolvedGain,
    "opa": OutputPoisoning,
    "top": WidestReport,
    "point": OnePoint,
    "plugin": PythonAttack,
}
"""Every kind, in the order in which it is shown."""
