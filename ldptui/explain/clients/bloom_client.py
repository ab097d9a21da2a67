"""A client of RAPPOR, without ldptui: a cohort and a noisy Bloom filter."""

import struct
from hashlib import md5


def encode(item, cohort, known):
    """The Bloom filter of an item: byte i of MD5(cohort, name), modulo k, is the bit of hash i."""
    name = known["names"][item] if known["names"] else str(item)
    digest = md5(struct.pack(">I", cohort) + name.encode("utf-8", "surrogateescape")).digest()
    ones = {byte % known["k"] for byte in digest[: known["h"]]}
    return [at in ones for at in range(known["k"])]


def keep(item, cohort, known):
    """The bits that the user draws once for this item, and keeps."""
    flips = [RNG.random() for _ in range(known["k"])]
    f, bits = known["f"], encode(item, cohort, known)
    return [flip < f / 2 or (flip < 1 - f / 2 and bit) for flip, bit in zip(flips, bits)]


def report(item, known, cohort=None, kept=None):
    cohort = RNG.randrange(known["m"]) if cohort is None else cohort  # drawn once for ever
    kept = keep(item, cohort, known) if kept is None else kept
    ones = [RNG.random() < known["q" if bit else "p"] for bit in kept]
    return {"cohort": cohort, "bits": packed(ones)}


def supports(row, item, known):
    """1 where the report has all bits of the item's Bloom filter."""
    sent = bytes.fromhex(row["bits"])
    wanted = encode(item, row["cohort"], known)
    return int(all(sent[at // 8] >> (7 - at % 8) & 1 for at in range(known["k"]) if wanted[at]))
