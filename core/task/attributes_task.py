"""The task of several attributes: the frequency of each value of each attribute."""

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
from ..protocols.attribute_pair import AttributePair
from ..protocols.attributes import SeveralAttributes
from ..protocols.budget import Domain
from .frequencies import Frequencies


@dataclass(frozen=True)
class Attributes(Frequencies):
    """The task "attributes": estimate the frequency of each value of several attributes.

    solution : how users spend their budget on k attributes: SPL, SMP or RS+FD. fake_data : the
    values that RS+FD makes up for attributes that it does not report. joint : two attributes whose
    pairs of values are estimated too, with SPL; or none.
    """

    solution: Solution = "smp"
    fake_data: FakeData = "uniform"
    joint: tuple[str, ...] = ()
    kind: Literal["attributes"] = "attributes"  # type: ignore[assignment]

    def check(self, cell: Cell) -> None:
        Task.check(self, cell)

    def with_items(self, population: Population) -> Population:
        if not isinstance(population, Records):
            rule = (
                'must be "columns" with task.kind = "attributes", whose users hold several values'
            )
            raise ScenarioError(rule, key="population.kind")
        if not self.joint:
            return population
        known = set(population.attributes) & set(self.joint)
        if len(self.joint) != 2 or len(known) != 2:
            rule = f"must be two of population.columns, {got(list(self.joint))}"
            raise ScenarioError(rule, key="task.joint")
        if self.solution != "spl":
            rule = f'must be left out with task.solution = "{self.solution}"'
            rule += ", whose users do not report two attributes"
            raise ScenarioError(rule, key="task.joint")
        return population.with_pair(*self.joint)

    def bound(self, protocol: ProtocolSpec, population: Population) -> Mechanism:
        """The protocols of all attributes, each with its part of the budget, as one mechanism.

        Raises ScenarioError for a protocol that does not treat all values alike, or that cannot
        make up fake data.
        """
        assert isinstance(population, Records)
        sizes = population.sizes[: -1 if self.joint else None]
        spec: Any = protocol
        budget = self.part_budget(spec.epsilon, sizes.size)
        oracles = [replace(spec, epsilon=budget).over(Domain(int(size))) for size in sizes]
        if not is_exchangeable(oracles[0]):
            rule = "must be a protocol that treats all values alike, such as grr, oue, olh or ss"
            raise ScenarioError(f"{rule}, {got(protocol.kind)}", key="kind")
        zeros = self.solution == "rs+fd" and self.fake_data == "zeros"
        if zeros and not isinstance(oracles[0], IndependentItems):
            rule = f'must not be {name_of(oracles[0])} with task.fake_data = "zeros"'
            raise ScenarioError(f"{rule}: its report cannot be of no value", key="kind")
        shared = (
            spec.epsilon,
            self.solution,
            self.fake_data,
            tuple(oracles),
            population.records,
            population.frequencies,
        )
        if not self.joint:
            return SeveralAttributes(*shared)
        first, second = map(population.attributes.index, self.joint)
        return AttributePair(*shared, pair=(first, second))

    def part_budget(self, epsilon: float, k: int) -> float:
        """The ε of the report of one attribute, if there are k; with RS+FD it is larger, as for a
        sampled attribute.

        RS+FD: ln(1 + k (e^ε - 1)), ACX.
        """
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
