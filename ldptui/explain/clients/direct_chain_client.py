"""A client of L-GRR, without ldptui: randomised response, kept and sent with noise."""


def response(answer, chance, known):
    """The answer with this chance, else any of the other ones, all alike."""
    if RNG.random() < chance:
        return answer
    other = RNG.randrange(known["d"] - 1)
    return other + (other >= answer)


def keep(item, known):
    """The answer that the user draws once for this item, and keeps."""
    return response(item, known["p1"], known)


def report(item, known, kept=None):
    kept = keep(item, known) if kept is None else kept
    return {"report": response(kept, known["p2"], known)}


def supports(row, item, known):
    return int(row["report"] == item)
