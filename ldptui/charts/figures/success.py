"""A metric over an axis: of items that the server names, or one in Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from ...catalogue import metric_words
from ..chart_data import ChartData
from ..curves import success_metrics
from ..series import Axis, Plot
from .course import (
    CLOSED,
    Course,
    Sample,
    axes_of,
    course_frame,
    course_of,
    course_plot,
)
from .course_table import course_table
from .error import NO_AXIS
from .frame import Frame, FrameView, chosen_option, draw_plot
from .gain import WIDE_SPAN
from .setting_words import words_of_arm


def frame(data: ChartData, chosen: Mapping[str, str]) -> Frame | str:
    """The chart of a metric along the axis: the closed form as curves, simulated means
    as points.
    """
    if data.forms is None or data.scenario is None:
        return ""
    if (axes := axes_of(data, "success", chosen)) is None:
        return NO_AXIS
    known, wanted = [*success_metrics(data.scenario)], chosen.get("view", "")
    if wanted not in known and any(wanted in cell.metrics for cell in data.table):
        known.append(wanted)
    names = {metric: metric_words(metric).name for metric in known}
    metric = chosen_option(names, chosen.get("view")).chosen
    words = metric_words(metric)
    means = [cell.metrics[metric].mean or 0.0 for cell in data.table if metric in cell.metrics]
    usual = "log" if 0 < WIDE_SPAN * min(means, default=0.0) < max(means) else "linear"
    scale, options = axes.with_scale(chosen, usual, 2)
    label = words.name if words.column.startswith("the same") else words.column
    label, title = (words_of_arm(each, data.table) for each in (label or words.name, words.title))
    y = Axis(label, log=scale == "log")
    course = course_of(data, axes, metric, y)
    groups = course.groups()
    if not any(groups) and not course.along(course.table):
        return ""
    named = [(curve.label, group) for curve, group in zip(course.curves, groups, strict=True)]
    table = course_table(course, words.title, named)
    draw = draw_plot(_plot(course, title, groups))
    views = {name: FrameView(name_words, draw) for name, name_words in names.items()}
    return course_frame(data, course, table, views, options)


def _plot(course: Course, title: str, groups: Sequence[Sequence[Sample]]) -> Plot:
    values = [
        value
        for group in groups
        for sample in group
        for value in (sample.y, sample.estimate.theory)
        if value
    ]
    least, most = min([0.0, *values]), max([0.0, *values])
    plot = course_plot(course, title, groups, () if course.y.log else (least, most))
    if plot.y.low is not None and plot.y.low < least == 0:  # of an interval: no mean is below 0
        plot = replace(plot, y=replace(plot.y, low=0.0), levels=())
    drawn = len(course.curves) > 1 and any(len(each.y) > 0 for each in plot.series)
    if drawn and not any(groups):  # with points the legend says it
        plot = replace(plot, note="; ".join(filter(None, (plot.note, f"lines: {CLOSED}s"))))
    return plot
