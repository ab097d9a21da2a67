"""A client of LOLOHA, without ldptui: a bucket kept, and sent with noise."""

import struct

import xxhash


def bucket(item, seed, known):
    """The bucket of an item: xxHash32 of its four bytes, the least significant first."""
    return xxhash.xxh32(struct.pack("<I", item), seed=seed).intdigest() * known["g"] >> 32


def response(value, chance, known):
    """The bucket with this chance, else any of the other ones, all alike."""
    if RNG.random() < chance:
        return value
    other = RNG.randrange(known["g"] - 1)
    return other + (other >= value)


def keep(item, known):
    """The hash function and the bucket that the user draws once for this item, and keeps."""
    seed = RNG.getrandbits(32)  # one seed for ever; a bucket for each bucket of an item
    return seed, response(bucket(item, seed, known), known["p1"], known)


def report(item, known, kept=None):
    seed, value = keep(item, known) if kept is None else kept
    return {"seed": seed, "value": response(value, known["p2"], known)}


def supports(row, item, known):
    return int(bucket(item, row["seed"], known) == row["value"])
