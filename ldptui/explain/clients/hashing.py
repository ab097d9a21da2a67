"""A client of local hashing, without ldptui: a hash function and a noisy bucket."""

import json
import struct
import sys
from random import SystemRandom

import xxhash

RNG = SystemRandom()  # cryptographic random numbers of the system


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


if __name__ == "__main__":  # python CLIENT.py parameters.json < items > reports.jsonl
    with open(sys.argv[1], encoding="utf-8") as file:
        parameters = json.load(file)
    for line in sys.stdin:
        print(json.dumps(report(int(line), parameters)))
