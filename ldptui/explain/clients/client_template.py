"""The parts that all clients in Python share; one that needs no bits goes without `packed`."""

import json
import sys
from random import SystemRandom

RNG = SystemRandom()  # cryptographic random numbers of the system


def packed(bits):
    """Hexadecimal digits of bits, the first in the highest bit of the first byte."""
    width = -(-len(bits) // 8)
    text = "".join("01"[bit] for bit in bits).ljust(8 * width, "0")
    return int(text, 2).to_bytes(width, "big").hex()


if __name__ == "__main__":  # python CLIENT.py parameters.json < items > reports.jsonl
    with open(sys.argv[1], encoding="utf-8") as file:
        parameters = json.load(file)
    for line in sys.stdin:
        print(json.dumps(report(int(line), parameters)))
