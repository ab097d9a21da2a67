"""One point of an experiment with everything bound, and the base of tasks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Final, cast

from .attacks import Attack, Fakes, Mixture, Strategy, fake_share, fakes_of, obeying
from .base.arms import ARMS, UNDEFENDED, Arm
from .base.code import What, code_of
from .base.errors import ScenarioError, check_limit
from .base.sampling import Counts, Floats
from .base.streams import Path
from .base.work import Tell, Work, no_words
from .defences import Correction, Defence, Filter
from .law.mechanism import check_estimates
from .law.pure import Items, LocalMechanism, Mechanism, PureProtocol
from .metrics import Conclusion, PythonMetric, metrics_of
from .metrics.goal import Goal, GoalAnswer
from .metrics.ranking import Leaders
from .metrics.results import BLOCK_TRIALS, Arms, CellResults
from .population import Population
from .protocols import ProtocolSpec, awaits_code
from .protocols.trust import Local, Trust, budgets

MAX_PAIRS: Final = 10**12
"""Pairs of a user and an item on the reports path."""


class Task(ABC):
    """The base of tasks: how items become reports, estimates and metrics.

    The defaults are those of a task that estimates one number from one collection. Two tasks are
    equal if their settings are, on which the address of a cell depends.

    concludes : the class of its conclusions, which decides its metrics.
    of_items : whether a block stores moments of a number for each item of the population.
    own_k : the k of the most frequent items if the task sets it; else None.
    """

    concludes: ClassVar[type[Conclusion]]
    of_items: ClassVar[bool] = False
    own_k: int | None = None

    kind: Any

    def check(self, cell: Cell) -> None:
        """Raise ScenarioError for a cell that does not fit this task."""
        phases = any(key.startswith("attack.phase.") for key in cell.parameters)
        refused = {
            "attack.phase" if phases else "campaign": (cell.rounds, "whose users report once"),
            "metric": (cell.python_metrics, "which estimates no list of items"),
            "defence": (cell.defences, "as they read or correct frequencies"),
        }
        for key, (there, why) in refused.items():
            if there:
                rule = f'must be left out with task.kind = "{self.kind}", {why}'
                raise ScenarioError(rule, key=key)

    def with_items(self, population: Population) -> Population:
        """The population, with the items added that this task estimates besides those of users
        (pairs of attributes); unchanged for most tasks.

        Raises ScenarioError for a population that does not fit the task.
        """
        return population

    def bound(self, protocol: ProtocolSpec, population: Population) -> Mechanism:
        """The protocol bound to the population as this task uses it.

        Raises ScenarioError for a protocol that does not fit the task.
        """
        mechanism: Mechanism = protocol.over(population)
        check_estimates(mechanism)
        return mechanism

    def check_size(
        self, population: Population, malicious: int, path: Path, rounds: int | None
    ) -> None:
        """Raise ScenarioError for a collection that would take too long or too much memory.

        malicious : the number of fakes, in the round with the most. rounds : their number; None
        without a campaign.
        """
        if path == "reports":
            pairs = (population.users + malicious) * population.domain_size * (rounds or 1)
            times = " × rounds" if rounds else ""
            rule = f'must be "counts" where users × items{times} exceeds 10^12'
            check_limit(pairs, MAX_PAIRS, rule, "simulate.path")

    @abstractmethod
    def block(self, cell: Cell, work: Work) -> CellResults:
        """The results of the first trials of a block: reports simulated, frequencies estimated,
        metrics measured.
        """

    def size(self, cell: Cell) -> int:
        """The length of the vectors whose moments a block stores."""
        return cell.population.domain_size if self.of_items else 1

    def truth(self, cell: Cell) -> Floats | None:
        """float64[size]: the true frequencies; None if the vectors are not of frequencies."""
        return cell.population.frequencies if self.of_items else None

    def ask_user(self, cell: Cell, number: int) -> Cell:  # noqa: ARG002
        """The collection in which the user of this number takes part: with grouped users, that of
        the group.
        """
        return cell

    def details(self, cell: Cell, arms: Arms) -> dict[str, Any]:  # noqa: ARG002
        """Measurements besides metrics and frequencies, for the JSON document."""
        return {}


@dataclass(frozen=True, eq=False)
class Cell:
    """One point of a sweep, bound: everything that its results depend on.

    In a campaign each round is a cell of its own, and the cell that contains the rounds is the
    collection of all: its population and its fakes are those of the rounds together.

    parameters : the scenario's keys at this point, dotted, down to scalars and lists.
    targets : int64[r], empty without an attack.
    malicious : m, the number of fake users; users : n, the number of genuine users.
    rounds : of a campaign, in order; empty for a single collection.
    round : the number of this round, from 0.
    left : int64[d], the users of each item who left after the previous round; None if there is
    none.
    goal, answer : the value that the fakes shall reach, and their number for it; both None if a
        share is given; the answer is None before `core.experiment.search` has run.
    defences : the server's defences, in order.
    task : the quantity to estimate.
    asked : the protocol of each of two reports with half the budget, if the defended estimates
        come from these; else None.
    trust : the trust model: whom users trust, who sees what, and what fakes are forced to do.
    python_metrics : plug-in metrics.
    """

    index: int
    parameters: Mapping[str, object]
    seed: int
    trials: int
    population: Population
    protocol: Mechanism
    attack: Attack | Mixture | None
    targets: Items
    malicious: int
    path: Path
    top_k: int
    task: Task
    rounds: tuple[Cell, ...] = ()
    round: int = 0
    left: Counts | None = None
    goal: Goal | None = None
    answer: GoalAnswer | None = None
    defences: tuple[Defence, ...] = ()
    asked: Mechanism | None = None
    trust: Trust = field(default_factory=Local)
    python_metrics: tuple[PythonMetric, ...] = ()

    def block(
        self,
        number: int,
        trials: int = BLOCK_TRIALS,
        tell: Tell = no_words,
    ) -> CellResults:
        """The results of the first trials of a block, simulated: the unit of work.

        The numbers depend on the cell and the block's number only: a shorter block has the first
        trials of the full one.
        """
        return self.task.block(self, Work(number, trials, tell))

    @property
    def users(self) -> int:
        return self.population.users

    @property
    def metrics(self) -> list[str]:
        """The names of the metrics that are defined for the cell, in order."""
        columns = (name for metric in self.python_metrics for name in metric.columns(self.arms))
        return [*metrics_of(self.arms, self.task.concludes), *columns]

    @property
    def arms(self) -> tuple[Arm, ...]:
        """The arms of the cell, in order: clean, attacked, then the defended ones."""
        return ARMS if self.defences else UNDEFENDED

    @property
    def published_arm(self) -> Arm:
        """The arm whose estimates the server publishes while it is attacked."""
        return self.arms[-1]

    @property
    def filters(self) -> tuple[Filter, ...]:
        """The defences that filter reports, in order."""
        return tuple(step for step in self.defences if isinstance(step, Filter))

    @cached_property
    def sifted_cell(self) -> Cell:
        """The collection whose reports the defences read; the defended estimates come from it."""
        trust = next((step.trust for step in self.defences if step.trust), self.trust)
        if self.asked is None and trust is self.trust:
            return self
        return replace(
            self,
            protocol=self.protocol if self.asked is None else self.asked,
            trust=trust,
            rounds=tuple(cell.sifted_cell for cell in self.rounds),
        )

    @property
    def corrections(self) -> tuple[Correction, ...]:
        """The defences that change the estimates, in order."""
        return tuple(step for step in self.defences if isinstance(step, Correction))

    @property
    def first(self) -> Cell:
        """The first round of a campaign; the cell itself without a campaign."""
        return self.rounds[0] if self.rounds else self

    @property
    def peak(self) -> Cell:
        """The first round with the most fakes; the cell itself without a campaign."""
        return max(self.rounds, key=lambda cell: cell.malicious) if self.rounds else self

    @cached_property
    def fakes(self) -> tuple[Fakes, ...]:
        """The groups of fake users who act alike; empty without an attack."""
        if self.rounds:
            same: dict[tuple[Strategy, bytes], Fakes] = {}
            for fakes in (fakes for cell in self.rounds for fakes in cell.fakes):
                key = fakes.strategy, fakes.targets.tobytes()
                count = fakes.count + (same[key].count if key in same else 0)
                same[key] = replace(fakes, count=count)
            return tuple(same.values())
        if self.attack is None:
            return ()
        everyone = fakes_of(self.attack, self.targets, self.malicious, self.population)
        if not self.trust.proves:
            return everyone
        return tuple(obeying(part, self.protocol, self.trust.drop_out) for part in everyone)

    @property
    def python_attacks(self) -> tuple[str, ...]:
        """The names of the cell's plug-in attacks, permitted or not."""
        strategies = (fakes.strategy for fakes in self.fakes)
        return tuple(code for strategy in strategies if (code := code_of(strategy)))

    @property
    def python_code(self) -> tuple[tuple[What, str], ...]:
        """The plug-in code that a run of the cell executes: its purpose and its name.

        That of attacks, defences and metrics, permitted or not; of a population, and of a protocol
        given by tables, only before it was executed.
        """
        codes: dict[What, tuple[str, ...]] = {
            "attack": self.python_attacks,
            "defence": tuple(map(code_of, self.defences)),
            "protocol": (self.protocol.unread_code_name or self.protocol.code,),
            "population": (self.population.awaited,),
            "metric": tuple(metric.code for metric in self.python_metrics),
        }
        return tuple((what, name) for what, names in codes.items() for name in names if name)

    @property
    def decided_path(self) -> Path | None:
        """The path (counts or reports) on which the cell is simulated; None if unpermitted code
        decides it.
        """
        path = self.parameters.get("simulate.path")
        return None if awaits_code(self.protocol) and path == "auto" else self.path

    @property
    def share(self) -> float:
        """The share of fakes β = m / (n + m), with m a whole number."""
        return fake_share(self.users, self.malicious)

    @cached_property
    def leaders(self) -> Leaders:
        """The k items with the most genuine users."""
        return Leaders.of(self.population.frequencies, self.top_k)

    @property
    def target_frequency(self) -> float:
        """f_T, the true total frequency of the targets among genuine users."""
        return float((self.population.histogram[self.targets] / self.users).sum())

    @property
    def pure(self) -> PureProtocol:
        """The protocol, if it is a pure protocol; raises TypeError otherwise."""
        if not self.is_pure:
            raise TypeError(f"{type(self.protocol).__name__} is not a pure protocol")
        return cast("PureProtocol", self.protocol)

    @property
    def is_pure(self) -> bool:
        """Whether the protocol is pure: its reports support items."""
        return isinstance(self.protocol, PureProtocol)

    @property
    def has_evidence(self) -> bool:
        """Whether robust intervals exist: one collection, and a known range of one report's
        contribution.
        """
        protocol: Any = self.protocol
        return not self.rounds and (
            self.is_pure or not (isinstance(protocol, LocalMechanism) or protocol.withholds)
        )

    @property
    def local(self) -> LocalMechanism:
        """The protocol, if its users send reports; raises TypeError for a curator."""
        if not isinstance(self.protocol, LocalMechanism):
            raise TypeError("users of a trusted curator send no reports")
        return self.protocol

    @cached_property
    def budgets(self) -> dict[str, float]:
        """The central ε and δ of all reports together, and the local ε₀ if reports are shuffled;
        empty in the local model.
        """
        return budgets(self.trust, self.protocol, self.users)

    @property
    def warnings(self) -> tuple[str, ...]:
        """The reasons why the results may be unreliable, a sentence each."""
        everyone = self.users + self.malicious
        reasons = [*self.protocol.warnings, *self.protocol.doubts(everyone)]
        for step in self.filters:
            reasons += step.doubts(self.sifted_cell.protocol, self.targets.size, everyone)
        if self.path == "counts" and self.protocol.apart:
            reasons.append(self.protocol.apart)
        delta = self.trust.blending
        if delta is not None and delta > 1 / self.users:
            reasons.append(
                f"δ = {delta:g} is above 1/n = {1 / self.users:.3g}: so weak a promise is kept by "
                "a server that publishes one report in full"
            )
        return tuple(reasons)

    @cached_property
    def genuine_address(self) -> str:
        return f"{self.population.address} {self.protocol!r}"

    @cached_property
    def malicious_address(self) -> str:
        address = f"{self.genuine_address} {self.attack!r} {self.targets.tolist()}"
        cohort = None if self.attack is None else self.attack.cohort
        address = address if cohort is None else f"{address} cohort={cohort!r}"
        return f"{address} {self.trust.address}" if self.trust.address else address
