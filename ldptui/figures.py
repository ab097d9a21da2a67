"""Results and closed forms to charts, and to the table of numbers behind each chart. Pure.

The limits of the axes come from the truth, the closed forms and σ, so that they stand still while
the trials of a run come in; data that leave them widen them by round steps. A shown estimate is the
mean over the trials.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from ldptui import format as fmt
from ldptui.series import Axis, Bar, Bars, Finding, Plot, Series, Tone
from ldptui.snapshot import CellView, Frequencies, Measured, Overlay

if TYPE_CHECKING:
    from ldptui.curves import Curve, Variable

BIT_SUPPORT: Final = "bits, before decoding"
"""What RAPPOR's targets gain where their bits are counted and not decoded."""

NORMAL_95: Final = 1.959963984540054
"""Half-width of the interval that holds 95% of a normal law, in standard deviations."""

LEAST_SPAN: Final = 1.1
"""A y-axis of curves reaches over a tenth of their size to both sides at least."""

# --- Tables ------------------------------------------------------------------------------------

Value: TypeAlias = str | int | float | None


@dataclass(frozen=True)
class Column:
    """A column of a table: its numbers with `places` decimals, or `digits` digits and a power.

    With neither, each as short as it can be.
    """

    name: str
    places: int | None = None
    digits: int | None = None
    sign: bool = False

    def text(self, value: Value) -> str:
        """A value as it is shown."""
        if value is None:
            return fmt.MISSING
        if isinstance(value, str):
            return value
        if isinstance(value, int):
            return str(value)
        if self.digits is not None:
            return _scientific(value, self.digits)
        if self.places is None:
            return fmt.short(value, sign=self.sign)
        return fmt.fixed(value, self.places, sign=self.sign)


def _scientific(value: float, digits: int) -> str:
    mantissa, _, power = f"{value:.{digits - 1}e}".partition("e")
    return f"{mantissa}e{int(power)}" if value else "0"


@dataclass(frozen=True)
class Table:
    """The numbers behind a chart: a value for each column in every row, None where undefined."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]

    def as_text(self) -> str:
        """Tab-separated, with a header; numbers in full precision, undefined ones empty."""
        lines = ["\t".join(column.name for column in self.columns)]
        for row in self.rows:
            lines.append("\t".join("" if value is None else str(value) for value in row))
        return "\n".join(lines) + "\n"


# --- Frequencies -------------------------------------------------------------------------------


def standard_errors(frequencies: Frequencies) -> tuple[float, ...]:
    """Of the estimates shown: the closed-form σ of the mean of the trials.

    Unlike the deviation over the trials it is exact from the first trial on, and does not jump
    while they come in.
    """
    root = math.sqrt(max(1, frequencies.trials))
    return tuple(sigma / root for sigma in frequencies.sigma_attacked)


def scores(frequencies: Frequencies, *, clean: bool = False) -> tuple[float, ...]:
    """(estimate - true) / σ of each item, σ the closed-form deviation of the mean of the trials.

    Standard normal for an unbiased estimate. NaN where σ is 0.
    """
    root = math.sqrt(max(1, frequencies.trials))
    values = frequencies.clean if clean else frequencies.attacked
    sigma = frequencies.sigma_clean if clean else frequencies.sigma_attacked
    return tuple(
        (value - true) / one * root if one > 0 else math.nan
        for value, true, one in zip(values, frequencies.true, sigma, strict=True)
    )


def trials_note(trials: int, *, compact: bool = False) -> str:
    """What an estimate and its error are; `compact` where the title has no room for the marks."""
    error = "std error" if compact else "standard error"
    words = "one trial ± σ" if trials == 1 else f"mean of {fmt.count(trials)} trials ± {error}"
    return f"◆ true; {words}" if compact else words


OVERLAID: Final[tuple[Tone, ...]] = ("series-2", "series-3", "series-4", "series-5")
"""The tones of the runs that are laid over the one shown; more cannot be told apart."""


def _overlaid(
    overlays: Sequence[Overlay], items: Sequence[int]
) -> tuple[list[tuple[str, Tone, Frequencies]], str]:
    """Label, tone and frequencies of the runs over the same items; who else there is, in words."""
    found: list[tuple[str, Tone, Frequencies]] = []
    strange = []
    for overlay, tone in zip(overlays, OVERLAID, strict=False):
        there = overlay.snapshot.frequencies
        if there is not None and there.trials and there.items == tuple(items):
            found.append((overlay.label, tone, there))
        else:
            strange.append(overlay.label)
    which = ", ".join(strange)
    return found, f"{which}: other items" if strange else ""


def _shown(frequencies: Frequencies) -> Sequence[float]:
    """The estimates that matter: after the attack where there is one."""
    return frequencies.attacked if frequencies.targets else frequencies.clean


def _joined(*notes: str) -> str:
    return "; ".join(note for note in notes if note)


def _targets(frequencies: Frequencies) -> list[int]:
    """The positions of the targets among the items shown."""
    place = {item: at for at, item in enumerate(frequencies.items)}
    return [place[item] for item in frequencies.targets if item in place]


def findings(frequencies: Frequencies) -> tuple[Finding, ...]:
    """What the tests made of each item, in half of the trials or more; "" where none is made.

    An item that nobody holds and that is not detected has none either.
    """
    if frequencies.detected is None:
        return tuple("" for _ in frequencies.true)

    def finding(share: float, true: float) -> Finding:
        if share >= 0.5:
            return "detected" if true > 0 else "false"
        return "missed" if true > 0 else ""

    return tuple(map(finding, frequencies.detected, frequencies.true))


def findings_note(frequencies: Frequencies) -> str:
    """How many of the candidates that are held were detected; "" where nothing is tested."""
    if frequencies.detected is None or len(frequencies.true) < frequencies.domain_size:
        return ""
    found = findings(frequencies)
    held = sum(1 for true in frequencies.true if true > 0)
    return f"{found.count('detected')} of {held} detected, {found.count('false')} falsely"


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
    targets = _targets(frequencies)
    attacked = bool(targets)
    deviation = max(frequencies.sigma_attacked, default=0.0) / math.sqrt(max(1, frequencies.trials))
    positive = [value for value in true if value > 0]
    estimates = frequencies.attacked if attacked else frequencies.clean
    lost = sum(1 for value in estimates if value <= 0)
    least = min(positive, default=1.0)
    # Whether the noise reaches zero, and the axis needs a floor.
    floored = lost > 0 or least < 4 * deviation
    if floored:
        least = min(least, deviation / 3) if deviation > 0 else least
        bottom = 10.0 ** math.floor(math.log10(least) + 1e-9)
    else:
        bottom = _down(least - 4 * deviation)
    floor = bottom / 10**0.5 if floored else bottom
    top = _up(max(positive, default=1.0) * 1.05)
    shown = [*frequencies.clean, *(frequencies.attacked if attacked else ())]
    highest = max((value for value in shown if math.isfinite(value)), default=top)
    if highest > top:
        top = _up(highest)

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
            return [Series("estimate", *placed(values, chosen), tone, "points")]
        marked: tuple[tuple[str, Tone, tuple[Finding, ...]], ...] = (
            ("not detected", "muted", ("", "missed")),
            ("detected", "series-0", ("detected",)),
            ("falsely detected", "attacked", ("false",)),
        )
        return [
            Series(label, *placed(values, found), shade, "points", cloud=shade == "muted")
            for label, shade, which in marked
            if (found := [at for at in chosen if verdicts[at] in which])
        ]

    series: list[Series] = []
    ranked = [true[at] if true[at] > 0 else math.nan for at in order]
    series.append(Series("true", [float(k + 1) for k in range(len(true))], ranked, "true"))
    if attacked:
        before, after = placed(frequencies.clean, targets), placed(frequencies.attacked, targets)
        series += [
            *clouds(frequencies.attacked, others),
            Series("targets before", *before, "clean", "points"),
            Series("targets now", *after, "target", "points"),
        ]
    else:
        series += clouds(frequencies.clean, others)
    laid, strange = _overlaid(overlays, frequencies.items)
    for label, tone, other in laid:
        pair = placed(_shown(other), _targets(other) or range(len(true)))
        what = f"targets, {label}" if other.targets else label
        series.append(Series(what, *pair, tone, "points"))
    if not note:
        at_floor = f"{lost} of {len(true)} estimates ≤ 0" if lost else ""
        note = _joined(findings_note(frequencies), at_floor)
    note = _joined(note, strange)
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
    marked = set(_targets(frequencies))
    aimed = [at for at in by_true if at in marked]
    verdicts = findings(frequencies)
    rows = max(1, rows)
    false = [at for at in by_true if verdicts[at] == "false" and at not in marked][: rows // 4]
    others = [*false, *(at for at in by_true if at not in marked and at not in set(false))]
    if len(aimed) + len(others) > rows:
        aimed = aimed[: max(rows // 2, rows - len(others))]
    shown = [*aimed, *others[: rows - len(aimed)]]
    errors = standard_errors(frequencies)
    estimates = frequencies.attacked if attacked else frequencies.clean
    laid, strange = _overlaid(overlays, frequencies.items)
    bars = tuple(
        Bar(
            frequencies.labels[at],
            estimates[at],
            errors[at],
            true[at],
            frequencies.clean[at] if attacked else None,
            at in marked,
            verdicts[at],
            tuple(_shown(other)[at] for _, _, other in laid),
        )
        for at in shown
    )
    rest = ""
    left = frequencies.domain_size - len(shown)
    if left:
        hidden = len(frequencies.targets) - len(aimed)
        rest = f"{fmt.count(left)} more" + (f", {hidden} targets" if hidden else "")
        held = fmt.fixed(1 - math.fsum(true[at] for at in shown), 3)
        rest += f": {held}" if compact else f": true {held}"
        if len(true) == frequencies.domain_size:
            now = math.fsum(estimates) - math.fsum(estimates[at] for at in shown)
            rest += f"{' → ' if compact else ', estimate '}{fmt.fixed(now, 3)}"
    title = "Targets and most frequent items" if attacked else "Most frequent items"
    if compact:
        title = "Targets, top items" if attacked else "Top items"
    return Bars(
        title,
        bars,
        rest=rest,
        note=_joined(note or trials_note(frequencies.trials, compact=compact), strange),
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
    targets = _targets(frequencies)
    attacked = bool(targets)
    values = scores(frequencies, clean=not attacked)
    marked = set(targets)
    others = [at for at in range(len(values)) if at not in marked]
    ahead = math.sqrt(max(1.0, (wanted or frequencies.trials) / max(1, frequencies.trials)))

    def reach(sign: int) -> float:
        """How far the values go up (1) or down (-1), those of the targets after all trials."""
        far = [sign * values[at] * (ahead if at in marked else 1.0) for at in range(len(values))]
        return max((value for value in far if math.isfinite(value)), default=0.0)

    there, strange = _overlaid(overlays, frequencies.items)
    laid = [(name, tone, one, scores(one, clean=not one.targets)) for name, tone, one in there]
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
    for name, tone, one, far in laid:
        # Of a run under attack the targets, of another one all items.
        chosen = _targets(one) or range(len(far))
        across, up = _binned(one.items, far, chosen, max(8, 2 * columns))
        label = f"targets, {name}" if one.targets else name
        series.append(Series(label, across, [scaled(y) for y in up], tone, "points"))
    marks = [0.0, 2.0, 4.0, 6.0, 8.0] if not compressed else [0.0, *_decades(10, max(top, bottom))]
    signed = sorted({sign * mark for mark in marks for sign in (1, -1) if mark})
    ticks = [(scaled(m), _plain(m)) for m in [0.0, *signed] if -bottom <= m <= top]
    inside = [v for v in values if math.isfinite(v)]
    outside = sum(1 for v in inside if abs(v) > NORMAL_95)
    parts = [part for part in (note, strange) if part]
    if inside:
        share = fmt.percent(outside / len(inside), 2)
        parts.append(f"{share} outside of ±1.96 (5% if unbiased)")
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
    return _up(reach * 1.05) if compressed else _LINEAR_SCORES


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


# --- Curves ------------------------------------------------------------------------------------

Quantity = Literal["mse", "std"]

_TONES: Final[tuple[Tone, ...]] = (
    "series-0",
    "series-1",
    "series-2",
    "series-3",
    "series-4",
    "series-5",
)

IGNORED: Final = ("trials", "simulate.path", "simulate.top_k")
"""Parameters that do not change what a cell is expected to measure."""


def same_settings(
    measured: Mapping[str, Any], wanted: Mapping[str, Any], besides: str = ""
) -> bool:
    """Whether two cells of these parameters measure the same, whatever the key `besides`.

    Of a long list, a measured cell may give the length alone, in words.
    """
    left = {*IGNORED, besides}
    if "goal.metric" in wanted:
        left.add("attack.share")  # what it takes, found when it is simulated
    if measured.keys() - left != wanted.keys() - left:
        return False
    for key, value in wanted.items():
        there = measured[key] if key not in left else value
        if there != value and not (isinstance(value, list) and there == f"{len(value):,} values"):
            return False
    return True


def belongs(parameters: Mapping[str, Any], curve: Curve) -> bool:
    """Whether a cell of these parameters is a point of the curve, whatever its x."""
    return same_settings(parameters, curve.parameters, curve.key)


@dataclass(frozen=True)
class Measurement:
    """A simulated point of a curve: mean ± standard error, and the closed form of its cell.

    support : the closed form of RAPPOR's bits, before decoding.
    """

    x: float
    y: float
    error: float | None
    theory: float | None
    trials: int
    support: float | None = None


def gain_of(cell: CellView, key: str) -> Measurement | None:
    """The gain that a cell measured; None before its first trial."""
    found = _measurement(cell, key, cell.metrics.get("gain"), lambda y: (y, 1.0))
    if found is None or cell.rappor is None:
        return found
    return replace(found, support=cell.rappor.get("bit_support_gain"))


def error_of(cell: CellView, key: str, quantity: Quantity) -> Measurement | None:
    """The error without attack that a cell measured."""
    if quantity == "mse":
        return _measurement(cell, key, cell.metrics.get("mse_clean"), lambda y: (y, 1.0))
    # √y, whose error to first order is that of y over 2√y.
    return _measurement(
        cell,
        key,
        cell.metrics.get("mse_clean"),
        lambda y: (math.sqrt(y), 0.5 / math.sqrt(y)) if y > 0 else (0.0, 0.0),
    )


def _measurement(
    cell: CellView, key: str, measured: Measured | None, shape: Any
) -> Measurement | None:
    x = cell.parameters.get(key)
    if measured is None or measured.mean is None or not isinstance(x, int | float):
        return None
    y, slope = shape(measured.mean)
    error = None if measured.standard_error is None else measured.standard_error * slope
    theory = None if measured.theory is None else shape(measured.theory)[0]
    return Measurement(float(x), y, error, theory, cell.trials)


def gain_plot(
    curves: Sequence[Curve],
    cells: Sequence[CellView],
    axis: Variable,
    *,
    overlays: Sequence[tuple[str, Sequence[CellView]]] = (),
    log_x: bool | None = None,
    log_y: bool = False,
) -> Plot:
    """The gain along the axis: closed forms as lines, simulated means with 95% intervals.

    A curve that has no values has those of its cells, as RAPPOR has: its closed form is not cheap.
    """
    measured = [gain_of(cell, axis.key) for cell in cells]
    groups = _grouped(curves, cells, measured)
    lines = [
        _line(curve.label, curve.x, curve.y, found)
        for curve, found in zip(curves, groups[0], strict=True)
    ]
    others = [(name, [gain_of(cell, axis.key) for cell in there]) for name, there in overlays]
    # Room for the noise of some twenty trials, which matters where the gain is next to nothing.
    room = [
        y + sign * std / 2
        for curve in curves
        for y, std in zip(curve.y, curve.std, strict=True)
        for sign in (1, -1)
    ]
    return _curve_plot(
        f"Gain of the attack over the {axis.label}",
        Axis("gain, total over the targets (after - before)", log=log_y),
        lines,
        groups,
        [(name, _along(found)) for name, found in others],
        axis,
        log_x,
        room,
        [(curve.x, curve.support) for curve in curves],
    )


def _line(
    label: str, x: Sequence[float], y: Sequence[float], found: Sequence[Measurement]
) -> tuple[str, Sequence[float], Sequence[float]]:
    """Label, x and y of a closed form: that of the cells where the curve has no values."""
    return (label, x, y) if any(map(math.isfinite, y)) else (label, *_closed_forms(found))


def _along(found: Sequence[Measurement | None]) -> list[Measurement]:
    """Measurements along the axis; those of another axis all have one x: they are no curve."""
    points = [one for one in found if one is not None]
    return points if len({one.x for one in points}) > 1 else []


def _closed_forms(found: Sequence[Measurement]) -> tuple[list[float], list[float]]:
    """x and the closed form of the cells that have one, by x."""
    points = sorted((one.x, one.theory) for one in found if one.theory is not None)
    return [x for x, _ in points], [y for _, y in points]


def error_plot(
    curves: Sequence[Curve],
    cells: Sequence[CellView],
    axis: Variable,
    quantity: Quantity = "mse",
    *,
    overlays: Sequence[tuple[str, Sequence[CellView]]] = (),
    log_x: bool | None = None,
    log_y: bool = True,
) -> Plot:
    """The error without attack along the axis, a line and its simulated points a protocol."""
    measured = [error_of(cell, axis.key, quantity) for cell in cells]
    groups = _grouped(curves, cells, measured)
    lines = [
        _line(curve.label, curve.x, curve.y if quantity == "mse" else curve.std, found)
        for curve, found in zip(curves, groups[0], strict=True)
    ]
    others = [
        (name, [error_of(cell, axis.key, quantity) for cell in there]) for name, there in overlays
    ]
    words = "mean squared error" if quantity == "mse" else "standard deviation"
    return _curve_plot(
        f"Error without attack over the {axis.label}",
        Axis(f"{words} of a frequency", log=log_y),
        lines,
        groups,
        [(name, _along(found)) for name, found in others],
        axis,
        log_x,
    )


def _grouped(
    curves: Sequence[Curve], cells: Sequence[CellView], measured: Sequence[Measurement | None]
) -> tuple[list[list[Measurement]], list[Measurement]]:
    """The measurements of each curve, and those that belong to none."""
    groups: list[list[Measurement]] = [[] for _ in curves]
    stale: list[Measurement] = []
    for cell, one in zip(cells, measured, strict=True):
        if one is None:
            continue
        at = next((i for i, curve in enumerate(curves) if belongs(cell.parameters, curve)), None)
        (stale if at is None else groups[at]).append(one)
    return groups, _along(stale)


def _curve_plot(
    title: str,
    y: Axis,
    lines: Sequence[tuple[str, Sequence[float], Sequence[float]]],
    groups: tuple[list[list[Measurement]], list[Measurement]],
    overlays: Sequence[tuple[str, Sequence[Measurement]]],
    axis: Variable,
    log_x: bool | None,
    room: Sequence[float] = (),
    support: Sequence[tuple[Sequence[float], Sequence[float]]] = (),
) -> Plot:
    """`lines` are label, x and y of the closed forms; `room` is what the y-axis has to hold too.

    `support` : x and y of each line before RAPPOR's decoding, empty for other protocols.
    """
    log_x = axis.log if log_x is None else log_x
    points, stale = groups
    single = len(lines) == 1
    series: list[Series] = []
    for number, (label, xs, ys) in enumerate(lines):
        tone: Tone = "theory" if single else _TONES[number % len(_TONES)]
        name = f"{label}, closed form" if single else label
        # Where there are points, their markers name the series; the line runs through them.
        has_points = bool(points[number]) and not single
        series.append(Series(name, xs, ys, tone, legend=not has_points))
    named = False
    for number, (xs, ys) in enumerate(support):
        if ys:
            tone = "muted" if single else _TONES[number % len(_TONES)]
            series.append(Series(BIT_SUPPORT, xs, ys, tone, "dotted", legend=not named))
            named = True
    for number, found in enumerate(points):
        if found:
            tone = "attacked" if single else _TONES[number % len(_TONES)]
            name = "simulated" if single else lines[number][0]
            series.append(_points(name, found, tone))
    if stale:
        series.append(_points("other settings", stale, "muted", bars=False))
    for (name, there), tone in zip(overlays, OVERLAID, strict=False):
        if there:
            series.append(_points(name, there, tone))
    known = [v for _, _, ys in lines for v in ys] + [v for _, ys in support for v in ys]
    arrived = [y for found in points for one in found for y in _interval(one)]
    arrived += [one.y for _, there in overlays for one in there]
    arrived += [one.y for one in stale] if not known else []
    low, high = steady_limits([*known, *room, *_around(known, log=y.log)], arrived, log=y.log)
    levels = ((0.0, ""),) if not y.log and low is not None and low < 0 < (high or 0) else ()
    trials = sorted({one.trials for found in points for one in found})
    notes: list[str] = []
    if trials:
        many = (
            fmt.count(trials[0])
            if len(trials) == 1
            else f"{fmt.count(trials[0])} … {fmt.count(trials[-1])}"
        )
        if trials[-1] == 1:
            notes.append("points: one trial")
        else:
            notes.append(f"points: mean of {many} trials ± 1.96 standard errors")
    equal = "" if single else _coinciding(lines)
    if equal:
        notes.insert(0, equal)  # where there is little room, the rest gives way
    empty = ", ".join(name for name, there in overlays if not there)
    if empty:
        notes.append(f"{empty}: no points over this axis")
    dropped = sum(1 for v in [*known, *arrived] if v <= 0) if y.log else 0
    if dropped:
        notes.append("values ≤ 0 have no place on a log axis")
    return Plot(
        title,
        Axis(axis.label, log=log_x, low=axis.start(log_x), high=axis.high),
        Axis(y.label, log=y.log, low=low, high=high),
        tuple(series),
        levels=levels,
        note="; ".join(notes),
    )


def _interval(one: Measurement) -> tuple[float, ...]:
    """The ends of what is drawn for a point."""
    half = NORMAL_95 * one.error if one.error is not None else 0.0
    return one.y - half, one.y + half


def _around(values: Sequence[float], *, log: bool) -> tuple[float, ...]:
    """Values that keep an axis from being all noise, where those of a curve hardly differ."""
    usable = [v for v in values if math.isfinite(v) and (v > 0 or not log)]
    if not usable:
        return ()
    low, high = min(usable), max(usable)
    if log:
        middle = math.sqrt(low * high)
        return middle / LEAST_SPAN, middle * LEAST_SPAN
    middle, half = (low + high) / 2, max(abs(low), abs(high)) * (LEAST_SPAN - 1)
    return middle - half, middle + half


def _coinciding(lines: Sequence[tuple[str, Sequence[float], Sequence[float]]]) -> str:
    """Which curves cannot be told apart by eye: `OUE = OLH within 1%`; "" for none."""
    groups: list[list[int]] = []
    for number, (_, _, ys) in enumerate(lines):
        for group in groups:
            pairs = list(zip(ys, lines[group[0]][2], strict=False))
            both = [(a, b) for a, b in pairs if math.isfinite(a) and math.isfinite(b)]
            if both and all(abs(a - b) <= 0.01 * max(abs(a), abs(b)) for a, b in both):
                group.append(number)
                break
        else:
            groups.append([number])
    same = [" = ".join(lines[one][0] for one in group) for group in groups if len(group) > 1]
    return f"{', '.join(same)} within 1%" if same else ""


def _points(label: str, found: Sequence[Measurement], tone: Tone, *, bars: bool = True) -> Series:
    errors = [NORMAL_95 * one.error if one.error is not None else math.nan for one in found]
    usable = bars and any(math.isfinite(error) and error > 0 for error in errors)
    return Series(
        label,
        [one.x for one in found],
        [one.y for one in found],
        tone,
        "points",
        errors if usable else None,
    )


# --- Tables of the charts ----------------------------------------------------------------------


def frequency_table(frequencies: Frequencies, overlays: Sequence[Overlay] = ()) -> Table:
    """Every item: truth, estimates before and after with their standard errors, the change.

    What the overlays estimate of the same items has a column each.

    z is the residual, (estimate - true) / σ of the mean of the trials.
    """
    attacked = bool(frequencies.targets)
    true = frequencies.true
    order = sorted(range(len(true)), key=lambda at: (-true[at], at))
    marked = set(_targets(frequencies))
    root = math.sqrt(max(1, frequencies.trials))
    before_std = frequencies.clean_std or frequencies.sigma_clean
    after_std = frequencies.attacked_std or frequencies.sigma_attacked
    before_z = scores(frequencies, clean=True)
    smallest = min((std for std in before_std if std > 0), default=0.0)
    places = min(9, fmt.decimals([smallest / root]))
    number, score = Column("", places), Column("", 2, sign=True)
    after_z = scores(frequencies)
    names = ["item", "true", "estimate", "±", "z", "rank"]
    if attacked:
        names = ["item", "", "true", "before", "after", "±", "change", "z", "± before", "z before"]
        names += ["rank"]
    others, _ = _overlaid(overlays, frequencies.items)
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
        before, after = frequencies.clean[at], frequencies.attacked[at]
        values: dict[str, Value] = {
            "item": frequencies.labels[at],
            "": "target" if at in marked else "",
            "true": true[at],
            "estimate": before,
            "before": before,
            "after": after,
            "±": error((after_std if attacked else before_std)[at]),
            "change": after - before,
            "z": _number((after_z if attacked else before_z)[at]),
            "± before": error(before_std[at]),
            "z before": _number(before_z[at]),
            "rank": rank,
            "test": verdicts[at],
            "share detected": shares[at] if shares is not None else None,
            **{label: _shown(other)[at] for label, _, other in others},
        }
        rows.append(tuple(values[name] for name in names))
    title = trials_note(frequencies.trials)
    shown = tuple(columns.get(name) or replace(number, name=name) for name in names)
    return Table(title[:1].upper() + title[1:], shown, tuple(rows))


def gain_table(
    curves: Sequence[Curve],
    cells: Sequence[CellView],
    axis: Variable,
    overlays: Sequence[tuple[str, Sequence[CellView]]] = (),
) -> Table:
    """The measured gain of each cell beside its closed form; closed forms alone without cells."""
    measured = [gain_of(cell, axis.key) for cell in cells]
    others = [(name, [gain_of(cell, axis.key) for cell in there]) for name, there in overlays]
    groups, _ = _grouped(curves, cells, measured)
    lines = [(curve.label, curve.x, curve.y, curve.std) for curve in curves]
    support = any(curve.support for curve in curves)
    return _curve_table(
        "Gain", "closed form", axis, lines, groups, others, std="± one run", support=support
    )


def error_table(
    curves: Sequence[Curve],
    cells: Sequence[CellView],
    axis: Variable,
    quantity: Quantity = "mse",
    overlays: Sequence[tuple[str, Sequence[CellView]]] = (),
) -> Table:
    """The measured error of each cell beside its closed form."""
    measured = [error_of(cell, axis.key, quantity) for cell in cells]
    others = [
        (name, [error_of(cell, axis.key, quantity) for cell in there]) for name, there in overlays
    ]
    groups, _ = _grouped(curves, cells, measured)
    lines = [(c.label, c.x, c.y if quantity == "mse" else c.std, c.std) for c in curves]
    words = "Mean squared error" if quantity == "mse" else "Standard deviation"
    return _curve_table(words, "closed form", axis, lines, groups, others)


def _curve_table(
    title: str,
    quantity: str,
    axis: Variable,
    lines: Sequence[tuple[str, Sequence[float], Sequence[float], Sequence[float]]],
    groups: Sequence[Sequence[Measurement]],
    overlays: Sequence[tuple[str, Sequence[Measurement | None]]],
    std: str = "",
    support: bool = False,
) -> Table:
    """`std`: the name of the column of the deviation of one run; `support`: RAPPOR's bits too."""
    if std:  # gains: of the order of one, with the decimals that their errors have
        errors = [one.error for found in groups for one in found if one.error]
        places = min(6, fmt.decimals(errors or [v for _, _, _, stds in lines for v in stds]))
        number, error = Column("", places), Column("", places)
    else:
        number, error = Column("", digits=4), Column("", digits=2)
    columns = [Column("series"), Column(axis.symbol)]
    columns += [replace(number, name=quantity), replace(error, name=std)][: 2 if std else 1]
    columns += [replace(number, name="measured"), replace(error, name="± error")]
    columns += [Column("z", 2, sign=True), Column("trials")]
    columns += [replace(number, name=BIT_SUPPORT)] if support else []
    rows: list[tuple[Value, ...]] = []
    for (label, xs, ys, stds), found in zip(lines, groups, strict=True):
        curve = {x: (y, s) for x, y, s in zip(xs, ys, stds, strict=True)}
        for one in found:
            at = (_whole(one.x, axis), curve.get(one.x, (None, None))[1])
            rows.append(_measured_row(label, *at, one, bool(std), support))
        if not found and any(map(math.isfinite, ys)):
            for x, y, s in zip(xs, ys, stds, strict=True):
                row = [label, _whole(x, axis), _number(y)]
                row += [_number(s)] if std else []
                rows.append((*row, *[None] * (4 + support)))
    for label, there in overlays:
        for one in _along(there):
            at = (_whole(one.x, axis), None)
            rows.append(_measured_row(label, *at, one, bool(std), support))
    return Table(f"{title} over {axis.symbol}", tuple(columns), tuple(rows))


def _measured_row(
    label: str, x: float | int, std: float | None, one: Measurement, with_std: bool, support: bool
) -> tuple[Value, ...]:
    """Series, x, closed form, its deviation if there is a column for it, then what was measured."""
    z = (one.y - one.theory) / one.error if one.theory is not None and one.error else None
    expected = (one.theory, std) if with_std else (one.theory,)
    row = (label, x, *expected, one.y, one.error, z, one.trials)
    return (*row, one.support) if support else row


def _whole(x: float, axis: Variable) -> float | int:
    return int(x) if axis.integer else x


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


# --- Limits ------------------------------------------------------------------------------------


def steady_limits(
    known: Iterable[float], arrived: Iterable[float], *, log: bool = False
) -> tuple[float | None, float | None]:
    """Round limits around what is known before a run, widened only for data that leave them."""
    usable = [v for v in known if math.isfinite(v) and (v > 0 or not log)]
    data = [v for v in arrived if math.isfinite(v) and (v > 0 or not log)]
    if not usable:
        usable = data
    if not usable:
        return None, None
    around = _round_log if log else _round_linear
    low, high = around(min(usable), max(usable))
    outside = [v for v in data if not low <= v <= high]
    if outside:
        low, high = around(min(low, *outside), max(high, *outside))
    return low, high


def _round_linear(low: float, high: float) -> tuple[float, float]:
    size = high - low or abs(high) or 1.0
    step = _up(size / 10)
    start, stop = math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step
    return (start, stop) if start < stop else (start - step, stop + step)


def _round_log(low: float, high: float) -> tuple[float, float]:
    start, stop = _down(low), _up(high)
    return (start, stop) if start < stop else (start / 2, stop * 2)


def _up(value: float) -> float:
    """The least of 1, 2, 5 times a power of ten that is not below the value."""
    power = 10.0 ** math.floor(math.log10(value))
    return next((m * power for m in (1, 2, 5) if m * power >= value * (1 - 1e-9)), 10 * power)


def _down(value: float) -> float:
    power = 10.0 ** math.floor(math.log10(value) + 1e-9)
    return next((m * power for m in (5, 2) if m * power <= value * (1 + 1e-9)), power)
