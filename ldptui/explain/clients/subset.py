"""A client of subset selection, without ldptui: w items, the own one among them more often."""

import json
import sys
from random import SystemRandom

RNG = SystemRandom()  # cryptographic random numbers of the system


def report(item, known):
    others = [v for v in range(known["d"]) if v != item]
    if RNG.random() < known["p"]:
        chosen = {item, *RNG.sample(others, known["w"] - 1)}
    else:
        chosen = set(RNG.sample(others, known["w"]))
    return {"report": packed([v in chosen for v in range(known["d"])])}


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
