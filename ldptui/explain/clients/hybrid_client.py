"""A client of HM, without ldptui: a bin of PM, or an end of the range, in the last two bins."""

import math


def report(held, known):
    number = 2 * (held - known["low"]) / (known["high"] - known["low"]) - 1
    if RNG.random() >= known["part"]:
        up = RNG.random() < (1 + number / known["c"]) / 2
        return {"report": known["bins"] - 2 + up}
    place = RNG.random()
    if RNG.random() >= known["base"]:
        place = (1 + number) / 2 * (1 - known["w"]) + known["w"] * place
    middle = known["bins"] // 2 - 1
    found = math.floor((place - 0.5) * known["each"] / known["w"]) + middle
    return {"report": min(max(found, 0), 2 * middle - 1)}


def supports(row, held, known):
    """1 where the report says a number of the half of the range that the number is in."""
    report, last = row["report"], known["bins"] - 1
    upper = report == last if report >= last - 1 else report >= (last - 1) // 2
    return int(upper == (2 * held >= known["low"] + known["high"]))
