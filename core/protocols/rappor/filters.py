"""The Bloom filters of RAPPOR: which bits an item sets in each cohort."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import md5
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from ...base.errors import ScenarioError
from ...base.ranges import ALPHA, DOMAIN, Range, check_bounds
from ...base.sampling import Counts, Floats, set_bits
from ...law.longitudinal import Chain, Memoising
from ...law.pure import BoolArray, Items, Reports
from ..chains import MemoisedBits
from ..unary import Unary
from .decoding import Adjust, Design
from .noise import PROBABILITY, BitNoise

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
    modulo k is hash i. Two hashes of an item that coincide are one bit.

    names : the values, or their number d; then a value is its decimal index.
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
    """The design matrix of decoding: which of the k·m bits each item sets, sparse."""
    table = bloom_bits(names, bits, hashes, cohorts)
    rows = table.astype(np.int64) + bits * np.arange(cohorts)[:, None]
    return Design.of(rows.reshape(len(table), -1), cohorts, bits)


@dataclass(frozen=True)
class Filters:
    """The base of RAPPOR with Bloom filters: all items' filters in every cohort, and the noise of a
    bit.

    alpha, adjust : the level, and the adjustment, at which decoding calls an item detected.
    labels : the values that are hashed, one for each item, else ScenarioError.
    crowd : the fraction of users that claim cohort 0, the others uniform over all; 0 if honest.

    None of these four is part of the address of random streams: decoding does not change counts,
    and the same users draw the same noise whatever the labels.
    """

    domain_size: Annotated[int, DOMAIN]
    bits: Annotated[int, BITS]
    hashes: Annotated[int, HASHES]
    cohorts: Annotated[int, COHORTS]
    noise: BitNoise
    alpha: Annotated[float, ALPHA] = field(default=0.05, repr=False)
    adjust: Adjust = field(default="bonferroni", repr=False)
    labels: tuple[str, ...] | None = field(default=None, repr=False)
    crowd: Annotated[float, PROBABILITY] = field(default=0.0, repr=False)

    def __post_init__(self) -> None:
        check_bounds(self)
        if self.labels is not None and len(self.labels) != self.domain_size:
            raise ScenarioError(
                f"must be as many as the items, {self.domain_size}, got {len(self.labels)}",
                key="labels",
            )

    @property
    def _hash_key(self) -> tuple[int | tuple[str, ...], int, int, int]:
        return self.labels or self.domain_size, self.bits, self.hashes, self.cohorts

    @property
    def table(self) -> NDArray[np.uint8]:
        """uint8[d, cohorts, hashes]: the bits that each item sets in each cohort."""
        return bloom_bits(*self._hash_key)

    @property
    def design(self) -> Design:
        return bloom_design(*self._hash_key)

    @property
    def cohort_law(self) -> Floats:
        """float64[m]: the probability of each cohort."""
        crowd = self.crowd * (np.arange(self.cohorts) == 0)
        return np.asarray((1 - self.crowd) / self.cohorts + crowd)

    def packed_filters(self, values: Items, cohorts: Items) -> Reports:
        """uint8[n, ceil(k/8)]: the Bloom filter of each item in its cohort, packed; at most h bits
        are set.

        values, cohorts : int64[n].
        """
        filters = np.zeros((values.size, -(-self.bits // 8)), dtype=np.uint8)
        ones = np.ones(values.size, dtype=np.bool_)
        for bits in self.table[values, cohorts].T.astype(np.int64):
            set_bits(filters, bits, ones)
        return filters

    def encode(self, values: Items, cohorts: Items) -> BoolArray:
        """bool[n, k]: the Bloom filter of each item in its cohort.

        values, cohorts : int64[n].
        """
        packed = self.packed_filters(values, cohorts)
        return np.unpackbits(packed, axis=1, count=self.bits).view(np.bool_)

    def bit_users(self, spread: Counts) -> Counts:
        """int64[m, k]: the users whose filter has each bit, from int64[d, m] users per item and
        cohort.
        """
        ones = np.zeros(self.cohorts * self.bits, dtype=np.int64)
        table, offsets = self.table, self.bits * np.arange(self.cohorts)
        for hashed in range(self.hashes):
            bits = table[:, :, hashed]
            # A bit that an earlier hash of the same item has set counts once.
            fresh = (bits[:, :, None] != table[:, :, :hashed]).all(axis=2)
            np.add.at(ones, (bits + offsets)[fresh], spread[fresh])
        return ones.reshape(self.cohorts, self.bits)

    @property
    def expected_ones(self) -> float:
        """The expected number of ones of an honest report, over all hash functions."""
        true = self.bits * (1 - (1 - 1 / self.bits) ** self.hashes)
        return true * self.noise.q_star + (self.bits - true) * self.noise.p_star

    def target_bits(self, targets: Items) -> BoolArray:
        """bool[m, k]: the bits that any target sets in each cohort."""
        aimed = np.zeros((self.cohorts, self.bits), dtype=np.bool_)
        cohorts = np.arange(self.cohorts)[None, :, None]
        aimed[cohorts, self.table[targets]] = True
        return aimed

    def padding(self, targets: Items) -> Items:
        """int64[m]: the number of extra bits of a crafted report, so that it has as many ones as an
        honest report on average.
        """
        aimed = self.target_bits(targets).sum(axis=1)
        pad = np.floor(self.expected_ones - aimed).astype(np.int64)
        return np.asarray(np.clip(pad, 0, self.bits - aimed))

    def filling(self, targets: Items) -> Items:
        """int64[m]: the number of ones of a report that avoids the targets' bits and has as many
        ones as an honest report on average.
        """
        room = self.bits - self.target_bits(targets).sum(axis=1)
        return np.asarray(np.minimum(math.floor(self.expected_ones), room))


# The permanent bits that RAPPOR's users keep over several rounds, and what that costs them.


def epsilon_of_rounds(noise: BitNoise, hashes: int, rounds: int) -> float:
    """ε of `rounds` reports of one value, in nats: exact, between ε₁ and ε∞.

    Two values differ in 2h bits at most, half of them in each direction, each with its own chain.
    """
    return hashes * noise.chain.epsilon_of_rounds(rounds)


def naive_epsilon_of_rounds(noise: BitNoise, hashes: int, rounds: int) -> float:
    """ε of `rounds` reports by composition, as if each drew fresh permanent bits: t ε₁."""
    return rounds * noise.epsilon_one(hashes)


def false_attribution(noise: BitNoise, hashes: int, frequency: float) -> float:
    """Pr[a user does not have item v | all h bits of v are 1 in the user's report], v of this
    frequency.

    (1-f_v) p*^h / (f_v q*^h + (1-f_v) p*^h). RAP section 5.3, "attacker of a single report".
    """
    wrong = (1 - frequency) * noise.p_star**hashes
    return wrong / (frequency * noise.q_star**hashes + wrong)


class RapporMemory(Memoising):
    """The base of all forms of RAPPOR: memoised bits with two randomised responses.

    noise : of each bit. hashes : h, the bits of one item.
    """

    noise: BitNoise
    hashes: int

    @property
    def chain(self) -> Chain:
        return self.noise.chain

    @property
    def epsilon_infinity(self) -> float:
        return self.noise.epsilon_infinity(self.hashes)

    def epsilon_of_rounds(self, rounds: int) -> float:
        return epsilon_of_rounds(self.noise, self.hashes, rounds)

    @property
    def most_epsilon(self) -> float:
        return self.noise.most_epsilon(self.hashes)

    @property
    def address_fields(self) -> dict[str, Any]:
        return {"noise": self.noise}

    def facts(self) -> dict[str, Any]:
        """RAPPOR's noise by name, for results; without p and q, which have another meaning in
        RAPPOR.

        epsilon_infinity : None if it is unbounded.
        """
        return {
            "f": self.noise.f,
            "p_star": self.noise.p_star,
            "q_star": self.noise.q_star,
            "epsilon_one": self.noise.epsilon_one(self.hashes),
            "epsilon_infinity": self.epsilon_infinity if self.noise.is_memoised else None,
        }


@dataclass(frozen=True, repr=False)
class BasicRappor(RapporMemory, MemoisedBits, Unary):
    """RAPPOR's basic forms, with one bit for each item; Wang's p and q are RAPPOR's q* and p*."""

    family = "rappor"
    hashes = 1

    noise: BitNoise = field(compare=False, kw_only=True)

    def __repr__(self) -> str:
        """The unary encoding that one round is: streams of genuine users have this address."""
        return repr(Unary(self.domain_size, self.epsilon, self.p))
