"""A client of SHE, without ldptui: a number for each item, with noise on a grid."""


def minus_exp(a, b):
    """True with probability e^(-a/b), in whole numbers alone, 0 <= a <= b."""
    k = 1
    while RNG.randrange(b * k) < a:
        k += 1
    return k % 2 == 1


def noise(scale):
    """A whole number x with probability in proportion to e^(-|x|/scale)."""
    while True:
        size = RNG.randrange(scale)
        if not minus_exp(size, scale):
            continue
        while minus_exp(1, 1):
            size += scale
        negative = RNG.randrange(2)
        if size or not negative:
            return -size if negative else size


def report(item, known):
    steps = [noise(known["t"]) + known["k"] * (v == item) for v in range(known["d"])]
    return {"report": [step / known["k"] for step in steps]}  # k is a power of 2: exact


def supports(row, item, known):
    return int(row["report"][item] > 0.5)
