"""The table of a metric over an axis: a row for each sample, closed forms where there is none."""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec.structs import replace

from ...text import format as fmt
from ...text.interval import with_reach
from ..curves import Curve
from .course import BIT_SUPPORT, CLOSED, Course, Sample
from .table import MEASURED, ChartTable, TableColumn, Value, finite


def course_table(
    course: Course,
    title: str,
    groups: Sequence[tuple[str, Sequence[Sample]]],
    *,
    powers: bool = False,
    against: Sequence[Curve] = (),
) -> ChartTable:
    """The table of a course: a row for each sample below the name of its group; only closed forms
    if nothing is measured.

    powers : numbers with a power of ten, otherwise with the decimals of the errors.
    against : reference lines, each as a column.
    """
    axis, support = course.axis, any(curve.support for curve in course.curves)
    samples = [sample for _, group in groups for sample in group]
    errors = [each.estimate.standard_error for each in samples if each.estimate.standard_error]
    places = min(6, fmt.decimals(errors)) if errors else 4
    number = TableColumn("", digits=4) if powers else TableColumn("", places)
    error = TableColumn("", digits=2) if powers else TableColumn("", places)
    columns = [TableColumn("series"), TableColumn(axis.symbol)]
    columns += [replace(number, name=CLOSED), replace(number, name=MEASURED)]
    columns += [
        replace(error, name="± error"),
        TableColumn("z", 2, sign=True),
        TableColumn("trials"),
    ]
    columns += [replace(number, name=BIT_SUPPORT)] if support else []
    columns += [replace(number, name=line.label) for line in against]
    values = [dict(zip(line.x, line.y, strict=True)) for line in against]
    rows: list[tuple[Value, ...]] = []

    def add(label: str, x: float, numbers: Sequence[Value], bits: Value) -> None:
        lines = (finite(line.get(x, math.nan)) for line in values)
        place = int(x) if axis.integer else x
        rows.append((label, place, *numbers, *([bits] if support else []), *lines))

    curves = {curve.label: curve for curve in course.curves}
    groups = [*groups, *course.others()]
    for label, group in groups:
        for sample in group:
            found = sample.estimate
            numbers = (found.theory, found.mean, found.standard_error, found.z, sample.trials)
            add(label, sample.x, numbers, sample.support)
        if not group and label in curves:
            for x, y in zip(*course.line(curves[label], ()), strict=True):
                add(label, x, (finite(y), None, None, None, None), None)
    title = with_reach(f"{title} over {axis.symbol}", [sample.trials for sample in samples])
    return ChartTable(title, tuple(columns), tuple(rows))
