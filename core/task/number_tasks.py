"""The tasks of numbers: from counts of reports to a conclusion, and the task of their mean.

Each item of the population stands for a number. What each report says is added up, so that every
closed form of a mean follows from the mean and the variance of what one report says.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Final, Literal, cast

import numpy as np
from numpy.typing import NDArray

from ..attacks import Fakes
from ..base.arms import ATTACKED, CLEAN, DEFENDED, Arm
from ..base.errors import ScenarioError, check_limit, format_number
from ..base.flags import Flags
from ..base.pulse import Pulse, Work
from ..base.ranges import Range, check_bounds, check_span
from ..base.sampling import Counts, Floats
from ..base.streams import Path
from ..bounds.robust import Interval, robust_mean
from ..cell import Cell, Task
from ..collection.counts import block_counts
from ..collection.sifting import FilteredReports, verified_counts
from ..defences import NumberStep, TalliedReports, VerifiedRandomiser
from ..law.law import Ask
from ..law.mechanism import lacking
from ..law.numeric_protocol import NumericProtocol, heard_mean, heard_squares
from ..law.pure import Mechanism, Supporting
from ..law.support import linear_gain
from ..metrics import METRICS, Conclusion, measure
from ..metrics.conclusions.number_conclusions import MeanConclusion
from ..metrics.results import CellResults, Fingerprints, Moments
from ..population import Population
from ..protocols import ProtocolSpec

MAX_REPORTS: Final = 10**10
"""Users on the reports path."""


@dataclass(frozen=True, eq=False)
class ArmReports:
    """The reports of one arm in several trials: all, or those that a defence leaves.

    tallies : [trials, K], the reports of each kind; of a protocol of items its support counts.
    users : the number of reports, float64[trials].
    """

    tallies: NDArray[Any]
    users: Floats


@dataclass(frozen=True)
class OfNumbers(Task):
    """A task whose items stand for numbers of a range.

    low, high : the ends of the range.
    """

    low: Annotated[float, Range()] = -1.0
    high: Annotated[float, Range()] = 1.0

    def __post_init__(self) -> None:
        check_bounds(self)
        check_span(self.low, self.high)

    @property
    def half(self) -> float:
        """Half the length of the range: what a step of 1 is to the protocol."""
        return (self.high - self.low) / 2

    def number(self, told: Floats) -> Floats:
        """Numbers of the range, from those of [-1, 1] that the protocol knows."""
        return np.asarray((self.low + self.high) / 2 + self.half * told)

    def square(self, mean: Floats, square: Floats) -> Floats:
        """The mean of squares of numbers of the range, from both means of those of [-1, 1]."""
        middle = (self.low + self.high) / 2
        return np.asarray(middle**2 + 2 * middle * self.half * mean + self.half**2 * square)

    def with_range(self, mechanism: Mechanism, why: str | None, **changes: Any) -> Mechanism:
        """A protocol of numbers over this range; raises ScenarioError.

        why : the reason why it is refused; None where it is not.
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
        number, trials, pulse = work.number, work.trials, work.pulse
        marks = Fingerprints(trials)
        clean, attacked = block_counts(cell, number, trials, pulse)
        verified = verified_counts(cell, number, trials, pulse, clean)
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
                arms[arm], found = _defend_tallies(cell, arm, arms, verified, pulse)
            flags |= {} if found is None else {arm: found}
        conclusion = self.conclude_arms(cell, arms, flags, pulse)
        return CellResults(measure(conclusion), marks.values, _moments(conclusion))

    @abstractmethod
    def conclude_arms(
        self, cell: Cell, arms: Mapping[Arm, ArmReports], flags: Mapping[Arm, Flags], pulse: Pulse
    ) -> MeanConclusion:
        """The conclusion from the reports of each arm."""

    def robust(self, cell: Cell, heard: ArmReports) -> Interval | None:
        """The ends of the interval of the mean that holds if as many reports are fake as are."""
        protocol = cell.protocol
        if not isinstance(protocol, NumericProtocol):
            return None
        everyone = cell.users + cell.malicious
        told, spread = heard_mean(protocol, heard.tallies)
        share = cell.malicious / everyone
        low, high = robust_mean(told, np.maximum(spread, 0), protocol.reach, everyone, share)
        return self.number(low), self.number(high)


def _heard(cell: Cell, counts: Counts, users: Floats) -> ArmReports:
    """The reports behind the counts of n users in each trial, float64[trials]."""
    of_numbers = isinstance(cell.protocol, NumericProtocol)
    return ArmReports(counts.astype(np.float64) if of_numbers else counts, users)


def _defend_tallies(
    cell: Cell,
    arm: Arm,
    arms: Mapping[Arm, ArmReports],
    verified: Mapping[Arm, FilteredReports],
    pulse: Pulse,
) -> tuple[ArmReports, Flags | None]:
    """The reports that the defences leave of an arm, and what they claim."""
    heard = arms[ATTACKED if arm.attacked else CLEAN]
    if arm in verified:
        heard = _heard(cell.sifted_cell, verified[arm].counts, verified[arm].users.astype(float))
    flags = None
    trials = len(heard.tallies)
    for step in (each for each in cell.defences if isinstance(each, NumberStep)):
        found = step.left(
            TalliedReports(cast("NumericProtocol", cell.protocol), heard.tallies, pulse)
        )
        if found.tallies is not heard.tallies:
            heard = ArmReports(found.tallies, found.tallies.sum(axis=1))
        flags = flags or Flags.nothing(cell.users, cell.malicious * arm.attacked, trials)
        if found.alarm is not None:
            flags = replace(flags, alarm=np.fmax(flags.alarm, found.alarm.astype(float)))
        if found.share is not None:
            flags = replace(flags, share=found.share)
    return heard, flags


def _moments(conclusion: MeanConclusion) -> dict[Arm, Moments]:
    """The moments of each arm; the same object where the attack changes nothing."""
    moments: dict[Arm, Moments] = {}
    for arm in conclusion.arms:
        same = arm.attacked and conclusion.means[arm] is conclusion.means[arm.before]
        made = moments[arm.before] if same else Moments.of(conclusion.vectors(arm))
        moments[arm] = made
    return moments


# The closed forms of an estimate that is linear in reports: what one report says on average.


@dataclass(frozen=True)
class ReportMoments:
    """The mean and the variance of what a fake's report says, where the range is [-1, 1].

    The number of fakes of each kind is fixed, so that their variances add up.
    """

    mean: float
    variance: float


def fakes_told(cell: Cell) -> ReportMoments | None:
    """What one report of the fakes says; 0 without an attack, None where it is not known."""
    protocol, mean, variance = telling(cell), 0.0, 0.0
    for fakes in cell.fakes:
        law = fakes.strategy.item_support(cast("Supporting", protocol), fakes.targets, cell.targets)
        if law is None:
            return None
        weight = fakes.count / cell.malicious if cell.malicious else 1 / len(cell.fakes)
        says, spread = protocol.said_by(law.rates)
        mean, variance = mean + weight * says, variance + weight * spread
    return ReportMoments(mean, variance)


def expected_tallies(cell: Cell, fakes: Sequence[Fakes]) -> Floats:
    """float64[K], the expected number of reports of each kind, with these fakes."""
    protocol = telling(cell)
    honest = protocol.law_of(Ask("honest", np.arange(cell.population.domain_size),
                                 held=cell.population.frequencies))  # fmt: skip
    laws = [(cell.users, _rates(honest))]
    for part in fakes:
        law = part.strategy.item_support(cast("Supporting", protocol), part.targets, cell.targets)
        laws.append((part.count, law.rates if law is not None else np.full(1, np.nan)))
    return np.asarray(sum(count * rates for count, rates in laws))


def _rates(law: Any) -> Floats:
    """The probabilities of reports of a law that a protocol of numbers has."""
    return np.asarray(law.support(np.empty(0, dtype=np.int64)).rates)


def clean_spread(cell: Cell, protocol: NumericProtocol | None = None) -> float:
    """n times the variance of the clean estimate: that of what one report says, on average.

    protocol : another one than the cell's own.
    """
    return float(cell.population.frequencies @ (protocol or telling(cell)).spread)


def telling(cell: Cell) -> NumericProtocol:
    """The protocol of a cell whose users hold numbers."""
    return cast("NumericProtocol", cell.protocol)


@dataclass(frozen=True)
class Mean(OfNumbers):
    """Histogram → counts of the reports → an estimate of the mean → metrics; once per arm.

    The d items are d numbers, as far apart, from low to high.
    """

    concludes: ClassVar[type[Conclusion]] = MeanConclusion

    kind: Literal["mean"] = "mean"

    def bound(self, protocol: ProtocolSpec, population: Population) -> Mechanism:
        """The protocol over the numbers of the items; raises ScenarioError."""
        mechanism = protocol.over(population)
        no_mean = "whose reports tell frequencies of items and no mean"
        return self.with_range(mechanism, lacking(mechanism, NumericProtocol, "", no_mean))

    def conclude_arms(
        self, cell: Cell, arms: Mapping[Arm, ArmReports], flags: Mapping[Arm, Flags], pulse: Pulse
    ) -> MeanConclusion:
        pulse()
        protocol, made, squares = telling(cell), {}, {}
        for heard in dict.fromkeys(arms.values()):
            told = heard_mean(protocol, heard.tallies)[0]
            made[heard] = self.number(told)
            squares[heard] = self.square(told, heard_squares(protocol, heard.tallies))
        return MeanConclusion(
            {arm: made[heard] for arm, heard in arms.items()},
            self.true_mean(cell),
            cell.attack is not None,
            self.robust(cell, arms[ATTACKED]),
            flags,
            {arm: squares[heard] for arm, heard in arms.items()},
        )

    def std_with(self, cell: Cell, protocol: Mechanism) -> float | None:
        if not isinstance(protocol, NumericProtocol):
            return None
        return self.half * math.sqrt(clean_spread(cell, protocol) / cell.users)

    def true_mean(self, cell: Cell) -> float:
        """The mean of the genuine users' numbers."""
        return float(self.number(cell.population.frequencies @ telling(cell).values))

    def expected_metrics(self, cell: Cell) -> dict[str, float | None]:
        truth, spread = self.true_mean(cell), clean_spread(cell) * self.half**2
        expected = dict.fromkeys([*METRICS, *cell.metrics]) | {
            "mean_estimate_clean": truth,
            "mean_error_clean": 0.0,
            "mean_squared_error_clean": spread / cell.users,
            "second_moment_clean": self._expect_square(cell, expected_tallies(cell, ())),
        }
        fakes = fakes_told(cell)
        if fakes is None:
            return expected
        everyone = cell.users + cell.malicious
        told = float(cell.population.frequencies @ telling(cell).values)
        shift = self.half * linear_gain(fakes.mean, 0.0, told, cell.share)
        drawn = cell.users * spread + cell.malicious * fakes.variance * self.half**2
        expected |= {
            "mean_estimate": truth + shift,
            "mean_error": shift,
            "mean_squared_error": shift**2 + drawn / everyone**2,
            "second_moment": self._expect_square(cell, expected_tallies(cell, cell.fakes)),
        }
        expected |= {} if cell.attack is None else {"mean_shift": shift}
        return expected | self._after(cell, truth)

    def _expect_square(self, cell: Cell, tallies: Floats) -> float | None:
        """The mean of squares that expected reports tell; None where they tell none."""
        protocol, heard = telling(cell), tallies[None]
        mean, _ = heard_mean(protocol, heard)
        (found,) = self.square(mean, heard_squares(protocol, heard))
        return None if np.isnan(found) else float(found)

    def _after(self, cell: Cell, truth: float) -> dict[str, float | None]:
        """What defences leave of the expected reports: of many, as a bias of theirs does not hang
        on how many there are. Empty where one of them is not foretold."""
        steps = [step for step in cell.defences if isinstance(step, NumberStep)]
        if not cell.defences or not all(step.foretold for step in steps):
            return {}
        protocol = telling(cell)
        clean = expected_tallies(cell, ())
        fakes = (cell.sifted_cell if cell.verifier else cell).fakes
        made = []
        for tallies in (clean, expected_tallies(cell, fakes)):
            left = tallies[None]
            for step in steps:
                left = step.left(TalliedReports(protocol, left)).tallies
            made.append(float(self.number(heard_mean(protocol, left)[0])[0]))
        before, after = made
        before = truth if np.isclose(before, truth, rtol=0, atol=1e-12 * self.half) else before
        expected: dict[str, float | None] = {
            "mean_estimate_clean_after": before,
            "mean_error_clean_after": before - truth,
            "mean_estimate_after": after,
            "mean_error_after": after - truth,
        }
        return expected | ({} if cell.attack is None else {"mean_shift_after": after - before})


TASKS = (Mean,)
