"""Local hashing: the report is a hash function and a perturbed bucket. BLH, OLH and LH.

`local` has the protocol, `kinds` its settings, `search` the laws of what an attacker finds among
many seeds.
"""

from __future__ import annotations

from .kinds import BLH, OLH, BLHSpec, HashRule, LHSpec, OLHSpec, hash_range_for
from .local import HASH_RANGE, REPORT, LocalHashing
from .search import fewest_law, matched_law

__all__ = [
    "BLH",
    "HASH_RANGE",
    "OLH",
    "REPORT",
    "BLHSpec",
    "HashRule",
    "LHSpec",
    "LocalHashing",
    "OLHSpec",
    "fewest_law",
    "hash_range_for",
    "matched_law",
]
