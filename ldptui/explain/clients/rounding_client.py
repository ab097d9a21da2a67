"""A client of stochastic rounding, without ldptui: one end of the range."""


def report(held, known):
    number = 2 * (held - known["low"]) / (known["high"] - known["low"]) - 1
    chance = known["q"] + (known["p"] - known["q"]) * (1 + number) / 2
    return {"report": int(RNG.random() < chance)}


def supports(row, held, known):
    """1 where the report is the end of the range nearest to the number."""
    return int(row["report"] == (2 * held >= known["low"] + known["high"]))
