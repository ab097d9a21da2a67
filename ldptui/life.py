"""The life of one report, step by step: of a genuine user, and of a fake one.

Every step shows what really happened to one report that the protocol or the attack made: the code
that draws is theirs, and the intermediate values are recovered from the report itself.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from core.attacks import (
    Adaptive,
    Attack,
    Demotion,
    InputPoisoning,
    MaximalGain,
    Mixture,
    PatternAttack,
    RandomItem,
    RandomReport,
    SubsetGain,
    UnperturbedItem,
    Untargeted,
    View,
)
from core.cell import Cell
from core.hashing import buckets, xxhash32
from core.protocols import GRR, LocalHashing, Rappor, Unary
from core.pure import BoolArray, Items, Reports, Rng
from core.sampling import Counts
from core.theory import fake_support

from . import format as fmt

SEARCH_WORK: Final = 2_000_000
"""Hashes of one fake's seed search, some 20 ms: a longer search is shown with fewer seeds."""

MOST_FILTERS: Final = 2**16
"""So many Bloom filters are hashed to show one report at most, in a tenth of a second."""

Searching: TypeAlias = MaximalGain | SubsetGain | Untargeted | Demotion | Adaptive

ATTACK_NAMES: Final = {
    "rpa": "random report attack",
    "ria": "random item attack",
    "ria-unperturbed": "random item, no noise",
    "input": "input poisoning",
    "mga": "maximal gain attack",
    "mga-a": "maximal gain, subsets",
    "apa": "adaptive pattern attack",
    "untargeted": "untargeted attack",
    "demote": "demotion",
    "adaptive": "adaptive attack",
}


@dataclass(frozen=True)
class Chance:
    """One thing that could happen, its probability, and whether or how often it did."""

    event: str
    symbol: str
    probability: float
    outcome: str


@dataclass(frozen=True)
class Meter:
    """How many of the targets a report supports, and how many such a report does on average."""

    value: int
    total: int
    expected: float


@dataclass(frozen=True)
class Group:
    """Items or buckets that belong together, in the order in which they are shown."""

    name: str
    members: tuple[int, ...]


@dataclass(frozen=True)
class Rest:
    """What is not shown cell by cell: how many, and how many of them are ones, by row."""

    count: int
    ones: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Cells:
    """Bits over the items of the domain, the buckets of a hash, or the bits of a Bloom filter.

    rows : (name, bool[size]); two rows are before and after something random.
    groups : what a window shows first, in this order; the rest is "others".
    labels : the names of the members of the groups.
    numbers : (name, int64[size]) shown over the bits, or None.
    rate : probability of a one in the last row for each member of "others"; None if certain.
    """

    over: Literal["item", "bucket", "bit"]
    rows: tuple[tuple[str, BoolArray], ...]
    groups: tuple[Group, ...]
    labels: dict[int, str]
    numbers: tuple[str, Counts] | None = None
    rate: float | None = None

    @property
    def size(self) -> int:
        return int(self.rows[0][1].size)

    def others(self, most: int) -> tuple[int, ...]:
        """The first members of no group, at most so many."""
        grouped = {member for group in self.groups for member in group.members}
        wanted = range(min(self.size, most + len(grouped)))
        return tuple(member for member in wanted if member not in grouped)[:most]

    def label(self, member: int) -> str:
        return self.labels.get(member, str(member))

    def rest(self) -> Rest:
        """The members of no group."""
        grouped = [member for group in self.groups for member in group.members]
        ones = tuple(int(bits.sum() - bits[grouped].sum()) for _, bits in self.rows)
        return Rest(self.size - len(grouped), ones)


@dataclass(frozen=True, eq=False)
class Step:
    """One step: a sentence, what could happen, the cells, and what to know about it.

    bits : bool[d], all the bits of a report, drawn where there is room for them; marked : int64,
    the targets among them.
    """

    name: str
    text: str
    chances: tuple[Chance, ...] = ()
    cells: Cells | None = None
    detail: tuple[str, ...] = ()
    meter: Meter | None = None
    bits: BoolArray | None = None
    marked: Items | None = None


@dataclass(frozen=True, eq=False)
class Life:
    """The steps of one report, from the value to what the server takes from it.

    report : the report itself, an array of one. supports : int64, the items it supports, ascending.
    targets : int64, the targets among them. weight : Σ over the targets of (1[t ∈ S(y)] − q)/(p−q),
    what the report adds to the targets' estimated total, in users.
    """

    title: str
    fake: bool
    item: int | None
    report: Reports
    steps: tuple[Step, ...]
    supports: Items
    targets: Items
    weight: float


SENT_AS_IT_IS: Final = Step("Perturbation", "none, sent as it is")


def has_steps(protocol: object) -> bool:
    """Whether the steps of this protocol's reports are known here."""
    if isinstance(protocol, Rappor):
        return protocol.domain_size * protocol.cohorts <= MOST_FILTERS
    return isinstance(protocol, GRR | Unary | LocalHashing)


def random_user(cell: Cell, rng: Rng) -> int:
    """The item of a genuine user, drawn uniformly from the population."""
    held = np.cumsum(cell.population.histogram)
    return int(np.searchsorted(held, rng.integers(0, held[-1]), side="right"))


def genuine_life(cell: Cell, item: int, rng: Rng, kept: Rng | None = None) -> Life:
    """The report of a genuine user who holds `item`, drawn by the protocol.

    kept : draws what a client keeps between its reports, as RAPPOR's do; `rng` where it is None.
    """
    if isinstance(cell.protocol, Rappor):
        from .life_rappor import genuine_bloom

        return genuine_bloom(cell, cell.protocol, item, rng if kept is None else kept, rng)
    report = cell.pure.perturb(np.array([item]), rng)
    steps = (honest_value(cell, item), *_honest_steps(cell, report, item))
    return _life(cell, "A genuine user", report, steps, item, fake=False)


def honest_value(cell: Cell, item: int) -> Step:
    """The first step of a genuine user: the item."""
    share = cell.population.frequencies[item]
    return Step(
        "Value",
        named(cell, item) + (", a target" if item in cell.targets else ""),
        detail=(f"held by {fmt.percent(share)} of {plural(cell.users, 'user')}",),
    )


def fake_life(cell: Cell, rng: Rng) -> Life:
    """The report of a fake user, drawn by the attack; ValueError for a cell without an attack."""
    attack, share = cell.attack, 1.0
    if attack is None:
        raise ValueError("there are no fake users without an attack")
    if isinstance(attack, Mixture):
        cell, attack, share = _one_part(cell, attack, rng)
    title = f"A fake user: {ATTACK_NAMES.get(attack.kind, attack.kind)}"
    if share < 1:
        title += f", {fmt.percent(share)} of the fakes"
    if isinstance(cell.protocol, Rappor):
        from .life_rappor import fake_bloom

        return fake_bloom(cell, cell.protocol, attack, title, rng)
    if isinstance(attack, RandomItem | InputPoisoning | UnperturbedItem):
        # The attack draws the target first: a copy of the generator draws the same one.
        item = attack.held(View(cell.targets), 1, copy.deepcopy(rng)).item()
        report = attack.reports(cell.pure, View(cell.targets), 1, rng)
        honest = not isinstance(attack, UnperturbedItem)
        value = Step(
            "Value",
            f"{named(cell, item)}, a target",
            detail=(f"one of {targets_of(cell)}, at random{': its only lie' if honest else ''}",),
        )
        made = _honest_steps(cell, report, item)
        if not honest and made:
            encoded, _, sent = made
            made = (encoded, SENT_AS_IT_IS, sent)
        return _life(cell, title, report, (value, *made), item, fake=True)
    shown = _bounded(attack, cell)
    report = shown.reports(cell.pure, View(cell.targets), 1, rng)
    value = Step(
        "Value",
        "none: a fake holds no item",
        detail=(f"wants {targets_of(cell)} to look {_WISHES.get(attack.kind, 'frequent')}",),
    )
    if not isinstance(attack, RandomReport):
        made = _crafted_steps(cell, report, getattr(shown, "seeds", 0))
    else:
        made = _random_steps(cell, report)
    return _life(cell, title, report, (value, *made), None, fake=True)


def _one_part(cell: Cell, mixture: Mixture, rng: Rng) -> tuple[Cell, Attack, float]:
    """A fake of a mixture: the cell as if all fakes were of its part, what they do, their share."""
    counts = np.array([part.count for part in cell.fakes])
    weights = counts if counts.sum() else np.array([part.weight for part in mixture.parts])
    law = weights / weights.sum()
    number = int(rng.choice(law.size, p=law))
    attack = mixture.parts[number].attack
    alone = replace(cell, attack=attack, targets=cell.fakes[number].targets)
    return alone, attack, float(law[number])


_WISHES: Final = {"demote": "rare", "untargeted": "frequent, whichever they are"}


def _life(
    cell: Cell, title: str, report: Reports, steps: Sequence[Step], item: int | None, *, fake: bool
) -> Life:
    """The life with the last steps, which are the server's: what is supported, and its weight."""
    supported = cell.pure.supports(report)[0]
    targets = np.sort(cell.targets)
    hit = targets[supported[targets]]
    p, q, r = cell.pure.p, cell.pure.q, targets.size
    weight = float((hit.size - r * q) / (p - q))
    server = [_support_step(cell, report, supported, item, fake=fake)]
    if r:
        server.append(_weight_step(cell, hit.size, weight, item, fake=fake))
    items = np.flatnonzero(supported)
    return Life(title, fake, item, report, (*steps, *server), items, hit, weight)


# What the server does with a report.


def _support_step(
    cell: Cell, report: Reports, supported: BoolArray, item: int | None, *, fake: bool
) -> Step:
    protocol, r = cell.pure, cell.targets.size
    count = int(supported.sum())
    text = f"{fmt.count(count)} of {plural(protocol.domain_size, 'item')}"
    if item is not None:
        text += ", the own one too" if supported[item] else ", not the own one"
    meter = None
    if r:
        if fake and cell.attack is not None:
            expected = _supported(cell)
        else:
            expected = r * protocol.q
            if item is not None and item in cell.targets:
                expected += protocol.p - protocol.q
        meter = Meter(int(supported[cell.targets].sum()), r, expected)
    cells = None
    if isinstance(protocol, LocalHashing):
        hashed = buckets(
            np.arange(protocol.domain_size), report["seed"][:1].copy(), protocol.hash_range
        )
        cells = _over_items(
            cell,
            (("support", supported),),
            item,
            numbers=("bucket", hashed.astype(np.int64)),
            rate=protocol.q,
        )
        text += f": bucket {int(report['value'][0])}"
    return Step("Support", text, cells=cells, meter=meter)


def _supported(cell: Cell) -> float:
    """How many targets a fake report supports on average."""
    law = fake_support(cell)
    assert law is not None  # there is no life of what has no law
    return float(law.rates[cell.targets].sum())


def _weight_step(cell: Cell, hit: int, weight: float, item: int | None, *, fake: bool) -> Step:
    p, q, r = cell.pure.p, cell.pure.q, cell.targets.size
    short = fmt.short
    if fake and cell.attack is not None:
        mean = (_supported(cell) - r * q) / (p - q)
        average = f"{short(mean, sign=True)} on average, from each fake"
    else:
        holds = item is not None and item in cell.targets
        average = f"{'+1' if holds else '0'} on average: honest noise cancels"
    return Step(
        "Weight",
        f"{short(weight, sign=True)} users with a target",
        detail=(f"({hit} − {r}q)/(p − q) = {short(hit - r * q)}/{short(p - q)}", average),
    )


# Honest reports: encoded and perturbed.


def _honest_steps(cell: Cell, report: Reports, item: int) -> tuple[Step, ...]:
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
    own, out = _one(d, item), _one(d, sent)
    return (
        Step("Encoding", "the item itself", cells=_over_items(cell, (("own", own),), item)),
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
            _over_items(cell, (("own", own), ("sent", out)), item, sent, rate=None),
        ),
        Step("Report", named(cell, sent), detail=(_bits_needed(d),)),
    )


def _letters(cell: Cell) -> tuple[str, str]:
    """The chances that a 1, and that a 0, is sent as 1: RAPPOR's p and q are Wang's reversed."""
    return ("p", "q") if cell.noise is None else ("q*", "p*")


def _honest_unary(cell: Cell, protocol: Unary, report: Reports, item: int) -> tuple[Step, ...]:
    p, q, d = protocol.p, protocol.q, protocol.domain_size
    before, after = _one(d, item), protocol.supports(report)[0]
    kept = bool(after[item])
    flipped = int(after.sum()) - kept
    expected = (d - 1) * q
    one, zero = _letters(cell)
    return (
        Step(
            "Encoding",
            f"one of {plural(d, 'bit')} is 1",
            cells=_over_items(cell, (("encoded", before),), item),
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
            _over_items(cell, (("before", before), ("after", after)), item, rate=q),
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
    first, then = _one(g, own), _one(g, sent)
    return (
        Step(
            "Encoding",
            f"hashed to bucket {own} of {fmt.count(g)}",
            cells=_over_buckets(cell, (("own", first),), seed, own),
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
            _over_buckets(cell, (("own", first), ("sent", then)), seed, own, sent),
        ),
        Step("Report", f"seed 0x{int(seed[0]):08x}, bucket {sent}", detail=(_seed_bits(g),)),
    )


# Reports of the maximal gain attack: crafted, not perturbed.


def _crafted_steps(cell: Cell, report: Reports, seeds: int) -> tuple[Step, ...]:
    protocol, r = cell.pure, cell.targets.size
    if isinstance(protocol, GRR):
        sent, d = int(report[0]), protocol.domain_size
        out = _one(protocol.domain_size, sent)
        if isinstance(cell.attack, Demotion):
            text, chance = "any item but a target", ("each other", "1/(d−r)", 1 / (d - r))
        else:
            text, chance = f"one of {targets_of(cell)}", ("each target", "1/r", 1 / r)
        return (
            Step(
                "Crafting",
                text,
                (Chance(*chance, named(cell, sent)),),
                _over_items(cell, (("picked", out),), None),
            ),
            SENT_AS_IT_IS,
            Step("Report", named(cell, sent), detail=(_bits_needed(protocol.domain_size),)),
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
    one, zero = _letters(cell)
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
            cells=_over_items(cell, (("crafted", crafted),), None),
        ),
        Step(
            "Padding",
            why,
            cells=_over_items(
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
            cells=_over_buckets(cell, (("best", _one(g, sent)),), seed, None, sent),
            detail=(
                f"seed 0x{int(seed[0]):08x}: {plural(hit, 'target')} in bucket {sent}",
                f"any seed: r/g = {fmt.short(r / g)} on average",
            ),
        ),
        SENT_AS_IT_IS,
        Step("Report", f"seed 0x{int(seed[0]):08x}, bucket {sent}", detail=(_seed_bits(g),)),
    )


# Reports of the random report attack: any report that the protocol knows.


def _random_steps(cell: Cell, report: Reports) -> tuple[Step, ...]:
    protocol = cell.pure
    if isinstance(protocol, GRR):
        d, sent = protocol.domain_size, int(report[0])
        return (
            Step(
                "Drawing",
                "any item, all alike",
                (Chance("each item", "1/d", 1 / d, named(cell, sent)),),
                _over_items(cell, (("drawn", _one(d, sent)),), None, sent),
            ),
            SENT_AS_IT_IS,
            Step("Report", named(cell, sent), detail=(_bits_needed(d),)),
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
                _over_items(cell, (("drawn", after),), None, rate=0.5),
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
                _over_buckets(cell, (("drawn", _one(g, sent)),), seed, None, sent),
            ),
            SENT_AS_IT_IS,
            Step("Report", f"seed 0x{int(seed[0]):08x}, bucket {sent}", detail=(_seed_bits(g),)),
        )
    return ()


def _bounded(attack: Attack, cell: Cell) -> Attack:
    """The attack with as many seeds as one report may take time for."""
    if not isinstance(attack, Searching) or not isinstance(cell.pure, LocalHashing):
        return attack
    r = cell.targets.size
    work = r * (r + 1) // 2 if getattr(attack, "scoring", "") == "bucket" else r
    most = max(1, SEARCH_WORK // work)
    return attack if attack.seeds <= most else replace(attack, seeds=most)


# Pieces.


def _over_items(
    cell: Cell,
    rows: tuple[tuple[str, BoolArray], ...],
    own: int | None,
    sent: int | None = None,
    *,
    numbers: tuple[str, Counts] | None = None,
    rate: float | None = None,
) -> Cells:
    """Bits over the items: the own one first, then the targets; a sent one that is neither."""
    targets = [int(target) for target in np.sort(cell.targets)]
    groups = []
    if own is not None:
        groups.append(Group("own", (own,)))
    if sent is not None and sent != own and sent not in targets:
        groups.append(Group("sent", (sent,)))
    rest = tuple(target for target in targets if target != own)
    if rest:
        groups.append(Group("targets", rest))
    shown = [member for group in groups for member in group.members]
    labels = {member: cell.population.label(member) for member in shown}
    return Cells("item", rows, tuple(groups), labels, numbers, rate)


def _over_buckets(
    cell: Cell,
    rows: tuple[tuple[str, BoolArray], ...],
    seed: Items,
    own: int | None,
    sent: int | None = None,
) -> Cells:
    """Bits over the buckets of a hash, with the number of targets in each."""
    g = int(rows[0][1].size)
    groups = []
    if own is not None:
        groups.append(Group("own", (own,)))
    if sent is not None and sent != own:
        groups.append(Group("sent", (sent,)))
    numbers = None
    if cell.targets.size:
        placed = buckets(cell.targets, seed.astype(np.uint32), g)
        numbers = ("targets", np.bincount(placed, minlength=g))
    return Cells("bucket", rows, tuple(groups), {}, numbers)


def _one(size: int, place: int) -> BoolArray:
    bits = np.zeros(size, dtype=np.bool_)
    bits[place] = True
    return bits


def named(cell: Cell, item: int) -> str:
    """The number of an item, and its label if it has one."""
    label = cell.population.label(item)
    return f"item {item}" if cell.population.labels is None else f"item {item}, “{label}”"


def targets_of(cell: Cell) -> str:
    """How many targets there are, in words."""
    return plural(cell.targets.size, "target")


def plural(count: int, noun: str, ending: str = "s") -> str:
    """A number and what is counted: `1 bit`, `2 bits`."""
    return f"{fmt.count(count)} {noun}" + ("" if count == 1 else ending)


def hex_of(report: NDArray[Any]) -> str:
    """The first bytes of a packed report."""
    data = report.tobytes()
    start = data[:7].hex(" ")
    return f"{plural(len(data), 'byte')}: {start}" + (" …" if len(data) > 7 else "")


def _bits_needed(domain_size: int) -> str:
    return f"{plural((domain_size - 1).bit_length(), 'bit')}"


def _seed_bits(hash_range: int) -> str:
    return f"32 + {plural((hash_range - 1).bit_length(), 'bit')}: seed and bucket"
