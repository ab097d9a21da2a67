"""A client of longitudinal unary encoding, without ldptui: bits kept, and sent with noise."""

import json
import sys
from random import SystemRandom

RNG = SystemRandom()  # cryptographic random numbers of the system


def noisy(bits, one, zero):
    """Bits that are 1 with the chance `one` where a bit is 1, else `zero`."""
    return [RNG.random() < (one if bit else zero) for bit in bits]


def keep(item, known):
    """The bits that the user draws once for this item, and keeps."""
    return noisy([v == item for v in range(known["d"])], known["p1"], known["q1"])


def report(item, known, kept=None):
    kept = keep(item, known) if kept is None else kept
    return {"report": packed(noisy(kept, known["p2"], known["q2"]))}


def packed(bits):
    """Hexadecimal digits of bits, the first in the highest bit of the first byte."""
    width = -(-len(bits) // 8)
    text = "".join("01"[bit] for bit in bits).ljust(8 * width, "0")
    return int(text, 2).to_bytes(width, "big").hex()


def supports(row, item, known):
    return bytes.fromhex(row["report"])[item // 8] >> (7 - item % 8) & 1


if __name__ == "__main__":  # python CLIENT.py parameters.json < items > reports.jsonl
    with open(sys.argv[1], encoding="utf-8") as file:
        parameters = json.load(file)
    for line in sys.stdin:
        print(json.dumps(report(int(line), parameters)))
