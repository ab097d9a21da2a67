"""Protocols for users with numbers: every report is one of K bins.

A report of a number t in [-1, 1] is an integer below K, so that a distribution of reports is a
column of a table. Each bin stands for an estimate of t, unbiased for every t, so that the estimated
mean is linear in the counts of bins. A subclass defines the table, the estimates of the bins, and
how a report is drawn.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Annotated, Any, ClassVar, Final, cast

import numpy as np

from ..base.errors import ScenarioError, got
from ..base.ranges import ENTRIES, Range
from ..base.sampling import ColumnCounts, Counts, Floats, multinomial
from ..base.secure import secure
from .enumeration import ReportLaw
from .law import Ask, Lack, Law, holding, no_answer
from .loss import DiscreteLoss
from .mechanism import LocalMechanism, is_a, name_of
from .pure import BoolArray, Encodes, Items, OverItems, Reports, Rng, array_of, items_of
from .support import ItemSupport

BINS: Final = Range(4, 2**16)
"""The number of bins of reports that a scenario asks for."""


@dataclass(frozen=True)
class NumericProtocol(OverItems, Encodes, LocalMechanism):
    """The base of protocols for numbers in [-1, 1], with a table of the probability of each report.

    Users have items, each of which stands for a number. Reports are uint32[n], indices of bins; the
    server counts the reports in each bin, int64[K]. A distribution of reports is given by the
    probability of each bin. Raises ScenarioError if bins times items exceed 4,000,000.

    has_distribution : whether reports allow an estimate of the distribution of the numbers.
    domain_size : the number of items, numbers at equal distances from -1 to 1.
    bins : the requested number of bins; K is at most as large, up to rounding.
    cells : whether items are equal parts of [-1, 1], in each of which users' numbers are uniform.
    low, high : the data's range, which -1 and 1 stand for; reports do not depend on it.
    """

    family: ClassVar[str] = "line"
    has_distribution: ClassVar[bool] = True
    lacks: ClassVar[dict[str, str]] = {
        "estimates": "a protocol of numbers, whose reports tell no frequencies of items",
        "disguised": "a protocol of numbers, whose report has no number of ones",
        "subset": "a protocol of numbers, whose report is one number for all targets",
        "columns": "a protocol of numbers, whose report is one number",
    }

    bins: Annotated[int, BINS] = 1024
    cells: bool = False
    low: float = field(default=-1.0, repr=False)
    high: float = field(default=1.0, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.domain_size * self.bins > ENTRIES:
            rule = f"times items must be at most 4 000 000, {got(self.bins)}"
            raise ScenarioError(f"{rule} with {self.domain_size} items", key="bins")

    # A kind says these.

    @property
    @abstractmethod
    def report_values(self) -> Floats:
        """float64[K]: the unbiased estimate of the user's number for which each bin stands."""

    @property
    @abstractmethod
    def sizes(self) -> Floats:
        """float64[K]: the probability of each bin in a uniform random report."""

    @cached_property
    def upper(self) -> Floats:
        """float64[K]: the distribution of the report that raises the mean most: the last bin."""
        return np.bincount([self.report_values.size - 1]).astype(np.float64)

    @abstractmethod
    def chances(self, first: Floats, last: Floats) -> Floats:
        """float64[K, k]: the distributions of reports of uniform numbers in k intervals [first,
        last].
        """

    @abstractmethod
    def tell(self, numbers: Floats, rng: Rng) -> Reports:
        """uint32[n]: random honest reports of the numbers float64[n] in [-1, 1]."""

    @abstractmethod
    def plainly(self, numbers: Floats) -> Reports:
        """uint32[n]: the bin with the estimate nearest to each of these numbers (no noise)."""

    # The rest follows.

    @property
    def report_bits(self) -> float:
        return math.log2(float(self.report_values.size))

    @cached_property
    def values(self) -> Floats:
        """float64[d]: the number of each item, or the middle of its part of [-1, 1]."""
        d = self.domain_size
        return (2 * np.arange(d) + 1) / d - 1 if self.cells else np.linspace(-1, 1, d)

    @property
    def table(self) -> Floats:
        """float64[K, d]: the distribution of an honest report of each item over the bins."""
        return _table(self)

    @cached_property
    def squares(self) -> Floats:
        """float64[K]: the estimate of the square of the user's number for each bin; NaN if there is
        none.

        A linear function of the squared `report_values`, scaled so that the estimate is unbiased
        for the numbers 0 and ±1; for other numbers it is unbiased up to the width of a bin.
        """
        places = np.array([0.0, 1.0])
        least, most = self.report_values**2 @ self.chances(places, places)
        grows = most - least
        says = self.report_values**2 - least
        return np.asarray(says / grows if grows > 1e-9 * least else np.full_like(says, np.nan))

    @property
    def factor(self) -> float:
        """The largest expected estimate of one fake report, a.

        A share β of such fakes moves the mean μ by β (a - μ).
        """
        return float(self.upper @ self.report_values)

    @property
    def reach(self) -> float:
        """The largest estimate for which any bin stands."""
        return float(self.report_values.max())

    @property
    def spread(self) -> Floats:
        """float64[d]: the variance of the estimate from one honest report of each item.

        With `cells`, the variance of the numbers within an item's part is included.
        """
        return np.asarray(self.report_values**2 @ self.table - self.values**2)

    def spread_at(self, numbers: Floats) -> Floats:
        """float64[k]: the variance of the estimate from one honest report of each number."""
        return np.asarray(self.report_values**2 @ self.chances(numbers, numbers) - numbers**2)

    @property
    def worst(self) -> float:
        """The largest variance of the estimate from one honest report, over a grid of 65
        numbers.
        """
        return float(self.spread_at(np.linspace(-1, 1, 65)).max())

    def said_by(self, rates: Floats) -> tuple[float, float]:
        """The mean and variance of the estimate from one report, drawn with bin probabilities
        float64[K].
        """
        mean = float(rates @ self.report_values)
        return mean, float(rates @ (self.report_values - mean) ** 2)

    def end(self, targets: Items) -> float:
        """The end of [-1, 1], -1 or 1, that is nearer to the mean of the targets' numbers."""
        return 1.0 if self.values[targets].mean() >= 0 else -1.0

    @property
    def half_range(self) -> float:
        """Half the length of the data's range."""
        return (self.high - self.low) / 2

    def range_numbers(self, numbers: Floats) -> Floats:
        """Numbers float64[…] rescaled from [-1, 1] to the data's range."""
        return np.asarray((self.low + self.high) / 2 + self.half_range * numbers)

    def range_squares(self, mean: Floats, square: Floats) -> Floats:
        """The mean of squares in the data's range, from the mean and the mean of squares in [-1,
        1].
        """
        middle, half = (self.low + self.high) / 2, self.half_range
        return np.asarray(middle**2 + 2 * middle * half * mean + half**2 * square)

    def scale_to_unit(self, number: float) -> float:
        """A number rescaled from the data's range to [-1, 1]."""
        return float((2 * number - self.low - self.high) / (self.high - self.low))

    # Laws of fakes.

    def law_of(self, ask: Ask) -> Law | Lack:
        if ask.law in self.lacks:
            return self.lack(ask)
        if ask.law in ("honest", "unperturbed"):
            return self._of_holders(ask)
        match ask.law:
            case "random":
                return self.constant_law(self.sizes)
            case "crafted":
                return self.constant_law(self.extreme(self.end(ask.targets) > 0))
            case "avoided":
                return self.constant_law(self.extreme(self.end(ask.targets) < 0))
            case "widest":
                return self.constant_law(self.widest(self.end(ask.targets) > 0))
            case "pointed" if ask.number is not None:
                return self.constant_law(
                    self._at(self.plainly(np.array([self.scale_to_unit(ask.number)])))
                )
        return self.lack(ask)

    def extreme(self, upwards: bool) -> Floats:
        """float64[K]: the distribution of the fake report with the largest estimate, or the
        smallest one.
        """
        return self.upper if upwards else self.mirror_law(self.upper)

    def mirror_law(self, law: Floats) -> Floats:
        """float64[K]: the distribution over bins for numbers of the opposite sign."""
        return law[::-1]

    def widest(self, upwards: bool) -> Floats:
        """float64[K]: the distribution of honest reports of one end of the range, less the part
        common to both ends.
        """
        end = np.array([1.0 if upwards else -1.0])
        both = self.chances(np.array([-1.0, 1.0]), np.array([-1.0, 1.0]))
        own = self.chances(end, end)[:, 0] - both.min(axis=1)
        return np.asarray(own / own.sum())

    def steer_mean(
        self, goal: float, genuine: Floats, share: float, square: float | None = None
    ) -> Law:
        """The distribution of fakes' reports that moves the expected mean to a goal in [-1, 1].

        genuine : float64[d], the distribution of the genuine users' items. share : β, the fakes'
        share of all users. square : a goal for the mean of squares, or None. If a goal is out of
        reach, the nearest value is reached; the mean has priority. Fakes report bins on both sides
        of 0: the size of the estimates determines the mean of squares, the probability of each side
        the mean.
        """
        says = (goal - (1 - share) * float(genuine @ self.values)) / share
        law = self.extreme(True)
        if square is not None:
            held = float(self.squares @ self.table @ genuine)
            law = self.lift_pair(self.squares, (square - (1 - share) * held) / share)
            if law @ self.report_values < abs(says):
                law = self.lift_pair(self.report_values, abs(says))
        up = min(max((1 + says / float(law @ self.report_values)) / 2, 0.0), 1.0)
        return self.constant_law(up * law + (1 - up) * self.mirror_law(law))

    def lift_pair(self, numbers: Floats, mean: float) -> Floats:
        """float64[K]: a distribution over two neighbouring bins with the given mean of `numbers`.

        Only bins with positive estimates are used. numbers : float64[K], ascending with the bins'
        estimates. mean : the mean of `numbers` to reach, or the nearest value if it is out of
        reach.
        """
        above = np.flatnonzero(self.report_values > 0)
        above = above[np.argsort(self.report_values[above])]
        place = float(np.interp(mean, numbers[above], np.arange(above.size)))
        law, low = np.zeros(self.report_values.size), min(int(place), above.size - 2)
        law[above[low : low + 2]] = low + 1 - place, place - low
        return law

    def constant_law(self, rates: Floats) -> Law:
        """The distribution of a fake report with these bin probabilities, float64[K], for every
        item.
        """
        sums = np.cumsum(rates / rates.sum())
        last = int(np.flatnonzero(rates)[-1])

        def reports(count: int, rng: Rng) -> Reports:
            drawn = np.searchsorted(sums, rng.random(count), side="right")
            return np.minimum(drawn, last).astype(np.uint32)

        def counts(count: Counts, rng: Rng) -> Counts:
            return multinomial(count, rates / rates.sum(), rng)

        return Law(reports, counts, lambda _: self.find_bin_support(rates))

    def find_bin_support(self, rates: Floats) -> ItemSupport:
        """The support of each bin, in place of items, by one report with bin probabilities
        float64[K].
        """
        return ItemSupport(rates, self.said_by(rates)[1])

    def _of_holders(self, ask: Ask) -> Law:
        """Users who hold targets, with the noise or without."""
        table = self.plain_table if ask.law == "unperturbed" else self.table
        rates = table @ ask.frequencies(self.domain_size)
        support = self.find_bin_support(rates)
        return replace(holding(self, ask, no_answer), support=lambda _: support)

    def _at(self, bins: Reports) -> Floats:
        """float64[K], the law of a report that is always in this bin."""
        return np.bincount(bins, minlength=self.report_values.size).astype(np.float64)

    @cached_property
    def plain_table(self) -> Floats:
        """float64[K, d]: the distribution of a report without noise for each item, 1 in one bin."""
        table = np.zeros((self.report_values.size, self.domain_size))
        table[self.plainly(self.values), np.arange(self.domain_size)] = 1.0
        return table

    # Reports.

    def perturb(self, values: Items, rng: Rng | None = None) -> Reports:
        drawn = rng or secure()
        held = self.values[items_of(values, self.domain_size)]
        if self.cells:
            held = held + (2 * drawn.random(held.size) - 1) / self.domain_size
        return self.tell(held, drawn)

    def encode_items(self, values: Items) -> Reports:
        return self.plainly(self.values[values])

    def support_counts(self, reports: Reports) -> Counts:
        return np.bincount(reports, minlength=self.report_values.size).astype(np.int64)

    def validate_reports(self, reports: object, count: int) -> Reports:
        bins = array_of(reports, (count,), np.dtype(np.uint32))
        if bins.size and bins.max() >= self.report_values.size:
            raise ValueError(f"must be a bin in [0, {self.report_values.size}), got {bins.max()}")
        return bins

    # Counts of the same reports.

    def sample_counts(self, histogram: Counts, rng: Rng) -> Counts:
        return _sampler(self).draw_counts(histogram, rng)

    def encoded_counts(self, histogram: Counts) -> Counts:
        counts = np.zeros((len(histogram), self.report_values.size), dtype=np.int64)
        np.add.at(counts.T, self.plainly(self.values), histogram.T)
        return counts

    # Privacy.

    def enumerate_reports(self) -> ReportLaw:
        """The probability of every bin under every item."""
        return ReportLaw(self.table.T, lambda item: f"number {self.values[item]:g}", self.bin_name)

    def bin_name(self, report: int) -> str:
        return f"bin {report}, which says {self.report_values[report]:.4g}"

    def privacy_loss(self) -> DiscreteLoss:
        """The privacy loss of a report of 1 against -1, the two ends of the range."""
        ends = np.array([1.0, -1.0])
        return DiscreteLoss.between(*self.chances(ends, ends).T)

    def look(self, reports: Reports, items: Items) -> BoolArray:
        """bool[n, k]: whether each report's estimate has the same sign as each item's number."""
        return np.asarray((self.report_values[reports] > 0)[:, None] == (self.values[items] >= 0))


@lru_cache(maxsize=8)
def _table(protocol: Any) -> Floats:
    """The table of a protocol, made once."""
    half = 1 / protocol.domain_size if protocol.cells else 0.0
    table: Floats = protocol.chances(protocol.values - half, protocol.values + half)
    table /= table.sum(axis=0)
    table.setflags(write=False)
    return table


@lru_cache(maxsize=8)
def _sampler(protocol: Any) -> ColumnCounts:
    return ColumnCounts(protocol.table)


def lack_of_distribution(protocol: object) -> str | None:
    """The reason why a protocol's reports allow no estimate of the distribution of numbers; None if
    they do.
    """
    known = is_a(protocol, NumericProtocol) and cast("NumericProtocol", protocol).has_distribution
    return None if known else f"{name_of(protocol)}, whose reports tell no distribution"


def heard_mean(protocol: NumericProtocol, tallies: Floats) -> tuple[Floats, Floats]:
    """The estimated mean, and the variance of one report's estimate, float64[trials] each.

    tallies : float64[trials, K], the number of reports in each bin. The estimated mean is for
    numbers in [-1, 1], and may be outside.
    """
    reports = tallies.sum(axis=1)
    mean = np.asarray(tallies @ protocol.report_values / reports)
    return mean, np.asarray(tallies @ protocol.report_values**2 / reports - mean**2)


def heard_squares(protocol: NumericProtocol, tallies: Floats) -> Floats:
    """float64[trials]: the estimated mean of the squares of the users' numbers.

    tallies : float64[trials, K]. NaN for a protocol such as SR, where every report has the same
    square.
    """
    return np.asarray(tallies @ protocol.squares / tallies.sum(axis=1))
