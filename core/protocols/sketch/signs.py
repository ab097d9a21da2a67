"""The Hadamard count mean sketch (HCMS): the report is a row, a column and one noisy sign.

Apple Differential Privacy Team, "Learning with Privacy at Scale", 2017. The sign is the entry of an
m × m Hadamard matrix, in the row of the item's bucket and a random column.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...base.errors import ScenarioError, got
from ...base.sampling import Floats
from ...base.secure import generator
from ...law.enumeration import CELLS, ReportLaw, item_name
from ...law.loss import DiscreteLoss, signs
from ...law.pure import BoolArray, Items, Reports, Rng, array_of, items_of
from ...law.support import ItemSupport
from .hash_rows import CELLS as AT_ONCE
from .hash_rows import BucketSharing, hash_items
from .sketch import Sketch, SketchSpec

UInts = NDArray[np.uint32]


def odd(numbers: UInts) -> NDArray[np.uint8]:
    """uint8, of the shape of `numbers`: 1 if a number has an odd number of one bits, else 0."""
    return np.bitwise_count(numbers) & np.uint8(1)


@dataclass(frozen=True, eq=False)
class Equations:
    """Linear equations over bits, solved for each row: which Hadamard columns l support a set of
    targets.

    A target in bucket h is the equation h·l = 1.

    pivots : uint32[width, rows], for each bit of l the equation that is solved for it: the bits of
    h, and above them the right side; 0 if the bit is free. fits : bool[rows], whether there is a
    solution.
    """

    pivots: UInts
    fits: BoolArray

    @classmethod
    def of(cls, buckets: UInts, width: int) -> Equations:
        """The solved equations of targets.

        buckets : uint32[rows, targets]. width : the number of bits of a bucket.
        """
        pivots = np.zeros((width, len(buckets)), dtype=np.uint32)
        fits = np.ones(len(buckets), dtype=np.bool_)
        right = np.uint32(1 << width)
        for target in buckets.T:
            left = target | right
            for bit in reversed(range(width)):
                leads = (left >> np.uint32(bit) & 1).astype(np.bool_)
                fresh = leads & (pivots[bit] == 0)
                pivots[bit, fresh] = left[fresh]
                left = np.where(leads, left ^ pivots[bit], left)
                left[fresh] = 0
            fits &= left == 0
        return cls(pivots, fits)

    @property
    def width(self) -> int:
        return len(self.pivots)

    def reduce_buckets(self, buckets: UInts) -> tuple[UInts, UInts]:
        """The buckets reduced by the equations, and a constant: uint32[rows, items] each.

        For every solution l, h·l of a bucket h is rest·l plus the constant, 0 or 1. If the rest is
        0 the constant is h·l; else h·l is 1 for half of the solutions.
        """
        rest = buckets.copy()
        for bit in reversed(range(self.width)):
            leads = (rest >> np.uint32(bit) & 1).astype(np.bool_)
            rest = np.where(leads, rest ^ self.pivots[bit][:, None], rest)
        return rest & np.uint32((1 << self.width) - 1), rest >> np.uint32(self.width)

    def solutions(self, rows: Items, rng: Rng) -> UInts:
        """uint32[n]: a uniform solution l in each of the rows int64[n]."""
        columns = rng.integers(0, 1 << self.width, size=rows.size, dtype=np.uint32)
        for bit, pivots in enumerate(self.pivots):
            place, equation = np.uint32(1 << bit), pivots[rows]
            # The bit that the equation leads follows from the lower ones, which are settled.
            lower = odd(equation & columns & (place - np.uint32(1)))
            right = (equation >> np.uint32(self.width)).astype(np.uint8)
            led = np.where(lower ^ right, columns | place, columns & ~place)
            columns = np.where(equation > 0, led, columns).astype(np.uint32)
        return columns


REPORT = np.dtype([("row", "<u4"), ("column", "<u4"), ("odd", "u1")])


@dataclass(frozen=True)
class HadamardSketch(Sketch):
    """Hadamard count-mean sketch (HCMS): report a row, a random column and the entry of the item's
    bucket there, kept with odds e^ε : 1.

    Reports are a structured array [n] of the row and the column, uint32, and of the sign uint8: 0
    for an entry of 1, and 1 for -1. A report supports the items whose entry equals the sign. Raises
    ScenarioError if the number of buckets is no power of two.
    """

    called: ClassVar[str] = "HCMS"
    lacks: ClassVar[dict[str, str]] = {
        "columns": "HCMS, whose report has cells for buckets and not for items",
        "supports": "HCMS, whose cells stand for several items each",
        "subset": "HCMS, whose report supports half of all items, and no part of them alone",
        "disguised": "HCMS, whose report is one sign and has no number of ones",
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.buckets & (self.buckets - 1):
            raise ScenarioError(f"must be a power of two, {got(self.buckets)}", key="buckets")

    @property
    def p(self) -> float:
        return 1 / (1 + math.exp(-self.epsilon))

    @property
    def other(self) -> float:
        return 0.5

    @property
    def noiseless(self) -> tuple[float, float]:
        return 1.0, 0.5

    @property
    def width(self) -> int:
        """log₂ m, the number of bits of a bucket."""
        return self.buckets.bit_length() - 1

    @property
    def report_bits(self) -> float:
        return math.log2(self.rows) + self.width + 1

    def _send_rows(self, chosen: Items, columns: Any, sign: Any) -> Reports:
        reports = np.empty(chosen.size, REPORT)
        reports["row"], reports["column"], reports["odd"] = chosen, columns, sign
        return reports

    def _columns(self, count: int, rng: Rng) -> UInts:
        return rng.integers(0, self.buckets, size=count, dtype=np.uint32)

    def unperturbed(self, values: Items, rng: Rng) -> Reports:
        chosen, columns = self._drawn_rows(values.size, rng), self._columns(values.size, rng)
        return self._send_rows(chosen, columns, odd(self._own(values, chosen) & columns))

    def perturb(self, values: Items, rng: Rng | None = None) -> Reports:
        rng = generator(rng)
        values = items_of(values, self.domain_size)
        reports = self.unperturbed(values, rng)
        reports["odd"] ^= rng.random(values.size) < 1 / (1 + math.exp(self.epsilon))
        return reports

    def _uniform(self, count: int, rng: Rng) -> Reports:
        sign = rng.integers(0, 2, size=count, dtype=np.uint8)
        return self._send_rows(self._drawn_rows(count, rng), self._columns(count, rng), sign)

    @property
    def _rows_alone(self) -> HadamardSketch:
        """The sketch whatever its ε: a crafted report has no noise."""
        return replace(self, epsilon=1.0)

    def _aim_reports(self, targets: Items, avoid: bool, count: int, rng: Rng) -> Reports:
        """A row and a column in which all targets have the entry -1, and this sign or the other.

        Where no row has such a column, it is column 0, in which every item has the entry 1.
        """
        solved = _solve_targets(self._rows_alone, targets.tobytes())
        rows = np.flatnonzero(solved.fits)
        if not rows.size:
            return self._send_rows(self._drawn_rows(count, rng), np.zeros(count), np.uint8(avoid))
        chosen = rng.choice(rows, size=count)
        return self._send_rows(chosen, solved.solutions(chosen, rng), np.uint8(not avoid))

    def validate_reports(self, reports: object, count: int) -> Reports:
        array = array_of(reports, (count,), REPORT)
        limits = {"row": self.rows, "column": self.buckets, "odd": 2}
        for name, limit in limits.items():
            if count and array[name].max() >= limit:
                raise ValueError(f"must have {name} in [0, {limit}), got {array[name].max()}")
        return array

    def _show_buckets(self, reports: Reports, placed: Any, at: Items) -> BoolArray:
        entries = placed[at]
        entries &= reports["column"][:, None]
        return np.asarray(odd(entries) == reports["odd"][:, None])

    def _square(self, law: tuple[float, float], r: int, sharing: BucketSharing) -> float:
        own, other = law
        return (r**2 + sharing[2]) / 4 + r * (own - other) * sharing[0]

    def _aimed_support(self, targets: Items, avoid: bool, counted: Items) -> ItemSupport:
        rates, variance = _aimed_law(self._rows_alone, targets.tobytes(), counted.tobytes())
        return ItemSupport(1 - rates if avoid else rates, variance)

    def enumerate_reports(self) -> ReportLaw | None:
        """The probability of every report for every item, given the hash functions; None if there
        are too many.
        """
        d, k, m = self.domain_size, self.rows, self.buckets
        if d * k * m * 2 > CELLS:
            return None
        placed = hash_items(np.arange(d), np.arange(k), m).T[:, :, None]
        minus = odd(placed & np.arange(m, dtype=np.uint32))[..., None] == np.array([0, 1])
        law: Floats = np.where(minus, self.p, 1 / (1 + math.exp(self.epsilon))) / (k * m)

        def name(y: int) -> str:
            row, place = divmod(y, 2 * m)
            return f"row {row}, column {place >> 1}, sign {'+-'[place & 1]}1"

        return ReportLaw(law.reshape(d, -1), item_name, name)

    def privacy_loss(self) -> DiscreteLoss:
        """The distribution of the privacy loss between two items in different buckets of every row.

        Their rows of the Hadamard matrix differ in half of the columns, and only these columns
        reveal anything.
        """
        return signs(self.epsilon, self.p / 2, 1 / (1 + math.exp(self.epsilon)) / 2)


@lru_cache(maxsize=8)
def _solve_targets(sketch: HadamardSketch, targets: bytes) -> Equations:
    """The equations of the targets int64[r] in every row."""
    items = np.frombuffer(targets, dtype=np.int64)
    return Equations.of(hash_items(items, np.arange(sketch.rows), sketch.buckets), sketch.width)


@lru_cache(maxsize=16)
def _aimed_law(sketch: HadamardSketch, targets: bytes, counted: bytes) -> tuple[Floats, float]:
    """The chances [d] that a crafted report supports items; the variance of those counted."""
    items, chosen = np.arange(sketch.domain_size), np.frombuffer(counted, dtype=np.int64)
    solved = _solve_targets(sketch, targets)
    fits = np.flatnonzero(solved.fits)
    if not fits.size:
        return np.ones(items.size), 0.0
    rates, means, noise = np.zeros(items.size), [], 0.0
    step = max(1, AT_ONCE // max(items.size, sketch.buckets))
    for at in range(0, fits.size, step):
        rows = fits[at : at + step]
        part = Equations(solved.pivots[:, rows], solved.fits[rows])
        rest, flip = part.reduce_buckets(hash_items(items, rows, sketch.buckets))
        shown = np.where(rest == 0, flip, 0.5)
        rates += shown.sum(axis=0)
        means.append(shown[:, chosen].sum(axis=1))
        # Items with the same rest are supported together, or one where the other is not.
        together = np.zeros((rows.size, sketch.buckets))
        place = np.arange(rows.size)[:, None], rest[:, chosen]
        np.add.at(together, place, 1.0 - 2.0 * flip[:, chosen])
        noise += float((together[:, 1:] ** 2).sum()) / 4
    variance = noise / fits.size + float(np.var(np.concatenate(means)))
    return rates / fits.size, variance


@dataclass(frozen=True)
class HadamardSketchSpec(SketchSpec, kind="hcms", mechanism=HadamardSketch):
    """The `[protocol]` table of HCMS, before the domain is known."""
