"""The residuals: how far each estimate is from the truth, in units of its deviation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ldptui.core.view import Frequencies

from ...session.snapshot import Overlay
from ...text import format as fmt
from ...text.interval import NORMAL_95
from ..series import Axis, Plot, Series, Tone
from .items import overlaid, scores, target_places
from .limits import round_up

LINEAR: Final = 8.0
"""Residuals up to here are drawn to scale; larger ones on a compressed scale."""


@dataclass(frozen=True)
class _Scale:
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


@dataclass(frozen=True)
class _Laid:
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
    note: str = "",
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
    scale = _scale_of(frequencies, values, wanted, laid)
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
        note="; ".join(filter(None, (note, strange, *_outside(frequencies, values)))),
    )


def _scale_of(
    frequencies: Frequencies, values: Sequence[float], wanted: int | None, laid: Sequence[_Laid]
) -> _Scale:
    """The axis that holds the scores of all runs, those of the targets as after all trials."""
    marked = set(target_places(frequencies))
    ahead = math.sqrt(max(1.0, (wanted or frequencies.trials) / max(1, frequencies.trials)))
    scores = [value * (ahead if at in marked else 1.0) for at, value in enumerate(values)]
    scores += [value for run in laid for value in run.scores]
    finite = [value for value in scores if math.isfinite(value)]
    up, down = max(0.0, *finite, 0.0), max(0.0, *(-value for value in finite), 0.0)
    compressed = max(up, down) > LINEAR
    return _Scale(_limit(up, compressed), _limit(down, compressed), compressed)


def _limit(reach: float, compressed: bool) -> float:
    """A round limit; the least one has room for a thousand standard normal numbers."""
    if reach <= 5.0:
        return 5.0
    return round_up(reach * 1.05) if compressed else LINEAR


def _own(
    frequencies: Frequencies, values: Sequence[float], scale: _Scale, bins: int
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


def _other(laid: _Laid, scale: _Scale, bins: int) -> Series:
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
