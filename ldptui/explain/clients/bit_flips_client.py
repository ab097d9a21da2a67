"""A client of dBitFlip, without ldptui: noisy bits of D items."""


def report(item, known):
    asked = set(RNG.sample(range(known["d"]), known["D"]))
    ones = [
        v in asked and RNG.random() < known["p" if v == item else "q"] for v in range(known["d"])
    ]
    return {"report": packed([v in asked for v in range(known["d"])]) + packed(ones)}


def supports(row, item, known):
    answers = bytes.fromhex(row["report"])[-(-known["d"] // 8) :]
    return answers[item // 8] >> (7 - item % 8) & 1
