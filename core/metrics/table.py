"""From estimated frequencies to numbers: a table of metrics, a row each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np

from ..base.arms import ATTACKED, ATTACKED_DEFENDED, CLEAN, CLEAN_DEFENDED, Arm
from ..base.flags import Flags
from ..base.sampling import Floats
from ..law.pure import BoolArray, Estimates, Items
from .answers import Identification
from .ranking import Leaders, Ranking

FREQUENCIES: Final = "frequencies"
HITTERS: Final = "heavy-hitters"


@dataclass(frozen=True, eq=False)
class Outcome:
    """The server's conclusions in several trials of a cell, beside what is true.

    estimates : by arm, from the same genuine reports.
    truth : float64[d], the true frequencies of the genuine users; leaders : the largest of them.
    targets : indices; empty where there is no attack. users, malicious : the numbers of genuine
    and of fake users.
    """

    estimates: Mapping[Arm, Estimates]
    truth: Floats
    leaders: Leaders
    targets: Items
    users: int = 0
    malicious: int = 0

    @cached_property
    def arms(self) -> set[Arm]:
        """The arms that there are."""
        return set(self.estimates)

    def totals(self, arm: Arm) -> Floats:
        """float64[trials]: the estimates of all targets added up."""
        return np.asarray(self.aimed[arm].sum(axis=1))

    def gains(self, before: Arm, after: Arm) -> Floats:
        """float64[trials]: by how much the targets' total is larger after than before."""
        return np.asarray((self.aimed[after] - self.aimed[before]).sum(axis=1))

    @cached_property
    def aimed(self) -> Mapping[Arm, Floats]:
        """float64[trials, r] by arm: the estimates of the targets."""
        return {arm: made.frequencies[:, self.targets] for arm, made in self.estimates.items()}

    @property
    def held(self) -> float:
        """f_T, the true total of the targets."""
        return float(self.truth[self.targets].sum())

    @cached_property
    def errors(self) -> Mapping[Arm, Floats]:
        """float64[trials, d] by arm: estimate minus truth."""
        return {arm: made.frequencies - self.truth for arm, made in self.estimates.items()}

    def squared_errors(self, arm: Arm) -> Floats:
        """float64[trials]: the mean squared error over the items."""
        return np.asarray((self.errors[arm] ** 2).sum(axis=1) / self.truth.size)

    @cached_property
    def rankings(self) -> Mapping[Arm, Ranking]:
        """The items by their estimates, by arm."""
        return {
            arm: Ranking(made.frequencies, self.truth, self.leaders)
            for arm, made in self.estimates.items()
        }

    def targets_in_top_k(self, arm: Arm) -> Floats:
        """float64[trials]: the number of targets among the k largest estimates."""
        return np.asarray(self.rankings[arm].top[:, self.targets].sum(axis=1))

    def detected(self, arm: Arm) -> BoolArray:
        """bool[trials, d]: the items taken for held by somebody."""
        detected = self.estimates[arm].detected
        assert detected is not None
        return detected

    def flags(self, arm: Arm) -> Flags:
        """The claims of a defence that looks for fakes."""
        flags = self.estimates[arm].flags
        assert flags is not None
        return flags


@dataclass(frozen=True)
class Metric:
    """One number of each trial.

    function : float64[trials] of an outcome that has what the metric needs.
    arms : the arms that it needs. targets : it needs targets. test : it needs a protocol that
    tests which items are held. flags : it needs a defence that looks for fakes.
    whole : its values are whole numbers.
    most : its largest value for r targets and k; None where there is no such bound.
    tasks : the names of the tasks that it is measured in; `function` takes what they conclude.
    """

    name: str
    function: Callable[[Any], Floats]
    arms: tuple[Arm, ...]
    targets: bool = False
    test: bool = False
    flags: bool = False
    whole: bool = False
    most: Callable[[int, int], int] | None = None
    tasks: tuple[str, ...] = (FREQUENCIES,)

    def defined(self, outcome: Outcome) -> bool:
        """Return whether an outcome has what the metric needs."""
        return (
            outcome.arms.issuperset(self.arms)
            and (outcome.targets.size > 0 or not self.targets)
            and (not self.test or outcome.estimates[self.arms[-1]].detected is not None)
            and (not self.flags or outcome.estimates[self.arms[-1]].flags is not None)
        )


def _normalised_gain(outcome: Outcome) -> Floats:
    gains, held = outcome.gains(CLEAN, ATTACKED), outcome.held
    return (gains + held) / held if held > 0 else np.full(len(gains), np.nan)


def _recovered(outcome: Outcome) -> Floats:
    gains, left = outcome.gains(*_BOTH), outcome.gains(*_DEFENDED)
    moved = gains != 0
    return np.where(moved, 1 - left / np.where(moved, gains, 1.0), np.nan)


def _collateral(outcome: Outcome) -> Floats:
    return outcome.squared_errors(CLEAN_DEFENDED) - outcome.squared_errors(CLEAN)


def _flagged(
    name: str,
    function: Callable[[Flags], Floats],
    arm: Arm = ATTACKED_DEFENDED,
    tasks: tuple[str, ...] = (FREQUENCIES,),
) -> Metric:
    """A metric of what a defence claims in one arm."""

    def of(outcome: Outcome | Identification) -> Floats:
        return function(outcome.flags(arm))

    return Metric(name, of, (arm,), flags=True, tasks=tasks)


def _identified(
    name: str,
    function: Callable[[Identification], Floats],
    arm: Arm = ATTACKED,
    targets: bool = False,
) -> Metric:
    """A metric of the items that a server names."""
    return Metric(name, function, (arm,), targets=targets, tasks=(HITTERS,))


_BOTH: Final = (CLEAN, ATTACKED)
_ALL: Final = (FREQUENCIES, HITTERS)
_DEFENDED: Final = (CLEAN_DEFENDED, ATTACKED_DEFENDED)

METRICS: Final[dict[str, Metric]] = {
    row.name: row
    for row in (
        Metric("gain", lambda o: o.gains(CLEAN, ATTACKED), _BOTH, targets=True),
        Metric("normalised_gain", _normalised_gain, _BOTH, targets=True),
        Metric("target_frequency", lambda o: o.totals(ATTACKED), (ATTACKED,), targets=True),
        Metric("target_frequency_clean", lambda o: o.totals(CLEAN), (CLEAN,), targets=True),
        Metric("mse", lambda o: o.squared_errors(ATTACKED), (ATTACKED,)),
        Metric("mse_clean", lambda o: o.squared_errors(CLEAN), (CLEAN,)),
        Metric("l1_error", lambda o: np.abs(o.errors[ATTACKED]).sum(axis=1), (ATTACKED,)),
        Metric("max_error", lambda o: np.abs(o.errors[ATTACKED]).max(axis=1), (ATTACKED,)),
        Metric(
            "targets_in_top_k",
            lambda o: o.targets_in_top_k(ATTACKED),
            (ATTACKED,), targets=True, whole=True, most=min, tasks=(FREQUENCIES, HITTERS),
        ),
        Metric(
            "detected",
            lambda o: o.detected(ATTACKED).sum(axis=1), (ATTACKED,), test=True, whole=True,
        ),
        Metric(
            "false_detected",
            lambda o: o.detected(ATTACKED)[:, o.truth == 0].sum(axis=1),
            (ATTACKED,), test=True, whole=True,
        ),
        Metric("gain_after", lambda o: o.gains(*_DEFENDED), _DEFENDED, targets=True),
        Metric("mse_after", lambda o: o.squared_errors(ATTACKED_DEFENDED), (ATTACKED_DEFENDED,)),
        Metric("mse_clean_after", lambda o: o.squared_errors(CLEAN_DEFENDED), (CLEAN_DEFENDED,)),
        Metric("recovered", _recovered, (*_BOTH, *_DEFENDED), targets=True),
        Metric("collateral", _collateral, (CLEAN, CLEAN_DEFENDED)),
        Metric(
            "target_frequency_after",
            lambda o: o.totals(ATTACKED_DEFENDED),
            (ATTACKED_DEFENDED,), targets=True,
        ),
        Metric(
            "targets_in_top_k_after",
            lambda o: o.targets_in_top_k(ATTACKED_DEFENDED),
            (ATTACKED_DEFENDED,), targets=True, whole=True, most=min,
        ),
        _flagged("precision", lambda flags: flags.precision),
        _flagged("recall", lambda flags: flags.recall),
        _flagged("f1", lambda flags: flags.f1),
        _flagged("false_positive_rate", lambda flags: flags.false_positive_rate),
        _flagged("auc", lambda flags: flags.area),
        _flagged("reports_kept", lambda flags: flags.kept),
        _flagged("alarm_rate", lambda flags: flags.alarm, tasks=_ALL),
        _flagged("false_alarm_rate", lambda flags: flags.alarm, CLEAN_DEFENDED, tasks=_ALL),
        _flagged("detection_delay", lambda flags: flags.delay),
        _flagged("targets_named", lambda flags: flags.named),
        _flagged("share_estimate", lambda flags: flags.share),
        _flagged("share_estimate_std", lambda flags: flags.noise),
        _identified("hitter_precision", lambda o: o.precision(ATTACKED)),
        _identified("hitter_recall", lambda o: o.recall(ATTACKED)),
        _identified("hitter_f1", lambda o: o.f1(ATTACKED)),
        _identified("ncr", lambda o: o.ncr(ATTACKED)),
        _identified("target_levels", lambda o: o.target_levels(ATTACKED), targets=True),
        _identified("hitter_levels", lambda o: o.hitter_levels(ATTACKED)),
        _identified("hitter_recall_clean", lambda o: o.recall(CLEAN), CLEAN),
        _identified("ncr_clean", lambda o: o.ncr(CLEAN), CLEAN),
        Metric("topk_recall", lambda o: o.rankings[ATTACKED].recall(), (ATTACKED,)),
        Metric("topk_recall_clean", lambda o: o.rankings[CLEAN].recall(), (CLEAN,)),
        Metric("ndcg", lambda o: o.rankings[ATTACKED].ndcg(), (ATTACKED,)),
        Metric("ndcg_clean", lambda o: o.rankings[CLEAN].ndcg(), (CLEAN,)),
        Metric("rank_error", lambda o: o.rankings[ATTACKED].rank_error(), (ATTACKED,)),
        Metric("rank_error_clean", lambda o: o.rankings[CLEAN].rank_error(), (CLEAN,)),
    )
}  # fmt: skip
"""The metrics by name, in the order of columns. Closed forms: `core.theory.expected_metrics`."""
