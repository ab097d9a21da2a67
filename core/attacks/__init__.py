"""Attacks: how fake users choose their reports.

Cao, Jia, Gong, "Data Poisoning Attacks to Local Differential Privacy Protocols", USENIX Security
2021, section 3. An attack is what a scenario names (`share`, `targets`, its effort) and a few
rules: the fakes' reports, the law of their counts, and what one such report supports, or how likely
it has each bit of RAPPOR's Bloom filters.

Against RAPPOR `cohort` is the share of the fakes that all claim one cohort; the others, and all of
them where it is left out, claim one at random as honest users do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from ..errors import ScenarioError
from ..population import Population
from ..pure import Items
from .crafted import Adaptive, Demotion, Maximal, MaximalGain, PatternAttack, SubsetGain, Untargeted
from .drawn import InputPoisoning, RandomItem, RandomReport, UnperturbedItem
from .fakes import Fakes, malicious_users
from .python import PythonAttack
from .strategy import COHORT, SHARE, ItemSupport, Strategy, View, played
from .targets import ListedTargets, PickTargets, RandomSet, Targets


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


def resolved(attack: Attack, population: Population, seed: int) -> Items:
    """Indices of an attack's targets; raises ScenarioError at its own key."""
    try:
        return attack.targets.resolve(population, seed)
    except ScenarioError as error:
        raise (error if isinstance(attack, Untargeted) else error.within("targets")) from error


__all__ = [
    "ATTACKS",
    "COHORT",
    "SHARE",
    "Adaptive",
    "Attack",
    "AttackSpec",
    "Demotion",
    "Fakes",
    "InputPoisoning",
    "ItemSupport",
    "ListedTargets",
    "Maximal",
    "MaximalGain",
    "NoAttack",
    "PatternAttack",
    "PickTargets",
    "PythonAttack",
    "RandomItem",
    "RandomReport",
    "RandomSet",
    "Strategy",
    "SubsetGain",
    "Targets",
    "UnperturbedItem",
    "Untargeted",
    "View",
    "malicious_users",
    "played",
    "resolved",
]
