"""Thresholding with histogram encoding (THE): a report says which of its noisy cells are above θ.

Wang, Blocki, Li, Jha, USENIX Security 2017, section 4.3. A user adds Laplace noise of scale 2/ε to
each cell of the one-hot encoding and sends, for each, whether it is above θ. The privacy loss
is below ε, since the bits reveal less than the cells.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, TypeAlias

from ..base.ranges import Range
from ..law.pure import OverItems
from .budget import Budget
from .unary import IndependentBits

THETA = Range(0, 1)

ThetaRule: TypeAlias = Literal["best"]


@dataclass(frozen=True)
class Thresholding(OverItems, IndependentBits):
    """THE, thresholding with histogram encoding: a bit for each item says whether its noisy cell is
    above θ.

    p = Pr[1 + Lap(2/ε) > θ], q = Pr[Lap(2/ε) > θ]. epsilon bounds the loss of the noisy cells, in
    nats; `real_epsilon` is that of the bits.
    """

    called: ClassVar[str] = "THE"
    family: ClassVar[str] = "the"

    theta: Annotated[float, THETA]

    @property
    def p(self) -> float:
        return 1 - math.exp(self.epsilon * (self.theta - 1) / 2) / 2

    @property
    def absence_probability(self) -> float:
        return math.exp(self.epsilon * (self.theta - 1) / 2) / 2

    @property
    def q(self) -> float:
        return math.exp(-self.epsilon * self.theta / 2) / 2

    @property
    def real_epsilon(self) -> float:
        """The actual ε, ln(p(1-q) / ((1-p)q)), in nats, which is below the parameter `epsilon`."""
        return math.log(self.p * (1 - self.q) / ((1 - self.p) * self.q))


def best_theta(epsilon: float) -> float:
    """The θ with the least Var*, between 1/2 and 1.

    Where the derivative of Var* is 0, z = e^(εθ/2) solves 3cz² - 2(1+c)z + 1 = 0, c = e^(-ε/2).
    """
    c = math.exp(-epsilon / 2)
    z = (1 + c + math.sqrt((1 + c) ** 2 - 3 * c)) / (3 * c)
    return min(2 * math.log(z) / epsilon, 1.0)  # where ε is nothing but rounding, more


@dataclass(frozen=True)
class ThresholdingSpec(Budget, kind="the", mechanism=Thresholding):
    """The `[protocol]` table of THE, before the domain is known; θ is given, or the best."""

    theta: ThetaRule | Annotated[float, THETA] = "best"

    def bind(self, domain_size: int) -> Thresholding:
        theta = best_theta(self.epsilon) if self.theta == "best" else self.theta
        return Thresholding(domain_size, self.epsilon, theta)


SPECS = (ThresholdingSpec,)
