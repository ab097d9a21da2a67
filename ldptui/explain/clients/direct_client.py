"""A client of generalised randomised response, without ldptui."""


def report(item, known):
    if RNG.random() < known["p"]:
        return {"report": item}
    other = RNG.randrange(known["d"] - 1)
    return {"report": other + (other >= item)}


def supports(row, item, known):
    return int(row["report"] == item)
