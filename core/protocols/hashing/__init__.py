"""Local hashing: the report is a hash function and a perturbed bucket. BLH, OLH and LH.

`local` has the protocol and its kinds, `crafting` the distributions of what an attacker finds among
many seeds.
"""

from __future__ import annotations

from .crafting import fewest_law, matched_law
from .local import (
    BLH,
    HASH_RANGE,
    OLH,
    REPORT,
    BLHSpec,
    HashRule,
    LHSpec,
    LocalHashing,
    OLHSpec,
    hash_range_for,
)

SPECS = (BLHSpec, OLHSpec, LHSpec)
