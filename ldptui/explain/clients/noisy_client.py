"""A client of local Laplace noise, without ldptui: whole steps of a grid, cut off at its ends."""

import math


def report(held, known):
    last = known["bins"] - 1
    place = (held - known["low"]) / (known["high"] - known["low"]) * last
    point = math.floor(place + RNG.random())
    point = min(point, last) + steps(known["eps"], last) - steps(known["eps"], last)
    return {"report": min(max(point, 0), last)}


def steps(epsilon, last):
    """A geometric number, at least 0: how often a coin of probability e^(-epsilon/last) falls."""
    return math.floor(math.log(1 - RNG.random()) * -last / epsilon)


def supports(row, held, known):
    """1 where the report is in the half of the grid that the number is in."""
    return int((2 * row["report"] >= known["bins"]) == (2 * held >= known["low"] + known["high"]))
