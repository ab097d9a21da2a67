"""The reports that a defence flagged, counted over the trials of one arm; and ROC curves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .sampling import Floats


@dataclass(frozen=True, eq=False)
class Flags:
    """A defence's detections in one arm, with the true numbers of fakes; float64[trials] each, NaN
    if not applicable.

    users : the genuine users of one trial. fakes : int64[trials], the fakes who sent a report.
    flagged, caught : the flagged reports, and the fakes' among them.
    area : the area under the ROC curve of the score.
    alarm : 1 if the server claims an attack, else 0.
    named : 1 if the items that it names are the targets, else 0.
    delay : of a campaign, the rounds from the first one with fakes to the first alarm from then on.
    share, noise : the estimated share of fakes, and its standard deviation.
    certified : the proved lower bound on the share of fakes.
    """

    users: int
    fakes: NDArray[np.int64]
    flagged: Floats
    caught: Floats
    area: Floats
    alarm: Floats
    named: Floats
    delay: Floats
    share: Floats
    noise: Floats
    certified: Floats

    @classmethod
    def nothing(cls, users: int, fakes: int, trials: int) -> Flags:
        """The flags of trials in which the server detects nothing."""
        return cls(users, np.full(trials, fakes), *[np.full(trials, np.nan)] * 9)

    def first(self, trials: int) -> Flags:
        """The flags of the first `trials` trials."""
        claims = (self.flagged, self.caught, self.area, self.alarm, self.named, self.delay)
        shares = (self.share, self.noise, self.certified)
        fakes = self.fakes[:trials]
        return Flags(self.users, fakes, *[values[:trials] for values in (*claims, *shares)])

    @property
    def kept_reports(self) -> Floats:
        """float64[trials]: the number of reports that the filters keep."""
        return np.asarray(self.users + self.fakes - self.flagged)

    @property
    def precision(self) -> Floats:
        """float64[trials]: the share of the flagged reports that are the fakes'; NaN if none is
        flagged.
        """
        return _ratio(self.caught, self.flagged)

    @property
    def recall(self) -> Floats:
        """float64[trials]: the share of the fakes' reports that are flagged; NaN without fakes."""
        return _ratio(self.caught, self.fakes.astype(float))

    @property
    def f1(self) -> Floats:
        """float64[trials]: F1, the harmonic mean of precision and recall, 2·caught / (flagged +
        fakes); NaN without fakes.
        """
        return _ratio(2 * self.caught, np.where(self.fakes > 0, self.flagged + self.fakes, 0))

    @property
    def false_positive_rate(self) -> Floats:
        """float64[trials]: the share of the genuine reports that are flagged."""
        return np.asarray((self.flagged - self.caught) / self.users)


def _ratio(part: Floats, whole: Floats) -> Floats:
    """NaN where the whole is 0."""
    ratio = np.full(part.shape, np.nan)
    np.divide(part, whole, out=ratio, where=whole > 0)
    return ratio


def pool_flags(rounds: Sequence[Flags]) -> Flags:
    """The flags of a campaign: the sums over its rounds, with an alarm if any round has one."""

    def ever(values: Sequence[Floats]) -> Floats:
        return np.asarray(np.fmax.reduce(values))

    return Flags(
        sum(each.users for each in rounds),
        np.sum([each.fakes for each in rounds], axis=0),
        np.sum([each.flagged for each in rounds], axis=0),
        np.sum([each.caught for each in rounds], axis=0),
        np.full(rounds[0].area.shape, np.nan),
        ever([each.alarm for each in rounds]),
        ever([each.named for each in rounds]),
        _delay(rounds),
        *[np.full(rounds[0].area.shape, np.nan)] * 3,
    )


def _delay(rounds: Sequence[Flags]) -> Floats:
    """float64[trials]: the rounds from the first one with fakes to the first alarm after that."""
    begun = next((number for number, each in enumerate(rounds) if each.fakes.any()), len(rounds))
    delay = np.full(rounds[0].alarm.shape, np.nan)
    for number in range(len(rounds) - 1, begun - 1, -1):
        delay[rounds[number].alarm == 1] = number - begun
    return delay


def roc(score: Floats, fakes: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """The ROC curve of a score: false and true positive rates, ascending, for every threshold.

    score : float64[n]. fakes : bool[n], whether a report is a fake's. Starts at (0, 0), with
    nothing flagged, and ends at (1, 1).
    """
    _, at = np.unique(-score, return_inverse=True)
    caught = np.cumsum(np.bincount(at, weights=fakes))
    wrong = np.cumsum(np.bincount(at, weights=~fakes))
    return np.append(0.0, wrong / wrong[-1]), np.append(0.0, caught / caught[-1])


def area_under(score: Floats, fakes: NDArray[np.bool_]) -> float:
    """The area under the ROC curve: P(a fake's score is higher than a genuine one's), ties half."""
    wrong, caught = roc(score, fakes)
    return float(np.trapezoid(caught, wrong))
