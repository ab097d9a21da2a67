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

from .crafted import MaximalGain
from .drawn import RandomItem, RandomReport
from .fakes import Fakes, malicious_users
from .strategy import COHORT, SHARE, ItemSupport, Strategy, View, played
from .targets import ListedTargets, PickTargets, Targets


@dataclass(frozen=True)
class NoAttack:
    """No fake users."""

    kind: Literal["none"] = "none"


Attack: TypeAlias = RandomReport | RandomItem | MaximalGain
AttackSpec: TypeAlias = NoAttack | Attack

ATTACKS: Final[dict[str, type[AttackSpec]]] = {
    "none": NoAttack,
    "rpa": RandomReport,
    "ria": RandomItem,
    "mga": MaximalGain,
}

__all__ = [
    "ATTACKS",
    "COHORT",
    "SHARE",
    "Attack",
    "AttackSpec",
    "Fakes",
    "ItemSupport",
    "ListedTargets",
    "MaximalGain",
    "NoAttack",
    "PickTargets",
    "RandomItem",
    "RandomReport",
    "Strategy",
    "Targets",
    "View",
    "malicious_users",
    "played",
]
