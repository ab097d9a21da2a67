"""The task "frequencies": the share of the users with each item of a domain that can be listed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Final, Literal

import numpy as np

from ...base.arms import ATTACKED, Arm
from ...base.errors import ScenarioError, check_limit
from ...base.sampling import Floats
from ...base.streams import Path
from ...base.work import Work
from ...cell import Cell, Task
from ...collection.counts import (
    arrived_counts,
    drawn_trials,
    genuine_rounds,
    kept_address,
    sent_counts,
    trial_numbers,
)
from ...collection.reports import CampaignHistory
from ...collection.sifting import FilteredReports, sift_reports, verified_counts
from ...law.pure import Estimates, PureProtocol
from ...metrics import Conclusion, FrequencyConclusion, Measures, measure, measured_columns
from ...metrics.results import BLOCK_TRIALS, Arms, CellResults, Fingerprints, Moments, Rounds
from ...population import Population
from .arm_estimates import Pool, estimates_of

MAX_ESTIMATES: Final = 2**22
"""Estimates of all items in all rounds: a trial's fill 32 MiB."""


@dataclass(frozen=True)
class Frequencies(Task):
    """The task "frequencies": estimate the frequency of each item."""

    concludes: ClassVar[type[Conclusion]] = FrequencyConclusion
    of_items: ClassVar[bool] = True

    kind: Literal["frequencies"] = "frequencies"

    def check(self, cell: Cell) -> None:
        """Accept every cell, as frequencies can be estimated with every bound protocol."""

    def check_size(
        self, population: Population, malicious: int, path: Path, rounds: int | None
    ) -> None:
        estimates = (rounds or 0) * population.domain_size
        rule = "times items must be at most 2^22"
        check_limit(estimates, MAX_ESTIMATES, rule, "campaign.rounds")
        super().check_size(population, malicious, path, rounds)

    def block(self, cell: Cell, work: Work) -> CellResults:
        if cell.rounds:
            return _rounds(cell, work)
        marks = Fingerprints(work.trials)
        return _results(cell, collect_estimates(cell, work, marks), marks)


def trial_estimates(cell: Cell, trials: int) -> dict[Arm, Floats]:
    """float64[trials, d] by arm: the estimates of each trial of one collection, drawn as in a run.

    Raises ScenarioError for a campaign, or for a task other than frequencies.
    """
    if cell.rounds or not isinstance(cell.task, Frequencies):
        rule = "must be of one collection of frequencies: campaigns and other tasks have none"
        raise ScenarioError(rule, key="estimates by trial")
    parts: dict[Arm, list[Floats]] = {arm: [] for arm in cell.arms}
    for number, first in enumerate(range(0, trials, BLOCK_TRIALS)):
        size = min(BLOCK_TRIALS, trials - first)
        made = collect_estimates(cell, Work(number, size), Fingerprints(size))
        for arm, estimates in made.items():
            parts[arm].append(estimates.frequencies)
    return {arm: np.concatenate(each) for arm, each in parts.items()}


def collect_estimates(cell: Cell, work: Work, marks: Fingerprints) -> Mapping[Arm, Estimates]:
    """The estimates of a block of trials in each arm; adds the counts to the fingerprints."""
    number, trials = work.number, work.trials
    sifted: Mapping[Arm, FilteredReports] = {}
    everyone = None
    if cell.filters:
        clean, attacked, sifted = sift_reports(cell, trial_numbers(number, trials), tell=work.tell)
    else:
        clean, attacked, everyone = arrived_counts(cell, number, trials)
        sifted = verified_counts(cell, number, trials, clean)
    marks.add(clean, attacked)
    return estimates_of(cell, clean, attacked, sifted, {}, everyone)


def _rounds(cell: Cell, work: Work) -> CellResults:
    """The rounds of a campaign, one after the other so that an attacker can react; their pool."""
    number, trials = work.number, work.trials
    drawn = drawn_trials(cell, trials)
    marks, history = Fingerprints(drawn), CampaignHistory(len(cell.rounds))
    pool, metrics, moments = Pool(cell), [], []
    genuine = genuine_rounds(cell, number, drawn)
    made: Mapping[Arm, Estimates] = {}
    for collection in cell.rounds:
        sifted: Mapping[Arm, FilteredReports] = {}
        if cell.filters:
            numbers = trial_numbers(number, drawn)
            clean, attacked, sifted = sift_reports(
                collection, numbers, history, kept_address(cell), work.tell
            )
        else:
            attacked = clean = next(genuine)
            if collection.attack is not None:
                attacked = clean + sent_counts(collection, number, drawn, history)[0]
            sifted = verified_counts(collection, number, drawn, clean, history)
        made = estimates_of(collection, clean, attacked, sifted, made)
        history = replace(history, published=made[collection.published_arm].frequencies)
        marks.add(clean, attacked)
        metrics.append(_measure_block(collection, made)[:trials])
        moments.append({arm: Moments.of(each.frequencies[:trials]) for arm, each in made.items()})
        pool.add(collection, clean, attacked, made, sifted)
    whole = pool.estimates(trials)
    arms = {arm: _stack_moments([each[arm] for each in moments]) for arm in whole}
    rounds = Rounds(np.stack(metrics, axis=1), arms)
    return replace(_results(cell, whole, marks), rounds=rounds)


def _results(cell: Cell, made: Mapping[Arm, Estimates], marks: Fingerprints) -> CellResults:
    metrics, detected = _measure_block(cell, made), made[ATTACKED].detected
    return CellResults(
        metrics,
        marks.values[: len(metrics)],
        _moments(made),
        None if detected is None else detected.sum(axis=0),
    )


def _measure_block(cell: Cell, made: Mapping[Arm, Estimates]) -> Measures:
    conclusion = FrequencyConclusion(
        made,
        cell.population.frequencies,
        cell.leaders,
        cell.targets,
        cell.users,
        cell.malicious,
        cell.protocol if isinstance(cell.protocol, PureProtocol) and not cell.rounds else None,
        cell.population.weights,
    )
    return measure(conclusion, measured_columns(conclusion, cell.python_metrics))


def _moments(made: Mapping[Arm, Estimates]) -> Arms:
    """The moments of each arm; the same object where the attack changes nothing."""
    moments: dict[Arm, Moments] = {}
    for arm, estimates in made.items():
        same = arm.attacked and estimates is made[arm.before]
        moments[arm] = moments[arm.before] if same else Moments.of(estimates.frequencies)
    return moments


def _stack_moments(moments: Sequence[Moments]) -> Moments:
    """The moments of vectors [d] as those of an array [R, d]."""
    return Moments(
        moments[0].trials,
        np.array([each.mean for each in moments]),
        np.array([each.squares for each in moments]),
    )
