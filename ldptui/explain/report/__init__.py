"""The life of one report, step by step: of a genuine user, and of a fake one.

Every step shows what really happened to one report that the protocol or the attack made: the code
that draws is theirs, and the intermediate values are recovered from the report itself.
"""

from __future__ import annotations

from .steps import Cells, Chance, Group, Life, Meter, Rest, Step
from .users import ATTACK_NAMES, MOST_FILTERS, fake_life, genuine_life, has_steps, random_user

__all__ = [
    "ATTACK_NAMES",
    "MOST_FILTERS",
    "Cells",
    "Chance",
    "Group",
    "Life",
    "Meter",
    "Rest",
    "Step",
    "fake_life",
    "genuine_life",
    "has_steps",
    "random_user",
]
