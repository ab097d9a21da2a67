"""A client of subset selection, without ldptui: w items, the own one among them more often."""


def report(item, known):
    others = [v for v in range(known["d"]) if v != item]
    if RNG.random() < known["p"]:
        chosen = {item, *RNG.sample(others, known["w"] - 1)}
    else:
        chosen = set(RNG.sample(others, known["w"]))
    return {"report": packed([v in chosen for v in range(known["d"])])}


def supports(row, item, known):
    return bytes.fromhex(row["report"])[item // 8] >> (7 - item % 8) & 1
