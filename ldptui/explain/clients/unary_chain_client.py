"""A client of longitudinal unary encoding, without ldptui: bits kept, and sent with noise."""


def noisy(bits, one, zero):
    """Bits that are 1 with the chance `one` where a bit is 1, else `zero`."""
    return [RNG.random() < (one if bit else zero) for bit in bits]


def keep(item, known):
    """The bits that the user draws once for this item, and keeps."""
    return noisy([v == item for v in range(known["d"])], known["p1"], known["q1"])


def report(item, known, kept=None):
    kept = keep(item, known) if kept is None else kept
    return {"report": packed(noisy(kept, known["p2"], known["q2"]))}


def supports(row, item, known):
    return bytes.fromhex(row["report"])[item // 8] >> (7 - item % 8) & 1
