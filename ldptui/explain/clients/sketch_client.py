"""A client of the count mean sketch, without ldptui: a row and a noisy bit for each bucket."""

import struct

import xxhash


def bucket(item, row, known):
    """The bucket of an item in a row: xxHash32 of its four bytes, the row as the seed."""
    return xxhash.xxh32(struct.pack("<I", item), seed=row).intdigest() * known["m"] >> 32


def report(item, known):
    row = RNG.randrange(known["k"])
    own = bucket(item, row, known)
    ones = [RNG.random() < known["p" if at == own else "q"] for at in range(known["m"])]
    return {"row": row, "bits": packed(ones)}


def supports(row, item, known):
    at = bucket(item, row["row"], known)
    return bytes.fromhex(row["bits"])[at // 8] >> (7 - at % 8) & 1
