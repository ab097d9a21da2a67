"""The gain of an attack over an axis: in one plot, or in panels where it has many series."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final, Literal

from msgspec.structs import replace

from ...text.swept import setting_word
from ..chart_data import ChartData
from ..curves import Curve
from ..series import TONES, Axis, Panels, Plot, Series, Tone
from .course import (
    CLOSED,
    DEFENDED,
    Course,
    axes_of,
    course_frame,
    course_of,
    course_plot,
    points_series,
    shown_samples,
    theory_of,
)
from .course_table import course_table
from .error import NO_AXIS
from .frame import Frame, FrameView, chosen_option, draw_plot

NO_ATTACK: Final = "No attack, so no gain: 3 opens the attacks."
PHASED: Final = "The attack has phases: → Timeline shows the gain of each round."
UNSEEN: Final = "no server can notice"
LEAST_NOTICED: Final = f"{UNSEEN} less than this"
BOUND_TONES: Final[tuple[Tone, ...]] = (
    "series-1", "series-2", "series-5", "series-0", "series-3", "series-4",
)  # fmt: skip
"""The colours that are least like those of a curve alone and of its points come first."""
VIEWS: Final = {"edge": "edge", "floor": "floor", "bounds": "bounds", "none": "no bounds"}
MOST_IN_ONE: Final = 4
"""Series that one plot holds; more stand in panels."""
WIDE_SPAN: Final = 30.0
"""Ratio of the largest to the smallest curve from which one linear axis hides the smallest."""
DECADES: Final = 1e6
"""A symlog axis reaches over six decades at most."""
LINEAR: Final = 1e-3
"""The linear part of a symlog axis that no curve needs: gains below are in proportion."""
KEY: Final = "protocol.kind"


def frame(data: ChartData, chosen: Mapping[str, str]) -> Frame | str:
    """The chart of the gain along the axis, with its reference lines."""
    if data.forms is None:
        return ""
    if (axes := axes_of(data, "gain", chosen)) is None:
        return why_none(data)
    curves = [curve for curve in axes.curves if not curve.line]
    lines = held_against(axes.curves)
    noticed = [y for line in lines if line.hidden for y in line.y if y > 0]
    linear = linear_part(curves, min(noticed, default=0.0), log_x=axes.log)
    scale, options = axes.with_scale(chosen, _usual_scale(curves, linear), 3)
    y = Axis("gain, total over the targets (after - before)", log=scale == "log",
             linear=(linear or LINEAR) if scale == "symlog" else 0.0)  # fmt: skip
    course = course_of(data, axes, "gain", y)
    after = replace(course, metric="gain_after")
    named = [(curve.label, group) for curve, group in zip(curves, course.groups(), strict=True)]
    named += [
        (f"{curve.label}, {DEFENDED}" if len(curves) > 1 else DEFENDED, group)
        for curve, group in zip(curves, after.groups(), strict=True)
        if group
    ]
    against = sorted(lines, key=lambda line: not line.hidden)
    table = course_table(course, "Gain", named, against=against)
    parts = panels_of(curves)
    if len(parts) > 1:
        names = {"": "all panels", **{name: name for name in parts}}
        options["pick"] = chosen_option(names, chosen.get("pick"))
    picked = options["pick"].chosen if "pick" in options else ""

    @cache
    def chart(view: str) -> Plot | Panels:
        return _chart(course, lines, parts, view, picked)

    def draw_view(view: str) -> FrameView:
        return FrameView(VIEWS[view], lambda at, room: draw_plot(chart(view))(at, room))

    views = {view: draw_view(view) for view in VIEWS}
    return course_frame(data, course, table, views, options)


def why_none(data: ChartData) -> str:
    """The sentence that says why a valid scenario has no chart of the gain."""
    attack = data.scenario.document.get("attack", {}) if data.scenario is not None else {}
    if isinstance(attack, dict) and "phase" in attack:
        return PHASED
    is_attacked = isinstance(attack, dict) and attack.get("kind", "none") != "none"
    return NO_AXIS if is_attacked else NO_ATTACK


def held_against(curves: Sequence[Curve]) -> list[Curve]:
    """The reference lines of a gain chart (other attacks, bounds) among its curves."""
    shown = {(curve.parameters.get("attack.kind"), curve.parameters.get(KEY))
             for curve in curves if not curve.line}  # fmt: skip
    return [
        curve
        for curve in curves
        if curve.line and (curve.line, curve.parameters.get(KEY)) not in shown
    ]


# --- One plot ------------------------------------------------------------------------------------


def gain_plot(course: Course, lines: Sequence[Curve], view: str) -> Plot:
    """The plot of the gain, before and after defences, with the reference lines of the view."""
    bounding = [line for line in lines if view == "bounds" or (line.hidden and view != "none")]
    groups = course.groups()
    plot = course_plot(
        course, "Gain of the attack", groups, [y for line in bounding for y in line.y]
    )
    plot = _with_defended(plot, course)
    if view == "bounds":
        return _with_bounds(plot, course, bounding)
    below = next((line for line in bounding if any(line.y)), None)
    if below is None:
        return plot
    on_it = next((each.label for each in course.curves if coinciding([each, below])), "")
    if on_it and view != "floor":  # the line would lie under its curve
        words = f"{UNSEEN} a gain below the curve of {on_it}"
        return replace(plot, note="; ".join(filter(None, (words, plot.note))))
    style: Literal["floor", "dotted"] = "floor" if view == "floor" else "dotted"
    edge = Series(LEAST_NOTICED, below.x, below.y, "muted", style)
    return replace(plot, series=(*plot.series, edge))


def _with_bounds(plot: Plot, course: Course, lines: Sequence[Curve]) -> Plot:
    """The plot with reference lines, dotted, in colours that its curves do not have.

    A line that is 0 everywhere becomes a level.
    """
    used = TONES[: len(course.curves)] if len(course.curves) > 1 else ()
    tones = [tone for tone in BOUND_TONES if tone not in used] or BOUND_TONES
    dotted = [
        Series(line.label, line.x, line.y, tones[at % len(tones)], "dotted", end=line.label)
        for at, line in enumerate(line for line in lines if any(line.y))
    ]
    maximal = any(curve.parameters.get("attack.kind") == "mga" for curve in course.curves)
    note = plot.note
    if lines and not maximal and not any(line.line == "mga" for line in lines):
        note = "; ".join(filter(None, (note, "MGA: no line over this many items")))
    none = tuple((0.0, line.label) for line in lines if not any(line.y) and not plot.y.log)
    return replace(plot, series=(*plot.series, *dotted), levels=none or plot.levels, note=note)


def _with_defended(plot: Plot, course: Course) -> Plot:
    """The plot with the defended gain of every curve that has one; the y-axis includes it."""
    after, several = replace(course, metric="gain_after"), len(course.curves) > 1
    added = list[Series]()
    for number, (curve, group) in enumerate(zip(course.curves, after.groups(), strict=True)):
        if not group:
            continue
        group = shown_samples(group, course.y)
        tone: Tone = TONES[number % len(TONES)] if several else "series-1"
        label = f"{curve.label}, {DEFENDED}" if several else DEFENDED
        xs, ys = theory_of(group)
        if ys:
            added.append(Series(f"{label}, {CLOSED}", xs, ys, tone, "dotted", legend=False))
        added.append(points_series(label, group, tone))
    values = [float(y) for series in added for y in series.y if y > 0 or not plot.y.log]
    y = plot.y
    if values and y.low is not None and y.high is not None:
        y = replace(y, low=min(y.low, *values), high=max(y.high, *values))
    return replace(plot, series=(*plot.series, *added), y=y)


# --- Panels --------------------------------------------------------------------------------------


def _chart(
    course: Course, lines: Sequence[Curve], parts: Mapping[str, Sequence[Curve]], view: str,
    picked: str,
) -> Plot | Panels:  # fmt: skip
    """The gain in one plot, or in panels with one pair of axes; picked : the panel shown alone."""
    if len(parts) < 2:
        return gain_plot(course, lines, view)
    plots = []
    for name, part in parts.items():
        curves = [_without(name, curve) for curve in part]
        own = replace(course, curves=curves, has_others=False)
        plot = gain_plot(own, lines, view)  # the edge first: one stroke in all panels
        series = sorted(plot.series, key=lambda each: each.label != LEAST_NOTICED)
        plots.append(replace(plot, title=name, series=tuple(series)))
    lows = [each.y.low for each in plots if each.y.low is not None]
    highs = [each.y.high for each in plots if each.y.high is not None]
    low, high = min(lows, default=None), max(highs, default=None)
    crosses = low is not None and low < 0 < (high or 0.0) and not course.y.log
    shared = [
        replace(each, y=replace(each.y, low=low, high=high), levels=((0.0, ""),) * crosses)
        for each in plots
    ]
    title = f"Gain of the attack over the {course.axis.label}"
    if picked:
        return replace(shared[list(parts).index(picked)], title=f"{title}, {picked}")
    same = [f"{name}: {words}" for name, part in parts.items() if (words := coinciding(part))]
    notes: dict[str, list[str]] = {}
    for each in plots:
        for words in filter(None, each.note.split("; ")):
            notes.setdefault(words, []).append(each.title)
    said = [f"{', '.join(names)}: {words}" if words.startswith(UNSEEN) else words
            for words, names in notes.items()]  # fmt: skip
    return Panels(title, tuple(shared), "; ".join([*same, *said]))


def panels_of(curves: Sequence[Curve]) -> dict[str, list[Curve]]:
    """The curves grouped into panels by name: one for each protocol, or for each defence.

    A single panel if the curves are few, or if each panel would have one curve.
    """
    parts = {"": [*curves]}
    for key in _curve_keys(curves):
        if max(map(len, parts.values())) <= MOST_IN_ONE:
            break
        finer: dict[str, list[Curve]] = {}
        for name, part in parts.items():
            for curve in part:
                word = setting_word(curve.parameters, key)
                finer.setdefault(f"{name} {word}".strip(), []).append(curve)
        if len(finer) < len(curves):
            parts = finer
    return parts


def _curve_keys(curves: Sequence[Curve]) -> list[str]:
    """The keys whose values occur in the names of the curves, the attack's last."""
    keys = [
        key
        for key in (curves[0].parameters if curves else ())
        if all(setting_word(curve.parameters, key) in curve.label.split() for curve in curves)
        and len({setting_word(curve.parameters, key) for curve in curves}) > 1
    ]
    return sorted(keys, key=lambda key: (key != KEY, key.startswith("attack.")))


def _without(name: str, curve: Curve) -> Curve:
    """The curve with the words of its panel's name removed from its label."""
    left = name.split()
    words = [word for word in curve.label.split() if word not in left]
    return replace(curve, label=" ".join(words) or curve.label)


def coinciding(curves: Sequence[Curve]) -> str:
    """The names of curves that lie within 1 %: `OUE = OLH within 1 %`; "" if there are none."""
    groups: list[list[Curve]] = []
    for curve in curves:
        for group in groups:
            pairs = list(zip(curve.y, group[0].y, strict=False))
            both = [(a, b) for a, b in pairs if math.isfinite(a) and math.isfinite(b)]
            if both and all(abs(a - b) <= 0.01 * max(abs(a), abs(b)) for a, b in both):
                group.append(curve)
                break
        else:
            groups.append([curve])
    same = [" = ".join(curve.label for curve in group) for group in groups if len(group) > 1]
    return f"{', '.join(same)} within 1 %" if same else ""


# --- The scale of y ------------------------------------------------------------------------------


def linear_part(curves: Sequence[Curve], noticed: float = 0.0, *, log_x: bool = False) -> float:
    """The end of the linear part of a symlog axis; 0 if a linear axis shows all curves.

    noticed : the least gain that a server can notice; smaller gains are drawn in the linear part.
    log_x : the x-axis is logarithmic, so that the low ends of curves have to be visible too.
    """
    known = [[abs(y) for y in curve.y if math.isfinite(y) and y] for curve in curves]
    sizes = [max(each) for each in known if each]
    lows = [max(noticed, min(each)) for each in known if each]
    for least in (sizes, lows) if log_x else (sizes,):
        if sizes and max(sizes) >= WIDE_SPAN * min(least):
            end = max(noticed, min(least), max(sizes) / DECADES)
            return float(10.0 ** math.floor(math.log10(end)))
    return 0.0


def _usual_scale(curves: Sequence[Curve], linear: float) -> str:
    """The scale on which every curve is visible; symlog only if values are 0 or negative."""
    if not linear:
        return "linear"
    known = [y for curve in curves for y in curve.y if math.isfinite(y)]
    return "symlog" if min(known) <= 0 else "log"
