"""The charts of the frequencies: by rank, as bars, as residuals; and their table."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from ...session.snapshot import Frequencies, Overlay
from ...text import format as fmt
from ..series import Axis, Bar, Bars, Finding, Plot, Rest, Series, Tone
from .items import (
    findings,
    findings_note,
    joined,
    overlaid,
    scores,
    shown_estimates,
    standard_errors,
    target_places,
    trials_note,
)
from .limits import NORMAL_95, round_down, round_up
from .table import Column, Table, Value, finite


def rank_plot(
    frequencies: Frequencies, overlays: Sequence[Overlay] = (), *, note: str = ""
) -> Plot:
    """True frequencies by rank as a line, the estimates in that order as points; log-log.

    An estimate that is not positive has no place on a log axis: it is drawn on the floor, which is
    labelled, and counted in the note. `note`: what else is to be said, in place of that.
    """
    true = frequencies.true
    order = sorted(range(len(true)), key=lambda at: (-true[at], at))
    rank_of = {at: rank for rank, at in enumerate(order, start=1)}
    targets = target_places(frequencies)
    attacked = bool(targets)
    deviation = max(frequencies.attacked.sigma, default=0.0) / math.sqrt(max(1, frequencies.trials))
    positive = [value for value in true if value > 0]
    estimates = frequencies.attacked.mean if attacked else frequencies.clean.mean
    lost = sum(1 for value in estimates if value <= 0)
    least = min(positive, default=1.0)
    # Whether the noise reaches zero, and the axis needs a floor.
    floored = lost > 0 or least < 4 * deviation
    if floored:
        least = min(least, deviation / 3) if deviation > 0 else least
        bottom = 10.0 ** math.floor(math.log10(least) + 1e-9)
    else:
        bottom = round_down(least - 4 * deviation)
    floor = bottom / 10**0.5 if floored else bottom
    top = round_up(max(positive, default=1.0) * 1.05)
    shown = [*frequencies.clean.mean, *(frequencies.attacked.mean if attacked else ())]
    highest = max((value for value in shown if math.isfinite(value)), default=top)
    if highest > top:
        top = round_up(highest)

    def placed(values: Sequence[float], chosen: Iterable[int]) -> tuple[list[float], list[float]]:
        ranks = sorted(rank_of[at] for at in chosen)
        ys = [values[order[rank - 1]] for rank in ranks]
        lifted = [max(y, bottom / 10**0.2) if y > 0 else floor for y in ys]
        return [float(rank) for rank in ranks], lifted

    others = [at for at in range(len(true)) if at not in set(targets)]
    verdicts = findings(frequencies)

    def clouds(values: Sequence[float], chosen: Sequence[int]) -> list[Series]:
        """The estimates, those of each finding under a mark of their own."""
        tone: Tone = "attacked" if attacked else "clean"
        if frequencies.detected is None:
            label = "after" if attacked else "estimate"
            return [Series(label, *placed(values, chosen), tone, "points")]
        marked: tuple[tuple[str, Tone, tuple[Finding, ...]], ...] = (
            ("not detected", "muted", ("", "missed")),
            ("detected", "series-0", ("detected",)),
            ("falsely detected", "attacked", ("false",)),
        )
        # Also of what is not found now: the legend stays as it is while the trials come in.
        return [
            Series(
                label,
                *placed(values, [at for at in chosen if verdicts[at] in which]),
                shade,
                "points",
                cloud=shade == "muted",
            )
            for label, shade, which in marked
        ]

    series: list[Series] = []
    ranked = [true[at] if true[at] > 0 else math.nan for at in order]
    series.append(Series("true", [float(k + 1) for k in range(len(true))], ranked, "true"))
    if attacked:
        before, after = (
            placed(frequencies.clean.mean, targets),
            placed(frequencies.attacked.mean, targets),
        )
        if frequencies.detected is None:  # else what it was found to be says more
            series.append(
                Series("before", *placed(frequencies.clean.mean, others), "clean", "points")
            )
        series += [
            *clouds(frequencies.attacked.mean, others),
            Series("targets before", *before, "clean", "points"),
            Series("targets now", *after, "target", "points"),
        ]
    else:
        series += clouds(frequencies.clean.mean, others)
    if frequencies.defended is not None:
        pair = placed(frequencies.defended.mean, targets or range(len(true)))
        label = "targets defended" if attacked else "defended"
        series.append(Series(label, *pair, "series-1", "points"))
    laid, strange = overlaid(overlays, frequencies.items)
    for label, tone, other in laid:
        pair = placed(shown_estimates(other), target_places(other) or range(len(true)))
        what = f"targets, {label}" if other.targets else label
        series.append(Series(what, *pair, tone, "points"))
    if not note:
        at_floor = f"{lost} of {len(true)} estimates ≤ 0" if lost else ""
        note = joined(findings_note(frequencies), at_floor)
    note = joined(note, strange)
    decades = range(round(math.log10(bottom)), math.floor(math.log10(top) + 1e-9) + 1)
    stride = max(1, math.ceil(len(decades) / 6))
    ticks = [(10.0**k, fmt.power_of_ten(k)) for k in decades if (k - decades[-1]) % stride == 0]
    return Plot(
        "Frequencies by rank",
        Axis("rank by true frequency", log=True, low=0.9, high=len(true) * 1.1),
        Axis(
            "frequency",
            log=True,
            low=floor / 1.1 if floored else bottom,
            high=top,
            ticks=[(floor, "≤ 0"), *ticks] if floored else None,
        ),
        tuple(series),
        note=note,
    )


def top_bars(
    frequencies: Frequencies,
    rows: int,
    *,
    overlays: Sequence[Overlay] = (),
    compact: bool = False,
    note: str = "",
) -> Bars:
    """Bars of the targets and of the items that are most frequent in truth, `rows` at most.

    The targets come first, at most half the rows of them, then what is falsely detected, at most a
    quarter; each group by falling true frequency, so that no row moves while the estimates change.
    """
    true, attacked = frequencies.true, bool(frequencies.targets)
    by_true = sorted(range(len(true)), key=lambda at: (-true[at], at))
    marked = set(target_places(frequencies))
    aimed = [at for at in by_true if at in marked]
    verdicts = findings(frequencies)
    rows = max(1, rows)
    false = [at for at in by_true if verdicts[at] == "false" and at not in marked][: rows // 4]
    others = [*false, *(at for at in by_true if at not in marked and at not in set(false))]
    if len(aimed) + len(others) > rows:
        aimed = aimed[: max(rows // 2, rows - len(others))]
    shown = [*aimed, *others[: rows - len(aimed)]]
    errors = standard_errors(frequencies)
    estimates = frequencies.attacked.mean if attacked else frequencies.clean.mean
    laid, strange = overlaid(overlays, frequencies.items)
    bars = tuple(
        Bar(
            frequencies.labels[at],
            estimates[at],
            errors[at],
            true[at],
            frequencies.clean.mean[at] if attacked else None,
            at in marked,
            verdicts[at],
            tuple(shown_estimates(other)[at] for _, _, other in laid),
        )
        for at in shown
    )
    rest: str | Rest = ""
    left = frequencies.domain_size - len(shown)
    if left:
        now = None
        if len(true) == frequencies.domain_size:
            now = math.fsum(estimates) - math.fsum(estimates[at] for at in shown)
        held = 1 - math.fsum(true[at] for at in shown)
        rest = Rest(left, len(frequencies.targets) - len(aimed), held, now)
    title = "Targets and most frequent items" if attacked else "Most frequent items"
    if compact:
        title = "Targets, top items" if attacked else "Top items"
    return Bars(
        title,
        bars,
        rest=rest,
        note=joined(trials_note(frequencies.trials, compact=compact, note=note), strange),
        others=tuple((label, tone) for label, tone, _ in laid),
    )


_LINEAR_SCORES: Final = 8.0
"""Residuals up to here are drawn to scale; larger ones on a compressed scale."""


def residuals(
    frequencies: Frequencies,
    columns: int = 64,
    wanted: int | None = None,
    *,
    overlays: Sequence[Overlay] = (),
    note: str = "",
) -> Plot:
    """(estimate - true) / σ by item, with the band that holds 95% of an unbiased estimate.

    More items than two a column come as the least and the greatest of each run of neighbours. What
    lies far out compresses the scale (asinh), so that the band stays in sight. `wanted`: the trials
    of the whole run; the bias of the targets grows with √trials in units of σ, and the axis has
    room for that from the start.
    """
    targets = target_places(frequencies)
    attacked = bool(targets)
    values = scores(frequencies, clean=not attacked)
    marked = set(targets)
    others = [at for at in range(len(values)) if at not in marked]
    ahead = math.sqrt(max(1.0, (wanted or frequencies.trials) / max(1, frequencies.trials)))

    def reach(sign: int) -> float:
        """The reach of the values up (1) or down (-1), those of the targets after all trials."""
        far = [sign * values[at] * (ahead if at in marked else 1.0) for at in range(len(values))]
        return max((value for value in far if math.isfinite(value)), default=0.0)

    known, strange = overlaid(overlays, frequencies.items)
    laid = [(name, tone, run, scores(run, clean=not run.targets)) for name, tone, run in known]
    reaches = {
        sign: max(
            [reach(sign), *(sign * v for *_, far in laid for v in far if math.isfinite(v))],
        )
        for sign in (1, -1)
    }
    compressed = max(reaches.values()) > _LINEAR_SCORES
    top, bottom = (_score_limit(reaches[sign], compressed) for sign in (1, -1))

    def scaled(value: float) -> float:
        return math.asinh(value / 2) if compressed else value

    xs, ys = _binned(frequencies.items, values, others, max(8, 2 * columns))
    series = [
        Series(
            "after the attack" if attacked else "estimate",
            xs,
            [scaled(y) for y in ys],
            "attacked" if attacked else "clean",
            "points",
        )
    ]
    if attacked:
        series.append(
            Series(
                "targets",
                [float(frequencies.items[at]) for at in targets],
                [scaled(values[at]) for at in targets],
                "target",
                "points",
            )
        )
    for name, tone, run, far in laid:
        # A run under attack shows its targets, another one all items.
        chosen = target_places(run) or range(len(far))
        across, up = _binned(run.items, far, chosen, max(8, 2 * columns))
        label = f"targets, {name}" if run.targets else name
        series.append(Series(label, across, [scaled(y) for y in up], tone, "points"))
    marks = [0.0, 2.0, 4.0, 6.0, 8.0] if not compressed else [0.0, *_decades(10, max(top, bottom))]
    signed = sorted({sign * mark for mark in marks for sign in (1, -1) if mark})
    ticks = [(scaled(m), _plain(m)) for m in [0.0, *signed] if -bottom <= m <= top]
    inside = [v for v in values if math.isfinite(v)]
    outside = sum(1 for v in inside if abs(v) > NORMAL_95)
    parts = [part for part in (note, strange) if part]
    if inside:
        share = fmt.percent(outside / len(inside), 2)
        parts.append(f"{share} outside of ±1.96 (5 % if unbiased)")
    if attacked:
        early = [v for v in scores(frequencies, clean=True) if math.isfinite(v)]
        if early:
            share = fmt.percent(sum(1 for v in early if abs(v) > NORMAL_95) / len(early), 2)
            parts.append(f"before the attack {share}")
    items = frequencies.items
    names = None
    if len(items) <= 16:
        names = list(zip(map(float, items), frequencies.labels, strict=True))
    unit = "(estimate - true) / σ" + (", compressed" if compressed else "")
    return Plot(
        "Residuals in units of σ",
        Axis("item", low=float(items[0]) - 0.5, high=float(items[-1]) + 0.5, ticks=names),
        Axis(unit, low=scaled(-bottom), high=scaled(top), ticks=sorted(ticks)),
        tuple(series),
        levels=((scaled(NORMAL_95), "+1.96"), (-scaled(NORMAL_95), "-1.96")),
        note="; ".join(parts),
    )


def _score_limit(reach: float, compressed: bool) -> float:
    """A round limit; the least one has room for a thousand standard normal numbers."""
    if reach <= 5.0:
        return 5.0
    return round_up(reach * 1.05) if compressed else _LINEAR_SCORES


def _binned(
    items: Sequence[int], values: Sequence[float], chosen: Sequence[int], bins: int
) -> tuple[list[float], list[float]]:
    """The points, or the least and the greatest of each run of neighbours if they are many."""
    usable = [at for at in chosen if math.isfinite(values[at])]
    if len(usable) <= bins:
        return [float(items[at]) for at in usable], [values[at] for at in usable]
    xs: list[float] = []
    ys: list[float] = []
    for index in range(bins):
        run = usable[index * len(usable) // bins : (index + 1) * len(usable) // bins]
        for at in sorted({min(run, key=values.__getitem__), max(run, key=values.__getitem__)}):
            xs.append(float(items[at]))
            ys.append(values[at])
    return xs, ys


def _decades(first: float, limit: float) -> list[float]:
    """10, 100, … up to the limit, every other one if there are many."""
    powers = range(round(math.log10(first)), math.floor(math.log10(limit)) + 1)
    stride = max(1, math.ceil(len(powers) / 4))
    return [10.0**k for k in powers[::stride]] or [limit]


def _plain(value: float) -> str:
    return fmt.short(value, 3)


def frequency_table(frequencies: Frequencies, overlays: Sequence[Overlay] = ()) -> Table:
    """Every item: truth, estimates before and after with their standard errors, the change.

    What the overlays estimate of the same items has a column each.

    z is the residual, (estimate - true) / σ of the mean of the trials.
    """
    attacked = bool(frequencies.targets)
    true = frequencies.true
    order = sorted(range(len(true)), key=lambda at: (-true[at], at))
    marked = set(target_places(frequencies))
    root = math.sqrt(max(1, frequencies.trials))
    before_std = frequencies.clean.std or frequencies.clean.sigma
    after_std = frequencies.attacked.std or frequencies.attacked.sigma
    before_z = scores(frequencies, clean=True)
    smallest = min((std for std in before_std if std > 0), default=0.0)
    places = min(9, fmt.decimals([smallest / root]))
    number, score = Column("", places), Column("", 2, sign=True)
    after_z = scores(frequencies)
    names = ["item", "true", "estimate", "±", "z", "rank"]
    if attacked:
        names = ["item", "", "true", "before", "after", "±", "change", "z", "± before", "z before"]
        names += ["rank"]
    defended = frequencies.defended
    if defended is not None:
        names.insert(names.index("±") + 1, "defended")
    others, _ = overlaid(overlays, frequencies.items)
    place = names.index("±") + 1
    names[place:place] = [label for label, _, _ in others]
    verdicts, shares = findings(frequencies), frequencies.detected
    if shares is not None:
        names[-1:-1] = ["test", "share detected"]
    columns = {
        "item": Column("item"), "": Column(""), "rank": Column("rank"), "test": Column("test"),
        "share detected": Column("share detected", 2),
        "change": Column("change", places, sign=True),
        "z": replace(score, name="z"), "z before": replace(score, name="z before"),
    }  # fmt: skip

    def error(std: float) -> float | None:
        return std / root if std > 0 or frequencies.trials > 1 else None

    rows: list[tuple[Value, ...]] = []
    for rank, at in enumerate(order, start=1):
        before, after = frequencies.clean.mean[at], frequencies.attacked.mean[at]
        values: dict[str, Value] = {
            "item": frequencies.labels[at],
            "": "target" if at in marked else "",
            "true": true[at],
            "estimate": before,
            "before": before,
            "after": after,
            "±": error((after_std if attacked else before_std)[at]),
            "change": after - before,
            "z": finite((after_z if attacked else before_z)[at]),
            "± before": error(before_std[at]),
            "z before": finite(before_z[at]),
            "defended": None if defended is None else defended.mean[at],
            "rank": rank,
            "test": verdicts[at],
            "share detected": shares[at] if shares is not None else None,
            **{label: shown_estimates(other)[at] for label, _, other in others},
        }
        rows.append(tuple(values[name] for name in names))
    title = trials_note(frequencies.trials)
    shown = tuple(columns.get(name) or replace(number, name=name) for name in names)
    return Table(title[:1].upper() + title[1:], shown, tuple(rows))
