"""A client of unary encoding, without ldptui: a noisy bit for each item."""


def report(item, known):
    ones = [RNG.random() < known["p" if v == item else "q"] for v in range(known["d"])]
    return {"report": packed(ones)}


def supports(row, item, known):
    return bytes.fromhex(row["report"])[item // 8] >> (7 - item % 8) & 1
