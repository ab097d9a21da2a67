"""A client of generalised randomised response, without ldptui."""

import json
import sys
from random import SystemRandom

RNG = SystemRandom()  # cryptographic random numbers of the system


def report(item, known):
    if RNG.random() < known["p"]:
        return {"report": item}
    other = RNG.randrange(known["d"] - 1)
    return {"report": other + (other >= item)}


def supports(row, item, known):
    return int(row["report"] == item)


if __name__ == "__main__":  # python CLIENT.py parameters.json < items > reports.jsonl
    with open(sys.argv[1], encoding="utf-8") as file:
        parameters = json.load(file)
    for line in sys.stdin:
        print(json.dumps(report(int(line), parameters)))
