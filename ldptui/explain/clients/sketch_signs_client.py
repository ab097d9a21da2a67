"""A client of the Hadamard count mean sketch, without ldptui: a noisy sign."""

import struct

import xxhash


def odd(item, row, column, known):
    """1 where the Hadamard entry of the item's bucket in this row and column is -1."""
    own = xxhash.xxh32(struct.pack("<I", item), seed=row).intdigest() * known["m"] >> 32
    return bin(own & column).count("1") % 2


def report(item, known):
    row, column = RNG.randrange(known["k"]), RNG.randrange(known["m"])
    sign = odd(item, row, column, known) ^ (RNG.random() >= known["p"])
    return {"row": row, "column": column, "odd": sign}


def supports(row, item, known):
    return int(odd(item, row["row"], row["column"], known) == row["odd"])
