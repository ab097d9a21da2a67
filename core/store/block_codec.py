"""A block of trials as bytes, and back: its results by name, after a checksum.

The checksum is over the address and the bytes, so that reading notices a block that is damaged, or
that is stored under another block's address.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import Final

import msgspec
import numpy as np
from xxhash import xxh3_128_digest

from ..base.sampling import Floats
from ..metrics import METRICS, Measures, measures_from_columns, names_of, plain
from ..metrics.results import MOMENTS, Arms, CellResults, Rounds, arms_of, columns_of

CHECKSUM_BYTES: Final = 16
SMALL_BYTES: Final = 1 << 16
"""The most bytes of a block that is compressed: pages of the file hold several of them then."""


class Trials(msgspec.Struct, array_like=True):
    """The measures [trials, …] by name, and the moments of the arms as columns of bytes."""

    shape: tuple[int, ...]
    names: tuple[str, ...]
    values: bytes
    moments: Mapping[str, bytes]


class Block(msgspec.Struct, array_like=True):
    """A block as stored: its trials, their fingerprints and the moments of the estimates."""

    trials: Trials
    fingerprints: bytes
    detected: bytes | None = None
    rounds: Trials | None = None


ZLIB: Final = b"\x78"
"""The first byte of what is compressed; MessagePack begins a block with another one."""

_decode: Final = msgspec.msgpack.Decoder(Block).decode


def seal(address: str, body: bytes) -> bytes:
    """The bytes to store under an address: a checksum, then the body."""
    return xxh3_128_digest(address.encode() + body) + body


def unseal(address: str, sealed: object) -> bytes:
    """The body stored under an address; raises ValueError if the checksum differs."""
    if isinstance(sealed, bytes) and len(sealed) >= CHECKSUM_BYTES:
        body = sealed[CHECKSUM_BYTES:]
        if xxh3_128_digest(address.encode() + body) == sealed[:CHECKSUM_BYTES]:
            return body
    raise ValueError("its checksum differs")


def encode_block(block: CellResults) -> bytes:
    """A block as MessagePack, compressed if it is small.

    Columns that are undefined in all its trials are left out.
    """
    detected = None if block.detected is None else block.detected.astype("<i8").tobytes()
    rounds = block.rounds
    packed = None if rounds is None else _pack_trials(rounds.metrics, rounds.arms)
    trials = _pack_trials(block.metrics, block.arms)
    marks = block.fingerprints.astype("<u8").tobytes()
    body = msgspec.msgpack.encode(Block(trials, marks, detected, packed))
    return body if len(body) > SMALL_BYTES else zlib.compress(body, 1)


def _pack_trials(metrics: Measures, arms: Arms) -> Trials:
    table, names = plain(metrics), names_of(metrics)
    defined = np.flatnonzero((~np.isnan(table)).reshape(-1, len(names)).any(axis=0))
    kept = {*defined.tolist()} | {at for at, name in enumerate(names) if name not in METRICS}
    places = sorted(kept)
    values = table[..., places].astype("<f8").tobytes()
    moments = {name: data for name, data in columns_of(arms).items() if data is not None}
    return Trials(metrics.shape, tuple(names[at] for at in places), values, moments)


def decompress(body: bytes) -> bytes:
    """The MessagePack of a stored block; raises ValueError for damaged bytes."""
    if not body.startswith(ZLIB):
        return body
    try:
        return zlib.decompressobj().decompress(body, SMALL_BYTES)  # not all of a bomb
    except zlib.error as error:
        raise ValueError(str(error)) from error


def decode_block(body: bytes) -> CellResults:
    """The block in these bytes; raises ValueError if its parts are inconsistent or damaged."""
    block = _decode(decompress(body))
    metrics, arms = _unpack_trials(block.trials)
    (trials,) = metrics.shape
    marks = np.frombuffer(block.fingerprints, "<u8").reshape(trials)
    detected = None if block.detected is None else np.frombuffer(block.detected, "<i8")
    rounds = None if block.rounds is None else Rounds(*_unpack_trials(block.rounds))
    if rounds is not None and len(rounds.metrics) != trials:
        raise ValueError("its rounds are of other trials")
    return CellResults(metrics, marks, arms, detected, rounds)


def _unpack_trials(part: Trials) -> tuple[Measures, Arms]:
    values: Floats = np.frombuffer(part.values, "<f8").reshape(*part.shape, len(part.names))
    trials, *rounds = part.shape
    columns = [part.moments.get(name) for name in MOMENTS]
    return measures_from_columns(part.names, values), arms_of(columns, trials, (*rounds, -1))
