"""Stochastic rounding (SR): the report of a number is one of the two ends of its range.

Duchi, Jordan, Wainwright, "Minimax Optimal Procedures for Locally Private Estimation", JASA 2018,
in one dimension. A number t in [-1, 1] is rounded to 1 with probability (1 + t) / 2, else to -1,
and the end is perturbed by randomised response.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np

from ..base.sampling import ColumnCounts, Counts, Floats
from ..law.law import Rng
from ..law.numeric_protocol import NumericProtocol
from ..law.pure import Items, Reports
from .budget import Budget


@dataclass(frozen=True)
class SR(NumericProtocol):
    """Stochastic rounding (SR): report one end of the range; report 1 means c, report 0 means -c.

    c = (e^ε + 1) / (e^ε - 1).
    """

    family: ClassVar[str] = "numbers"
    has_distribution: ClassVar[bool] = False
    lacks: ClassVar[dict[str, str]] = {
        "estimates": 'SR, which tells the mean of numbers (task.kind = "mean") and no frequencies',
        "disguised": "SR, whose report is one bit and has no number of ones",
        "subset": "SR, whose report is one bit for all targets",
        "columns": "SR, whose report is one bit and has no others that could go with it",
        "widest": "SR, whose only reports are the ends of the range",
        "pointed": "SR, whose only reports are the ends of the range",
    }

    bins: int = field(default=2, init=False, repr=False)
    cells: bool = field(default=False, init=False, repr=False)

    @property
    def p(self) -> float:
        """The probability of the report 1 for the number 1."""
        return 1 / (1 + math.exp(-self.epsilon))

    @property
    def q(self) -> float:
        """The probability of the report 1 for the number -1."""
        return 1 / (1 + math.exp(self.epsilon))

    @property
    def size(self) -> float:
        """c: the estimate that a report of 1 stands for."""
        return 1 / math.tanh(self.epsilon / 2)

    @cached_property
    def report_values(self) -> Floats:
        return np.array([-self.size, self.size])

    @property
    def sizes(self) -> Floats:
        return np.array([0.5, 0.5])

    def chances(self, first: Floats, last: Floats) -> Floats:
        number = (first + last) / 2
        return np.stack([self._chance_up(-number), self._chance_up(number)])

    def _chance_up(self, numbers: Floats) -> Floats:
        """The probability of a report of 1, for users who hold these numbers."""
        return np.asarray(self.q + (self.p - self.q) * (1 + numbers) / 2)

    def tell(self, numbers: Floats, rng: Rng) -> Reports:
        return np.asarray(rng.random(numbers.size) < self._chance_up(numbers), dtype=np.uint32)

    def plainly(self, numbers: Floats) -> Reports:
        return np.asarray(numbers >= 0, dtype=np.uint32)

    def support_counts(self, reports: Reports) -> Counts:
        ups = np.count_nonzero(reports)
        return np.array([reports.size - ups, ups])

    # Without noise a number is still rounded by chance, so that it stays right on average.

    @cached_property
    def plain_table(self) -> Floats:
        up = (1 + self.values) / 2
        return np.stack([1 - up, up])

    def unperturbed(self, values: Items, rng: Rng) -> Reports:
        return np.asarray(rng.random(values.size) < self.plain_table[1, values], dtype=np.uint32)

    def unperturbed_counts(self, histogram: Counts, rng: Rng) -> Counts:
        return ColumnCounts(self.plain_table).draw_counts(histogram, rng)

    def bin_name(self, report: int) -> str:
        return "the upper end" if report == 1 else "the lower end"


@dataclass(frozen=True)
class SRSpec(Budget, kind="sr", mechanism=SR):
    """The `[protocol]` table of SR, before the numbers are known."""


SPECS = (SRSpec,)
