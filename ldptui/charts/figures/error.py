"""The error without an attack over an axis, squared or as a standard deviation."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

from msgspec.structs import replace

from ...catalogue import swept_kinds
from ..chart_data import ChartData
from ..curves import FLOOR
from ..series import Axis, Plot, Series
from .course import Course, Sample, axes_of, course_frame, course_of, course_plot
from .course_table import course_table
from .frame import Frame, FrameView, chosen_option, draw_plot

NO_AXIS: Final = "No closed form to vary over an axis: ← → show the tabs with what is measured."
LEFT_OUT: Final = "other protocols: only where chosen or swept"
ROUNDS: Final = "campaign.rounds"
POOLED: Final = "lines: one round; points: all rounds pooled"
VIEWS: Final = {"mse": ("MSE", "Mean squared error"), "std": ("std", "Standard deviation")}


def frame(data: ChartData, chosen: Mapping[str, str]) -> Frame | str:
    """The chart of each protocol's error along the axis, with a line for the least
    possible error.
    """
    if data.forms is None:
        return ""
    if (axes := axes_of(data, "error", chosen)) is None:
        return NO_AXIS
    scale, options = axes.with_scale(chosen, "log", 2)
    courses = {}
    for view, (_, words) in VIEWS.items():
        label = f"{words[0].lower()}{words[1:]} of a frequency"
        course = course_of(data, axes, "mse_clean", Axis(label, log=scale == "log"))
        courses[view] = replace(course, root=view == "std", table=data.table.without_attack)
    picked = chosen_option({name: words for name, (words, _) in VIEWS.items()}, chosen.get("view"))
    shown = courses[picked.chosen]
    protocols = [curve for curve in shown.curves if curve.label != FLOOR]
    named = [
        (curve.label, group) for curve, group in zip(shown.curves, shown.groups(), strict=True)
    ]
    table = course_table(shown, VIEWS[picked.chosen][1], named, powers=True)

    @cache
    def plot(view: str) -> Plot:
        return _plot(replace(courses[view], curves=protocols), courses[view])

    def draw_view(view: str) -> FrameView:
        return FrameView(VIEWS[view][0], lambda at, room: draw_plot(plot(view))(at, room))

    views = {view: draw_view(view) for view in VIEWS}
    return course_frame(data, shown, table, views, options)


def _plot(course: Course, whole: Course) -> Plot:
    """The plot of the protocols' errors over the least possible error; notes say what is pooled or
    left out.
    """
    groups = course.groups()
    floor = [(each.label, *whole.line(each, ())) for each in whole.curves if each.label == FLOOR]
    plot = course_plot(
        course, "Error without attack", groups, [y for _, _, ys in floor for y in ys]
    )
    least = (Series(*line, "muted", "dotted", end=line[0]) for line in floor)
    all_known = {kind.upper() for kind in swept_kinds("protocol", "")}
    left = LEFT_OUT if all_known == {curve.label for curve in course.curves} else ""
    pooled = POOLED * _has_rounds(course, groups)
    note = "; ".join(filter(None, (plot.note, pooled, left)))
    return replace(plot, series=(*plot.series, *least), note=note)


def _has_rounds(course: Course, groups: list[list[Sample]]) -> bool:
    rounds = any(cell.parameters.get(ROUNDS, 1) > 1 for cell in course.table)
    return rounds and any(groups)
