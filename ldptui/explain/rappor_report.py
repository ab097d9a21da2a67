"""The life of one RAPPOR report: hashes, Bloom filter, permanent noise, fresh noise, bit by bit.

Erlingsson, Pihur, Korolova, "RAPPOR", CCS 2014, section 2.
"""

from __future__ import annotations

import copy
import struct
from dataclasses import replace
from hashlib import md5
from typing import Any, Final, cast

import numpy as np

from ldptui.core.attacks import Strategy
from ldptui.core.base.sampling import Floats
from ldptui.core.cell import Cell
from ldptui.core.law.law import Ask
from ldptui.core.law.pure import BoolArray, Reports, Rng, Supports
from ldptui.core.protocols import Rappor

from ..text import format as fmt
from .item_formulas import BITS
from .report_explanation import FRESH_NOISE, KEPT_NOISE, Bits, Noise, ReportExplanation, hex_of
from .report_values import MemberGroup, ReportStep, StepBits

MOST_FILTERS: Final = 2**16
"""The most Bloom filters that are hashed to show one report, in a tenth of a second."""


def hashes_here(protocol: Rappor) -> bool:
    """True if the Bloom filters of all items are few enough to be computed for the screen."""
    return protocol.domain_size * protocol.cohorts <= MOST_FILTERS


def reports(cell: Cell) -> ReportExplanation | str:
    """The explanation of RAPPOR's reports; basic RAPPOR is explained as a unary encoding."""
    protocol: Any = cell.protocol
    if cell.is_pure:
        return BITS
    if hashes_here(protocol):
        return FilterReports()
    return "too many items times cohorts to hash their Bloom filters here: fewer, please"


class FilterReports(ReportExplanation):
    """Explains a report of RAPPOR with Bloom filters.

    The permanent noise is not part of the report; the protocol without fresh noise draws it again
    from the same random stream.
    """

    shows_bits = True

    def encode(self, cell: Cell, report: Reports, item: int) -> tuple[str, ...]:
        """The bits that an item's hash functions choose in a cohort."""
        protocol, cohort = _rappor(cell), _cohort(report)
        h, hashed = protocol.hashes, protocol.table[item, cohort].tolist()
        text = str(item) if protocol.labels is None else protocol.labels[item]
        value = text.encode("utf-8", "surrogateescape")
        digest = md5(struct.pack(">I", cohort) + value, usedforsecurity=False).digest()
        hashes = f"{fmt.plural(h, 'hash', 'es')} set {fmt.plural(len({*hashed}), 'bit')}"
        bits = f"byte mod {protocol.bits}: bits {', '.join(map(str, hashed))}"
        return (
            f"cohort {cohort} of 0 to {protocol.cohorts - 1}: {hashes} of {protocol.bits}",
            f"MD5(0x{cohort:08x} ‖ {text}) = {digest[:h].hex(' ')} …; {bits}",
        )

    def describe(self, cell: Cell, report: Reports) -> tuple[str, ...]:
        protocol, sent = _rappor(cell), _bits(cell, report)
        ones = fmt.plural(int(sent.sum()), "one")
        text = f"cohort {_cohort(report)}, {protocol.bits} bits, {ones}"
        mean = f"honest reports: {fmt.short(protocol.expected_ones)} ones on average"
        return text, hex_of(np.packbits(sent)), mean

    def keep_answer(self, cell: Cell, item: int, rng: Rng) -> Reports | None:
        protocol, again = _rappor(cell), copy.deepcopy(rng)
        if not protocol.noise.is_memoised:
            return None
        bare = replace(protocol, noise=replace(protocol.noise, p=0.0, q=1.0))
        return bare.perturb(np.array([item]), again)

    def noises(self, cell: Cell, kept: bool) -> tuple[Noise, ...]:
        noise = _rappor(cell).noise
        if not kept:
            text = "every bit of the filter is noisy on its own"
            return (("Perturbation", text, ("q*", "p*"), (noise.q_star, noise.p_star)),)
        permanent = (*KEPT_NOISE, ("1 − f/2", "f/2"), (1 - noise.f / 2, noise.f / 2))
        if noise.p == 0 and noise.q == 1:
            return (permanent,)
        return permanent, (*FRESH_NOISE, ("q", "p"), (noise.q, noise.p))

    def own_bits(self, cell: Cell, report: Reports, item: int) -> Bits:
        return "true", _filter(cell, report, item)

    def sent_bits(self, cell: Cell, report: Reports) -> Bits:
        return "sent", _bits(cell, report)

    def lay_out(
        self, cell: Cell, report: Reports, rows: tuple[Bits, ...], item: int | None
    ) -> StepBits:
        """The bits of a filter, those of the user's item first, then the targets'."""
        protocol, cohort = _rappor(cell), _cohort(report)
        own = set() if item is None else {*protocol.table[item, cohort].tolist()}
        aimed = {*np.flatnonzero(protocol.target_bits(cell.targets)[cohort]).tolist()} - own
        groups = ("own", own), ("targets", aimed)
        shown = tuple(MemberGroup(name, tuple(sorted(bits))) for name, bits in groups if bits)
        return StepBits("bit", rows, shown)

    def show_report(self, cell: Cell, report: Reports) -> ReportStep:
        aimed = np.flatnonzero(_rappor(cell).target_bits(cell.targets)[_cohort(report)])
        return replace(super().show_report(cell, report), bits=_bits(cell, report), marked=aimed)

    def support(self, cell: Cell, report: Reports) -> Supports:
        """The candidates whose bits are all set in the report."""
        return np.asarray(~(_filters(cell, report) & ~_bits(cell, report)).any(axis=1))

    def weigh(self, cell: Cell, report: Reports) -> tuple[float, str]:
        noise, sent = _rappor(cell).noise, _bits(cell, report)
        weight = float((_shares(cell, report) @ ((sent - noise.p_star) / noise.gap)).sum())
        return weight, "Σ over targets, mean over bits of (bit − p*)/(q* − p*)"

    def expect(
        self, cell: Cell, report: Reports, item: int | None, attack: Strategy | None
    ) -> tuple[float | None, float]:
        noise, targets = _rappor(cell).noise, np.sort(cell.targets)
        rates = self._rates(cell, report, item, getattr(attack, "report_law", ""))
        hit = float(np.where(_filters(cell, report)[targets], rates, 1.0).prod(axis=1).sum())
        return hit, float((_shares(cell, report) @ ((rates - noise.p_star) / noise.gap)).sum())

    def _rates(self, cell: Cell, report: Reports, item: int | None, law: str) -> Floats:
        """float64[k], the chance of each bit to be 1 in such a report.

        item : the item of the report, or None.
        law : the distribution of a fake's report, "" for an honest user.
        """
        protocol = _rappor(cell)
        if law == "random":
            return np.full(protocol.bits, 0.5)
        if item is None:
            crafted = protocol.find_law(Ask("crafted", cell.targets)).shape()
            assert crafted is not None
            return np.asarray(crafted.rates[_cohort(report)])
        own = _filter(cell, report, item)
        if law == "unperturbed":
            return own.astype(float)
        return np.asarray(protocol.noise.p_star + protocol.noise.gap * own, float)


def _rappor(cell: Cell) -> Rappor:
    return cast("Rappor", cell.protocol)


def _cohort(report: Reports) -> int:
    return int(report["cohort"][0])


def _bits(cell: Cell, report: Reports) -> BoolArray:
    """bool[k], the bits of a report."""
    return np.asarray(_rappor(cell).unpack(report)[0])


def _filter(cell: Cell, report: Reports, item: int) -> BoolArray:
    """bool[k], the Bloom filter of an item in the cohort of a report."""
    return np.asarray(_rappor(cell).encode(np.array([item]), report["cohort"][:1])[0])


def _filters(cell: Cell, report: Reports) -> BoolArray:
    """bool[d, k], the Bloom filters of all items in the cohort of a report."""
    protocol = _rappor(cell)
    d = protocol.domain_size
    return np.asarray(protocol.encode(np.arange(d), np.full(d, _cohort(report))))


def _shares(cell: Cell, report: Reports) -> Floats:
    """float64[r, k], the share that each bit has in the estimate of a target."""
    filters = _filters(cell, report)[np.sort(cell.targets)]
    return np.asarray(filters / filters.sum(axis=1, keepdims=True))
