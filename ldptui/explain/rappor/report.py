"""The life of one RAPPOR report: hashes, Bloom filter, permanent noise, fresh noise, bit by bit.

Erlingsson, Pihur, Korolova, "RAPPOR", CCS 2014, section 2. What stands between the two noises is
no part of a report: it is drawn again from the same stream, by the protocol without fresh noise.
"""

from __future__ import annotations

import copy
import struct
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from hashlib import md5
from typing import Any, Final

import numpy as np

from ldptui.core.attacks import Strategy, View, played
from ldptui.core.base.sampling import Floats
from ldptui.core.cell import Cell
from ldptui.core.law.law import Ask
from ldptui.core.law.pure import BoolArray, Items, Reports, Rng
from ldptui.core.protocols import Rappor

from ...text import format as fmt
from .. import unary
from ..report import SENT_AS_IT_IS, Cells, Chance, Group, Life, Meter, Step
from ..report.pure import claimed_item, honest_value, no_item
from ..report.steps import hex_of
from ..story import Reporting

MOST_FILTERS: Final = 2**16
"""The most Bloom filters that are hashed to show one report, in a tenth of a second."""


def hashes_here(protocol: Rappor) -> bool:
    """True where the Bloom filters of all items may be made here."""
    return protocol.domain_size * protocol.cohorts <= MOST_FILTERS


def reports(cell: Cell) -> Reporting | str:
    """The reports of all forms: the basic ones are unary encodings."""
    protocol: Any = cell.protocol
    if cell.is_pure:
        return unary.REPORTS
    if hashes_here(protocol):
        return RapporReports()
    return "too many items times cohorts to hash their Bloom filters here: fewer, please"


class RapporReports:
    """The reports of the forms with Bloom filters."""

    def genuine(self, cell: Cell, item: int, kept: Rng, fresh: Rng) -> Life:
        """The same `kept` is the same client: another `fresh` is its next report of the value."""
        protocol: Any = cell.protocol
        values = np.array([item])
        permanent = _permanent(protocol, values, kept)
        report = protocol.memoised_reports(values, kept, fresh)
        steps = (honest_value(cell, item), *_honest(cell, protocol, item, report, permanent))
        return _life(cell, protocol, "A genuine user", report, steps, item)

    def fake(self, cell: Cell, attack: Strategy, title: str, rng: Rng) -> Life:
        protocol: Any = cell.protocol
        if hasattr(attack, "held"):
            return _of_an_item(cell, protocol, attack, title, rng)
        report = attack.reports(protocol, View(cell.targets), 1, rng)
        drawn = _random if attack.report_law == "random" else _crafted
        steps = (no_item(cell, attack), *drawn(cell, protocol, report))
        return _life(cell, protocol, title, report, steps, None, fake=attack)


def _of_an_item(cell: Cell, protocol: Rappor, attack: Any, title: str, rng: Rng) -> Life:
    """The report of a fake who pretends to hold a target."""
    view = View(cell.targets)
    again = copy.deepcopy(rng)  # draws the same target, and the same permanent noise
    item = attack.held(view, 1, again).item()
    permanent = _permanent(played(protocol, attack.cohort), np.array([item]), again)
    report = attack.reports(protocol, view, 1, rng)
    steps = _honest(cell, protocol, item, report, permanent)
    if attack.report_law == "unperturbed":
        steps = (*steps[:2], SENT_AS_IT_IS, steps[-1])
    value = claimed_item(cell, attack, item)
    return _life(cell, protocol, title, report, (value, *steps), item, fake=attack)


def _claimed(protocol: Rappor, cohort: int) -> Step:
    return Step("Cohort", f"claims {cohort} of 0 to {protocol.cohorts - 1}")


def _random(cell: Cell, protocol: Rappor, report: Reports) -> tuple[Step, ...]:
    cohort, sent = _opened(protocol, report)
    ones = f"{int(sent.sum())} of {protocol.bits} are"
    drawn = Step(
        "Drawing",
        "a fair coin for every bit",
        (Chance("each bit is 1", "1/2", 0.5, ones),),
        _over_bits(cell, protocol, cohort, (("drawn", sent),), None, rate=0.5),
    )
    last = _sent(cell, protocol, cohort, sent, None)
    return _claimed(protocol, cohort), drawn, SENT_AS_IT_IS, last


def _crafted(cell: Cell, protocol: Rappor, report: Reports) -> tuple[Step, ...]:
    cohort, sent = _opened(protocol, report)
    aimed = protocol.aimed(cell.targets)[cohort]
    crafted, pad = sent & aimed, int((sent & ~aimed).sum())
    both = (("before", crafted), ("after", sent))
    return (
        _claimed(protocol, cohort),
        Step(
            "Crafting",
            f"{fmt.plural(int(crafted.sum()), 'bit')} of the targets in this cohort",
            cells=_over_bits(cell, protocol, cohort, (("crafted", crafted),), None),
        ),
        Step(
            "Padding",
            f"{fmt.plural(pad, 'more one')} at random, to look honest",
            cells=_over_bits(cell, protocol, cohort, both, None),
            detail=(f"honest reports: {fmt.short(protocol.expected_ones)} ones on average",),
        ),
        _sent(cell, protocol, cohort, sent, None),
    )


def _permanent(protocol: Rappor, values: Items, rng: Rng) -> BoolArray:
    """bool[k]: the permanent bits that this generator will draw; it is left as it was."""
    again, noise = copy.deepcopy(rng), protocol.noise
    if noise.memoised:
        bare = replace(protocol, noise=replace(noise, p=0.0, q=1.0))
        return np.asarray(bare.unpack(bare.perturb(values, again))[0])
    cohorts = protocol.memoised_reports(values, again, again)["cohort"]
    return np.asarray(protocol.encode(values, cohorts)[0])  # without permanent noise


def _opened(protocol: Rappor, report: Reports) -> tuple[int, BoolArray]:
    """The cohort and the bits, bool[k], of one report."""
    return int(report["cohort"][0]), np.asarray(protocol.unpack(report)[0])


def _honest(
    cell: Cell, protocol: Rappor, item: int, report: Reports, permanent: BoolArray
) -> tuple[Step, ...]:
    """The steps of an honest report: hashes, filter, kept noise, fresh noise, what is sent."""
    cohort, sent = _opened(protocol, report)
    true = protocol.encode(np.array([item]), np.array([cohort]))[0]
    cells = partial(_over_bits, cell, protocol, cohort, item=item)
    return (
        _hashing(protocol, cohort, item),
        Step("Bloom filter", f"{fmt.plural(int(true.sum()), 'bit')} of {protocol.bits} set",
             cells=cells((("true", true),))),
        _kept_noise(protocol, true, permanent, cells),
        _fresh_noise(protocol, permanent, sent, cells),
        _sent(cell, protocol, cohort, sent, int(true.sum())),
    )  # fmt: skip


def _hashing(protocol: Rappor, cohort: int, item: int) -> Step:
    """The bits that an item's hash functions choose in a cohort."""
    h = protocol.hashes
    hashed = protocol.table[item, cohort].tolist()
    text = str(item) if protocol.labels is None else protocol.labels[item]
    value = text.encode("utf-8", "surrogateescape")
    digest = md5(struct.pack(">I", cohort) + value, usedforsecurity=False).digest()
    return Step(
        "Hashing",
        f"cohort {cohort} of 0 to {protocol.cohorts - 1}: {fmt.plural(h, 'hash', 'es')}",
        detail=(
            f"MD5(0x{cohort:08x} ‖ {text}) = {digest[:h].hex(' ')} …",
            f"byte mod {protocol.bits}: bits {', '.join(map(str, hashed))}",
        ),
    )


def _kept_noise(
    protocol: Rappor, true: BoolArray, permanent: BoolArray, cells: Callable[..., Cells]
) -> Step:
    """The permanent noise: from the true bits to those that are kept for the value."""
    noise = protocol.noise
    if not noise.memoised:
        return Step("Kept noise", "none: f = 0, the true bits are kept")
    return Step(
        "Kept noise",
        "permanent: drawn once for this value, in every report",
        (
            Chance("1 → 1", "1 − f/2", 1 - noise.f / 2, _flips(true, permanent, True)),
            Chance("0 → 1", "f/2", noise.f / 2, _flips(true, permanent, False)),
        ),
        cells((("true", true), ("kept", permanent)), rate=noise.f / 2),
    )


def _fresh_noise(
    protocol: Rappor, permanent: BoolArray, sent: BoolArray, cells: Callable[..., Cells]
) -> Step:
    """The fresh noise: from the kept bits to those that are sent."""
    noise = protocol.noise
    if noise.p <= 0 and noise.q >= 1:
        return Step("Fresh noise", "none: the kept bits are sent")
    return Step(
        "Fresh noise",
        "drawn anew for each report",
        (
            Chance("kept 1 → 1", "q", noise.q, _flips(permanent, sent, True)),
            Chance("kept 0 → 1", "p", noise.p, _flips(permanent, sent, False)),
        ),
        cells((("kept", permanent), ("sent", sent))),
        ("RAPPOR's p and q: the reverse of Wang's",),
    )


def _flips(before: BoolArray, after: BoolArray, was: bool) -> str:
    """The number of bits that are 1 after, of those that were `was` before, in words."""
    place = before == was
    return f"{int(after[place].sum())} of {int(place.sum())}"


def _sent(cell: Cell, protocol: Rappor, cohort: int, sent: BoolArray, own: int | None) -> Step:
    """The report as it arrives. own : the number of true bits of an honest report, else None."""
    noise, k = protocol.noise, protocol.bits
    mean = protocol.expected_ones
    if own is not None:
        mean = own * noise.q_star + (k - own) * noise.p_star
    mark = "expected" if own is not None else "honest reports:"
    aimed = np.flatnonzero(protocol.aimed(cell.targets)[cohort])
    return Step(
        "Report",
        f"cohort {cohort}, {k} bits, {fmt.plural(int(sent.sum()), 'one')}",
        detail=(hex_of(np.packbits(sent)), f"{mark} {fmt.short(mean)} ones"),
        bits=sent,
        marked=aimed,
    )


def _life(
    cell: Cell,
    protocol: Rappor,
    title: str,
    report: Reports,
    steps: tuple[Step, ...],
    item: int | None,
    fake: Strategy | None = None,
) -> Life:
    """The life with what the server makes of the report: candidates, and the targets' bits."""
    cohort, sent = _opened(protocol, report)
    noise, d = protocol.noise, protocol.domain_size
    filters = protocol.encode(np.arange(d), np.full(d, cohort))
    possible = np.asarray(~(filters & ~sent).any(axis=1))
    targets = np.sort(cell.targets)
    hit = targets[possible[targets]]
    text = f"{fmt.count(int(possible.sum()))} of {fmt.plural(d, 'candidate')} have all bits set"
    if item is not None:
        text += ", the own one too" if possible[item] else ", not the own one"
    own_filter = None if item is None else filters[item]
    rates = _rates(cell, protocol, cohort, own_filter, getattr(fake, "report_law", ""))
    meter = None
    if targets.size:
        chances = np.where(filters[targets], rates, 1.0).prod(axis=1)
        meter = Meter(hit.size, targets.size, float(chances.sum()))
    weights = filters[targets] / filters[targets].sum(axis=1, keepdims=True)
    weight = float((weights @ ((sent - noise.p_star) / noise.gap)).sum())
    server = [Step("Support", text, meter=meter)]
    if targets.size:
        average = float((weights @ ((rates - noise.p_star) / noise.gap)).sum())
        server.append(
            Step(
                "Weight",
                f"{fmt.short(weight, sign=True)} users with a target, by its bits",
                detail=(
                    "Σ over targets, mean over bits of (bit − p*)/(q* − p*)",
                    f"{fmt.short(average, sign=True)} on average of such a report",
                ),
            )
        )
    return Life(title, fake is not None, item, report, (*steps, *server), np.flatnonzero(possible),
                hit, weight)  # fmt: skip


def _rates(
    cell: Cell, protocol: Rappor, cohort: int, own_filter: BoolArray | None, law: str
) -> Floats:
    """float64[k]: the chance of each bit to be 1 in such a report.

    own_filter : the filter of the item that the report is of, None for a report of no item.
    law : that of a fake's report, "" for an honest user.
    """
    if law == "random":
        return np.full(protocol.bits, 0.5)
    if own_filter is None:
        crafted = protocol.known(Ask("crafted", cell.targets)).shape()
        assert crafted is not None
        return np.asarray(crafted.rates[cohort])
    if law == "unperturbed":
        return own_filter.astype(float)
    return np.asarray(protocol.noise.p_star + protocol.noise.gap * own_filter, float)


def _over_bits(
    cell: Cell,
    protocol: Rappor,
    cohort: int,
    rows: tuple[tuple[str, BoolArray], ...],
    item: int | None,
    rate: float | None = None,
) -> Cells:
    """The bits of a filter: those of the own item first, then the targets'."""
    bits: list[int] = []
    if item is not None:
        bits = sorted(set(protocol.table[item, cohort].tolist()))
    aimed = np.flatnonzero(protocol.aimed(cell.targets)[cohort]).tolist()
    groups = [Group("own", tuple(bits))] if bits else []
    rest = tuple(bit for bit in aimed if bit not in bits)
    if rest:
        groups.append(Group("targets", rest))
    return Cells("bit", rows, tuple(groups), {}, rate=rate)
