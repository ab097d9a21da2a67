"""Local hashing: the report is a hash function and a perturbed bucket. BLH, OLH and LH.

`local` has the protocol, `kinds` its settings, `search` the laws of what an attacker finds among
many seeds.
"""

from __future__ import annotations

from .crafting import fewest_law, matched_law
from .local import HASH_RANGE, REPORT, LocalHashing
from .specs import BLH, OLH, BLHSpec, HashRule, LHSpec, OLHSpec, hash_range_for

SPECS = (BLHSpec, OLHSpec, LHSpec)
