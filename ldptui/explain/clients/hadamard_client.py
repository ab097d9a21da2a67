"""A client of Hadamard response, without ldptui: a block and a column."""


def place(item, known):
    """The block of an item, and its row in the Hadamard matrix of that block."""
    block, row = divmod(item, known["b"] - 1)
    return block, row + 1


def report(item, known):
    if RNG.random() >= known["truthful"]:
        return {"report": RNG.randrange(known["messages"])}
    block, row = place(item, known)
    column = RNG.randrange(known["b"])
    if bin(row & column).count("1") % 2:  # the entry is -1: in this other column it is 1
        column ^= row & -row
    return {"report": block * known["b"] + column}


def supports(row, item, known):
    sent, column = divmod(row["report"], known["b"])
    block, place_in = place(item, known)
    return 0 if sent != block else 1 - 2 * (bin(place_in & column).count("1") % 2)
