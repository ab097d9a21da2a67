"""The task of several attributes: the share of the users with each value of each attribute."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Literal

from ..base.errors import ScenarioError, got
from ..cell import Cell, Task
from ..law.exchangeable import IndependentItems, is_exchangeable
from ..law.mechanism import name_of
from ..law.moments import Collection
from ..law.pure import Mechanism
from ..population import Population, Records
from ..protocols import ProtocolSpec
from ..protocols.attribute_messages import FakeData, Solution
from ..protocols.attributes import SeveralAttributes
from ..protocols.budget import Domain
from .frequencies import Frequencies


@dataclass(frozen=True)
class Attributes(Frequencies):
    """The task of several attributes: estimate the frequency of each value of each attribute.

    solution : how users share their budget out to k attributes: SPL, SMP or RS+FD. fake_data : what
    RS+FD makes up for the attributes that it does not report.
    """

    solution: Solution = "smp"
    fake_data: FakeData = "uniform"
    kind: Literal["attributes"] = "attributes"  # type: ignore[assignment]

    def check(self, cell: Cell) -> None:
        Task.check(self, cell)

    def bound(self, protocol: ProtocolSpec, population: Population) -> Mechanism:
        """The protocol for each attribute with its part of the budget; raises ScenarioError."""
        if not isinstance(population, Records):
            rule = (
                'must be "columns" with task.kind = "attributes", whose users hold several values'
            )
            raise ScenarioError(rule, key="population.kind")
        spec: Any = protocol
        budget = self.part_budget(spec.epsilon, len(population.sizes))
        oracles = [
            replace(spec, epsilon=budget).over(Domain(int(size))) for size in population.sizes
        ]
        if not is_exchangeable(oracles[0]):
            rule = "must be a protocol that treats all values alike, such as grr, oue, olh or ss"
            raise ScenarioError(f"{rule}, {got(protocol.kind)}", key="kind")
        zeros = self.solution == "rs+fd" and self.fake_data == "zeros"
        if zeros and not isinstance(oracles[0], IndependentItems):
            rule = f'must not be {name_of(oracles[0])} with task.fake_data = "zeros"'
            raise ScenarioError(f"{rule}: its report cannot be of no value", key="kind")
        return SeveralAttributes(
            spec.epsilon,
            self.solution,
            self.fake_data,
            tuple(oracles),
            population.records,
            population.frequencies,
        )

    def part_budget(self, epsilon: float, k: int) -> float:
        """The ε of the report of one of k attributes."""
        match self.solution:
            case "spl":
                return epsilon / k
            case "rs+fd":  # ACX: hidden among k, as if it were sampled
                return math.log1p(k * math.expm1(epsilon))
        return epsilon


def clean_error(protocol: SeveralAttributes, population: Records) -> float:
    """The root mean squared error of the estimates without an attack, averaged over values, then
    attributes.
    """
    variances, _ = protocol.variances(Collection(population.histogram))
    return math.sqrt(float(variances @ population.weights))


TASKS = (Attributes,)
