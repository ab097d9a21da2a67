"""The frequencies by rank, log-log, and the residuals in units of their deviation."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct

from ldptui.core.view import Frequencies

from ...session.snapshot import Overlay
from ...text import format as fmt
from ...text.interval import NORMAL_95
from ..series import Axis, Finding, Plot, Series, Tone
from .frequencies import (
    by_rank,
    findings,
    findings_note,
    joined,
    overlaid,
    scores,
    shown_estimates,
    target_places,
)
from .limits import round_down, round_up

_FINDINGS: Final[tuple[tuple[str, Tone, tuple[Finding, ...]], ...]] = (
    ("not detected", "muted", ("", "missed")),
    ("detected", "series-0", ("detected",)),
    ("falsely detected", "attacked", ("false",)),
)
"""The clouds of the estimates where items are tested: label, tone and the verdicts in it."""


class _Scale(Struct, frozen=True):
    """The axis of the frequencies: its ends, and the floor for what is not positive, if any."""

    bottom: float
    top: float
    floor: float | None

    def placed(self, value: float) -> float:
        """A frequency where it is drawn: what is below the axis on the floor."""
        if value >= self.bottom:
            return value
        return self.bottom if self.floor is None else self.floor

    @property
    def axis(self) -> Axis:
        decades = range(round(math.log10(self.bottom)), math.floor(math.log10(self.top) + 1e-9) + 1)
        stride = max(1, math.ceil(len(decades) / 6))
        ticks = [(10.0**k, fmt.power_of_ten(k)) for k in decades if (k - decades[-1]) % stride == 0]
        if self.floor is None:
            return Axis("frequency", log=True, low=self.bottom, high=self.top)
        least = fmt.power_of_ten(round(math.log10(self.bottom)))
        marks = [(self.floor, f"<{least}"), *ticks]
        return Axis("frequency", log=True, low=self.floor / 1.1, high=self.top, ticks=marks)


class _Ranking(Struct, frozen=True):
    """The items by falling true frequency, and the axis on which their frequencies are."""

    order: Sequence[int]
    ranks: dict[int, int]
    scale: _Scale

    def placed(
        self, values: Sequence[float], chosen: Iterable[int]
    ) -> tuple[list[float], list[float]]:
        """The points of the chosen items, by rank."""
        ranks = sorted(self.ranks[at] for at in chosen)
        ys = [self.scale.placed(values[self.order[rank - 1]]) for rank in ranks]
        return [float(rank) for rank in ranks], ys


def rank_plot(frequencies: Frequencies, overlays: Sequence[Overlay] = ()) -> Plot:
    """True frequencies by rank as a line, the estimates in that order as points; log-log.

    An estimate that is below the axis, or not positive, is drawn on the floor, which is labelled;
    those that are not positive are counted in the note.
    """
    true = frequencies.true
    order = by_rank(frequencies)
    estimates = frequencies.attacked if target_places(frequencies) else frequencies.clean
    lost = sum(1 for value in estimates.mean if value <= 0)
    ranks = {at: rank for rank, at in enumerate(order, start=1)}
    ranking = _Ranking(order, ranks, _scale_of(frequencies, lost > 0))
    ranked = [true[at] if true[at] > 0 else math.nan for at in order]
    laid, strange = _laid_over(frequencies, overlays, ranking)
    at_floor = f"{lost} of {len(true)} estimates ≤ 0" if lost else ""
    note = joined(findings_note(frequencies), at_floor)
    return Plot(
        "Frequencies by rank",
        Axis(
            "rank by true frequency",
            log=True,
            low=0.9,
            high=len(true) * 1.1,
            ticks=_rank_ticks(len(true)),
        ),
        ranking.scale.axis,
        (
            Series("true", [float(k + 1) for k in range(len(true))], ranked, "true"),
            *_estimated(frequencies, ranking),
            *laid,
        ),
        note=joined(note, strange),
    )


def _rank_ticks(ranks: int) -> list[tuple[float, str]]:
    """The ranks that are named: 1, 2, 5 and 10, and so on, of many every power of ten."""
    steps = (1, 2, 5) if ranks <= 1000 else (1,)
    named = [step * 10**power for power in range(len(str(ranks))) for step in steps]
    return [(float(rank), fmt.count(rank)) for rank in named if rank <= ranks]


def _scale_of(frequencies: Frequencies, lost: bool) -> _Scale:
    """The axis from the truth and σ, wider where the estimates leave it.

    lost : some estimates are not positive. Where the noise reaches zero, the axis needs a floor.
    """
    positive = [value for value in frequencies.true if value > 0]
    least = min(positive, default=1.0)
    deviation = max(frequencies.attacked.sigma, default=0.0) / math.sqrt(max(1, frequencies.trials))
    floor = None
    if lost or least < 4 * deviation:
        least = min(least, deviation / 3) if deviation > 0 else least
        bottom = 10.0 ** math.floor(math.log10(least) + 1e-9)
        floor = bottom / 10**0.5
    else:
        bottom = round_down(least - 4 * deviation)
    top = round_up(max(positive, default=1.0) * 1.05)
    shown = [*frequencies.clean.mean]
    if target_places(frequencies):
        shown += frequencies.attacked.mean
    if floor is None:
        bottom = min(bottom, round_down(min((value for value in shown if value > 0), default=top)))
    highest = max((value for value in shown if math.isfinite(value)), default=top)
    return _Scale(bottom, max(top, round_up(highest) if highest > top else top), floor)


def _estimated(frequencies: Frequencies, ranking: _Ranking) -> list[Series]:
    """The estimates: of targets and others apart, before and after the attack, and defended."""
    clean, attacked = frequencies.clean.mean, frequencies.attacked.mean
    targets, series = target_places(frequencies), []
    if targets:
        marked = set(targets)
        others = [at for at in range(len(frequencies.true)) if at not in marked]
        if frequencies.detected is None:  # else what it was found to be says more
            series.append(Series("before", *ranking.placed(clean, others), "clean", "points"))
        series += [
            *_clouds(frequencies, ranking, attacked, others),
            Series("targets before", *ranking.placed(clean, targets), "clean", "points"),
            Series("targets after", *ranking.placed(attacked, targets), "target", "points"),
        ]
    else:
        series += _clouds(frequencies, ranking, clean, range(len(frequencies.true)))
    if frequencies.defended is not None:
        chosen = targets or range(len(frequencies.true))
        label = "targets defended" if targets else "defended"
        pair = ranking.placed(frequencies.defended.mean, chosen)
        series.append(Series(label, *pair, "series-1", "points"))
    return series


def _clouds(
    frequencies: Frequencies, ranking: _Ranking, values: Sequence[float], chosen: Sequence[int]
) -> list[Series]:
    """The estimates, those of each finding under a mark of their own."""
    if frequencies.detected is None:
        attacked = bool(target_places(frequencies))
        label = "after" if attacked else "estimate"
        tone: Tone = "attacked" if attacked else "clean"
        return [Series(label, *ranking.placed(values, chosen), tone, "points")]
    verdicts = findings(frequencies)
    # Also of what is not found now: the legend stays as it is while the trials come in.
    return [
        Series(
            label,
            *ranking.placed(values, [at for at in chosen if verdicts[at] in which]),
            shade,
            "points",
            cloud=shade == "muted",
        )
        for label, shade, which in _FINDINGS
    ]


def _laid_over(
    frequencies: Frequencies, overlays: Sequence[Overlay], ranking: _Ranking
) -> tuple[list[Series], str]:
    """The estimates of other runs, and a note on those of other items."""
    known, strange = overlaid(overlays, frequencies.items)
    series = []
    for label, tone, other in known:
        chosen = target_places(other) or range(len(frequencies.true))
        name = f"targets, {label}" if other.targets else label
        pair = ranking.placed(shown_estimates(other), chosen)
        series.append(Series(name, *pair, tone, "points"))
    return series, strange


LINEAR: Final = 8.0
"""Residuals up to here are drawn to scale; larger ones on a compressed scale."""


class _ScoreScale(Struct, frozen=True):
    """The axis of the scores: how far it goes up and down, and whether it is compressed."""

    top: float
    bottom: float
    compressed: bool

    def placed(self, score: float) -> float:
        return math.asinh(score / 2) if self.compressed else score

    @property
    def axis(self) -> Axis:
        marks = [0.0, 2.0, 4.0, 6.0, 8.0]
        if self.compressed:
            marks = [0.0, *_decades(10, max(self.top, self.bottom))]
        signed = sorted({sign * mark for mark in marks for sign in (1, -1) if mark})
        ticks = [
            (self.placed(mark), fmt.short(mark, 3))
            for mark in [0.0, *signed]
            if -self.bottom <= mark <= self.top
        ]
        unit = "(estimate - true) / σ" + (", compressed" if self.compressed else "")
        low, high = self.placed(-self.bottom), self.placed(self.top)
        return Axis(unit, low=low, high=high, ticks=sorted(ticks))


class _Laid(Struct, frozen=True):
    """Another run over the same items, with its scores."""

    label: str
    tone: Tone
    run: Frequencies
    scores: Sequence[float]


def residuals(
    frequencies: Frequencies,
    columns: int = 64,
    wanted: int | None = None,
    *,
    overlays: Sequence[Overlay] = (),
) -> Plot:
    """(estimate - true) / σ by item, with the band that holds 95% of an unbiased estimate.

    More items than two a column come as the least and the greatest of each run of neighbours. What
    lies far out compresses the scale (asinh), so that the band stays in sight. `wanted`: the trials
    of the whole run; the bias of the targets grows with √trials in units of σ, and the axis has
    room for that from the start.
    """
    values = scores(frequencies, clean=not target_places(frequencies))
    known, strange = overlaid(overlays, frequencies.items)
    laid = [_Laid(name, tone, run, scores(run, clean=not run.targets)) for name, tone, run in known]
    scale = _score_scale(frequencies, values, wanted, laid)
    bins, items = max(8, 2 * columns), frequencies.items
    names = None
    if len(items) <= 16:
        names = list(zip(map(float, items), frequencies.labels, strict=True))
    return Plot(
        "Residuals in units of σ",
        Axis("item", low=float(items[0]) - 0.5, high=float(items[-1]) + 0.5, ticks=names),
        scale.axis,
        (
            *_own(frequencies, values, scale, bins),
            *(_other(run, scale, bins) for run in laid),
        ),
        levels=((scale.placed(NORMAL_95), "+1.96"), (-scale.placed(NORMAL_95), "-1.96")),
        note="; ".join(filter(None, (strange, *_outside(frequencies, values)))),
    )


def _score_scale(
    frequencies: Frequencies, values: Sequence[float], wanted: int | None, laid: Sequence[_Laid]
) -> _ScoreScale:
    """The axis that holds the scores of all runs, those of the targets as after all trials."""
    marked = set(target_places(frequencies))
    ahead = math.sqrt(max(1.0, (wanted or frequencies.trials) / max(1, frequencies.trials)))
    scores = [value * (ahead if at in marked else 1.0) for at, value in enumerate(values)]
    scores += [value for run in laid for value in run.scores]
    finite = [value for value in scores if math.isfinite(value)]
    up, down = max(0.0, *finite, 0.0), max(0.0, *(-value for value in finite), 0.0)
    compressed = max(up, down) > LINEAR
    return _ScoreScale(_limit(up, compressed), _limit(down, compressed), compressed)


def _limit(reach: float, compressed: bool) -> float:
    """A round limit; the least one has room for a thousand standard normal numbers."""
    if reach <= 5.0:
        return 5.0
    return round_up(reach * 1.05) if compressed else LINEAR


def _own(
    frequencies: Frequencies, values: Sequence[float], scale: _ScoreScale, bins: int
) -> list[Series]:
    """The items, and the targets apart from them."""
    targets = target_places(frequencies)
    marked = set(targets)
    others = [at for at in range(len(values)) if at not in marked]
    xs, ys = _binned(frequencies.items, values, others, bins)
    up = [scale.placed(y) for y in ys]
    if not targets:
        return [Series("estimate", xs, up, "clean", "points")]
    across = [float(frequencies.items[at]) for at in targets]
    aimed = [scale.placed(values[at]) for at in targets]
    return [
        Series("after the attack", xs, up, "attacked", "points"),
        Series("targets", across, aimed, "target", "points"),
    ]


def _other(laid: _Laid, scale: _ScoreScale, bins: int) -> Series:
    """Another run: under attack its targets, else all items."""
    chosen = target_places(laid.run) or range(len(laid.scores))
    xs, ys = _binned(laid.run.items, laid.scores, chosen, bins)
    label = f"targets, {laid.label}" if laid.run.targets else laid.label
    return Series(label, xs, [scale.placed(y) for y in ys], laid.tone, "points")


def _outside(frequencies: Frequencies, values: Sequence[float]) -> list[str]:
    """The share of the items outside of the band, in words; after an attack that before it too."""
    words = []
    inside = [value for value in values if math.isfinite(value)]
    if inside:
        words.append(f"{_share(inside)} outside of ±1.96 (5 % if unbiased)")
    if target_places(frequencies):
        early = [value for value in scores(frequencies, clean=True) if math.isfinite(value)]
        if early:
            words.append(f"before the attack {_share(early)}")
    return words


def _share(values: Sequence[float]) -> str:
    outside = sum(1 for value in values if abs(value) > NORMAL_95)
    return fmt.percent(outside / len(values), 2)


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
