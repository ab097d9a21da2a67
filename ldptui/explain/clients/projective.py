"""A client of projective geometry response, without ldptui: a point."""


def point(number, known):
    """The t elements of the point with this number: 0 is (0, …, 0, 1), 1 + k F + a is k, then a."""
    elements = []
    for _ in range(known["t"]):
        elements.append(0 if number < 0 else 1 if number == 0 else (number - 1) % known["F"])
        number = (number - 1) // known["F"] if number > 0 else -1
    return elements[::-1]


def supports(row, item, known):
    pairs = zip(point(row["report"], known), reversed(point(item, known)))
    return int(sum(a * b for a, b in pairs) % known["F"] == 0)


def report(item, known):
    honest = RNG.random() < known["truthful"]
    while True:
        row = {"report": RNG.randrange(known["messages"])}
        if not honest or supports(row, item, known):
            return row
