"""A metric over an axis: closed forms as lines, what was measured as points; and their table."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from ldptui.core.base.summary import Estimate
from ldptui.core.view import CellView

from ...catalogue import key_words
from ...session.cell_table import IGNORED, Cells
from ...text import format as fmt
from ...text.interval import reach_95
from ...text.swept import setting_words
from ..chart_data import ChartData
from ..curves import Curve, Variable
from ..series import TONES, Axis, Plot, Series, Tone
from .frame import ChartOption, Frame, FrameView, chosen_option
from .limits import anchor_values, axis_over, steady_limits, symlog_limits
from .setting_words import curve_words
from .table import ChartTable, rows_at

MOST_GROUPS: Final = 12
"""Groups that can be told apart."""
MANY: Final = 30
"""Measurements from which a curve of them is a line within a band: points would hide it."""
BIT_SUPPORT: Final = "bits, before decoding"
"""The name of the gain of targets where their bits are counted and not decoded."""
CLOSED: Final = "closed form"
DEFENDED: Final = "defended"
NO_BARS: Final = "no bars where most intervals hold 0"
SCALES: Final[Mapping[str, str]] = {"linear": "y linear", "log": "y log", "symlog": "y symlog"}


class Sample(Struct, frozen=True):
    """The measured values of a cell at a position of the axis.

    support : the closed-form gain of Bloom filter bits before decoding.
    bare : True if it is drawn without its interval.
    """

    x: float
    estimate: Estimate
    trials: int
    support: float | None
    bare: bool = False

    @property
    def y(self) -> float:
        """The mean over the trials."""
        return self.estimate.mean if self.estimate.mean is not None else math.nan

    @property
    def half(self) -> float:
        """Half of the 95 % interval of the mean; NaN without an interval, as of one trial."""
        error = self.estimate.standard_error
        return math.nan if error is None or self.bare else reach_95(self.trials) * error

    @property
    def ends(self) -> tuple[float, float]:
        """The ends of the error bar."""
        half = 0.0 if math.isnan(self.half) else self.half
        return self.y - half, self.y + half


class Course(Struct, frozen=True, eq=False):
    """A metric along a variable: cells of a run and of overlaid runs, with closed forms.

    root : the square root of the metric is drawn. has_others : draw cells of other settings if no
    cell fits a curve. y : the y-axis, before its limits are set. overlays : the label and the cells
    of each overlaid run. group : the key by whose values the cells of all runs are put together; ""
    for a series for each run. under : the label of the run itself.
    """

    metric: str
    axis: Variable
    log_x: bool
    y: Axis
    curves: Sequence[Curve]
    table: Cells
    overlays: Sequence[tuple[str, Cells]] = ()
    root: bool = False
    has_others: bool = True
    group: str = ""
    under: str = ""

    def samples(self, cells: Iterable[CellView]) -> list[Sample]:
        """The samples of the cells that have values, sorted by their position on the axis."""
        found = []
        for cell in cells:
            x, measured = cell.parameters.get(self.axis.key), cell.metrics.get(self.metric)
            x = self.axis.place_of(x) if self.axis.lists else x
            if isinstance(x, int | float) and measured is not None and measured.mean is not None:
                support = (cell.bits or {}).get("bit_support_gain")
                shown = _root(measured) if self.root else measured
                found.append(Sample(float(x), shown, cell.trials, support))
        return sorted(found, key=lambda sample: sample.x)

    def groups(self) -> list[list[Sample]]:
        """The samples that belong to each curve."""
        key = self.axis.key
        return [self.samples(self.table.group(each.parameters, key)) for each in self.curves]

    def along(self, table: Cells) -> list[Sample]:
        """The samples of a table along the axis; [] if all have one x, since they form no curve."""
        found = self.samples(table.along(self.axis.key))
        return found if len({sample.x for sample in found}) > 1 else []

    def others(self) -> list[tuple[str, list[Sample]]]:
        """The label and the samples of each series of overlaid runs."""
        found: dict[str, list[CellView]] = {}
        for name, table in [("", self.table)] * bool(self.group) + [*self.overlays]:
            cells = table.along(self.axis.key)
            keys = [self.group] if self.group else _differing_words(cells)
            for cell in cells:
                words = setting_words(cell.parameters, keys)
                label = " ".join(filter(None, ("" if self.group else name, *words)))
                found.setdefault(label or "simulated", []).append(cell)
        series = {label: self.samples(cells) for label, cells in found.items()}
        return [(label, each if len({sample.x for sample in each}) > 1 else [])
                for label, each in series.items()]  # fmt: skip

    def line(self, curve: Curve, samples: Sequence[Sample]) -> tuple[list[float], list[float]]:
        """x and y of a closed-form curve; those of the samples if the curve has no values."""
        if any(map(math.isfinite, curve.y)):
            ys = [math.sqrt(max(0.0, y)) if self.root else y for y in curve.y]
            return [*curve.x], ys
        return theory_of(samples)


def _differing_words(cells: Sequence[CellView]) -> list[str]:
    """The keys of words in which cells differ."""
    words: dict[str, set[str]] = {}
    for cell in cells:
        for key, value in cell.parameters.items():
            if isinstance(value, str):
                words.setdefault(key, set()).add(value)
    return [key for key, values in words.items() if len(values) > 1]


def theory_of(samples: Sequence[Sample]) -> tuple[list[float], list[float]]:
    """x and the closed form of the samples that have one."""
    known = [(each.x, each.estimate.theory) for each in samples]
    pairs = [(x, theory) for x, theory in known if theory is not None]
    return [x for x, _ in pairs], [y for _, y in pairs]


def _root(measured: Estimate) -> Estimate:
    """The estimate of the square root; its error to first order is that of y over 2√y."""
    root = math.sqrt(max(0.0, measured.mean or 0.0))
    error, theory = measured.standard_error, measured.theory
    error = None if error is None else error * (0.5 / root if root else 0.0)
    theory = None if theory is None else math.sqrt(max(0.0, theory))
    return Estimate(root, error, theory, measured.doubt)


# --- What the keys change ------------------------------------------------------------------------


class Axes(Struct, frozen=True):
    """The chosen x-axis of a chart, its spacing, and the closed forms along it."""

    axis: Variable
    log: bool
    curves: tuple[Curve, ...]
    options: dict[str, ChartOption]

    def with_scale(
        self, chosen: Mapping[str, str], usual: str, scales: int
    ) -> tuple[str, dict[str, ChartOption]]:
        """The chosen scale of the y-axis, and all options of the chart; scales : the number of
        `SCALES` offered.
        """
        values = dict([*SCALES.items()][:scales])
        y = chosen_option(values, chosen.get("y"), usual)
        return y.chosen, {**self.options, "y": y}


def axes_of(data: ChartData, chart: str, chosen: Mapping[str, str]) -> Axes | None:
    """The axes of a chart; None if it has no x-axis. Raises LateError."""
    forms = data.forms
    axis = forms.axis(chart, chosen.get("axis", "")) if forms is not None else None
    if forms is None or axis is None:
        return None
    x = chosen_option(
        {"linear": "x linear", "log": "x log"}, chosen.get("x"), "log" if axis.log else "linear"
    )
    names = {each.key: f"over {each.symbol}" for each in forms.axes(chart)}
    options = {"axis": ChartOption(names, axis.key), "x": x}
    log = x.chosen == "log"
    if data.has_curves:
        curves = forms.curves(chart, axis, log=log, patient=False)
    else:
        curves = forms.bare_curves(chart, axis)
    if groups := groups_of(data, axis.key):
        options["group"] = chosen_option(groups, chosen.get("group"))
        if options["group"].chosen:
            curves = tuple(curve for curve in curves if curve.line)
    return Axes(axis, log, curves, options)


def groups_of(data: ChartData, axis: str) -> dict[str, str]:
    """How to group the cells of runs, in words: by run, or by a key of 2 to 12 values."""
    if not data.overlays:
        return {}
    values: dict[str, set[str]] = {}
    for table in (data.table, *(table for _, table in data.tables_over)):
        for cell in table.along(axis):
            for key, value in cell.parameters.items():
                values.setdefault(key, set()).add(repr(value))
    keys = [key for key, known in values.items() if 1 < len(known) <= MOST_GROUPS
            and key not in (axis, "seed", *IGNORED)]  # fmt: skip
    return {"": "each run", **{key: f"by {key_words(key).short}" for key in keys}}


def course_of(data: ChartData, axes: Axes, metric: str, y: Axis) -> Course:
    """The course of a metric over the axis in the cells of the data."""
    curves = [curve for curve in axes.curves if not curve.line]
    group = axes.options["group"].chosen if "group" in axes.options else ""
    return Course(
        metric, axes.axis, axes.log, y, curves, data.table, data.tables_over,
        has_others=not group, group=group, under=data.overlays[0].under if data.overlays else "",
    )  # fmt: skip


def course_frame(
    data: ChartData, course: Course, table: ChartTable, views: Mapping[str, FrameView],
    options: Mapping[str, ChartOption],
) -> Frame:  # fmt: skip
    """The frame of a chart over an axis: the cursor's cell is the one of the picked curve."""

    def settings(at: Any, picked: int) -> list[tuple[str, Any]]:
        rows = rows_at(table, (1, at))
        name = str(rows[picked][0]).removesuffix(f", {DEFENDED}") if picked < len(rows) else None
        known = {each.label: each for each in course.curves}
        curve = course.curves[0] if name == DEFENDED else known.get(name or "")
        if curve is None or data.scenario is None:
            return []
        edits = {key: curve.parameters[key] for key in data.scenario.sweep
                 if key in curve.parameters}  # fmt: skip
        return [*{**edits, course.axis.key: course.axis.value_at(at)}.items()]

    drawn = [curve.parameters for curve in course.curves]
    aside = curve_words(data.scenario, drawn, course.axis.key)
    return Frame(table, views, options, settings, picks=True, aside=aside)


# --- The plot ------------------------------------------------------------------------------------


def course_plot(
    course: Course, title: str, groups: Sequence[Sequence[Sample]], room: Sequence[float] = ()
) -> Plot:
    """The plot of a course: closed-form curves and measured points. room : values that the y-axis
    must include.
    """
    axis, y = course.axis, course.y
    groups = [shown_samples(group, y) for group in groups]
    lines = [course.line(*pair) for pair in zip(course.curves, groups, strict=True)]
    overlays = course.others()
    has_own = any(groups) or not course.has_others
    stale = [] if has_own else course.along(course.table)
    known = [v for _, ys in lines for v in ys]
    known += [v for curve in course.curves for v in curve.support]
    arrived = [end for group in groups for sample in group for end in sample.ends]
    arrived += [sample.y for _, group in overlays for sample in group]
    arrived += [sample.y for sample in stale]
    low, high = steady_limits([*known, *room, *anchor_values(known, log=y.log)], arrived, log=y.log)
    if y.linear:
        low, high = symlog_limits([*known, *room, *arrived], y.linear)
    notes = _notes(groups, overlays)
    if any(len(group) > 1 and not ys for group, (_, ys) in zip(groups, lines, strict=True)):
        notes.append("lines join the means")
    if any(sample.bare for group in groups for sample in group):
        notes.append(NO_BARS)
    if y.log and any(value <= 0 for value in (*known, *arrived)):
        notes.append("values ≤ 0 have no place on a log axis")
    crosses = not y.log and low is not None and low < 0 < (high or 0)
    return Plot(
        f"{title} over the {axis.label}",
        axis_over(axis, [sample.x for sample in stale], log=course.log_x),
        replace(y, low=low, high=high),
        (
            *_curve_series(course, lines, groups),
            *_other_series(course, stale, overlays),
        ),
        levels=((0.0, ""),) if crosses else (),
        note="; ".join(notes),
    )


def _curve_series(
    course: Course,
    lines: Sequence[tuple[list[float], list[float]]],
    groups: Sequence[Sequence[Sample]],
) -> Iterator[Series]:
    """Yields the closed forms, those before decoding, and the simulated points of each."""
    curves, single = course.curves, len(lines) == 1 and not course.overlays
    if len(curves) == 1 and course.under:
        curves = [replace(curves[0], label=course.under)]

    def tone(number: int, alone: Tone) -> Tone:
        return alone if single else TONES[number % len(TONES)]

    for number, (curve, (xs, ys), points) in enumerate(zip(curves, lines, groups, strict=True)):
        # On a symlog axis a straight stroke from 0 to the next point would be false.
        if course.y.linear and ys and ys[0] == 0:
            xs, ys = xs[1:], ys[1:]
        name = f"{curve.label}, {CLOSED}" if single else curve.label
        # Where there are points, their markers name the series; the line runs through them.
        has_points = 0 < len(points) < MANY and not single
        legend = not has_points and (not points or bool(ys) if single else bool(ys or points))
        yield Series(name, xs, ys, tone(number, "theory"), legend=legend, end=curve.label)
        if not ys and 1 < len(points) < MANY:
            drawn = points_series("", points, tone(number, "measured"))
            yield replace(drawn, style="line", error=None, legend=False, end=curve.label)
    named = False
    for number, curve in enumerate(curves):
        if curve.support:
            shade = tone(number, "muted")
            yield Series(BIT_SUPPORT, curve.x, curve.support, shade, "dotted", legend=not named)
            named = True
    for number, (curve, points) in enumerate(zip(curves, groups, strict=True)):
        if points:
            name = "simulated" if single else curve.label
            drawn = points_series(name, points, tone(number, "measured"))
            by_line = drawn.style == "band" and not single and bool(lines[number][0])
            yield replace(drawn, legend=not by_line)
    if not single and any(groups) and any(ys for _, ys in lines):
        yield Series(f"line = {CLOSED}", (), (), "muted")


def _other_series(
    course: Course, stale: Sequence[Sample], overlays: Sequence[tuple[str, Sequence[Sample]]]
) -> Iterator[Series]:
    """Yields the points of other settings, and of each overlaid run on a line, dotted after six.

    The line is the closed form, or joins the means; cells of several settings have none.
    """
    if stale:
        yield replace(points_series("other settings", stale, "muted"), error=None, style="points")
    for number, (name, laid) in enumerate(overlays, start=len(course.curves)):
        if laid:
            points = points_series(name, laid, TONES[number % len(TONES)])
            is_curve = len({sample.x for sample in laid}) == len(laid)
            if is_curve and points.style == "points":
                style: Literal["line", "dotted"] = "line" if number < len(TONES) else "dotted"
                xs, ys = theory_of(laid)
                xs, ys = (xs, ys) if len(xs) > 1 else ([*points.x], [*points.y])
                yield Series(name, xs, ys, points.tone, style, legend=False, end=name)
            yield points if is_curve else replace(points, style="points")


def shown_samples(samples: Sequence[Sample], y: Axis) -> list[Sample]:
    """The samples as the y-axis shows them; on a symlog axis without their intervals if most
    contain zero.
    """
    near = sum(low <= 0 <= high for low, high in (sample.ends for sample in samples))
    is_bare = y.linear > 0 and 2 * near > len(samples)
    return [replace(sample, bare=True) for sample in samples] if is_bare else [*samples]


def points_series(label: str, samples: Sequence[Sample], tone: Tone) -> Series:
    """The series of samples: a point with its interval for each, or a band if there are many."""
    errors = [sample.half for sample in samples]
    usable = any(error > 0 for error in errors)
    return Series(
        label,
        [sample.x for sample in samples],
        [sample.y for sample in samples],
        tone,
        "band" if usable and len(samples) >= MANY else "points",
        errors if usable else None,
    )


def _notes(
    groups: Sequence[Sequence[Sample]], overlays: Sequence[tuple[str, Sequence[Sample]]]
) -> list[str]:
    """The sentences below the curves, the most important first."""
    notes = []
    trials = sorted({sample.trials for group in groups for sample in group})
    what = "bands" if any(len(group) >= MANY for group in groups) else "points"
    if trials and trials[-1] == 1:
        notes.append(f"{what}: one trial")
    elif trials:
        many = " … ".join(map(fmt.count, dict.fromkeys((trials[0], trials[-1]))))
        notes.append(f"{what}: mean of {many} trials ± 95 %")
    if empty := ", ".join(name for name, group in overlays if not group):
        notes.append(f"{empty}: no points over this axis")
    return notes
