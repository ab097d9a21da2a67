"""PM, SW, HM and Laplace noise: mechanisms for numbers whose reports are bins of an interval.

PM and HM are Wang, Xiao, Yang, Zhao, Hui, Shin, Shin, Yu, "Collecting and Analyzing
Multidimensional Data with Local Differential Privacy", ICDE 2019; SW is Li, Wang,
Lopuhaä-Zwakenberg, Škorić, Li, "Estimating Numerical Distributions under Local Differential
Privacy", SIGMOD 2020. The Laplace mechanism is Dwork, McSherry, Nissim, Smith, TCC 2006; its
discrete noise is Ghosh, Roughgarden, Sundararajan, STOC 2009.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, ClassVar, Final

import numpy as np

from ..base.errors import ScenarioError, got
from ..base.sampling import Floats
from ..law.law import Rng
from ..law.mechanism import name_of
from ..law.numeric_protocol import BINS, NumericProtocol
from ..law.pure import Reports
from .budget import Budget


@dataclass(frozen=True)
class BinnedTable(Budget):
    """The base of `[protocol]` tables of mechanisms whose reports are bins of an interval."""

    bins: Annotated[int, BINS] = 1024


@dataclass(frozen=True)
class Window(NumericProtocol):
    """The base of PM and SW: a report is a point of [0, 1], with e^ε times the density in a window
    around the user's number.

    The window moves from the lower end of the interval, for the number -1, to the upper end, for 1.
    The estimate that a report stands for is linear in its place, so that its mean is the number. A
    window is a whole number of bins, and the last bin stands for the end of the interval: that
    keeps the estimates of bins unbiased too.

    Raises ScenarioError if ε needs bins that are too small, or if there are too few bins for it.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        needed, name = math.ceil(2 / self.width), name_of(self)
        window = f"a window of {name} is {self.width:.3g} of the line"
        if needed > BINS.high:
            rule = f"must be smaller, as {window}, where bins are 1/{BINS.high} at least"
            raise ScenarioError(f"{rule}, {got(self.epsilon)}", key="epsilon")
        if self.bins < needed:
            rule = f"must be at least {needed}, as {window} at ε = {self.epsilon:g}"
            raise ScenarioError(f"{rule}, {got(self.bins)}", key="bins")

    @property
    @abstractmethod
    def width(self) -> float:
        """The width of the window, as a fraction of the interval."""

    @property
    def symbols(self) -> dict[str, float]:
        return {"C": self.size, "ω": self.width, "λ": self.base}

    @property
    def base(self) -> float:
        """The density of reports outside the window; inside, it is e^ε times as large."""
        return 1 / (1 + self.width * math.expm1(self.epsilon))

    @property
    def p(self) -> float:
        """The probability that a user with the number 1 reports in the window of 1."""
        return self.base * math.exp(self.epsilon) * self.width

    @property
    def q(self) -> float:
        """The probability that a user with the number -1 reports in the window of 1."""
        return self.base * self.width

    @property
    def size(self) -> float:
        """C, the estimate that a report at the upper end stands for."""
        return 1 / (self.base * math.expm1(self.epsilon) * self.width * (1 - self.width))

    @cached_property
    def each(self) -> int:
        """The number of bins in one window, an even number."""
        return 2 * int(self.bins * self.width / 2 + 1e-9)

    @cached_property
    def edges(self) -> Floats:
        """float64[K + 1], the edges of the bins from 0 to 1, with the middle among them."""
        step = self.width / self.each
        side = math.ceil(0.5 / step - 1e-9)
        return np.concatenate([[0.0], 0.5 + step * np.arange(1 - side, side), [1.0]])

    @cached_property
    def report_values(self) -> Floats:
        side, each = self.edges.size // 2, self.each
        step = 2 * self.size * self.width / each
        says = step * (np.arange(-side, side) + 0.5)
        more = self.size - says[-1]  # so that the last bin says what the end does
        says[-1::-each] += more
        says[::each] -= more
        return np.asarray(says, dtype=np.float64)

    @property
    def sizes(self) -> Floats:
        return np.diff(self.edges)

    def chances(self, first: Floats, last: Floats) -> Floats:
        inside = np.diff(self._cover_windows(first, last), axis=0)
        return np.asarray(self.base * (self.sizes[:, None] + math.expm1(self.epsilon) * inside))

    def _start(self, numbers: Floats) -> Floats:
        """The lower ends of the windows of these numbers."""
        return np.asarray((1 + numbers) / 2 * (1 - self.width))

    def _cover_windows(self, first: Floats, last: Floats) -> Floats:
        """float64[edges, k]: the part of a window below each edge, on average over the numbers."""
        above, until = (self.edges[:, None] - self._start(end) for end in (first, last))
        if np.array_equal(first, last):
            return np.asarray(np.clip(above, 0, self.width))

        def integrate_ramp(length: Floats) -> Floats:
            """The integral of min(max(x, 0), width) up to x."""
            inside = np.clip(length, 0, self.width)
            return np.asarray(inside**2 / 2 + self.width * np.maximum(length - self.width, 0))

        length = self._start(last) - self._start(first)
        return np.asarray((integrate_ramp(above) - integrate_ramp(until)) / length)

    def tell(self, numbers: Floats, rng: Rng) -> Reports:
        place = rng.random(numbers.size)
        inside = rng.random(numbers.size) >= self.base  # of the rest, all places are alike
        own = self._start(numbers) + self.width * place
        return self._bins(np.where(inside, own, place))

    def plainly(self, numbers: Floats) -> Reports:
        return self._bins(self._start(numbers) + self.width / 2)  # the middles of the windows

    def _bins(self, places: Floats) -> Reports:
        """uint32[n], the bins of places of the line."""
        side = self.edges.size // 2
        found = np.floor((places - 0.5) * (self.each / self.width)) + side
        return np.asarray(np.clip(found, 0, 2 * side - 1), dtype=np.uint32)


@dataclass(frozen=True)
class PM(Window):
    """The piecewise mechanism: the window with the least variance; C = (s+1)/(s-1), s = e^(ε/2)."""

    @property
    def width(self) -> float:
        return 1 / (math.exp(self.epsilon / 2) + 1)

    @property
    def symbols(self) -> dict[str, float]:
        return super().symbols | {"s": math.exp(self.epsilon / 2)}

    def plainly(self, numbers: Floats) -> Reports:
        return self._bins((1 + numbers / self.size) / 2)  # PM's line is [-C, C]


@dataclass(frozen=True)
class SW(Window):
    """The square wave: the most informative window; the line is [-b, 1 + b]."""

    @property
    def b(self) -> float:
        """Half the window's width for numbers in [0, 1]; a series where the formula cancels.

        b = (ε e^ε - e^ε + 1) / (2 e^ε (e^ε - 1 - ε)).
        """
        e = math.exp(self.epsilon)
        if self.epsilon > 0.5:
            return (self.epsilon * e - e + 1) / (2 * e * (e - 1 - self.epsilon))
        above, below, term = 0.0, 0.0, 0.5
        for power in range(2, 20):  # ε^(k-2) / k!
            above, below = above + term * (power - 1), below + term
            term *= self.epsilon / (power + 1)
        return above / (2 * e * below)

    @property
    def symbols(self) -> dict[str, float]:
        return super().symbols | {"b": self.b}

    @property
    def width(self) -> float:
        return 2 * self.b / (1 + 2 * self.b)


HYBRID: Final = 0.6093525
"""ε*, up to which HM is SR: there the variance of PM at 0 is as large as that of SR at 1."""


@dataclass(frozen=True)
class HM(NumericProtocol):
    """The hybrid mechanism: PM with probability 1 - e^(-ε/2), else SR; for ε ≤ 0.6093525 always SR.

    Its error is the same for all numbers. The last two bins are the two reports of SR.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        self.pieces  # noqa: B018 - it refuses too few bins

    @cached_property
    def pieces(self) -> PM:
        """The piecewise mechanism PM that draws a part of the reports."""
        return PM(self.domain_size, self.epsilon, self.bins, self.cells, self.low, self.high)

    @property
    def part(self) -> float:
        """The probability that a report is drawn by PM."""
        return 1 - math.exp(-self.epsilon / 2) if self.epsilon > HYBRID else 0.0

    @property
    def symbols(self) -> dict[str, float]:
        return {**self.pieces.symbols, "c": self.end_said, "α": self.part}

    @property
    def end_said(self) -> float:
        """c: the estimates that the two reports of SR stand for are -c and c."""
        return 1 / math.tanh(self.epsilon / 2)

    @property
    def p(self) -> float:
        """Probability of the upper end, or the window of 1, for a user with the number 1."""
        return self.part * self.pieces.p + (1 - self.part) / (1 + math.exp(-self.epsilon))

    @property
    def q(self) -> float:
        """Probability of the upper end, or the window of 1, for a user with the number -1."""
        return self.part * self.pieces.q + (1 - self.part) / (1 + math.exp(self.epsilon))

    @cached_property
    def report_values(self) -> Floats:
        ends = np.array([-self.end_said, self.end_said])
        return np.concatenate([self.pieces.report_values, ends]) if self.part else ends

    @property
    def sizes(self) -> Floats:
        return self._mix_laws(self.pieces.sizes, np.array([0.5, 0.5]))

    @cached_property
    def upper(self) -> Floats:
        """float64[K]: the distribution of the report that raises the mean most."""
        return self._mix_laws(self.pieces.upper, np.array([0.0, 1.0]))

    def lift_pair(self, numbers: Floats, mean: float) -> Floats:
        """float64[K]: a distribution over two PM bins and SR's upper end, with a given mean."""
        rest = (mean - (1 - self.part) * float(numbers[-1])) / self.part
        return self._mix_laws(self.pieces.lift_pair(numbers[:-2], rest), np.array([0.0, 1.0]))

    def mirror_law(self, law: Floats) -> Floats:
        return np.concatenate([law[:-2][::-1], law[-2:][::-1]])

    def _mix_laws(self, pieces: Floats, ends: Floats) -> Floats:
        """The law of a report that is PM's by chance, else SR's; float64[…] for several."""
        return np.concatenate([self.part * pieces, (1 - self.part) * ends]) if self.part else ends

    def chances(self, first: Floats, last: Floats) -> Floats:
        up = (1 + (first + last) / 2 / self.end_said) / 2
        return self._mix_laws(self.pieces.chances(first, last), np.stack([1 - up, up]))

    def tell(self, numbers: Floats, rng: Rng) -> Reports:
        up = rng.random(numbers.size) < (1 + numbers / self.end_said) / 2
        if not self.part:
            return up.astype(np.uint32)
        pieces = rng.random(numbers.size) < self.part
        bins = self.pieces.tell(numbers, rng)
        return np.where(pieces, bins, np.uint32(self.report_values.size - 2) + up).astype(np.uint32)

    def plainly(self, numbers: Floats) -> Reports:
        return self.pieces.plainly(numbers) if self.part else (numbers >= 0).astype(np.uint32)


@dataclass(frozen=True)
class LocalLaplace(NumericProtocol):
    """Laplace noise on a number: rounded to a grid, plus geometric noise of ratio a = e^(-ε h / 2),
    clipped at the ends.

    A number is rounded up or down at random, so that its mean stays right. How far the noise goes
    beyond an end does not depend on the number, so the end stands for the mean of the clipped
    reports (our derivation), 1 + 2/ε on a fine grid, and nothing is biased. Without clipping one
    fake could report any number.
    """

    called: ClassVar[str] = "local Laplace noise"

    @property
    def step(self) -> float:
        """h, the distance between neighbouring grid points."""
        return 2 / (self.bins - 1)

    @property
    def rest(self) -> float:
        """1 - a, where a is the ratio of the geometric noise."""
        return -math.expm1(-self.epsilon * self.step / 2)

    @property
    def p(self) -> float:
        """Probability that a user with the number 1 reports the upper end."""
        return 1 / (2 - self.rest)

    @property
    def q(self) -> float:
        """Probability that a user with the number -1 reports the upper end."""
        return math.exp(-self.epsilon) * self.p

    @property
    def symbols(self) -> dict[str, float]:
        return {"h": self.step, "a": 1 - self.rest, "K": self.bins}

    @property
    def beyond(self) -> float:
        """The mean distance from an end of the reports that the noise carries beyond it."""
        return self.step * (1 - self.rest) / self.rest

    @cached_property
    def report_values(self) -> Floats:
        says = self._grid.copy()
        says[0], says[-1] = says[0] - self.beyond, says[-1] + self.beyond
        return says

    @cached_property
    def squares(self) -> Floats:
        says = self._grid**2 - 2 * self.beyond * self.step / self.rest  # less the noise's variance
        says[[0, -1]] = 1 + (2 - self.step) * self.beyond
        return np.asarray(says)

    @cached_property
    def _grid(self) -> Floats:
        """float64[K], the points of the grid."""
        return np.linspace(-1, 1, self.bins)

    @property
    def sizes(self) -> Floats:
        return np.full(self.bins, 1 / self.bins)

    @cached_property
    def _noise(self) -> Floats:
        """float64[K, K], the law of a report of each point of the grid."""
        places = np.arange(self.bins)
        powers = np.exp(-self.epsilon * self.step / 2 * np.abs(places[:, None] - places))
        powers[1:-1] *= self.rest
        return np.asarray(powers / (2 - self.rest))

    def chances(self, first: Floats, last: Floats) -> Floats:
        low, high = first - self._grid[:, None], last - self._grid[:, None]
        if np.array_equal(first, last):
            rounded = np.maximum(1 - np.abs(low) / self.step, 0)
        else:
            rounded = (self._integrate_tent(high) - self._integrate_tent(low)) / (last - first)
        return np.asarray(self._noise @ rounded)

    def _integrate_tent(self, length: Floats) -> Floats:
        """The integral of max(0, 1 - |x|/h) up to x."""
        part = np.clip(length / self.step, -1, 1)
        area = np.where(part < 0, (1 + part) ** 2 / 2, 0.5 + part - part**2 / 2)
        return np.asarray(self.step * area)

    def tell(self, numbers: Floats, rng: Rng) -> Reports:
        place = np.clip((numbers + 1) / self.step, 0, self.bins - 1)
        point = np.floor(place + rng.random(numbers.size)).astype(np.int64)
        noise = rng.geometric(self.rest, numbers.size) - rng.geometric(self.rest, numbers.size)
        heard = np.clip(np.minimum(point, self.bins - 1) + noise, 0, self.bins - 1)
        return np.asarray(heard, dtype=np.uint32)

    def plainly(self, numbers: Floats) -> Reports:
        place = np.rint((numbers + 1) / self.step)
        return np.asarray(np.clip(place, 0, self.bins - 1), dtype=np.uint32)


@dataclass(frozen=True)
class PMSpec(BinnedTable, kind="pm", mechanism=PM):
    """The `[protocol]` table of PM, before the numbers are known."""


@dataclass(frozen=True)
class HMSpec(BinnedTable, kind="hm", mechanism=HM):
    """The `[protocol]` table of HM, before the numbers are known."""


@dataclass(frozen=True)
class SWSpec(BinnedTable, kind="sw", mechanism=SW):
    """The `[protocol]` table of SW, before the numbers are known."""


@dataclass(frozen=True)
class LocalLaplaceSpec(BinnedTable, kind="laplace-ldp", mechanism=LocalLaplace):
    """The `[protocol]` table of Laplace noise on the value, before the numbers are known."""


SPECS = (PMSpec, HMSpec, SWSpec, LocalLaplaceSpec)
