"""A client of the Hadamard count mean sketch, without ldptui: a noisy sign."""

import json
import struct
import sys
from random import SystemRandom

import xxhash

RNG = SystemRandom()  # cryptographic random numbers of the system


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


if __name__ == "__main__":  # python CLIENT.py parameters.json < items > reports.jsonl
    with open(sys.argv[1], encoding="utf-8") as file:
        parameters = json.load(file)
    for line in sys.stdin:
        print(json.dumps(report(int(line), parameters)))
