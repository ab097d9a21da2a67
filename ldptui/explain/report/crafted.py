"""Reports of fakes: crafted for the targets, or drawn at random."""

from __future__ import annotations

import numpy as np

from core.attacks import (
    Demotion,
    PatternAttack,
    SubsetGain,
)
from core.cell import Cell
from core.hashing import buckets
from core.protocols import GRR, LocalHashing, Unary
from core.pure import Reports

from ...text import format as fmt
from .cells import one_bit, over_buckets, over_items
from .steps import SENT_AS_IT_IS, Chance, Step
from .words import bits_needed, hex_of, letters_of, named, plural, seed_bits, targets_of


def crafted_steps(cell: Cell, report: Reports, seeds: int) -> tuple[Step, ...]:
    protocol, r = cell.pure, cell.targets.size
    if isinstance(protocol, GRR):
        sent, d = int(report[0]), protocol.domain_size
        out = one_bit(protocol.domain_size, sent)
        if isinstance(cell.attack, Demotion):
            text, chance = "any item but a target", ("each other", "1/(d−r)", 1 / (d - r))
        else:
            text, chance = f"one of {targets_of(cell)}", ("each target", "1/r", 1 / r)
        return (
            Step(
                "Crafting",
                text,
                (Chance(*chance, named(cell, sent)),),
                over_items(cell, (("picked", out),), None),
            ),
            SENT_AS_IT_IS,
            Step("Report", named(cell, sent), detail=(bits_needed(protocol.domain_size),)),
        )
    if isinstance(protocol, Unary):
        return _crafted_unary(cell, protocol, report)
    if isinstance(protocol, LocalHashing):
        return _crafted_hashing(cell, protocol, report, seeds)
    return ()


def _crafted_unary(cell: Cell, protocol: Unary, report: Reports) -> tuple[Step, ...]:
    p, q, d, r = protocol.p, protocol.q, protocol.domain_size, cell.targets.size
    after = protocol.supports(report)[0]
    crafted = np.zeros(d, dtype=np.bool_)
    crafted[cell.targets] = after[cell.targets]
    hit = int(crafted.sum())
    pad = int(after.sum()) - hit
    expected = fmt.short(p + (d - 1) * q)
    one, zero = letters_of(cell)
    if pad:
        why = f"{plural(pad, 'more one')} at random, to look honest"
    if isinstance(cell.attack, PatternAttack):
        why = why if pad else "none: no one is left"
        detail = (f"k = {hit + pad} ones, drawn by the honest law: {one} + (d−1){zero} on average",)
    elif isinstance(cell.attack, SubsetGain):
        why = why if pad else "none: there are ones enough"
        detail = (f"aims at {plural(cell.attack.subset, 'target')}; padding may hit others",)
    elif isinstance(cell.attack, Demotion):
        why = why if pad else "none: there is no other item"
        detail = (f"⌊{one} + (d−1){zero}⌋ = {protocol.padding(0)}, never a target",)
    elif pad:
        detail = (f"l = ⌊{one} + (d−1){zero} − r⌋ = {pad}",)
    else:
        why = "none: there are ones enough"
        detail = (f"{one} + (d−1){zero} − r = {expected} − {r} < 1",)
    return (
        Step(
            "Crafting",
            _set_bits(hit, r),
            cells=over_items(cell, (("crafted", crafted),), None),
        ),
        Step(
            "Padding",
            why,
            cells=over_items(
                cell,
                (("before", crafted), ("after", after)),
                None,
            ),
            detail=(*detail, "not perturbed: bits stay as they are"),
        ),
        Step(
            "Report",
            f"{plural(d, 'bit')}, {plural(int(after.sum()), 'one')}",
            detail=(hex_of(report), f"honest reports: {expected} on average"),
            bits=after,
            marked=np.sort(cell.targets),
        ),
    )


def _set_bits(hit: int, r: int) -> str:
    if hit == r:
        return "every target's bit is 1"
    return f"{hit} of {r} targets' bits are 1" if hit else "no target's bit is 1"


def _crafted_hashing(
    cell: Cell, protocol: LocalHashing, report: Reports, seeds: int
) -> tuple[Step, ...]:
    g, r = protocol.hash_range, cell.targets.size
    seed, sent = report["seed"][:1].copy(), int(report["value"][0])
    hit = int((buckets(cell.targets, seed, g) == sent).sum())
    wanted = getattr(cell.attack, "seeds", seeds)
    tried = f"{plural(seeds, 'seed')}"
    if seeds < wanted:
        tried += f" (the attack: {fmt.count(wanted)})"
    return (
        Step(
            "Crafting",
            f"the best of {tried}",
            cells=over_buckets(cell, (("best", one_bit(g, sent)),), seed, None, sent),
            detail=(
                f"seed 0x{int(seed[0]):08x}: {plural(hit, 'target')} in bucket {sent}",
                f"any seed: r/g = {fmt.short(r / g)} on average",
            ),
        ),
        SENT_AS_IT_IS,
        Step("Report", f"seed 0x{int(seed[0]):08x}, bucket {sent}", detail=(seed_bits(g),)),
    )


def random_steps(cell: Cell, report: Reports) -> tuple[Step, ...]:
    protocol = cell.pure
    if isinstance(protocol, GRR):
        d, sent = protocol.domain_size, int(report[0])
        return (
            Step(
                "Drawing",
                "any item, all alike",
                (Chance("each item", "1/d", 1 / d, named(cell, sent)),),
                over_items(cell, (("drawn", one_bit(d, sent)),), None, sent),
            ),
            SENT_AS_IT_IS,
            Step("Report", named(cell, sent), detail=(bits_needed(d),)),
        )
    if isinstance(protocol, Unary):
        d, after = protocol.domain_size, protocol.supports(report)[0]
        ones = int(after.sum())
        honest = protocol.p + (d - 1) * protocol.q
        return (
            Step(
                "Drawing",
                "a fair coin for every bit",
                (Chance("each bit is 1", "1/2", 0.5, f"{fmt.count(ones)} of {fmt.count(d)} are"),),
                over_items(cell, (("drawn", after),), None, rate=0.5),
            ),
            SENT_AS_IT_IS,
            Step(
                "Report",
                f"{plural(d, 'bit')}, {plural(ones, 'one')}",
                detail=(
                    hex_of(report),
                    f"honest reports: {fmt.short(honest)} on average",
                ),
                bits=after,
                marked=np.sort(cell.targets),
            ),
        )
    if isinstance(protocol, LocalHashing):
        g = protocol.hash_range
        seed, sent = report["seed"][:1].copy(), int(report["value"][0])
        return (
            Step(
                "Drawing",
                "any seed, any bucket, all alike",
                (Chance("each bucket", "1/g", 1 / g, f"bucket {sent}"),),
                over_buckets(cell, (("drawn", one_bit(g, sent)),), seed, None, sent),
            ),
            SENT_AS_IT_IS,
            Step("Report", f"seed 0x{int(seed[0]):08x}, bucket {sent}", detail=(seed_bits(g),)),
        )
    return ()
