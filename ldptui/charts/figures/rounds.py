"""The rounds of a campaign as charts over time, and as a table. Pure.

Rounds count from 0, as in the form, in CSV and in JSON. What is simulated comes as points, the
mean over the trials with its interval of 95 %; closed forms come as lines.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from ...session.snapshot import Measured, Rounds
from ...text import format as fmt
from ..series import Axis, Plot, Series, Tone
from .limits import INTERVAL, reach_95, steady_limits
from .table import Column, Table, Value

TONES: Final[tuple[Tone, ...]] = (
    "series-0", "series-1", "series-2", "series-3", "series-4", "series-5",
)  # fmt: skip
"""The tones of the targets in one chart; more of them cannot be told apart."""

CROWDED: Final = 60
"""The number of points from which on those of several targets take turns."""

_PLACES: Final = (1, 2, 5)


def numbers(rounds: Rounds) -> list[float]:
    """0 to R - 1."""
    return [float(at) for at in range(len(rounds))]


def entry_words(rounds: Rounds, top_k: int) -> str:
    """The round in which all targets came to the top k, in words; "" without targets."""
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


def trials_words(rounds: Rounds) -> str:
    if rounds.trials == 1:
        return "points: one trial"
    return f"points: mean of {fmt.count(rounds.trials)} trials {INTERVAL}"


# --- Charts ------------------------------------------------------------------------------------


def estimates(
    rounds: Rounds,
    labels: Mapping[int, str],
    cursor: int | None = None,
    chosen: int | None = None,
    *,
    note: str = "",
) -> Plot:
    """The estimates of the targets in every round; a single target comes with its truth.

    labels : the names of the items. chosen : the place of one target among those of `rounds`;
    None: the first ones. cursor : a round to mark, from 0.
    """
    xs = numbers(rounds)
    every = range(len(rounds.targets))
    shown = list(every)[: len(TONES)] if chosen is None else [chosen]
    series: list[Series] = []
    known: list[float] = []
    arrived: list[float] = []
    every_other = len(shown) if len(rounds) * len(shown) > CROWDED else 1
    for place, at in enumerate(shown):
        name = labels.get(rounds.targets[at], str(rounds.targets[at]))
        ys = [row[at] for row in rounds.attacked]
        errors = None
        if rounds.errors is not None:
            errors = _half_widths([row[at] for row in rounds.errors], rounds.trials)
        expected = [math.nan if row is None else row[at] for row in rounds.expected]
        known += expected
        arrived += _reach(ys, errors)
        if chosen is None:
            line = expected if any(map(math.isfinite, expected)) else ys
            series.append(Series("", xs, line, TONES[place], legend=False))
            turn = slice(place % every_other, None, every_other)
            half = errors[turn] if errors is not None else None
            points = Series(name, xs[turn], ys[turn], TONES[place], "points", half, cloud=False)
            series.append(points)
            continue
        true = [row[at] for row in rounds.true]
        before = [row[at] for row in rounds.clean]
        known += true
        arrived += before
        series += [
            Series("true", xs, true, "true"),
            Series("after, closed form", xs, expected, "theory"),
            Series("before", xs, before, "clean", "points", cloud=False),
            Series("after", xs, ys, "attacked", "points", errors, cloud=False),
        ]
    if chosen is None:
        known += [value for row in rounds.true for value in row]
    title = "Estimates of the targets over the rounds"
    if chosen is not None:
        name = labels.get(rounds.targets[chosen], str(rounds.targets[chosen]))
        title = f"Estimate of target {name} over the rounds"
    closed = any(row is not None for row in rounds.expected)
    left = len(every) - len(shown)
    more = f"{left} more targets: j k" if left and chosen is None else ""
    if every_other > 1:
        more = "; ".join(filter(None, (more, f"every {ordinal(every_other)} round of each")))
    return _plot(
        title,
        "frequency; lines: closed form" if closed and chosen is None else "frequency",
        series,
        steady_limits(known, arrived),
        rounds,
        cursor,
        note or "; ".join(filter(None, (trials_words(rounds), more))),
    )


def metric(
    rounds: Rounds,
    name: str,
    title: str,
    unit: str,
    pooled: Measured | None = None,
    cursor: int | None = None,
    *,
    most: float | None = None,
    marks: tuple[Series, ...] = (),
    note: str = "",
) -> Plot:
    """A metric in every round, simulated over its closed form; a level where all are pooled.

    pooled : the same metric of all rounds together. most : what it can be at most, where it is a
    count. marks : more to draw.
    """
    measured = rounds.metrics[name]
    xs, ys = numbers(rounds), _values(estimate.mean for estimate in measured)
    expected = _values(estimate.theory for estimate in measured)
    errors = _half_widths([estimate.standard_error for estimate in measured], rounds.trials)
    series = [
        Series("closed form", xs, expected, "theory", legend=any(map(math.isfinite, expected))),
        Series("simulated", xs, ys, "attacked", "points", errors, cloud=False),
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
    return _plot(title, unit, series, limits, rounds, cursor, note or words, levels)


def gain(
    rounds: Rounds, pooled: Measured | None, cursor: int | None = None, *, note: str = ""
) -> Plot:
    """The attack's gain in every round, and that of all rounds pooled."""
    return metric(
        rounds,
        "gain",
        "Gain of the attack over the rounds",
        "gain, total over the targets (after - before)",
        pooled,
        cursor,
        note=note,
    )


def ranks(
    rounds: Rounds,
    labels: Mapping[int, str],
    items: int,
    top_k: int,
    cursor: int | None = None,
    *,
    note: str = "",
) -> Plot:
    """The place of each target among all items, 1 on top, and where the top k begins.

    The round in which all of them came to the top k is marked on that line.
    """
    xs = numbers(rounds)
    shown = list(enumerate(rounds.targets))[: len(TONES)]
    series = [
        Series(
            labels.get(target, str(target)),
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
        cursor,
        note or entry_words(rounds, top_k),
        ((border, f"top {top_k}"),),
        sorted(ticks),
    )


def in_top(rounds: Rounds, top_k: int, cursor: int | None = None, *, note: str = "") -> Plot:
    """The number of targets in the top k in every round, on average over the trials."""
    marks = (_entry_mark(rounds, 0.0),) if rounds.entry is not None else ()
    return metric(
        rounds,
        "targets_in_top_k",
        f"Targets in the top {top_k} over the rounds",
        "targets, mean over the trials",
        cursor=cursor,
        most=float(len(rounds.targets) or 1),
        marks=marks,
        note=note or entry_words(rounds, top_k),
    )


def _entry_mark(rounds: Rounds, height: float) -> Series:
    """The round, on average, in which all targets first were in the top k."""
    return Series("entry", [rounds.entry or 0.0], [height], "target", "points", cloud=False)


def spent(rounds: Rounds, cursor: int | None = None, *, note: str = "") -> Plot:
    """ε of a user who has taken part in all rounds so far.

    It adds up where the noise is fresh; where users keep an answer it is less, and bounded.
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
        cursor,
        note or f"{why}; ε = {last} after all {len(rounds)}",
    )


def _plot(
    title: str,
    unit: str,
    series: Sequence[Series],
    limits: tuple[float | None, float | None],
    rounds: Rounds,
    cursor: int | None,
    note: str,
    levels: tuple[tuple[float, str], ...] = (),
    ticks: Sequence[tuple[float, str]] | None = None,
) -> Plot:
    """A chart over the rounds; `cursor` is a line across it."""
    low, high = limits
    marked = list(series)
    if cursor is not None and low is not None and high is not None:
        x = float(cursor)
        marked.append(Series("", [x, x], [low, high], "muted", "dotted", legend=False))
    if low is not None and high is not None and low < 0 < high and ticks is None:
        levels = (*levels, (0.0, ""))
    count = len(rounds)
    return Plot(
        title,
        Axis("round", low=-0.5, high=count - 0.5, ticks=_round_ticks(count)),
        Axis(unit, low=low, high=high, ticks=ticks),
        tuple(marked),
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
    """The ends of what is drawn for points."""
    if errors is None:
        return list(values)
    halves = [half if math.isfinite(half) else 0.0 for half in errors]
    return [
        value + sign * half for value, half in zip(values, halves, strict=True) for sign in (1, -1)
    ]


# --- Numbers -----------------------------------------------------------------------------------


def table(rounds: Rounds, labels: Mapping[int, str], top_k: int) -> Table:
    """A row for each round: its users, what the attack gained, where the targets are."""
    gains, held = rounds.metrics["gain"], rounds.metrics["target_frequency"]
    inside, error = rounds.metrics["targets_in_top_k"], rounds.metrics["mse"]
    places = min(6, fmt.decimals(estimate.standard_error for estimate in (*gains, *held)))
    columns = [
        Column("round"), Column("users"), Column("fakes"), Column("share", 4), Column("ε spent"),
        Column("gain", places), Column("±", places), Column("theory", places),
        Column("z", 2, sign=True), Column("f_T after", places),
        Column(f"in top {top_k}", 2), Column("mse", digits=3),
    ]  # fmt: skip
    shown = rounds.targets[: len(TONES)]
    for target in shown:
        name = labels.get(target, str(target))
        columns += [Column(f"est. {name}", places), Column(f"rank {name}")]
    rows: list[tuple[Value, ...]] = []
    for at in range(len(rounds)):
        row: list[Value] = [
            at, rounds.users[at], rounds.malicious[at], rounds.share[at], rounds.spent[at],
            gains[at].mean, gains[at].standard_error, gains[at].theory, _z(gains[at]),
            held[at].mean, inside[at].mean, error[at].mean,
        ]  # fmt: skip
        for place in range(len(shown)):
            row += [rounds.attacked[at][place], rounds.rank[at][place]]
        rows.append(tuple(row))
    trials = "one trial" if rounds.trials == 1 else f"means of {fmt.count(rounds.trials)} trials"
    entry = entry_words(rounds, top_k)
    return Table("; ".join(filter(None, (f"Rounds, {trials}", entry))), tuple(columns), tuple(rows))


def _z(estimate: Measured) -> float | None:
    if estimate.mean is None or estimate.theory is None or not estimate.standard_error:
        return None
    return (estimate.mean - estimate.theory) / estimate.standard_error


def kept(available: Iterable[int], cursor: int) -> int | None:
    """The round nearest to the cursor, and not after it, whose frequencies are there."""
    return max((number for number in available if number <= cursor), default=None)
