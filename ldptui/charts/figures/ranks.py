"""The frequencies by rank, log-log, and the residuals in units of their deviation."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct

from ldptui.core.view import FrequencySummary

from ...session.snapshot import Overlay
from ...text import format as fmt
from ...text.interval import NORMAL_95
from ..series import Axis, Finding, Plot, Series, Tone
from .frequencies import (
    by_rank,
    findings,
    findings_note,
    join_notes,
    overlay_frequencies,
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
    """The axis of the frequencies: its ends, and the height at which values that are not positive
    are drawn, if any.
    """

    bottom: float
    top: float
    floor: float | None

    def place_value(self, value: float) -> float:
        """The drawn height of a frequency; the bottom of the axis for values below it."""
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
    """The items by falling true frequency, and the axis of their frequencies."""

    order: Sequence[int]
    ranks: dict[int, int]
    scale: _Scale

    def item_points(
        self, values: Sequence[float], chosen: Iterable[int]
    ) -> tuple[list[float], list[float]]:
        """The points of the chosen items, by rank."""
        ranks = sorted(self.ranks[at] for at in chosen)
        ys = [self.scale.place_value(values[self.order[rank - 1]]) for rank in ranks]
        return [float(rank) for rank in ranks], ys


def rank_plot(frequencies: FrequencySummary, overlays: Sequence[Overlay] = ()) -> Plot:
    """True frequencies by rank as a line, the estimates of the same items as points; log-log.

    Estimates below the axis are drawn on a labelled floor; the note counts those that are not
    positive.
    """
    true = frequencies.true
    order = by_rank(frequencies)
    estimates = frequencies.attacked_estimates if target_places(frequencies) else frequencies.clean
    lost = sum(1 for value in estimates.mean if value <= 0)
    ranks = {at: rank for rank, at in enumerate(order, start=1)}
    ranking = _Ranking(order, ranks, _scale_of(frequencies, lost > 0))
    ranked = [true[at] if true[at] > 0 else math.nan for at in order]
    laid, strange = _laid_over(frequencies, overlays, ranking)
    at_floor = f"{lost} of {len(true)} estimates ≤ 0" if lost else ""
    note = join_notes(findings_note(frequencies), at_floor)
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
            *_estimate_series(frequencies, ranking),
            *laid,
        ),
        note=join_notes(note, strange),
    )


def _rank_ticks(ranks: int) -> list[tuple[float, str]]:
    """The ranks that have a tick: 1, 2, 5 and 10, and so on; for many ranks only powers of ten."""
    steps = (1, 2, 5) if ranks <= 1000 else (1,)
    named = [step * 10**power for power in range(len(str(ranks))) for step in steps]
    return [(float(rank), fmt.count(rank)) for rank in named if rank <= ranks]


def _scale_of(frequencies: FrequencySummary, lost: bool) -> _Scale:
    """The axis from the true values and σ, wider if estimates are outside.

    lost : some estimates are not positive, so that the axis needs a floor.
    """
    positive = [value for value in frequencies.true if value > 0]
    least = min(positive, default=1.0)
    deviation = max(frequencies.attacked_estimates.sigma, default=0.0) / math.sqrt(
        max(1, frequencies.trials)
    )
    floor = None
    if lost or least < 4 * deviation:
        least = min(least, deviation / 3) if deviation > 0 else least
        bottom = 10.0 ** math.floor(math.log10(least) + 1e-9)
        floor = bottom / 10**0.5
    else:
        bottom = round_down(least - 2 * deviation)
    top = round_up(max(positive, default=1.0) * 1.05)
    shown = [*frequencies.clean.mean]
    if target_places(frequencies):
        shown += frequencies.attacked_estimates.mean
    if frequencies.defended_estimates is not None:
        shown += frequencies.defended_estimates.mean
    if floor is None:
        bottom = min(bottom, round_down(min((value for value in shown if value > 0), default=top)))
    highest = max((value for value in shown if math.isfinite(value)), default=top)
    return _Scale(bottom, max(top, round_up(highest) if highest > top else top), floor)


def _estimate_series(frequencies: FrequencySummary, ranking: _Ranking) -> list[Series]:
    """The series of estimates: targets and others apart, before and after the attack,
    and defended.
    """
    clean, attacked = frequencies.clean.mean, frequencies.attacked_estimates.mean
    targets, series = target_places(frequencies), []
    if targets:
        marked = set(targets)
        others = [at for at in range(len(frequencies.true)) if at not in marked]
        if frequencies.detected is None:  # else what it was found to be says more
            series.append(Series("before", *ranking.item_points(clean, others), "clean", "points"))
        series += [
            *_clouds(frequencies, ranking, attacked, others),
            Series("targets before", *ranking.item_points(clean, targets), "clean", "points"),
            Series("targets after", *ranking.item_points(attacked, targets), "target", "points"),
        ]
    else:
        series += _clouds(frequencies, ranking, clean, range(len(frequencies.true)))
    if frequencies.defended_estimates is not None:
        chosen = targets or range(len(frequencies.true))
        label = "targets defended" if targets else "defended"
        pair = ranking.item_points(frequencies.defended_estimates.mean, chosen)
        series.append(Series(label, *pair, "series-1", "points"))
    return series


def _clouds(
    frequencies: FrequencySummary, ranking: _Ranking, values: Sequence[float], chosen: Sequence[int]
) -> list[Series]:
    """The series of estimates, one for each verdict of the significance test."""
    if frequencies.detected is None:
        attacked = bool(target_places(frequencies))
        label = "after" if attacked else "estimate"
        tone: Tone = "attacked" if attacked else "clean"
        return [Series(label, *ranking.item_points(values, chosen), tone, "points")]
    verdicts = findings(frequencies)
    return [
        Series(
            label,
            *ranking.item_points(values, [at for at in chosen if verdicts[at] in which]),
            shade,
            "points",
            cloud=shade == "muted",
        )
        for label, shade, which in _FINDINGS
    ]


def _laid_over(
    frequencies: FrequencySummary, overlays: Sequence[Overlay], ranking: _Ranking
) -> tuple[list[Series], str]:
    """The series of other runs' estimates, and a note on runs with other items."""
    known, strange = overlay_frequencies(overlays, frequencies.items)
    series = []
    for label, tone, other in known:
        chosen = target_places(other) or range(len(frequencies.true))
        name = f"targets, {label}" if other.targets else label
        pair = ranking.item_points(shown_estimates(other), chosen)
        series.append(Series(name, *pair, tone, "points"))
    return series, strange


LINEAR: Final = 8.0
"""Residuals up to here are drawn to scale; an axis of larger ones is logarithmic beyond."""
LEAST: Final = 5.0
"""The axis has room for a thousand standard normal numbers at least."""
NAMED: Final = 16
"""Items that have their names at the axis."""


def residuals(
    frequencies: FrequencySummary, wanted: int | None = None, overlays: Sequence[Overlay] = ()
) -> Plot:
    """The residual (estimate - true) / σ of each item, with the band that holds 95 % of unbiased
    estimates.

    wanted : the trials of the whole run; the axis has room for the bias of the targets, which grows
        with √trials in units of σ.
    """
    targets, items = target_places(frequencies), frequencies.items
    values = scores(frequencies, clean=not targets)
    known, strange = overlay_frequencies(overlays, items)
    others = [at for at in range(len(values)) if at not in {*targets}]
    series = [_score_series("after the attack" if targets else "estimate", items, values, others,
                      "attacked" if targets else "clean")]  # fmt: skip
    series += [_score_series("targets", items, values, targets, "target")] if targets else []
    for name, tone, run in known:
        chosen = target_places(run) or range(len(values))
        label = f"targets, {name}" if run.targets else name
        series.append(_score_series(label, items, scores(run, clean=not run.targets), chosen, tone))
    ahead = math.sqrt(max(1.0, (wanted or frequencies.trials) / max(1, frequencies.trials)))
    reached = [y * (ahead if each.label.startswith("targets") else 1.0)
               for each in series for y in each.y]  # fmt: skip
    up, down = max([0.0, *reached]), max([0.0, *(-y for y in reached)])
    is_far = max(up, down) > LINEAR
    high, low = (LEAST if end <= LEAST else round_up(1.05 * end) if is_far else LINEAR
                 for end in (up, down))  # fmt: skip
    names = None
    if len(items) <= NAMED:
        names = list(zip(map(float, items), frequencies.labels, strict=True))
    return Plot(
        "Residuals in units of σ",
        Axis("item", low=float(items[0]) - 0.5, high=float(items[-1]) + 0.5, ticks=names),
        Axis("(estimate - true) / σ", low=-low, high=high, linear=LINEAR if is_far else 0.0),
        tuple(series),
        levels=((NORMAL_95, "+1.96"), (-NORMAL_95, "-1.96")),
        note="; ".join(filter(None, (strange, *_outside(frequencies, values)))),
    )


def _score_series(
    label: str, items: Sequence[int], values: Sequence[float], chosen: Iterable[int], tone: Tone
) -> Series:
    """The scores of the chosen items that have one."""
    known = [at for at in chosen if math.isfinite(values[at])]
    xs, ys = [float(items[at]) for at in known], [values[at] for at in known]
    return Series(label, xs, ys, tone, "points")


def _outside(frequencies: FrequencySummary, values: Sequence[float]) -> list[str]:
    """The share of the items outside the band, in words, after and before an attack."""
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
