"""What is known about a cell, as one value: settings, facts, measured, theory, conclusion.

Frozen values of plain numbers in tuples, None where undefined, so that whoever shows them
needs no NumPy: the JSON document, CSV, the app, a playback and a notebook read the same values, and
the wire of the app carries them as they are. The files of this room make them from results.
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

    parameters : flat and dotted, as in the JSON document.
    path : None where the code of its protocol decides it, and may not run here.
    p, q : of a pure protocol; None where p and q are letters of bits, with opposite roles.
    trials, wanted : done, and asked for.
    metrics : measured and expected, by name.
    bits : numbers of bits with a noise of their own, by their names in the JSON document; None for
        protocols without.
    answer : to a goal, the fields of `core.metrics.goal.GoalAnswer`, its metric and at_least.
    budgets : the promise of all reports together, `Cell.budgets`; empty where each stands alone.
    elsewhere : the expected gain of the same attack by the kind of a protocol, its own among them;
        empty where it is not asked for, or not known.
    hidden : the gain that no defence can see, of the same number of fakes; None likewise.
    warnings : the reasons to doubt the results, a sentence each.
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
    """The estimated frequencies of one stage, a number for each item shown.

    mean : over the trials. std : standard deviation over the trials, None for one trial.
    sigma : closed-form standard deviation of one trial's estimate; where there is none, that over
        the trials, 0 for one trial.
    """

    mean: tuple[float, ...]
    std: tuple[float, ...] | None
    sigma: tuple[float, ...]


class TrialEstimates(Struct, frozen=True):
    """The estimates of a cell's targets and most frequent items in each of its first trials.

    items : their indices, the first `targets` of them targets. labels, true : their names and
        true frequencies.
    arms : by an arm's name, a row for each item with a number for each trial.
    expected : the closed forms of one trial's estimate, mean and standard deviation, a row for each
        item; only of the arms that have one.
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
    """The interval ends of one collection, for the items with the largest estimates.

    reports : N. share : that of the fakes, at most. labels : the names of the items, and of each
    its true frequency, its estimate with the attack, the ends of the interval where nobody is
    fake (naive) and of that which holds whatever the fakes send, and the share of fakes that
    overturns its lead over the next item, None for the last one.
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

    items : the indices shown, ascending; all of them unless only some were asked for.
    labels : their names.
    arms : the estimates by the arm's name, "clean" and "attacked" at least where they are kept.
    detected : in which share of the trials the item was detected; None where nothing is tested.
    by_trial : those of single trials, where they were asked for in the cell at a cursor.
    ends : of the intervals of one collection; None where nothing bounds what a fake can say.
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
        """The estimates with the attack; equal to the clean ones without an attack."""
        return self.arms["attacked"]

    @property
    def defended_estimates(self) -> EstimateSummary | None:
        """The estimates with the attack and the defence; None without a defence."""
        return self.arms.get("attacked_defended")


class BitCounts(Struct, frozen=True):
    """RAPPOR's bit counts in one trial, fakes included, with the expected counts.

    The columns have an entry for each of the first cohorts (all of them unless there are very
    many), or k entries for each of them in turn.

    cohorts : m, all of them. bits : k. users : the cohort's users. counts : how many of them sent
        the bit as 1.
    expected_*, *_std : mean and standard deviation of these, None where the fakes' reports have no
        closed form.
    held : the share of genuine users whose filter has the bit.
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
        """The number of cohorts in the columns."""
        return len(self.users)

    def of(self, cohort: int) -> slice:
        """The slice of a cohort in the columns of bits."""
        return slice(cohort * self.bits, (cohort + 1) * self.bits)


class Detection(Struct, frozen=True):
    """A filter's score of every report of one trial, with its ROC: how well scores separate fakes.

    kind : the filter's. meaning : what its score is, in a few words.
    scores : those that there are, rising; genuine, fakes : the users with each of them.
    wrong, caught : the ROC curve, the flagged shares of both groups from no threshold passed to
        all; empty without fakes. area : under it.
    flagged : the same shares of what the defence flags; None where it tells no fakes.
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

    users, malicious, share : of the round. spent : ε of a user who took part in all rounds so far.
    metrics : by name.
    entered : in how many of the trials all targets came to the top k.
    entry : in which round they first did, on average over those trials, with its standard error.
    targets : the first ones, where they were asked for; the columns below have an entry for each of
        them in every round.
    true : true frequency. arms : mean estimate in each arm, by its name.
    errors : standard error of the attacked one, None for one trial.
    expected : its closed form, None in rounds that have none.
    rank : its place among the mean estimates of all items, 1 the largest.
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
        """The mean estimates with the attack; equal to the clean ones without an attack."""
        return self.arms["attacked"]
