"""A client of local hashing, without ldptui: a hash function and a noisy bucket."""

import struct

import xxhash


def bucket(item, seed, known):
    """The bucket of an item: xxHash32 of its four bytes, the least significant first."""
    return xxhash.xxh32(struct.pack("<I", item), seed=seed).intdigest() * known["g"] >> 32


def report(item, known):
    seed = RNG.getrandbits(32)
    value = bucket(item, seed, known)
    if RNG.random() >= known["p"]:
        other = RNG.randrange(known["g"] - 1)
        value = other + (other >= value)
    return {"seed": seed, "value": value}


def supports(row, item, known):
    return int(bucket(item, row["seed"], known) == row["value"])
