"""The kinds of attack that a scenario can name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from .crafted import Adaptive, Demotion, MaximalGain, PatternAttack, SubsetGain, Untargeted
from .drawn import InputPoisoning, RandomItem, RandomReport, UnperturbedItem
from .python import PythonAttack


@dataclass(frozen=True)
class NoAttack:
    """No fake users."""

    kind: Literal["none"] = "none"


Attack: TypeAlias = (
    RandomReport
    | RandomItem
    | UnperturbedItem
    | InputPoisoning
    | MaximalGain
    | SubsetGain
    | PatternAttack
    | Untargeted
    | Demotion
    | Adaptive
    | PythonAttack
)
AttackSpec: TypeAlias = NoAttack | Attack

ATTACKS: Final[dict[str, type[AttackSpec]]] = {
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
    "adaptive": Adaptive,
    "plugin": PythonAttack,
}
