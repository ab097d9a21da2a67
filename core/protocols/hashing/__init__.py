"""Local hashing: the report is a hash function and a perturbed bucket. BLH and OLH.

`local` has the protocol, `search` the laws of what an attacker finds among many seeds.
"""

from __future__ import annotations

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
