"""A client of PM and SW, without ldptui: the bin of a place near the own number, or of any."""

import math


def report(held, known):
    number = 2 * (held - known["low"]) / (known["high"] - known["low"]) - 1
    return {"report": place_of(number, known)}


def place_of(number, known):
    """The bin of a place of the line [0, 1], where the window begins at (1 + number)/2 (1 - w)."""
    place = RNG.random()
    if RNG.random() >= known["base"]:
        place = (1 + number) / 2 * (1 - known["w"]) + known["w"] * place
    found = math.floor((place - 0.5) * known["each"] / known["w"]) + known["bins"] // 2
    return min(max(found, 0), known["bins"] - 1)


def supports(row, held, known):
    """1 where the report is in the half of the line that the number is in."""
    return int((row["report"] >= known["bins"] // 2) == (2 * held >= known["low"] + known["high"]))
