"""A client of the count mean sketch, without ldptui: a row and a noisy bit for each bucket."""

import json
import struct
import sys
from random import SystemRandom

import xxhash

RNG = SystemRandom()  # cryptographic random numbers of the system


def bucket(item, row, known):
    """The bucket of an item in a row: xxHash32 of its four bytes, the row as the seed."""
    return xxhash.xxh32(struct.pack("<I", item), seed=row).intdigest() * known["m"] >> 32


def report(item, known):
    row = RNG.randrange(known["k"])
    own = bucket(item, row, known)
    ones = [RNG.random() < known["p" if at == own else "q"] for at in range(known["m"])]
    return {"row": row, "bits": packed(ones)}


def packed(bits):
    """Hexadecimal digits of bits, the first in the highest bit of the first byte."""
    width = -(-len(bits) // 8)
    text = "".join("01"[bit] for bit in bits).ljust(8 * width, "0")
    return int(text, 2).to_bytes(width, "big").hex()


def supports(row, item, known):
    at = bucket(item, row["row"], known)
    return bytes.fromhex(row["bits"])[at // 8] >> (7 - at % 8) & 1


if __name__ == "__main__":  # python CLIENT.py parameters.json < items > reports.jsonl
    with open(sys.argv[1], encoding="utf-8") as file:
        parameters = json.load(file)
    for line in sys.stdin:
        print(json.dumps(report(int(line), parameters)))
