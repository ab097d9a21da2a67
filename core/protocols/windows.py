"""PM, SW and HM: reports that are near the user's number with a probability, else anywhere.

The piecewise mechanism (PM) and the hybrid one (HM) are Wang, Xiao, Yang, Zhao, Hui, Shin, Shin,
Yu, "Collecting and Analyzing Multidimensional Data with Local Differential Privacy", ICDE 2019;
the square wave (SW) is Li, Wang, Lopuhaä-Zwakenberg, Škorić, Li, "Estimating Numerical
Distributions under Local Differential Privacy", SIGMOD 2020.

A report of PM or SW is a number of a line with one density, and e^ε times that in a window whose
place is the user's number: at the lower end of the line for -1, at the upper one for 1. Both are
one mechanism; they differ in the width of the window. What a report says is linear in its place,
which is right on average. So is what a bin says if it says one window more for each window further
on: the width of a window is a whole number of bins here, and the last bin says what the end of the
line says, so that nothing is lost at the end.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Final, Literal

import numpy as np

from ..base.errors import ScenarioError, got
from ..base.sampling import Floats
from ..law.law import Rng
from ..law.pure import Reports
from .line import BINS, Binned, Line


@dataclass(frozen=True)
class Window(Line):
    """Tell a place of a line, which is e^ε times as likely in the window around the own number.

    Places of the line are numbers of [0, 1] here; ends of windows as well.
    """

    family: ClassVar[str] = "windows"

    def __post_init__(self) -> None:
        super().__post_init__()
        needed, name = math.ceil(2 / self.width), type(self).__name__
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
        """The width of the window, a part of the line."""

    @property
    def symbols(self) -> dict[str, float]:
        """The numbers of its own that its formulas have, by symbol."""
        return {}

    @property
    def base(self) -> float:
        """The density of the line outside the window; inside, it is e^ε times as much."""
        return 1 / (1 + self.width * math.expm1(self.epsilon))

    @property
    def p(self) -> float:
        """Probability of a report in the window of the number 1, of who holds 1."""
        return self.base * math.exp(self.epsilon) * self.width

    @property
    def q(self) -> float:
        """The same of who holds -1."""
        return self.base * self.width

    @property
    def size(self) -> float:
        """C, what the end of the line says: PM's C, and for SW 1/(2(p - q)) in its densities."""
        return 1 / (self.base * math.expm1(self.epsilon) * self.width * (1 - self.width))

    @cached_property
    def each(self) -> int:
        """The bins of one window: an even number, so that the first bin and the last differ."""
        return 2 * int(self.bins * self.width / 2 + 1e-9)

    @cached_property
    def edges(self) -> Floats:
        """float64[K + 1], the ends of the bins, from 0 to 1: the middle is one of them."""
        step = self.width / self.each
        side = math.ceil(0.5 / step - 1e-9)
        inner = 0.5 + step * np.arange(1 - side, side)
        return np.concatenate([[0.0], inner, [1.0]])

    @cached_property
    def said(self) -> Floats:
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

    @cached_property
    def upper(self) -> Floats:
        return np.bincount([self.said.size - 1]).astype(np.float64)

    def chances(self, first: Floats, last: Floats) -> Floats:
        inside = np.diff(_covered(self.edges, *self._starts(first, last), self.width), axis=0)
        return np.asarray(self.base * (self.sizes[:, None] + math.expm1(self.epsilon) * inside))

    def _starts(self, first: Floats, last: Floats) -> tuple[Floats, Floats]:
        """The lower ends of the windows of these numbers."""
        room = 1 - self.width
        return (1 + first) / 2 * room, (1 + last) / 2 * room

    def tell(self, numbers: Floats, rng: Rng) -> Reports:
        start, _ = self._starts(numbers, numbers)
        place = rng.random(numbers.size)
        inside = rng.random(numbers.size) >= self.base  # of the rest, all places are alike
        return self._bins(np.where(inside, start + self.width * place, place))

    def plainly(self, numbers: Floats) -> Reports:
        start, _ = self._starts(numbers, numbers)
        return self._bins(start + self.width / 2)  # the middles of the windows

    def _bins(self, places: Floats) -> Reports:
        """uint32[n], the bins of places of the line."""
        side = self.edges.size // 2
        found = np.floor((places - 0.5) * (self.each / self.width)) + side
        return np.asarray(np.clip(found, 0, 2 * side - 1), dtype=np.uint32)


def _covered(edges: Floats, first: Floats, last: Floats, width: float) -> Floats:
    """float64[edges, k]: the part of a window below each edge.

    The lower end of a window is uniform in [first, last], or at `first` where both are the same.
    """
    if np.array_equal(first, last):
        return np.asarray(np.clip(edges[:, None] - first, 0, width))

    def summed(length: Floats) -> Floats:
        """The integral of min(max(x, 0), width) up to x."""
        inside = np.clip(length, 0, width)
        return np.asarray(inside**2 / 2 + width * np.maximum(length - width, 0))

    covered = summed(edges[:, None] - first) - summed(edges[:, None] - last)
    return np.asarray(covered / (last - first))


@dataclass(frozen=True)
class PM(Window):
    """The piecewise mechanism: the window with the least variance; C = (s+1)/(s-1), s = e^(ε/2)."""

    @property
    def width(self) -> float:
        return 1 / (math.exp(self.epsilon / 2) + 1)

    def plainly(self, numbers: Floats) -> Reports:
        return self._bins((1 + numbers / self.size) / 2)  # PM's line is [-C, C]


@dataclass(frozen=True)
class SW(Window):
    """The square wave: the window that says most about the number. The line is [-b, 1 + b]."""

    @property
    def b(self) -> float:
        """Half the width of the window, where numbers are those of [0, 1]."""
        return _half_window(self.epsilon)

    @property
    def symbols(self) -> dict[str, float]:
        return {"b": self.b}

    @property
    def width(self) -> float:
        return 2 * self.b / (1 + 2 * self.b)


def _half_window(epsilon: float) -> float:
    """b = (ε e^ε - e^ε + 1) / (2 e^ε (e^ε - 1 - ε)); a series where the difference cancels."""
    if epsilon > 0.5:
        e = math.exp(epsilon)
        return (epsilon * e - e + 1) / (2 * e * (e - 1 - epsilon))
    above = below = 0.0
    term = 0.5
    for power in range(2, 20):  # ε^(k-2) / k!
        above, below = above + term * (power - 1), below + term
        term *= epsilon / (power + 1)
    return above / (2 * math.exp(epsilon) * below)


HYBRID: Final = 0.6093525
"""ε*, up to which HM is SR: there the variance of PM at 0 is as large as that of SR at 1."""


@dataclass(frozen=True)
class HM(Line):
    """The hybrid mechanism: PM with probability 1 - 1/s, else SR; its error is the same for all t.

    At ε up to 0.6093525 it is SR. The first bins are PM's, the last two the ends that SR tells.
    """

    family: ClassVar[str] = "hybrid"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.pieces  # noqa: B018 - it refuses too few bins

    @cached_property
    def pieces(self) -> PM:
        """PM, which some of the reports are."""
        return PM(self.domain_size, self.epsilon, self.bins, self.cells, self.low, self.high)

    @property
    def part(self) -> float:
        """How likely a report is one of PM."""
        return 1 - math.exp(-self.epsilon / 2) if self.epsilon > HYBRID else 0.0

    @property
    def end_said(self) -> float:
        """c, what an end says that SR tells."""
        return 1 / math.tanh(self.epsilon / 2)

    @property
    def p(self) -> float:
        """Probability of the upper end, or of a report in the window of 1, of who holds 1."""
        return self.part * self.pieces.p + (1 - self.part) / (1 + math.exp(-self.epsilon))

    @property
    def q(self) -> float:
        """The same of who holds -1."""
        return self.part * self.pieces.q + (1 - self.part) / (1 + math.exp(self.epsilon))

    @cached_property
    def said(self) -> Floats:
        ends = np.array([-self.end_said, self.end_said])
        return np.concatenate([self.pieces.said, ends]) if self.part else ends

    @property
    def sizes(self) -> Floats:
        return self._mixed(self.pieces.sizes, np.array([0.5, 0.5]))

    @cached_property
    def upper(self) -> Floats:
        """Of fakes who are seen to tell no other part of SR's ends than honest users."""
        return self._mixed(self.pieces.upper, np.array([0.0, 1.0]))

    def lifted(self, numbers: Floats, mean: float) -> Floats:
        """The same, with no other part of SR's ends than honest users tell."""
        rest = (mean - (1 - self.part) * float(numbers[-1])) / self.part
        return self._mixed(self.pieces.lifted(numbers[:-2], rest), np.array([0.0, 1.0]))

    def mirrored(self, law: Floats) -> Floats:
        return np.concatenate([law[:-2][::-1], law[-2:][::-1]])

    def _mixed(self, pieces: Floats, ends: Floats) -> Floats:
        """The law of a report that is PM's by chance, else SR's; float64[…] for several."""
        return np.concatenate([self.part * pieces, (1 - self.part) * ends]) if self.part else ends

    def chances(self, first: Floats, last: Floats) -> Floats:
        up = (1 + (first + last) / 2 / self.end_said) / 2
        return self._mixed(self.pieces.chances(first, last), np.stack([1 - up, up]))

    def tell(self, numbers: Floats, rng: Rng) -> Reports:
        ends = self.said.size - 2
        up = rng.random(numbers.size) < (1 + numbers / self.end_said) / 2
        if not self.part:
            return up.astype(np.uint32)
        pieces = rng.random(numbers.size) < self.part
        told = self.pieces.tell(numbers, rng)
        return np.where(pieces, told, np.uint32(ends) + up).astype(np.uint32)

    def plainly(self, numbers: Floats) -> Reports:
        return self.pieces.plainly(numbers) if self.part else (numbers >= 0).astype(np.uint32)


@dataclass(frozen=True)
class PMSpec(Binned):
    """PM, before the numbers are known."""

    kind: Literal["pm"]
    mechanism = PM


@dataclass(frozen=True)
class HMSpec(Binned):
    """HM, before the numbers are known."""

    kind: Literal["hm"]
    mechanism = HM


@dataclass(frozen=True)
class SWSpec(Binned):
    """SW, before the numbers are known."""

    kind: Literal["sw"]
    mechanism = SW


SPECS = (PMSpec, HMSpec, SWSpec)
