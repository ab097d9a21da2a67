"""The Bloom filters of RAPPOR: which bits an item sets in each cohort."""

from __future__ import annotations

import struct
from functools import lru_cache
from hashlib import md5

import numpy as np
from numpy.typing import NDArray

from ...base.ranges import Range
from .decoding import Design

BITS = Range(2, 256)
"""A hash is a byte, so that more bits would stay empty."""


HASHES = Range(1, 16)
"""An MD5 digest has 16 bytes."""


COHORTS = Range(1, 2**16)


@lru_cache(maxsize=4)
def bloom_bits(
    names: int | tuple[str, ...], bits: int, hashes: int, cohorts: int
) -> NDArray[np.uint8]:
    """uint8[d, cohorts, hashes], read-only: the bits that each item sets in each cohort's filter.

    As Google's reference client hashes: byte i of MD5(cohort as 4 bytes big-endian, value in UTF-8)
    modulo k is hash i. Two hashes of an item may coincide: they are one bit. `names` are the
    values, or their number d, where a value is its decimal index.
    """
    values = [str(item) for item in range(names)] if isinstance(names, int) else names
    prefixes = [struct.pack(">I", cohort) for cohort in range(cohorts)]
    digests = b"".join(
        md5(prefix + value, usedforsecurity=False).digest()[:hashes]
        for value in (value.encode("utf-8", "surrogateescape") for value in values)
        for prefix in prefixes
    )
    hashed = np.frombuffer(digests, dtype=np.uint8).astype(np.uint16) % bits
    table = hashed.astype(np.uint8).reshape(len(values), cohorts, hashes)
    table.setflags(write=False)
    return table


@lru_cache(maxsize=4)
def bloom_design(names: int | tuple[str, ...], bits: int, hashes: int, cohorts: int) -> Design:
    """The bits, of k·m, that each item sets, as a sparse matrix for decoding."""
    table = bloom_bits(names, bits, hashes, cohorts)
    rows = table.astype(np.int64) + bits * np.arange(cohorts)[:, None]
    return Design.of(rows.reshape(len(table), -1), cohorts, bits)
