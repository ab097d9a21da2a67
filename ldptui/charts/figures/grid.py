"""All metrics of a run over an axis at once, in small charts; one of them opened."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial

from msgspec.structs import replace

from ...catalogue import metric_words
from ..chart_data import ChartData
from ..curves import names_items
from ..series import Axis, Chart, Panels, Plot
from .course import Course, course_plot
from .course_table import course_table
from .frame import ChartOption, Frame, FrameView, Room, draw_plot
from .maps import mapped_metrics
from .table import PICKED, ChartTable, TableColumn, Value

SMALL = (26, 7)
"""Columns and rows of a small chart, its title and its axis included."""
ALL = "all"


def frame(data: ChartData, chosen: Mapping[str, str]) -> Frame | str:
    """The small charts of all metrics along the axis; enter opens the one at the cursor."""
    if data.scenario is None or data.forms is None:
        return ""
    charts = ("success",) if names_items(data.scenario) else ("gain", "error")
    chart = next((each for each in charts if data.forms.axes(each)), charts[-1])
    axis = data.forms.axis(chart, chosen.get("axis", ""))
    cells = data.table.along(axis.key) if axis is not None else ()
    metrics = mapped_metrics(cells)
    if axis is None or not metrics:
        return ""
    runs = ((data.overlays[0].under if data.overlays else "", data.table), *data.tables_over)
    if len({repr(cell.parameters.get(axis.key)) for cell in cells}) < 2 and len(runs) < 2:
        return "One value has no curves: a in Parameters (2) sweeps a key."
    course = Course("", axis, axis.log, Axis(""), (), data.table, runs, has_others=False)
    courses = {name: replace(course, metric=name) for name in metrics}
    named = {name: metric_words(name).name for name in metrics}

    @cache
    def plot_of(name: str) -> Plot:
        return replace(course_plot(courses[name], "", []), title=named[name], note="")

    opened = chosen.get("view", ALL)
    picked = opened if opened in metrics else metrics[0]
    table = course_table(courses[picked], metric_words(picked).title, [])

    def draw(at: str | None, room: Room) -> Panels:
        many = max(1, room[0] // SMALL[0]) * max(1, (room[1] - 3) // SMALL[1])
        first = metrics.index(at) // many * many if at in metrics else 0
        shown = metrics[first : first + many]
        marked = [
            replace(plot_of(each), title=f"{PICKED} {named[each]}") if each == at else plot_of(each)
            for each in shown
        ]
        note = f"{first + 1}–{first + len(shown)} of {len(metrics)} metrics"
        note += "; enter opens the one at the cursor"
        return Panels(f"All metrics over the {axis.label}", tuple(marked), note, SMALL)

    def draw_whole(name: str, at: object, room: Room) -> Chart:
        title = f"{metric_words(name).title} over the {axis.label}"
        return draw_plot(replace(plot_of(name), title=title))(at, room)

    def click(place: object, _: Room) -> tuple[str, int] | None:
        return next(((name, 0) for name in metrics if place == named[name]), None)

    views = {ALL: FrameView("all metrics", draw, metrics, partial(_ends, courses), click)}
    for name, words in named.items():
        views[name] = FrameView(words, partial(draw_whole, name))
    axes = {each.key: f"over {each.symbol}" for each in data.forms.axes(chart)}
    return Frame(table, views, {"axis": ChartOption(axes, axis.key)}, opens=ALL)


def _ends(courses: Mapping[str, Course], metric: str) -> ChartTable:
    """The least and the greatest mean of a metric, for each series, and where they are."""
    course, rows = courses[metric], list[tuple[Value, ...]]()
    name, at = metric_words(metric).name, f"at {course.axis.symbol}"
    for label, samples in course.others():
        if samples:
            least, most = (pick(samples, key=lambda each: each.y) for pick in (min, max))
            rows.append((label, name, least.y, least.x, most.y, most.x))
    columns = ("series", "metric", "least", at, "greatest", at)
    return ChartTable("", tuple(map(TableColumn, columns)), tuple(rows))
