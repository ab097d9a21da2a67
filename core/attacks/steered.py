"""Output poisoning: fakes who bring the estimated mean of numbers to one that they choose.

Li, Li, Sun, Gong, Li, "Fine-grained Poisoning Attack to Local Differential Privacy Protocols for
Mean and Variance Estimation", USENIX Security 2023.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from ..base.ranges import SHARE, Bounded, Range
from ..law.law import Lack, Law, LawName
from ..law.numbers import tells_numbers
from ..population import Population
from ..population.targets import RandomSet
from .fakes import fake_share
from .strategy import Usual, View


@dataclass(frozen=True)
class OutputPoisoning(Usual, Bounded):
    """OPA: fakes who know the true mean, and report what brings the estimate to another one.

    mean : the mean that the server shall estimate, a number of its range. Where it is too far, all
        fakes report the end that is nearer to it.
    """

    share: Annotated[float, SHARE]
    mean: Annotated[float, Range()]
    kind: Literal["opa"] = "opa"
    report_law: ClassVar[LawName] = "steered"

    @property
    def targets(self) -> RandomSet:
        """No items: what it promotes is a number."""
        return RandomSet(0)

    def among(self, population: Population, count: int) -> Steering:
        return Steering(population, count, self.mean)


@dataclass(frozen=True)
class Steering(Usual):
    """This many fakes among these genuine users, who steer the mean of all."""

    population: Population
    count: int
    mean: float
    kind = OutputPoisoning.kind
    report_law: ClassVar[LawName] = OutputPoisoning.report_law

    def answer(self, protocol: Any, view: View) -> Law | Lack:  # noqa: ARG002
        if not tells_numbers(protocol):
            return Lack(f"{type(protocol).__name__}, whose reports tell no mean")
        share = fake_share(self.population.users, max(self.count, 1))
        return protocol.steered(protocol.told(self.mean), self.population.frequencies, share)
