"""Randomness by address: the stream of a draw follows from its inputs, never from the order of
work.

`stream` is the only place where a generator is made. An address is any text that names everything
the draw depends on, and nothing else; two cells with one address share their draws, so that
their difference is a paired one.
"""

from __future__ import annotations

from typing import Final, Literal

import numpy as np
import xxhash

Role = Literal["population", "targets", "genuine", "malicious", "order", "defence"]
Path = Literal["counts", "reports"]

_ROLES: Final[dict[Role, int]] = {
    "population": 0,
    "targets": 1,
    "genuine": 2,
    "malicious": 3,
    "order": 4,
    "defence": 5,
}
_PATHS: Final[dict[Path, int]] = {"counts": 0, "reports": 1}


def stream(
    seed: int, address: str, role: Role, path: Path = "counts", block: tuple[int, ...] = (0,)
) -> np.random.Generator:
    """The random generator of the stream with this seed, address, role and block.

    Parameters
    ----------
    seed : the scenario's seed, an int ≥ 0.
    address : a text that names everything the draw depends on.
    role, path : the part of the simulation that draws, and its path.
    block : (block of 20 trials,) on the counts path, (trial, block of users) on the reports path.

    Notes
    -----
    `default_rng(SeedSequence(seed, spawn_key=(h0, h1, h2, h3, role, path, *block)))`, where h0..h3
    are the 32-bit words of xxh3_128(address), lowest first.
    """
    digest = xxhash.xxh3_128_intdigest(address.encode())
    words = tuple(digest >> shift & 0xFFFFFFFF for shift in (0, 32, 64, 96))
    key = (*words, _ROLES[role], _PATHS[path], *block)
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))


def digest(data: bytes) -> str:
    """The xxh3_128 hash of data, in hexadecimal."""
    return xxhash.xxh3_128_hexdigest(data)
