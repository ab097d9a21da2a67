"""The tasks of numbers: from counts of reports to a conclusion, and the task of their mean.

Each item of the population stands for a number, and the estimates of all reports are averaged.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Final, Literal, cast

import numpy as np
from numpy.typing import NDArray

from ..base.arms import ATTACKED, CLEAN, DEFENDED, Arm
from ..base.errors import ScenarioError, check_limit, format_number
from ..base.flags import Flags
from ..base.ranges import Range, check_bounds, check_span
from ..base.sampling import Counts, Floats
from ..base.streams import Path
from ..base.work import Work
from ..bounds.robust import Interval, robust_mean
from ..cell import Cell, Task
from ..collection.counts import block_counts
from ..collection.sifting import FilteredReports, verified_counts
from ..defences import NumberStep, TalliedReports, VerifiedRandomiser
from ..law.mechanism import lacking
from ..law.numeric_protocol import NumericProtocol, heard_mean, heard_squares
from ..law.pure import Mechanism
from ..metrics import Conclusion, measure
from ..metrics.conclusions.number_conclusions import MeanConclusion
from ..metrics.results import CellResults, Fingerprints, Moments
from ..population import Population
from ..protocols import ProtocolSpec
from ..theory.mean_theory import numeric_protocol, true_mean

MAX_REPORTS: Final = 10**10
"""Users on the reports path."""


@dataclass(frozen=True, eq=False)
class ArmReports:
    """The reports of one arm in several trials, counted by bin.

    tallies : [trials, K], the reports in each bin; with a protocol of items its support counts.
    users : the number of reports, float64[trials].
    """

    tallies: NDArray[Any]
    users: Floats


@dataclass(frozen=True)
class OfNumbers(Task):
    """The base of tasks whose items stand for numbers in a range.

    low, high : the ends of the range.
    """

    low: Annotated[float, Range()] = -1.0
    high: Annotated[float, Range()] = 1.0

    def __post_init__(self) -> None:
        check_bounds(self)
        check_span(self.low, self.high)

    def with_range(self, mechanism: Mechanism, why: str | None, **changes: Any) -> Mechanism:
        """The protocol of numbers with the task's range.

        why : the reason why the protocol is refused, or None. Raises ScenarioError with the reason.
        """
        if why is not None:
            raise ScenarioError(f'must not be {why} with task.kind = "{self.kind}"', key="kind")
        made: Any = mechanism
        return cast("Mechanism", replace(made, low=self.low, high=self.high, **changes))

    def check(self, cell: Cell) -> None:
        others = [
            step for step in cell.defences if not isinstance(step, NumberStep | VerifiedRandomiser)
        ]
        super().check(replace(cell, defences=tuple(others)))
        if cell.population.labels is not None:
            rule = 'must have items that are as far apart, as "values" or "normal", where'
            rule = f'{rule} task.kind = "{self.kind}"'
            raise ScenarioError(f"{rule}, got labels", key="population.kind")
        span = cell.population.span
        if span is not None and span != (self.low, self.high):
            low, high = map(format_number, span)
            rule = f"must be the range of the population, [{low}, {high}]"
            shown = f"got [{format_number(self.low)}, {format_number(self.high)}]"
            raise ScenarioError(f"{rule}, {shown}", key="task.low")

    def check_size(
        self, population: Population, malicious: int, path: Path, rounds: int | None
    ) -> None:
        if path == "reports":
            users = (population.users + malicious) * (rounds or 1)
            rule = 'must be "counts" where users exceed 10^10'
            check_limit(users, MAX_REPORTS, rule, "simulate.path")

    # From counts to a conclusion.

    def block(self, cell: Cell, work: Work) -> CellResults:
        number, trials = work.number, work.trials
        marks = Fingerprints(trials)
        clean, attacked = block_counts(cell, number, trials)
        verified = verified_counts(cell, number, trials, clean)
        marks.add(clean, attacked)
        users, same = np.full(trials, float(cell.users)), attacked is clean
        before = _heard(cell, clean, users)
        after = before if same else _heard(cell, attacked, users + cell.malicious)
        arms = {CLEAN: before, ATTACKED: after}
        flags: dict[Arm, Flags] = {}
        for arm in DEFENDED if cell.defences else ():
            if same and arm.attacked:
                arms[arm], found = arms[arm.before], flags.get(arm.before)
            else:
                arms[arm], found = _defend_tallies(cell, arm, arms, verified)
            flags |= {} if found is None else {arm: found}
        conclusion = self.conclude_arms(cell, arms, flags)
        return CellResults(measure(conclusion), marks.values, _moments(conclusion))

    @abstractmethod
    def conclude_arms(
        self, cell: Cell, arms: Mapping[Arm, ArmReports], flags: Mapping[Arm, Flags]
    ) -> MeanConclusion:
        """The conclusion on the users' numbers from the reports of each arm."""

    def robust(self, cell: Cell, heard: ArmReports) -> Interval | None:
        """The interval of the mean that holds for the true share of fakes, whatever they send; None
        for a protocol of items.
        """
        protocol = cell.protocol
        if not isinstance(protocol, NumericProtocol):
            return None
        everyone = cell.users + cell.malicious
        means, spread = heard_mean(protocol, heard.tallies)
        share = cell.malicious / everyone
        low, high = robust_mean(means, np.maximum(spread, 0), protocol.reach, everyone, share)
        return protocol.range_numbers(low), protocol.range_numbers(high)


def _heard(cell: Cell, counts: Counts, users: Floats) -> ArmReports:
    """The reports behind the counts of n users in each trial, float64[trials]."""
    of_numbers = isinstance(cell.protocol, NumericProtocol)
    return ArmReports(counts.astype(np.float64) if of_numbers else counts, users)


def _defend_tallies(
    cell: Cell,
    arm: Arm,
    arms: Mapping[Arm, ArmReports],
    verified: Mapping[Arm, FilteredReports],
) -> tuple[ArmReports, Flags | None]:
    """The reports that the defences leave of an arm, and what they claim."""
    heard = arms[ATTACKED if arm.attacked else CLEAN]
    if arm in verified:
        heard = _heard(cell.sifted_cell, verified[arm].counts, verified[arm].users.astype(float))
    flags = None
    trials = len(heard.tallies)
    for step in (each for each in cell.defences if isinstance(each, NumberStep)):
        left = step.left(TalliedReports(cast("NumericProtocol", cell.protocol), heard.tallies))
        if left.tallies is not heard.tallies:
            heard = ArmReports(left.tallies, left.tallies.sum(axis=1))
        flags = flags or Flags.nothing(cell.users, cell.malicious * arm.attacked, trials)
        if left.alarm is not None:
            flags = replace(flags, alarm=np.fmax(flags.alarm, left.alarm.astype(float)))
        if left.share is not None:
            flags = replace(flags, share=left.share)
    return heard, flags


def _moments(conclusion: MeanConclusion) -> dict[Arm, Moments]:
    """The moments of each arm; the same object where the attack changes nothing."""
    moments: dict[Arm, Moments] = {}
    for arm in conclusion.arms:
        same = arm.attacked and conclusion.means[arm] is conclusion.means[arm.before]
        made = moments[arm.before] if same else Moments.of(conclusion.vectors(arm))
        moments[arm] = made
    return moments


@dataclass(frozen=True)
class Mean(OfNumbers):
    """The task "mean": estimate the mean of the users' numbers.

    The d items are d equally spaced numbers, from low to high.
    """

    concludes: ClassVar[type[Conclusion]] = MeanConclusion

    kind: Literal["mean"] = "mean"

    def bound(self, protocol: ProtocolSpec, population: Population) -> Mechanism:
        """The protocol bound to the items' numbers; raises ScenarioError for a protocol of
        items.
        """
        mechanism = protocol.over(population)
        no_mean = "whose reports tell frequencies of items and no mean"
        return self.with_range(mechanism, lacking(mechanism, NumericProtocol, "", no_mean))

    def conclude_arms(
        self, cell: Cell, arms: Mapping[Arm, ArmReports], flags: Mapping[Arm, Flags]
    ) -> MeanConclusion:
        protocol, made, squares = numeric_protocol(cell), {}, {}
        for heard in dict.fromkeys(arms.values()):
            means = heard_mean(protocol, heard.tallies)[0]
            made[heard] = protocol.range_numbers(means)
            squares[heard] = protocol.range_squares(means, heard_squares(protocol, heard.tallies))
        return MeanConclusion(
            {arm: made[heard] for arm, heard in arms.items()},
            true_mean(cell),
            cell.attack is not None,
            self.robust(cell, arms[ATTACKED]),
            flags,
            {arm: squares[heard] for arm, heard in arms.items()},
        )


TASKS = (Mean,)
