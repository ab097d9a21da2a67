"""The prefixes of items at each level of PEM: codes of items, lengths of prefixes, candidates.

Levels as in Wang, Li, Jha, "Locally Differentially Private Heavy Hitter Identification", TDSC 2019;
in the form of Cao, Jia, Gong, USENIX Security 2021, section 5.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...base.errors import ScenarioError, format_value, got
from ...base.sampling import Counts
from ...base.streams import digest, stream
from ...law.pure import Items
from ...population import Population

Codes: TypeAlias = NDArray[np.uint64]
"""Bit strings of at most 64 bits, as numbers: the first bit is the highest."""

Encoding: TypeAlias = Literal["random", "index", "utf-8", "hash"]


def codes_of(population: Population, encoding: Encoding | None, bits: int, seed: int) -> Codes:
    """uint64[d], a code for each item: distinct, and below 2^bits.

    random : distinct random codes, the same for one population and seed. index : the item's number.
    utf-8 : the bytes of its label, then zeros. hash : the first bits of the label's xxHash. None:
    utf-8 for items with labels, random for others.

    Raises ScenarioError, at its key, if the codes do not fit or are not distinct.
    """
    words = check_codes(population, encoding, bits)
    if words is not None:
        return words
    if encoding == "index":
        return np.arange(population.domain_size, dtype=np.uint64)
    return _random(population, bits, seed)


def check_codes(population: Population, encoding: Encoding | None, bits: int) -> Codes | None:
    """The codes of labels, None for index or random codes; raises ScenarioError for
    invalid codes.
    """
    items = population.domain_size
    if items > 2**bits:
        rule = f"must give each of the {items} items a code of its own"
        raise ScenarioError(f"{rule}, {got(bits)}", key="bits")
    if population.labels is None and encoding in ("utf-8", "hash"):
        rule = "must be random or index where items have no labels"
        raise ScenarioError(f"{rule}, {got(encoding)}", key="encoding")
    chosen = encoding or usual_encoding(population)
    if population.labels is None or chosen in ("index", "random"):
        return None
    return _of_words(population.labels, chosen, bits)


def usual_encoding(population: Population) -> Encoding:
    """The default encoding: the bytes of labels; random codes for items without labels."""
    return "random" if population.labels is None else "utf-8"


def _random(population: Population, bits: int, seed: int) -> Codes:
    """Distinct codes; a prefix of the draws where there are fewer items."""
    rng = stream(seed, f"{population.address} codes {bits}", "population")
    items = population.domain_size
    if bits <= 20:
        return rng.permutation(2**bits)[:items].astype(np.uint64)
    drawn = np.empty(0, dtype=np.uint64)
    while drawn.size < items:
        more = rng.integers(0, 2**bits - 1, size=items, dtype=np.uint64, endpoint=True)
        drawn = np.concatenate([drawn, more])
        drawn = drawn[np.sort(np.unique(drawn, return_index=True)[1])]
    return drawn[:items]


def _of_words(words: tuple[str, ...], encoding: str, bits: int) -> Codes:
    """The codes of words; raises ScenarioError for a word too long, or two with one code."""
    code = _bytes_code if encoding == "utf-8" else _hash_code
    codes = np.array([code(word, bits) for word in words], dtype=np.uint64)
    order = np.argsort(codes, kind="stable")
    same = np.flatnonzero(codes[order][1:] == codes[order][:-1])
    if same.size:
        first, second = (words[order[same[0] + step]] for step in (0, 1))
        rule = "must tell all words apart"
        raise ScenarioError(
            f"{rule}, got {bits}: {format_value(first)} and {format_value(second)} have one code",
            key="bits",
        )
    return codes


def _bytes_code(word: str, bits: int) -> int:
    data = word.encode()
    if 8 * len(data) > bits:
        rule = f"must be at least {8 * len(data)}, the bits of the word {format_value(word)}"
        raise ScenarioError(f'{rule}, {got(bits)}; encoding = "hash" fits all words', key="bits")
    return int.from_bytes(data, "big") << (bits - 8 * len(data))


def _hash_code(word: str, bits: int) -> int:
    return int(digest(word.encode())[:16], 16) >> (64 - bits)


def code_text(code: int, length: int) -> str:
    """A prefix of `length` bits as text of zeros and ones."""
    return f"{code:0{length}b}"


MOST_CANDIDATES = 2**22
"""Candidates of one level: their counts fill 32 MiB."""


def start_length(k: int) -> int:
    """⌈log2 k⌉, the length of the prefixes that are all candidates before the first group."""
    return (k - 1).bit_length()


def prefix_lengths(bits: int, k: int, groups: int) -> tuple[int, ...]:
    """λ_j = c + ⌈j (γ - c) / G⌉ with c = ⌈log2 k⌉, γ = `bits`, for j = 1 … G.

    A level may add no bit to the previous one; then its group ranks the same candidates again.
    """
    start = start_length(k)
    return tuple(start - (-number * (bits - start) // groups) for number in range(1, groups + 1))


def extended_lengths(bits: int, k: int, extension: int) -> tuple[int, ...]:
    """The prefix lengths if each level adds `extension` bits, the last one fewer if necessary."""
    start = start_length(k)
    groups = max(1, -(-(bits - start) // extension))
    return tuple(min(start + number * extension, bits) for number in range(1, groups + 1))


def candidate_counts(lengths: tuple[int, ...], k: int) -> list[int]:
    """The number of candidate prefixes at each level."""
    counts, parents, before = [], 2 ** start_length(k), start_length(k)
    for length in lengths:
        counts.append(parents << (length - before))
        parents, before = min(k, counts[-1]), length
    return counts


def check_candidates(lengths: tuple[int, ...], k: int, key: str) -> None:
    """Raise ScenarioError, at the given key, for a level with too many candidates."""
    for number, count in enumerate(candidate_counts(lengths, k), 1):
        if count > MOST_CANDIDATES:
            rule = "must give at most 2^22 candidates at each level"
            raise ScenarioError(f"{rule}, {got(count)} at level {number}", key=key)


@dataclass(frozen=True, eq=False)
class Level:
    """A level of the search: the prefixes of one length that items have.

    number : of the level, from 0. length : λ, the bits of a prefix.
    held : uint64[u], the prefixes of the items, ascending. order : int64[d], the items by code;
    starts : int64[u], the position in that order of each prefix's first item.
    """

    number: int
    length: int
    held: Codes
    order: Items
    starts: Items

    def users(self, histogram: Counts) -> Counts:
        """int64[u]: the number of users of each prefix, from int64[d], the users of each item."""
        return np.add.reduceat(histogram[self.order], self.starts)

    def of(self, histogram: Counts, prefixes: Codes) -> Counts:
        """int64[len(prefixes)]: the number of users of each given prefix; 0 for a prefix without
        items.

        histogram : int64[u], as `users` returns it.
        """
        at = np.minimum(np.searchsorted(self.held, prefixes), self.held.size - 1)
        return np.where(self.held[at] == prefixes, histogram[at], 0)


@dataclass(frozen=True, eq=False)
class Prefixes:
    """The codes of all items, uint64[d] of `bits` bits, and the lengths of their prefixes.

    k : the number of prefixes that survive a level.
    """

    codes: Codes
    bits: int
    k: int
    lengths: tuple[int, ...]

    @cached_property
    def levels(self) -> tuple[Level, ...]:
        """The levels of the search, with the prefixes of each."""
        order = np.argsort(self.codes, kind="stable")
        levels = []
        for number, length in enumerate(self.lengths):
            held, starts = np.unique(self.cut(self.codes[order], number), return_index=True)
            levels.append(Level(number, length, held, order, starts))
        return tuple(levels)

    def cut(self, codes: Codes, number: int) -> Codes:
        """The prefixes of these codes at a level."""
        return np.asarray(codes >> np.uint64(self.bits - self.lengths[number]))

    @property
    def roots(self) -> Codes:
        """All prefixes of ⌈log2 k⌉ bits, ascending: the survivors before the first level."""
        return np.arange(2 ** start_length(self.k), dtype=np.uint64)

    def children(self, survivors: Codes, number: int) -> Codes:
        """The candidates of level `number`, ascending: all extensions of the previous level's
        survivors.
        """
        before = self.lengths[number - 1] if number else start_length(self.k)
        added = self.lengths[number] - before
        ends = np.arange(2**added, dtype=np.uint64)
        return ((survivors[:, None] << np.uint64(added)) | ends).reshape(-1)


def places(within: Codes, prefixes: Codes) -> Items:
    """int64[len(prefixes)]: the position of each prefix in the ascending array `within`; -1 if
    absent.
    """
    if not within.size:
        return np.full(prefixes.size, -1)
    at = np.minimum(np.searchsorted(within, prefixes), within.size - 1)
    return np.where(within[at] == prefixes, at, -1)
