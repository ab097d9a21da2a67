"""Honest reports: an item, encoded and perturbed."""

from __future__ import annotations

import numpy as np

from core.cell import Cell
from core.hashing import buckets, xxhash32
from core.protocols import GRR, LocalHashing, Unary
from core.pure import Reports

from ...text import format as fmt
from .cells import one_bit, over_buckets, over_items
from .steps import Chance, Step
from .words import bits_needed, hex_of, letters_of, named, plural, seed_bits


def honest_value(cell: Cell, item: int) -> Step:
    """The first step of a genuine user: the item."""
    share = cell.population.frequencies[item]
    return Step(
        "Value",
        named(cell, item) + (", a target" if item in cell.targets else ""),
        detail=(f"held by {fmt.percent(share)} of {plural(cell.users, 'user')}",),
    )


def honest_steps(cell: Cell, report: Reports, item: int) -> tuple[Step, ...]:
    protocol = cell.pure
    if isinstance(protocol, GRR):
        return _honest_direct(cell, protocol, int(report[0]), item)
    if isinstance(protocol, Unary):
        return _honest_unary(cell, protocol, report, item)
    if isinstance(protocol, LocalHashing):
        return _honest_hashing(cell, protocol, report, item)
    return ()


def _honest_direct(cell: Cell, protocol: GRR, sent: int, item: int) -> tuple[Step, ...]:
    p, q, d = protocol.p, protocol.q, protocol.domain_size
    kept = sent == item
    own, out = one_bit(d, item), one_bit(d, sent)
    return (
        Step("Encoding", "the item itself", cells=over_items(cell, (("own", own),), item)),
        Step(
            "Perturbation",
            "keeps the item" if kept else "takes another item",
            (
                Chance("own item sent", "p", p, "yes" if kept else "no"),
                Chance(
                    "each other",
                    "q",
                    q,
                    f"none of {fmt.count(d - 1)}" if kept else named(cell, sent),
                ),
            ),
            over_items(cell, (("own", own), ("sent", out)), item, sent, rate=None),
        ),
        Step("Report", named(cell, sent), detail=(bits_needed(d),)),
    )


def _honest_unary(cell: Cell, protocol: Unary, report: Reports, item: int) -> tuple[Step, ...]:
    p, q, d = protocol.p, protocol.q, protocol.domain_size
    before, after = one_bit(d, item), protocol.supports(report)[0]
    kept = bool(after[item])
    flipped = int(after.sum()) - kept
    expected = (d - 1) * q
    one, zero = letters_of(cell)
    return (
        Step(
            "Encoding",
            f"one of {plural(d, 'bit')} is 1",
            cells=over_items(cell, (("encoded", before),), item),
        ),
        Step(
            "Perturbation",
            "each bit on its own",
            (
                Chance("1 → 1", one, p, "yes" if kept else "no"),
                Chance(
                    "0 → 1",
                    zero,
                    q,
                    f"{fmt.count(flipped)} of {fmt.count(d - 1)}",
                ),
            ),
            over_items(cell, (("before", before), ("after", after)), item, rate=q),
        ),
        Step(
            "Report",
            f"{plural(d, 'bit')}, {plural(int(after.sum()), 'one')}",
            detail=(hex_of(report), f"expected {one} + (d−1){zero} = {fmt.short(p + expected)}"),
            bits=after,
            marked=np.sort(cell.targets),
        ),
    )


def _honest_hashing(
    cell: Cell, protocol: LocalHashing, report: Reports, item: int
) -> tuple[Step, ...]:
    p, g = protocol.p, protocol.hash_range
    seed, sent = report["seed"][:1].copy(), int(report["value"][0])
    hashed = int(xxhash32(np.array([item]), seed)[0])
    own = int(buckets(np.array([item]), seed, g)[0])
    kept = own == sent
    first, then = one_bit(g, own), one_bit(g, sent)
    return (
        Step(
            "Encoding",
            f"hashed to bucket {own} of {fmt.count(g)}",
            cells=over_buckets(cell, (("own", first),), seed, own),
            detail=(
                f"own random seed 0x{int(seed[0]):08x}",
                f"xxHash32 of {item} = 0x{hashed:08x}",
                f"⌊0x{hashed:08x} · {g} / 2³²⌋ = {own}",
            ),
        ),
        Step(
            "Perturbation",
            "keeps the bucket" if kept else "takes another bucket",
            (
                Chance("own bucket sent", "p", p, "yes" if kept else "no"),
                Chance(
                    "each other",
                    "q′",
                    (1 - p) / (g - 1),
                    f"none of {fmt.count(g - 1)}" if kept else f"bucket {sent}",
                ),
            ),
            over_buckets(cell, (("own", first), ("sent", then)), seed, own, sent),
        ),
        Step("Report", f"seed 0x{int(seed[0]):08x}, bucket {sent}", detail=(seed_bits(g),)),
    )
