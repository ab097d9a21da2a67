"""The levels of PEM: the lengths of the prefixes that its groups of users report.

Wang, Li, Jha, "Locally Differentially Private Heavy Hitter Identification", TDSC 2019; in the form
of Cao, Jia, Gong, USENIX Security 2021, section 5.
"""

from __future__ import annotations

from ...base.errors import ScenarioError, got

MOST_CANDIDATES = 2**22
"""Candidates of one level: their counts fill 32 MiB."""


def start_length(k: int) -> int:
    """⌈log2 k⌉, the length of the prefixes that all are candidates before the first group."""
    return (k - 1).bit_length()


def prefix_lengths(bits: int, k: int, groups: int) -> tuple[int, ...]:
    """λ_j = c + ⌈j (γ - c) / G⌉ with c = ⌈log2 k⌉, for j = 1 … G.

    A group may add no bit to the one before; it ranks its candidates again.
    """
    start = start_length(k)
    return tuple(start - (-number * (bits - start) // groups) for number in range(1, groups + 1))


def extended_lengths(bits: int, k: int, extension: int) -> tuple[int, ...]:
    """The lengths where each group adds this number of bits, and the last one what is left."""
    start = start_length(k)
    groups = max(1, -(-(bits - start) // extension))
    return tuple(min(start + number * extension, bits) for number in range(1, groups + 1))


def candidate_counts(lengths: tuple[int, ...], k: int) -> list[int]:
    """The number of candidates at each level."""
    counts, parents, before = [], 2 ** start_length(k), start_length(k)
    for length in lengths:
        counts.append(parents << (length - before))
        parents, before = min(k, counts[-1]), length
    return counts


def check_candidates(lengths: tuple[int, ...], k: int, key: str) -> None:
    """Refuse a level with too many candidates, at the key that decides on it."""
    for number, count in enumerate(candidate_counts(lengths, k), 1):
        if count > MOST_CANDIDATES:
            rule = "must give at most 2^22 candidates at each level"
            raise ScenarioError(f"{rule}, {got(count)} at level {number}", key=key)
