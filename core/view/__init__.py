"""The views of a cell as values: settings, derived numbers, measurements, closed forms,
conclusions.

Values are frozen and consist of plain numbers in tuples, None if undefined, so that a reader of
them needs no NumPy: the JSON document, CSV, the app, a playback and a notebook use the same values.
The other modules here make them from results.
"""

from __future__ import annotations

from collections.abc import Mapping, Sized
from typing import Any

from msgspec import Struct, field

from ..base.summary import Estimate


def _check_lengths(*columns: Sized | None) -> None:
    """Raise ValueError where columns that belong together are not equally long."""
    if len({len(column) for column in columns if column is not None}) > 1:
        raise ValueError("columns that belong together are not equally long")


class CellView(Struct, frozen=True):
    """One cell of a run: its settings, derived numbers, and its metrics with closed forms.

    parameters : flat, with dotted names, as in the JSON document.
    path : "counts" or "reports"; None if that depends on plug-in code that is not permitted.
    p, q : of a pure protocol; None for RAPPOR, whose p and q are probabilities of bits.
    trials, wanted : the trials done, and the number requested.
    metrics : measured and expected, by name.
    bits : the numbers of RAPPOR's bits, by their names in the JSON document; else None.
    answer : to a goal, the fields of `core.metrics.goal.GoalAnswer`, its metric and at_least.
    budgets : the privacy budgets of all reports of a user together, `Cell.budgets`; may be empty.
    elsewhere : the expected gain of the same attack under other protocols, by kind; empty if it was
    not requested or is not known.
    hidden : the gain that as many fakes reach without any defence noticing; None likewise.
    warnings : the reasons why the results may be unreliable, a sentence each.
    """

    index: int
    parameters: Mapping[str, Any]
    path: str | None
    users: int
    malicious: int
    domain_size: int
    p: float | None
    q: float | None
    hash_range: int | None
    trials: int
    wanted: int
    targets: tuple[int, ...]
    metrics: Mapping[str, Estimate]
    bits: Mapping[str, Any] | None = None
    answer: Mapping[str, Any] | None = None
    budgets: Mapping[str, float] = field(default_factory=dict)
    elsewhere: Mapping[str, float] = field(default_factory=dict)
    hidden: float | None = None
    warnings: tuple[str, ...] = ()


class EstimateSummary(Struct, frozen=True):
    """The estimated frequencies of one arm, a number for each item shown.

    mean : over the trials.
    std : the standard deviation over the trials; None for one trial.
    sigma : the closed-form standard deviation of one trial's estimate; without a closed form,
    `std`, or 0 for one trial.
    """

    mean: tuple[float, ...]
    std: tuple[float, ...] | None
    sigma: tuple[float, ...]


class TrialEstimates(Struct, frozen=True):
    """The estimates of a cell's targets and most frequent items in each of its first trials.

    items : the items' indices, targets first. targets : how many of them are targets.
    labels, true : the items' names and true frequencies.
    arms : by an arm's name, a row for each item with a number for each trial.
    expected : the closed-form mean and standard deviation of one trial's estimate, a row for each
    item, by an arm's name; only for arms with closed forms.

    Raises ValueError for columns of different lengths.
    """

    items: tuple[int, ...]
    labels: tuple[str, ...]
    targets: int
    true: tuple[float, ...]
    arms: Mapping[str, tuple[tuple[float, ...], ...]]
    expected: Mapping[str, tuple[tuple[float, float], ...]]

    def __post_init__(self) -> None:
        rows = (*self.arms.values(), *self.expected.values())
        _check_lengths(self.items, self.labels, self.true, *rows)

    @property
    def trials(self) -> int:
        """The number of trials."""
        return len(next(iter(self.arms.values()))[0])


class Ends(Struct, frozen=True):
    """The intervals of one collection, for the items with the largest estimates.

    reports : the number N of reports. share : the largest share of fakes that the intervals allow.
    labels, true, estimates : the items' names, true frequencies, and estimates with the attack.
    naive_low, naive_high : the ends of the interval that assumes no fakes.
    low, high : the ends of the interval that holds whatever the fakes send.
    overturning : the share of fakes that overturns an item's lead over the next; None for the last.
    """

    reports: int
    share: float
    labels: tuple[str, ...]
    true: tuple[float, ...]
    estimates: tuple[float, ...]
    naive_low: tuple[float, ...]
    naive_high: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    overturning: tuple[float | None, ...]


class FrequencySummary(Struct, frozen=True):
    """Estimated and true frequencies of one cell; means over `trials` trials.

    items : the indices shown, ascending. labels : their names.
    arms : the estimates by the arm's name; empty if they are not stored.
    detected : the share of trials that detect each item; None without a test.
    by_trial : the estimates in single trials, if requested.
    ends : the intervals of one collection; None if the support of a fake report is not known.

    Raises ValueError for columns of different lengths.
    """

    domain_size: int
    items: tuple[int, ...]
    labels: tuple[str, ...]
    targets: tuple[int, ...]
    trials: int
    true: tuple[float, ...]
    arms: Mapping[str, EstimateSummary]
    detected: tuple[float, ...] | None = None
    by_trial: TrialEstimates | None = None
    ends: Ends | None = None

    def __post_init__(self) -> None:
        arms = self.arms.values()
        columns = (column for arm in arms for column in (arm.mean, arm.std, arm.sigma))
        _check_lengths(self.items, self.labels, self.true, self.detected, *columns)

    @property
    def clean(self) -> EstimateSummary:
        """The estimates without the attack."""
        return self.arms["clean"]

    @property
    def attacked_estimates(self) -> EstimateSummary:
        """The estimates with the attack; in a cell without an attack, equal to the clean ones."""
        return self.arms["attacked"]

    @property
    def defended_estimates(self) -> EstimateSummary | None:
        """The estimates with the attack and the defence; None without a defence."""
        return self.arms.get("attacked_defended")


class BitCounts(Struct, frozen=True):
    """RAPPOR's bit counts in one trial, fakes included, with the expected counts.

    Columns have a number for each of the first cohorts (all of them unless there are very many), or
    k numbers for each of these cohorts.

    cohorts : m, the number of all cohorts. bits : k. users : the users of each cohort.
    counts : the users who sent the bit as 1.
    held : the share of genuine users whose Bloom filter has the bit.
    expected_*, *_std : the mean and the standard deviation; None if the fakes' reports have no
    closed form.

    Raises ValueError for columns of different lengths.
    """

    cohorts: int
    bits: int
    p_star: float
    q_star: float
    users: tuple[float, ...]
    counts: tuple[float, ...]
    held: tuple[float, ...]
    expected_users: tuple[float, ...] | None
    users_std: tuple[float, ...] | None
    expected_counts: tuple[float, ...] | None
    counts_std: tuple[float, ...] | None

    def __post_init__(self) -> None:
        _check_lengths(self.users, self.expected_users, self.users_std)
        every = range(self.cohort_count * self.bits)
        _check_lengths(every, self.counts, self.held, self.expected_counts, self.counts_std)

    @property
    def cohort_count(self) -> int:
        """The number of cohorts in the columns, at most `cohorts`."""
        return len(self.users)

    def of(self, cohort: int) -> slice:
        """The slice of one cohort in the columns with k numbers for each cohort."""
        return slice(cohort * self.bits, (cohort + 1) * self.bits)


class Detection(Struct, frozen=True):
    """A filter's scores of the reports of one trial, with the ROC curve.

    kind : of the filter. meaning : of its score, in a few words.
    scores : the distinct scores, ascending. genuine, fakes : the users with each score.
    wrong, caught : the ROC curve, the flagged shares of genuine and of fake users as the threshold
    falls; empty without fakes.
    area : the area under the ROC curve; None without fakes.
    flagged : the shares of genuine and of fake users that the defence flags; None if it flags none.

    Raises ValueError for columns of different lengths.
    """

    kind: str
    meaning: str
    scores: tuple[float, ...]
    genuine: tuple[int, ...]
    fakes: tuple[int, ...]
    wrong: tuple[float, ...] = ()
    caught: tuple[float, ...] = ()
    area: float | None = None
    flagged: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        _check_lengths(self.scores, self.genuine, self.fakes)
        _check_lengths(self.wrong, self.caught)


class RoundSummary(Struct, frozen=True):
    """The numbers of each round of a campaign, from round 0 on.

    users, malicious, share : of the round. spent : ε of a user with a report in every round so far.
    metrics : by name.
    entered : the number of trials in which all targets reach the top k.
    entry, entry_error : the mean of the first such round over these trials, and its standard error.
    targets : the first targets, if requested; the columns below have a number for each target and
    round.
    true : the true frequency. arms : the mean estimate, by the arm's name.
    errors : the standard error of the estimate with the attack; None for one trial.
    expected : the closed form of that estimate; None for rounds without one.
    rank : the place among the mean estimates of all items, 1 for the largest.

    Raises ValueError for columns of different lengths.
    """

    users: tuple[int, ...]
    malicious: tuple[int, ...]
    share: tuple[float, ...]
    spent: tuple[float, ...]
    metrics: Mapping[str, tuple[Estimate, ...]]
    trials: int
    entered: int
    entry: float | None
    entry_error: float | None
    targets: tuple[int, ...] = ()
    true: tuple[tuple[float, ...], ...] = ()
    arms: Mapping[str, tuple[tuple[float, ...], ...]] = field(default_factory=dict)
    errors: tuple[tuple[float, ...], ...] | None = None
    expected: tuple[tuple[float, ...] | None, ...] = ()
    rank: tuple[tuple[int, ...], ...] = ()

    def __post_init__(self) -> None:
        every = (self.malicious, self.share, self.spent, *self.metrics.values())
        _check_lengths(self.users, *every)
        shown = (self.expected, self.rank, self.errors, *self.arms.values())
        _check_lengths(self.true, *shown)

    def __len__(self) -> int:
        return len(self.users)

    @property
    def clean(self) -> tuple[tuple[float, ...], ...]:
        """The mean estimates without the attack."""
        return self.arms["clean"]

    @property
    def attacked_means(self) -> tuple[tuple[float, ...], ...]:
        """The mean estimates with the attack; in a cell without an attack, equal to the
        clean ones.
        """
        return self.arms["attacked"]
