"""The rounds of a campaign as charts over time. Pure.

Rounds count from 0, as in the form, in CSV and in JSON. What is simulated comes as points, the
mean over the trials with its interval of 95 %; closed forms come as lines.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal

from msgspec import Struct

from ldptui.core.base.summary import Estimate
from ldptui.core.view import RoundSummary

from ...text import format as fmt
from ...text.interval import INTERVAL, reach_95
from ..series import TONES, Axis, Plot, Series
from .limits import steady_limits

MANY: Final = 30
"""Rounds from which what is measured is a line within a band: points would hide it."""
CROWDED: Final = 60
"""The number of points from which on those of several targets take turns."""

_PLACES: Final = (1, 2, 5)


def numbers(rounds: RoundSummary) -> list[float]:
    """The round numbers 0 to R - 1 as x-values."""
    return [float(at) for at in range(len(rounds))]


def steps(values: Sequence[float]) -> tuple[list[float], list[float]]:
    """The x and the y values of a line that is level during each round and changes
    between rounds.
    """
    ends = [at + side for at in range(len(values)) for side in (-0.5, 0.5)]
    return ends, [value for value in values for _ in range(2)]


def entry_words(rounds: RoundSummary, top_k: int) -> str:
    """The mean round in which all targets entered the top k, in words; "" without targets."""
    if not rounds.targets:
        return ""
    if rounds.entry is None:
        return f"never all targets in the top {top_k}"
    often = f"in {rounds.entered} of {rounds.trials} trials"
    when = fmt.estimate(rounds.entry, rounds.entry_error)
    return f"all targets in the top {top_k} from round {when} ({often})"


def ordinal(number: int) -> str:
    """A small number in order: 2nd, 3rd, 4th."""
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number, 'th') }"


def trials_words(rounds: RoundSummary) -> str:
    if rounds.trials == 1:
        return "points: one trial"
    return f"points: mean of {fmt.count(rounds.trials)} trials {INTERVAL}"


# --- Charts ------------------------------------------------------------------------------------


def estimates(
    rounds: RoundSummary,
    labels: Mapping[int, str],
    chosen: int | None = None,
) -> Plot:
    """The chart of the targets' estimates by round; a single target comes with its true frequency.

    labels : the names of the items.
    chosen : the position of one target among those of `rounds`; if None, the first ones.
    """
    shown = list(range(len(rounds.targets)))[: len(TONES)] if chosen is None else [chosen]
    every_other = len(shown) if len(rounds) * len(shown) > CROWDED else 1
    courses = [_course(rounds, at, labels) for at in shown]
    known = [value for course in courses for value in course.expected]
    arrived = [value for course in courses for value in _reach(course.after, course.errors)]
    words = [trials_words(rounds)]
    if chosen is None:
        series = _target_series(courses, numbers(rounds), every_other)
        known += [value for row in rounds.true for value in row]
        title = "Estimates of the targets over the rounds"
        if any(_is_line(course.expected) for course in courses):
            series.append(Series("line = closed form", (), (), "muted"))
        left = len(rounds.targets) - len(shown)
        words.append(f"{fmt.plural(left, 'more target')} not drawn" if left else "")
    else:
        (course,) = courses
        series = _alone(course, numbers(rounds))
        known += course.true
        arrived += course.before
        title = f"Estimate of target {course.name} over the rounds"
    words.append(f"every {ordinal(every_other)} round of each" if every_other > 1 else "")
    limits = steady_limits(known, arrived)
    return _plot(
        title,
        "frequency of a target",
        series,
        limits,
        rounds,
        "; ".join(filter(None, words)),
    )


class _Course(Struct, frozen=True):
    """One target over the rounds.

    errors : the half-width of each interval; None without any.
    """

    name: str
    true: list[float]
    before: list[float]
    after: list[float]
    errors: list[float] | None
    expected: list[float]


def _course(rounds: RoundSummary, at: int, labels: Mapping[int, str]) -> _Course:
    """The course of the target at this place."""
    item, errors = rounds.targets[at], None
    if rounds.errors is not None:
        errors = _half_widths([row[at] for row in rounds.errors], rounds.trials)
    return _Course(
        labels.get(item, str(item)),
        [row[at] for row in rounds.true],
        [row[at] for row in rounds.clean],
        [row[at] for row in rounds.attacked_means],
        errors,
        [math.nan if row is None else row[at] for row in rounds.expected],
    )


def _target_series(
    courses: Sequence[_Course], xs: Sequence[float], every_other: int
) -> list[Series]:
    """A line and points for each target; if there are many, each has only some of its points."""
    series = []
    for place, (course, tone) in enumerate(zip(courses, TONES, strict=False)):
        line = steps(course.expected) if _is_line(course.expected) else (xs, course.after)
        series.append(Series("", *line, tone, legend=False))
        turn = slice(place % every_other, None, every_other)
        half = course.errors[turn] if course.errors is not None else None
        ys = course.after[turn]
        name = f"target {course.name}"
        series.append(Series(name, xs[turn], ys, tone, "points", half, cloud=False))
    return series


def _is_line(values: Sequence[float]) -> bool:
    return sum(map(math.isfinite, values)) > 1


def _alone(course: _Course, xs: Sequence[float]) -> list[Series]:
    """The series of one target with its true frequency."""
    return [
        Series("true", *steps(course.true), "true"),
        Series("after, closed form", *steps(course.expected), "theory"),
        Series("before", xs, course.before, "clean", "points", cloud=False),
        Series("after", xs, course.after, "attacked", "points", course.errors, cloud=False),
    ]


def metric(
    rounds: RoundSummary,
    name: str,
    title: str,
    unit: str,
    pooled: Estimate | None = None,
    *,
    most: float | None = None,
    marks: tuple[Series, ...] = (),
    note: str = "",
) -> Plot:
    """The chart of a metric by round: simulation over closed form, with the pooled value.

    pooled : the same metric of all rounds together.
    most : the largest possible value of a count.
    marks : further series.
    note : replaces the words on the points.
    """
    measured = rounds.metrics[name]
    xs, ys = numbers(rounds), _values(estimate.mean for estimate in measured)
    expected = _values(estimate.theory for estimate in measured)
    errors = _half_widths([estimate.standard_error for estimate in measured], rounds.trials)
    style: Literal["points", "band"] = "band" if errors and len(xs) >= MANY else "points"
    series = [
        Series("closed form", *steps(expected), "theory", legend=any(map(math.isfinite, expected))),
        Series("simulated", xs, ys, "measured", style, errors, cloud=False),
    ]
    level = pooled.mean if pooled is not None else None
    levels = ((level, "pooled"),) if level is not None else ()
    words = trials_words(rounds)
    if pooled is not None and level is not None:
        words = f"all rounds pooled: {fmt.estimate(level, pooled.standard_error)}"
        if pooled.theory is not None:
            words += f", closed form {fmt.short(pooled.theory)}"
    limits = steady_limits([*expected, *(value for value, _ in levels), 0.0], _reach(ys, errors))
    limits = limits if most is None else (0.0, most)
    series += marks
    return _plot(title, unit, series, limits, rounds, note or words, levels)


def ranks(rounds: RoundSummary, labels: Mapping[int, str], items: int, top_k: int) -> Plot:
    """The chart of each target's rank by round, with the border of the top k.

    On that border the round is marked in which all targets entered the top k.
    """
    xs = numbers(rounds)
    shown = list(enumerate(rounds.targets))[: len(TONES)]
    series = [
        Series(
            f"target {labels.get(target, str(target))}",
            xs,
            [_height(row[at]) for row in rounds.rank],
            TONES[at],
            "line",
        )
        for at, target in shown
    ]
    # The border runs between two places.
    border = _height(top_k + 0.5)
    if rounds.entry is not None:
        series.append(_entry_mark(rounds, border))
    low = max([2 * top_k, *(place for row in rounds.rank for place in row)])
    low = min(items, low)
    ticks = [
        (_height(place), fmt.count(place))
        for power in range(len(str(low)))
        for place in (digit * 10**power for digit in _PLACES)
        if place <= low
    ]
    return _plot(
        "Rank of the targets by their estimates",
        "rank among all items, 1 is the most frequent",
        series,
        (_height(low * 1.1), _height(0.9)),
        rounds,
        entry_words(rounds, top_k),
        ((border, f"top {top_k}"),),
        sorted(ticks),
    )


def in_top(rounds: RoundSummary, top_k: int) -> Plot:
    """The chart of the mean number of targets in the top k by round."""
    marks = (_entry_mark(rounds, 0.0),) if rounds.entry is not None else ()
    return metric(
        rounds,
        "targets_in_top_k",
        f"Targets in the top {top_k} over the rounds",
        "targets, mean over the trials",
        most=float(len(rounds.targets) or 1),
        marks=marks,
        note=entry_words(rounds, top_k),
    )


def _entry_mark(rounds: RoundSummary, height: float) -> Series:
    """The mark of the mean round in which all targets first were in the top k."""
    return Series("entry", [rounds.entry or 0.0], [height], "target", "points", cloud=False)


def budget_plot(rounds: RoundSummary) -> Plot:
    """The chart of the ε spent by a user who has taken part in all rounds so far.

    With fresh noise it adds up; with memoised answers it is smaller, and bounded.
    """
    xs, ys = numbers(rounds), list(rounds.spent)
    why = "memoised answers: what all rounds can tell is bounded"
    if not ys or ys[-1] > (1 - 1e-9) * len(ys) * ys[0]:
        why = "fresh noise in every round: sequential composition adds it up"
    last = fmt.short(ys[-1]) if ys else ""
    return _plot(
        "Privacy spent by a user who takes part in every round",
        "ε so far",
        [Series("spent", xs, ys, "series-0", legend=False)],
        steady_limits([0.0, *ys], ()),
        rounds,
        f"{why}; ε = {last} after all {len(rounds)}",
    )


def _plot(
    title: str,
    unit: str,
    series: Sequence[Series],
    limits: tuple[float | None, float | None],
    rounds: RoundSummary,
    note: str,
    levels: tuple[tuple[float, str], ...] = (),
    ticks: Sequence[tuple[float, str]] | None = None,
) -> Plot:
    """The plot of these series over the rounds."""
    low, high = limits
    if low is not None and high is not None and low < 0 < high and ticks is None:
        levels = (*levels, (0.0, ""))
    count = len(rounds)
    return Plot(
        title,
        Axis("round", low=-0.5, high=count - 0.5, ticks=_round_ticks(count)),
        Axis(unit, low=low, high=high, ticks=ticks),
        tuple(series),
        levels=levels,
        note=note,
    )


def _round_ticks(count: int) -> list[tuple[float, str]]:
    """Round numbers from 0, never half a round."""
    step = next(
        digit * 10**power
        for power in range(8)
        for digit in (1, 2, 5)
        if count / (digit * 10**power) <= 10
    )
    return [(float(at), str(at)) for at in range(0, count, step)]


def _height(place: float) -> float:
    """The height at which a rank is drawn: 1 on top, spaced by its logarithm."""
    return -math.log10(place)


def _values(numbers: Iterable[float | None]) -> list[float]:
    return [math.nan if value is None else value for value in numbers]


def _half_widths(errors: Sequence[float | None], trials: int) -> list[float] | None:
    """The half-widths of intervals of 95 %; None where there is no error to draw."""
    widths = [math.nan if error is None else reach_95(trials) * error for error in errors]
    return widths if any(width > 0 for width in widths) else None


def _reach(values: Sequence[float], errors: Sequence[float] | None) -> list[float]:
    """The ends of the intervals of points; without errors the points."""
    if errors is None:
        return list(values)
    halves = [half if math.isfinite(half) else 0.0 for half in errors]
    return [
        value + sign * half for value, half in zip(values, halves, strict=True) for sign in (1, -1)
    ]
