"""A client of stochastic rounding, without ldptui: one end of the range."""


def report(item, known):
    number = 2 * item / (known["d"] - 1) - 1  # items are numbers from -1 to 1, as far apart
    chance = known["q"] + (known["p"] - known["q"]) * (1 + number) / 2
    return {"report": int(RNG.random() < chance)}


def supports(row, item, known):
    """1 where the report is the end of the range nearest to the item."""
    return int(row["report"] == (2 * item >= known["d"] - 1))
