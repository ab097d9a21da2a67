"""The conclusions about frequencies: an estimate for each item of a list, and the metrics."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Final

import numpy as np

from ...base.arms import ATTACKED, ATTACKED_DEFENDED, CLEAN, CLEAN_DEFENDED, Arm
from ...base.flags import Flags
from ...base.sampling import Floats
from ...bounds.fakes import floors_of_ordered
from ...bounds.robust import Ballot, Interval, ballot_of, robust_intervals
from ...law.pure import BoolArray, Estimates, Items, PureProtocol
from ..conclusion import Conclusion, Metric, Robust
from ..ranking import Leaders, Ranking
from .hitters import HitterConclusion


@dataclass(frozen=True, eq=False)
class FrequencyConclusion(Robust):
    """The estimated frequencies of all items in several trials, by arm, with the true frequencies.

    estimates : by arm, from the same genuine reports.
    truth : float64[d], the true frequencies of the genuine users.
    leaders : the k most frequent items.
    targets : int64[r], indices of items; empty without an attack.
    users, malicious : the numbers of genuine and of fake users.
    protocol : of the reports of one collection, if reports support items; else None.
    weights : float64[d], the weight of each item in a mean over items; None if all are equal.
    """

    estimates: Mapping[Arm, Estimates]
    truth: Floats
    leaders: Leaders
    targets: Items
    users: int = 0
    malicious: int = 0
    protocol: PureProtocol | None = None
    weights: Floats | None = None

    @property
    def has_support(self) -> bool:
        return self.protocol is not None

    @property
    def trials(self) -> int:
        return len(self.estimates[CLEAN].frequencies)

    @property
    def arms(self) -> Set[Arm]:
        return self.estimates.keys()

    def tests(self, arm: Arm) -> bool:
        return self.estimates[arm].detected is not None

    def claims_fakes(self, arm: Arm) -> bool:
        return self.estimates[arm].flags is not None

    def totals(self, arm: Arm) -> Floats:
        """float64[trials]: the sum of the targets' estimates in one arm."""
        return np.asarray(self.target_estimates[arm].sum(axis=1))

    def gains(self, before: Arm, after: Arm) -> Floats:
        """float64[trials]: the gain, the sum of the targets' estimates in arm `after` less that in
        `before`.
        """
        return np.asarray(
            (self.target_estimates[after] - self.target_estimates[before]).sum(axis=1)
        )

    @cached_property
    def target_estimates(self) -> Mapping[Arm, Floats]:
        """float64[trials, r]: the estimates of the targets, by arm."""
        return {arm: made.frequencies[:, self.targets] for arm, made in self.estimates.items()}

    @property
    def target_total(self) -> float:
        """f_T, the sum of the true frequencies of the targets."""
        return float(self.truth[self.targets].sum())

    @cached_property
    def errors(self) -> Mapping[Arm, Floats]:
        """float64[trials, d]: the estimate minus the true frequency, by arm."""
        return {arm: made.frequencies - self.truth for arm, made in self.estimates.items()}

    @cached_property
    def ballot(self) -> Ballot:
        """The range of one report's contribution to an item's count."""
        return ballot_of(self.protocol)

    @property
    def ordered_estimates(self) -> Floats:
        """float64[trials, d]: the estimates of all items with the attack, ascending."""
        return self.rankings[ATTACKED].ordered_estimates

    @cached_property
    def robust_ends(self) -> Interval:
        assert self.protocol is not None
        means, reports = (
            self.ballot.means(self.target_estimates[ATTACKED]),
            self.users + self.malicious,
        )
        return robust_intervals(self.protocol, means, reports, self.malicious / reports)

    @property
    def covers_truth(self) -> BoolArray:
        assert self.protocol is not None
        reports = self.users + self.malicious
        means = self.ballot.means(self.estimates[ATTACKED].frequencies)
        low, high = robust_intervals(self.protocol, means, reports, self.malicious / reports)
        return np.asarray((low <= self.truth) & (self.truth <= high))

    def squared_errors(self, arm: Arm) -> Floats:
        """float64[trials]: the mean squared error over the items in one arm."""
        squares = self.errors[arm] ** 2
        if self.weights is not None:
            return np.asarray(squares @ self.weights)
        return np.asarray(squares.sum(axis=1) / self.truth.size)

    @cached_property
    def rankings(self) -> Mapping[Arm, Ranking]:
        """The items ranked by their estimates, by arm."""
        return {
            arm: Ranking(made.frequencies, self.truth, self.leaders)
            for arm, made in self.estimates.items()
        }

    def targets_in_top_k(self, arm: Arm) -> Floats:
        """float64[trials]: the number of targets among the k largest estimates."""
        return np.asarray(self.rankings[arm].top[:, self.targets].sum(axis=1))

    def detect_items(self, arm: Arm) -> BoolArray:
        """bool[trials, d]: the items that the server detects (RAPPOR's significance test) in one
        arm.
        """
        detected = self.estimates[arm].detected
        assert detected is not None
        return detected

    def flags(self, arm: Arm) -> Flags:
        flags = self.estimates[arm].flags
        assert flags is not None
        return flags


def _top_targets(outcome: FrequencyConclusion | HitterConclusion, arm: Arm) -> Floats:
    return outcome.targets_in_top_k(arm)


def _false_detected(outcome: FrequencyConclusion, arm: Arm) -> Floats:
    return np.asarray(outcome.detect_items(arm)[:, outcome.truth == 0].sum(axis=1))


def _normalised_gain(outcome: FrequencyConclusion) -> Floats:
    gains, held = outcome.gains(CLEAN, ATTACKED), outcome.target_total
    return (gains + held) / held if held > 0 else np.full(len(gains), np.nan)


def _measure_recovery(outcome: FrequencyConclusion) -> Floats:
    gains, left = outcome.gains(*_BOTH), outcome.gains(*_DEFENDED)
    moved = gains != 0
    return np.where(moved, 1 - left / np.where(moved, gains, 1.0), np.nan)


def _collateral(outcome: FrequencyConclusion) -> Floats:
    return outcome.squared_errors(CLEAN_DEFENDED) - outcome.squared_errors(CLEAN)


_OF: Final = (FrequencyConclusion,)
_ANY: Final = (FrequencyConclusion, HitterConclusion)
_BOTH: Final = (CLEAN, ATTACKED)
_DEFENDED: Final = (CLEAN_DEFENDED, ATTACKED_DEFENDED)
_row, _one = partial(Metric, of=_OF), partial(Metric.in_arm, of=_OF)
_SOUGHT: Final[dict[str, Any]] = {"targets": True, "rises": True}
_COUNTED: Final[dict[str, Any]] = {**_SOUGHT, "whole": True, "most": min}


def _define_flag_metric(
    name: str,
    function: Callable[[Flags], Floats],
    arm: Arm = ATTACKED_DEFENDED,
    of: tuple[type[Conclusion], ...] = _OF,
) -> Metric:
    """A metric of what a defence claims in one arm."""

    def value(conclusion: Any) -> Floats:
        return function(conclusion.flags(arm))

    return Metric(name, value, (arm,), flags=True, of=of)


METRICS: Final = (
    _row("gain", lambda o: o.gains(CLEAN, ATTACKED), _BOTH, **_SOUGHT),
    _row("normalised_gain", _normalised_gain, _BOTH, targets=True),
    _one("target_frequency", FrequencyConclusion.totals, ATTACKED, **_SOUGHT),
    _one("target_frequency_clean", FrequencyConclusion.totals, CLEAN, targets=True),
    _one("mse", FrequencyConclusion.squared_errors, ATTACKED),
    _one("mse_clean", FrequencyConclusion.squared_errors, CLEAN),
    _one("l1_error", lambda o, arm: np.abs(o.errors[arm]).sum(axis=1), ATTACKED),
    _one("max_error", lambda o, arm: np.abs(o.errors[arm]).max(axis=1), ATTACKED),
    Metric.in_arm("targets_in_top_k", _top_targets, ATTACKED, **_COUNTED, of=_ANY),
    _one("detected",
        lambda o, arm: o.detect_items(arm).sum(axis=1), ATTACKED, test=True, whole=True),
    _one("false_detected", _false_detected, ATTACKED, test=True, whole=True),
    _row("gain_after", lambda o: o.gains(*_DEFENDED), _DEFENDED, **_SOUGHT),
    _one("mse_after", FrequencyConclusion.squared_errors, ATTACKED_DEFENDED),
    _one("mse_clean_after", FrequencyConclusion.squared_errors, CLEAN_DEFENDED),
    _row("recovered", _measure_recovery, (*_BOTH, *_DEFENDED), targets=True),
    _row("collateral", _collateral, (CLEAN, CLEAN_DEFENDED)),
    _one("target_frequency_after", FrequencyConclusion.totals, ATTACKED_DEFENDED, **_SOUGHT),
    _one("targets_in_top_k_after", _top_targets, ATTACKED_DEFENDED, **_COUNTED),
    _define_flag_metric("precision", lambda flags: flags.precision),
    _define_flag_metric("recall", lambda flags: flags.recall),
    _define_flag_metric("f1", lambda flags: flags.f1),
    _define_flag_metric("false_positive_rate", lambda flags: flags.false_positive_rate),
    _define_flag_metric("auc", lambda flags: flags.area),
    _define_flag_metric("reports_kept", lambda flags: flags.kept_reports),
    _define_flag_metric("alarm_rate", lambda flags: flags.alarm, of=(Conclusion,)),
    _define_flag_metric(
        "false_alarm_rate", lambda flags: flags.alarm, CLEAN_DEFENDED, of=(Conclusion,)
    ),
    _define_flag_metric("detection_delay", lambda flags: flags.delay),
    _define_flag_metric("targets_named", lambda flags: flags.named),
    _define_flag_metric("share_estimate", lambda flags: flags.share, of=(Robust,)),
    _define_flag_metric("share_estimate_std", lambda flags: flags.noise),
)  # fmt: skip
"""The metrics in the order of columns. Closed forms: `core.theory.expected_metrics`."""

RANK_METRICS: Final = tuple(
    _one(f"{name}{end}", function, arm)
    for name, function in (
        ("topk_recall", lambda o, arm: o.rankings[arm].recall()),
        ("ndcg", lambda o, arm: o.rankings[arm].ndcg()),
        ("rank_error", lambda o, arm: o.rankings[arm].rank_error()),
    )
    for end, arm in (("", ATTACKED), ("_clean", CLEAN))
)
"""The metrics of the order of the items; their columns stand after those of heavy hitters."""


# The metrics of what is still concluded if as many reports may be fake as are: `core.bounds`.


def _coverage(outcome: Any) -> Floats:
    covered = outcome.covers_truth
    return np.asarray(np.count_nonzero(covered, axis=1) / covered.shape[1])


def _overturning(outcome: FrequencyConclusion) -> Floats:
    """β* of the claim that the item with the largest estimate is the most frequent one."""
    second, first = outcome.ballot.means(outcome.ordered_estimates[:, -2:]).T
    return np.asarray((first - second) / outcome.ballot.reach)


def _certify_fakes(outcome: FrequencyConclusion) -> Floats:
    """What sets of items prove where the reports are read for that, else what counts prove."""
    made = outcome.estimates.get(ATTACKED_DEFENDED)
    if made is not None and made.flags is not None:
        proved = made.flags.certified
        if not np.isnan(proved).all():
            return proved
    assert outcome.protocol is not None
    reports = outcome.users + outcome.malicious
    return floors_of_ordered(outcome.protocol, outcome.ordered_estimates, reports) / reports


_counted = partial(Metric, of=(FrequencyConclusion,), supports=True)
_any = partial(_counted, of=(Robust,))

ROBUST_METRICS: Final = (
    _any("robust_low", lambda o: o.robust_ends[0].mean(axis=1), (ATTACKED,), targets=True),
    _any("robust_high", lambda o: o.robust_ends[1].mean(axis=1), (ATTACKED,), targets=True),
    _any("robust_coverage", _coverage, (ATTACKED,)),
    _counted("overturning_share", _overturning, (ATTACKED,)),
    _counted("certified_fakes", _certify_fakes, (ATTACKED,)),
)  # fmt: skip
"""The metrics in the order of columns, after those of all other conclusions."""

COLUMNS = ((0, METRICS), (2, RANK_METRICS), (4, ROBUST_METRICS))
