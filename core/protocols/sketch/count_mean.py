"""The count mean sketch (CMS): the report is a row and a noisy bit for each bucket.

Apple Differential Privacy Team, "Learning with Privacy at Scale", 2017.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...base.sampling import Counts, Floats
from ...base.secure import generator
from ...law.enumeration import CELLS, ReportLaw, item_name
from ...law.loss import DiscreteLoss, signs
from ...law.pure import BoolArray, Items, Reports, Rng, array_of, check_padding, items_of
from ...law.support import ItemSupport
from ..unary import SUE, Unary
from .hash_rows import BucketSharing, each_row, hash_items, sums
from .sketch import Sketch, SketchSpec

AT_ONCE = 1 << 21
"""Cells of rows that are handled at once."""


@dataclass(frozen=True)
class CountMeanSketch(Sketch):
    """Count-mean sketch (CMS): report a random row and the one-hot encoding of the item's bucket,
    each bit flipped independently.

    Reports are a structured array [n] of the row uint32 and the bits uint8[ceil(m/8)], packed.
    """

    called: ClassVar[str] = "CMS"
    lacks: ClassVar[dict[str, str]] = {
        "columns": "CMS, whose report has cells for buckets and not for items",
        "supports": "CMS, whose cells stand for several items each",
        "subset": "CMS, whose targets may share a bucket with others of them",
        "disguised": "CMS, whose report has a bit for each bucket and none for an item",
    }

    @cached_property
    def _bits(self) -> Unary:
        """The noise of a row: SUE of a bucket."""
        return SUE(self.buckets, self.epsilon)

    @property
    def p(self) -> float:
        return self._bits.p

    @property
    def other(self) -> float:
        return self._bits.q

    @property
    def noiseless(self) -> tuple[float, float]:
        return 1.0, 0.0

    @property
    def ones(self) -> int:
        """⌊p + (m - 1)(1 - p)⌋, the number of ones of an honest report on average."""
        return math.floor(self.p + (self.buckets - 1) * self.other + 1e-9)  # of m = 2 it is 1

    @property
    def report_bits(self) -> float:
        return math.log2(self.rows) + self.buckets

    def _send_rows(self, chosen: Items, bits: NDArray[np.uint8]) -> Reports:
        reports = np.empty(chosen.size, self._report)
        reports["row"], reports["bits"] = chosen, bits
        return reports

    @property
    def _report(self) -> np.dtype[Any]:
        return np.dtype([("row", "<u4"), ("bits", "u1", (-(-self.buckets // 8),))])

    def perturb(self, values: Items, rng: Rng | None = None) -> Reports:
        rng = generator(rng)
        values = items_of(values, self.domain_size)
        chosen = self._drawn_rows(values.size, rng)
        own = self._own(values, chosen).astype(np.int64)
        return self._send_rows(chosen, self._bits.perturb(own, rng))

    def _uniform(self, count: int, rng: Rng) -> Reports:
        return self._send_rows(self._drawn_rows(count, rng), self._bits.random_reports(count, rng))

    def unperturbed(self, values: Items, rng: Rng) -> Reports:
        chosen = self._drawn_rows(values.size, rng)
        own = self._own(values, chosen).astype(np.int64)
        return self._send_rows(chosen, self._bits.unperturbed(own, rng))

    def _aim_reports(self, targets: Items, avoid: bool, count: int, rng: Rng) -> Reports:
        """The targets' buckets are 1, or with `avoid` 0; other ones make up the usual number."""
        chosen = self._drawn_rows(count, rng)
        bits = np.empty((count, -(-self.buckets // 8)), dtype=np.uint8)
        step = max(1, AT_ONCE // self.buckets)
        for at in range(0, count, step):
            part = chosen[at : at + step]
            aims = hash_items(targets, part, self.buckets).astype(np.intp)
            order = rng.random((part.size, self.buckets))
            np.put_along_axis(order, aims, 2.0 if avoid else -1.0, axis=1)
            last = np.partition(order, self.ones - 1, axis=1)[:, self.ones - 1, None]
            taken = (order <= last) & (order < 2.0)
            bits[at : at + step] = np.packbits(taken, axis=1)
        return self._send_rows(chosen, bits)

    def validate_reports(self, reports: object, count: int) -> Reports:
        array = array_of(reports, (count,), self._report)
        if count and array["row"].max() >= self.rows:
            raise ValueError(f"must have rows in [0, {self.rows}), got {array['row'].max()}")
        check_padding(array["bits"], self.buckets)
        return array

    def _show_buckets(self, reports: Reports, placed: Any, at: Items) -> BoolArray:
        bits = np.unpackbits(reports["bits"], axis=1, count=self.buckets)
        return np.take_along_axis(bits, placed[at].astype(np.intp), axis=1).view(np.bool_)

    def _count_rows(self, reports: Reports, items: Items) -> Counts:
        """The reports of a row are added up before the items look for their buckets."""
        chosen, first = np.unique(reports["row"], return_index=True)
        bits = np.unpackbits(reports["bits"], axis=1, count=self.buckets)
        ends = [*first[1:].tolist(), len(bits)]
        cells = np.empty((chosen.size, self.buckets), dtype=np.uint8)
        for row, (start, end) in enumerate(zip(first.tolist(), ends, strict=True)):
            np.add.reduce(bits[start:end], axis=0, dtype=np.uint8, out=cells[row])
        placed = hash_items(items, chosen, self.buckets).astype(np.intp)
        supported = np.take_along_axis(cells, placed, axis=1)
        return np.asarray(supported.sum(axis=0, dtype=np.int64))

    @property
    def _at_once(self) -> int:
        """The number of reports of a row that add up in a byte, at most."""
        return min(255, super()._at_once)

    def _square(self, law: tuple[float, float], r: int, sharing: BucketSharing) -> float:
        (own, other), (met, squares, buckets) = law, sharing
        noise = other * (1 - other) * (buckets - squares) + own * (1 - own) * squares
        gap = own - other
        return noise + (r * other) ** 2 + 2 * r * other * gap * met + gap**2 * squares

    def _aimed_support(self, targets: Items, avoid: bool, counted: Items) -> ItemSupport:
        items, m = np.arange(self.domain_size), self.buckets
        rates, means, noise = np.zeros(items.size), [], 0.0
        for placed in each_row(items, self.rows, m):
            aimed = sums(placed[:, targets], np.ones(targets.size), m) > 0
            weights = sums(placed[:, counted], np.ones(counted.size), m)
            free = m - aimed.sum(axis=1)
            ones = np.clip(self.ones - (0 if avoid else m - free), 0, free)
            chance = ones / np.maximum(free, 1)
            at = placed.astype(np.intp)
            inside = 0.0 if avoid else 1.0
            shown = np.where(aimed, inside, chance[:, None])
            rates += np.take_along_axis(shown, at, axis=1).sum(axis=0)
            means.append((shown * weights).sum(axis=1))
            # `ones` of the `free` buckets, which hold these weights, are picked.
            rest = np.where(aimed, 0.0, weights)
            spread = (rest**2).sum(axis=1) - rest.sum(axis=1) ** 2 / np.maximum(free, 1)
            noise += float((chance * (free - ones) / np.maximum(free - 1, 1) * spread).sum())
        return ItemSupport(
            rates / self.rows, noise / self.rows + float(np.var(np.concatenate(means)))
        )

    def enumerate_reports(self) -> ReportLaw | None:
        """The probability of every report for every item, given the hash functions; None if there
        are too many.
        """
        m = self.buckets
        if m > 20 or self.domain_size * self.rows << m > CELLS:
            return None
        bits = self._bits.enumerate_reports()
        assert bits is not None
        placed = hash_items(np.arange(self.domain_size), np.arange(self.rows), m)
        law: Floats = np.concatenate(
            [bits.probabilities[row] / self.rows for row in placed], axis=1
        )

        def name(y: int) -> str:
            return f"row {y >> m}, {bits.report_name(y & (1 << m) - 1)}"

        return ReportLaw(law, item_name, name)

    def privacy_loss(self) -> DiscreteLoss:
        """The privacy loss between two items that share no bucket: both bits differ."""
        return signs(self.epsilon, self.p**2, self.other**2)


@dataclass(frozen=True)
class CountMeanSpec(SketchSpec, kind="cms", mechanism=CountMeanSketch):
    """The `[protocol]` table of CMS, before the domain is known."""
