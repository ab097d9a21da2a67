"""Attacks: how fake users choose their reports.

Cao, Jia, Gong, "Data Poisoning Attacks to Local Differential Privacy Protocols", USENIX Security
2021, section 3. An attack is a table of a scenario (`share`, `targets`, its effort) and a few
rules: the fakes' reports, the distribution of their counts, and the items that one report supports,
or for Bloom filters the probability of each bit.

If users have cohorts, `cohort` is the fraction of the fakes that all claim the same cohort; the
others, and all fakes if it is None, claim a random cohort as honest users do.
"""

from __future__ import annotations

from ..population.targets import ListedTargets, PickTargets, RandomSet, Targets
from .attack_kinds import ATTACKS, Attack, NoAttack
from .crafted import (
    Demotion,
    HeldItem,
    InputPoisoning,
    Maximal,
    MaximalGain,
    PatternAttack,
    RandomItem,
    RandomReport,
    Reactive,
    SubsetGain,
    UnperturbedItem,
    Untargeted,
)
from .hidden import HiddenGain, Hiding, Obeying, beside, obeying
from .mixture import Mixture, Part, fakes_of, resolve_targets, split
from .python_attack import PythonAttack
from .solved import SolvedGain, Solving
from .strategy import COHORT, Fakes, Strategy, View, fake_share, malicious_users, protocol_of_fakes
