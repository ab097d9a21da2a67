"""Attacks on numbers: crafted reports of an end of the range, of one point, or towards a chosen
mean.

The distribution of the crafted reports decides how a server that fits a distribution reads them:
the largest report alone fits no honest number well. Output poisoning (OPA) brings the estimated
mean to a chosen value, and optionally the mean of squares: Li, Li, Sun, Gong, Li,
"Fine-grained Poisoning Attack to Local Differential Privacy Protocols for Mean and Variance
Estimation", USENIX Security 2023.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from ..base.errors import ScenarioError, format_number, got
from ..base.ranges import SHARE, Range, RangeChecked
from ..law.law import Ask, Lack, Law, LawName
from ..law.mechanism import name_of
from ..law.numeric_protocol import NumericProtocol
from ..population import Population
from ..population.targets import RandomSet
from .strategy import Among, Promoting, Strategy, View


@dataclass(frozen=True)
class WidestReport(Promoting):
    """An attack whose fakes all report the bins around an end of the range: SW's [1 - b, 1 + b].

    targets : numbers; the fakes report the end nearer to them.
    """

    kind: Literal["top"] = "top"
    report_law: ClassVar[LawName] = "widest"


@dataclass(frozen=True)
class AtNumber(Strategy, RangeChecked):
    """An attack on the mean of numbers. share : β, the share of fakes among all users."""

    share: Annotated[float, SHARE]

    @property
    def targets(self) -> RandomSet:
        """An empty set of items, as an attack on a mean promotes no item."""
        return RandomSet(0)


@dataclass(frozen=True)
class OnePoint(AtNumber):
    """An attack whose fakes all send the report of a given number without noise.

    number : in the task's range; the nearest report is sent.
    """

    number: Annotated[float, Range()]
    kind: Literal["point"] = "point"
    report_law: ClassVar[LawName] = "pointed"

    def ask(self, view: View) -> Ask:
        return Ask(self.report_law, view.targets, number=self.number)


@dataclass(frozen=True)
class OutputPoisoning(AtNumber):
    """OPA: fakes who know the true mean, and craft reports that bring the estimated mean to a
    chosen value.

    mean : the mean that the server shall estimate, in its range. If it is out of reach, all fakes
        report the nearer end.
    second_moment : the mean of squares that it shall estimate; None for any. If it is out of reach,
        the nearest one is taken, and the mean goes first. ScenarioError if it is below mean².
    """

    mean: Annotated[float, Range()]
    second_moment: Annotated[float, Range(0)] | None = None
    kind: Literal["opa"] = "opa"
    report_law: ClassVar[LawName] = "steered"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.second_moment is not None and self.second_moment < self.mean**2:
            rule = f"must be at least {format_number(self.mean**2)}, the square of the mean wanted"
            raise ScenarioError(f"{rule}, {got(self.second_moment)}", key="second_moment")

    def among(self, population: Population, count: int) -> Steering:
        return Steering(population, count, self.mean, self.second_moment)


@dataclass(frozen=True)
class Steering(Among):
    """A number of fakes who steer the estimated mean, and the mean of squares, of given genuine
    users.
    """

    mean: float
    second_moment: float | None
    kind = OutputPoisoning.kind
    report_law: ClassVar[LawName] = OutputPoisoning.report_law

    def answer(self, protocol: Any, view: View) -> Law | Lack:  # noqa: ARG002
        if not isinstance(protocol, NumericProtocol):
            return Lack(f"{name_of(protocol)}, whose reports tell no mean")
        square = None
        if self.second_moment is not None:
            if np.isnan(protocol.squares).any():
                name = name_of(protocol)
                return Lack(f"{name}, whose reports tell no mean of squares at this ε")
            ends, width = protocol.low + protocol.high, protocol.high - protocol.low
            square = (4 * (self.second_moment - ends * self.mean) + ends**2) / width**2
        goal, held = protocol.scale_to_unit(self.mean), self.population.frequencies
        return protocol.steer_mean(goal, held, self.of_all, square)


KINDS = (OutputPoisoning, WidestReport, OnePoint)
