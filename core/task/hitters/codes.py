"""Items as bit strings: the codes of a population's items, and of words."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...base.errors import ScenarioError, got, shown
from ...base.streams import digest, stream
from ...population import Population

Codes: TypeAlias = NDArray[np.uint64]
"""Bit strings of at most 64 bits, as numbers: the first bit is the highest."""

Encoding: TypeAlias = Literal["random", "index", "utf-8", "hash"]


def codes_of(population: Population, encoding: Encoding | None, bits: int, seed: int) -> Codes:
    """uint64[d], a code for each item: distinct, and below 2^bits.

    random : distinct random codes, the same for one population and seed. index : the item's
    number. utf-8 : the bytes of its label, and zeros after them. hash : the first bits of the
    label's xxHash. Left out, it is utf-8 for items with labels and random for others.

    Raises ScenarioError at its own key where that cannot be.
    """
    words = check_codes(population, encoding, bits)
    if words is not None:
        return words
    if encoding == "index":
        return np.arange(population.domain_size, dtype=np.uint64)
    return _random(population, bits, seed)


def check_codes(population: Population, encoding: Encoding | None, bits: int) -> Codes | None:
    """Refuse what `codes_of` refuses; the codes of words, None where they are numbers or random."""
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
    """The encoding where none is given: the bytes of labels, random codes where there are none."""
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
            f"{rule}, got {bits}: {shown(first)} and {shown(second)} have one code", key="bits"
        )
    return codes


def _bytes_code(word: str, bits: int) -> int:
    data = word.encode()
    if 8 * len(data) > bits:
        rule = f"must be at least {8 * len(data)}, the bits of the word {shown(word)}"
        raise ScenarioError(f'{rule}, {got(bits)}; encoding = "hash" fits all words', key="bits")
    return int.from_bytes(data, "big") << (bits - 8 * len(data))


def _hash_code(word: str, bits: int) -> int:
    return int(digest(word.encode())[:16], 16) >> (64 - bits)


def code_text(code: int, length: int) -> str:
    """A prefix as zeros and ones."""
    return f"{code:0{length}b}"
